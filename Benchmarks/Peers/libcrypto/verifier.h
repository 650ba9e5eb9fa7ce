// The verification of receipts by libcrypto: OpenSSL from 3.0 on, or AWS-LC.
//
// It is the library's judgement, of what is the library's business: signatures and path. Neither asks for
// Apple's markers, for digitalSignature where the purpose is any, for keys of 2048 bits, or for one
// SignerInfo; AWS-LC does not hold a path to the pathLenConstraint of its root.
#ifndef VERIFIER_H
#define VERIFIER_H

#include "../common/receipt.h"

#include <openssl/evp.h>

#ifdef OPENSSL_IS_AWSLC
#define LIBCRYPTO_NAME "AWS-LC"
#else
#define LIBCRYPTO_NAME "OpenSSL"
#endif

/// Of the library that is linked, without its name.
const char *libcrypto_version(void);

/// Which of the steps refused a receipt.
enum step { STEP_CONTAINER, STEP_CREATION_DATE, STEP_PATH, STEP_SIGNATURE, STEP_PAYLOAD };

struct refusal {
    enum step step;
    const char *reason; ///< good until the verifier's next call
};

/// A trust store with one root and what goes with it. One thread uses it at a time.
struct verifier;

/// NULL where the root is not a certificate, or without memory. It lives as long as the process.
struct verifier *verifier_new(struct octets root);

/// Class (i): the library parses and verifies the whole message, its path at the receipt's creation date. The
/// content is good until the next call.
bool verifier_verify(struct verifier *verifier, struct octets receipt, struct octets *content,
                     struct refusal *refusal);

/// Class (ii): certificates whose path was verified before are known again by their octets, and only the
/// signature is verified. Others take the road above, and are remembered if they are good. Reads the
/// payload's attributes, which point into the receipt or are good until the next call.
bool verifier_verify_remembered(struct verifier *verifier, struct octets receipt, struct payload *payload,
                                struct refusal *refusal);

/// Digests by a context that is kept.
struct hasher;
struct hasher *hasher_new(void);
bool hasher_digest(struct hasher *hasher, enum digest digest, struct octets message, uint8_t result[64]);

/// A context that is kept, for RSASSA-PKCS1-v1_5 signatures by `key` over digests of that kind.
EVP_PKEY_CTX *signature_context(EVP_PKEY *key, const EVP_MD *digest);

#endif
