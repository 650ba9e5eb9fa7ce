// Verifies tokens of StoreKit 2 with libcrypto: OpenSSL 3.0 or newer, or AWS-LC.
//
// The library parses the certificates, and judges the path and the signatures. From the JSON, only `alg` and
// `x5c` of the header, the payload's date and the tokens inside a notification are read. Apple's markers are
// not required.
#ifndef TOKEN_H
#define TOKEN_H

#include "../common/octets.h"

/// A trust store with one root, and the known signers. Only one thread may use it at a time.
struct token_verifier;

/// Returns NULL if the root is not a certificate or memory runs out. A verifier is never freed.
struct token_verifier *token_verifier_new(struct octets root);

/// Verifies a token, and the tokens inside it if it is a notification. Class (i): verifies the path of each
/// token at its date. Class (ii), if `remember`: if the header's bytes are known from an earlier verification,
/// verifies only the signature. The payload is valid until the next call. If the result is false, `reason` is
/// set.
bool token_verify(struct token_verifier *verifier, struct octets token, bool remember, struct octets *payload,
                  const char **reason);

#endif
