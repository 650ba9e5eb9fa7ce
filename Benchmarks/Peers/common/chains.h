// What is remembered of signers whose path was verified, to know them again by the octets of the message.
#ifndef CHAINS_H
#define CHAINS_H

#include "receipt.h"

struct chain {
    uint64_t hash;
    struct octets certificates, signer; ///< as in struct container
    int64_t not_before, not_after;      ///< of the whole path, in seconds from 1970
    void *key;                          ///< the library's own, of the signer; NULL in a free place
};

enum { CHAINS = 1024 };

/// A table that never grows: the App Store signs with a few certificates at a time.
struct chains {
    struct chain places[CHAINS];
    size_t replaced;
};

/// NULL where the very certificates and signer of the message are not remembered.
struct chain *chains_find(struct chains *chains, const struct container *container);

/// Copies the certificates and keeps the key, after `key_free` of another one where its place was needed.
/// False without memory: the key is then still the caller's.
bool chains_add(struct chains *chains, const struct container *container, int64_t not_before,
                int64_t not_after, void *key, void (*key_free)(void *key));

#endif
