#include "chains.h"

#include <stdlib.h>

enum { PROBES = 8 };

// Hashes eight bytes of every forty. The hash only selects a place in the table; the bytes there are compared
// in full.
static uint64_t hash_of(struct octets octets)
{
    uint64_t hash = octets.count, word;
    for (size_t i = 0; i + sizeof word <= octets.count; i += 40) {
        memcpy(&word, octets.at + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    return hash;
}

struct chain *chains_find(struct chains *chains, const struct container *container)
{
    uint64_t hash = hash_of(container->certificates);
    for (size_t i = 0; i < PROBES; i++) {
        struct chain *chain = &chains->places[(hash + i) % CHAINS];
        if (chain->key != NULL && chain->hash == hash &&
            octets_equal(chain->certificates, container->certificates) &&
            octets_equal(chain->signer, container->signer))
            return chain;
    }
    return NULL;
}

bool chains_add(struct chains *chains, const struct container *container, int64_t not_before,
                int64_t not_after, void *key, void (*key_free)(void *key))
{
    size_t count = container->certificates.count;
    uint8_t *copy = malloc(count + container->signer.count);
    if (copy == NULL)
        return false;
    memcpy(copy, container->certificates.at, count);
    memcpy(copy + count, container->signer.at, container->signer.count);

    uint64_t hash = hash_of(container->certificates);
    struct chain *place = NULL;
    for (size_t i = 0; place == NULL && i < PROBES; i++)
        if (chains->places[(hash + i) % CHAINS].key == NULL)
            place = &chains->places[(hash + i) % CHAINS];
    if (place == NULL) {
        place = &chains->places[(hash + chains->replaced++ % PROBES) % CHAINS];
        free((void *)place->certificates.at);
        key_free(place->key);
    }
    *place = (struct chain){.hash = hash,
                            .certificates = {copy, count},
                            .signer = {copy + count, container->signer.count},
                            .not_before = not_before,
                            .not_after = not_after,
                            .key = key};
    return true;
}
