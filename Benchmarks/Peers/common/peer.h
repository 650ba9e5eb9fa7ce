// The interface that each peer in C implements. `protocol.c` turns it into a measuring program.
#ifndef PEER_H
#define PEER_H

#include "receipt.h"

struct peer {
    const char *name;
    const char *built; ///< the compiler, and anything that a reader of the figures should know
    const char *(*version)(void);

    /// Parses and keeps the root's certificate, in DER. Called before `verify` and `verify_remembered`.
    bool (*keep_root)(struct octets root);
    /// Class (i): verifies a receipt and keeps only the trust store. The content is valid until the next
    /// call. If the result is false, `reason` is set.
    bool (*verify)(struct octets receipt, struct octets *content, const char **reason);
    /// Class (ii): verifies a receipt with the chains known from earlier receipts.
    bool (*verify_remembered)(struct octets receipt, struct payload *payload, const char **reason);
    /// Class (i) or, if `remember`, class (ii) for a token of StoreKit 2 and the tokens inside it. The
    /// payload is valid until the next call. If the result is false, `reason` is set.
    bool (*verify_token)(struct octets token, bool remember, struct octets *payload, const char **reason);

    bool (*keep_digest)(enum digest digest);
    bool (*digest)(struct octets message, uint8_t result[64]);

    /// Parses and keeps a SubjectPublicKeyInfo, for RSASSA-PKCS1-v1_5 with SHA-256.
    bool (*keep_key)(struct octets subject_public_key_info);
    bool (*verify_signature)(const uint8_t digest[32], struct octets signature);
    /// Verifies eight copies of the signature at once.
    bool (*verify_eight_signatures)(const uint8_t digest[32], struct octets signature);

    /// Parses and keeps a SubjectPublicKeyInfo, for ECDSA over this digest.
    bool (*keep_curve_key)(struct octets subject_public_key_info, enum digest digest);
    /// Verifies an ECDSA-Sig-Value.
    bool (*verify_curve_signature)(struct octets digest, struct octets signature);
};

extern const struct peer peer;

#endif
