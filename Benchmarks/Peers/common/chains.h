// A table of signers whose path was verified. Later messages with the same certificate bytes need no
// verification of the path.
#ifndef CHAINS_H
#define CHAINS_H

#include "receipt.h"

struct chain {
    uint64_t hash;
    struct octets certificates, signer; ///< as in struct container
    int64_t not_before, not_after;      ///< validity of the whole path, in seconds since 1970
    void *key;                          ///< the signer's key, a type of the library; NULL in a free place
};

enum { CHAINS = 1024 };

/// A table of fixed size, because the App Store signs with only a few certificates at a time.
struct chains {
    struct chain places[CHAINS];
    size_t replaced;
};

/// Returns the chain with exactly the message's certificates and signer, or NULL if the table lacks it.
struct chain *chains_find(struct chains *chains, const struct container *container);

/// Adds a chain. Copies the certificates and takes over the key. If the table has no free place, frees the
/// key of another chain with `key_free` and replaces that chain. Returns false if memory runs out; then the
/// caller still owns the key.
bool chains_add(struct chains *chains, const struct container *container, int64_t not_before,
                int64_t not_after, void *key, void (*key_free)(void *key));

#endif
