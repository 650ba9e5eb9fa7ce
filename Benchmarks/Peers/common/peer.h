// What each peer in C provides, and `protocol.c` makes a measuring program of.
#ifndef PEER_H
#define PEER_H

#include "receipt.h"

struct peer {
    const char *name;
    const char *built; ///< what it was compiled with, and anything that a reader of its figures should know
    const char *(*version)(void);

    /// Parses and keeps the root's certificate, in DER, before any of the three below it.
    bool (*keep_root)(struct octets root);
    /// Class (i): nothing kept but the trust store. The content is good until the next call; `reason` is set
    /// where false is returned.
    bool (*verify)(struct octets receipt, struct octets *content, const char **reason);
    /// Class (ii): with what is remembered of the receipts before.
    bool (*verify_remembered)(struct octets receipt, struct payload *payload, const char **reason);

    bool (*keep_digest)(enum digest digest);
    bool (*digest)(struct octets message, uint8_t result[64]);

    /// Parses and keeps a SubjectPublicKeyInfo, for RSASSA-PKCS1-v1_5 with SHA-256.
    bool (*keep_key)(struct octets subject_public_key_info);
    bool (*verify_signature)(const uint8_t digest[32], struct octets signature);
    /// Eight times that signature, verified at once.
    bool (*verify_eight_signatures)(const uint8_t digest[32], struct octets signature);
};

extern const struct peer peer;

#endif
