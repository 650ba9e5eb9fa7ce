// Verifies receipts with libcrypto: OpenSSL 3.0 or newer, or AWS-LC.
//
// The library judges signatures and the path. Neither library requires Apple's markers, digitalSignature if
// any purpose is allowed, keys of 2048 bits, or exactly one SignerInfo. AWS-LC does not apply the
// pathLenConstraint of the root.
#ifndef VERIFIER_H
#define VERIFIER_H

#include "../common/receipt.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

#ifdef OPENSSL_IS_AWSLC
#define LIBCRYPTO_NAME "AWS-LC"
#else
#define LIBCRYPTO_NAME "OpenSSL"
#endif

/// The version of the linked library, without its name.
const char *libcrypto_version(void);

/// The step that refused a receipt.
enum step { STEP_CONTAINER, STEP_CREATION_DATE, STEP_PATH, STEP_SIGNATURE, STEP_PAYLOAD };

struct refusal {
    enum step step;
    const char *reason; ///< valid until the verifier's next call
};

/// A trust store with one root, and the known chains. Only one thread may use it at a time.
struct verifier;

/// Returns NULL if the root is not a certificate or memory runs out. A verifier is never freed.
struct verifier *verifier_new(struct octets root);

/// Class (i): the library parses and verifies the whole message, with its path at the receipt's creation
/// date. The content is valid until the next call.
bool verifier_verify(struct verifier *verifier, struct octets receipt, struct octets *content,
                     struct refusal *refusal);

/// Class (ii): if the certificates' bytes are known from an earlier verification, verifies only the
/// signature. Otherwise verifies as `verifier_verify` does, and remembers the chain if it is valid. Reads the
/// payload's attributes. They point into the receipt, or are valid until the next call.
bool verifier_verify_remembered(struct verifier *verifier, struct octets receipt, struct payload *payload,
                                struct refusal *refusal);

/// Computes digests with one context that is reused.
struct hasher;
struct hasher *hasher_new(void);
bool hasher_digest(struct hasher *hasher, enum digest digest, struct octets message, uint8_t result[64]);

/// Narrows a validity, in seconds since 1970, to a certificate's. Returns false if its times cannot be read.
bool validity_narrow(int64_t *not_before, int64_t *not_after, const X509 *certificate);

/// Makes a reusable context that verifies signatures of `key` over one kind of digest: RSASSA-PKCS1-v1_5, or
/// ECDSA in DER.
EVP_PKEY_CTX *signature_context(EVP_PKEY *key, const EVP_MD *digest);

#endif
