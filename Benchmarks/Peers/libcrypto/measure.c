// The measuring program of OpenSSL and of AWS-LC.
#include "../common/peer.h"
#include "token.h"
#include "verifier.h"

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdlib.h>

static struct verifier *verifier;
static struct token_verifier *token_verifier;
static struct hasher *hasher;
static enum digest kept_digest;
static EVP_PKEY_CTX *kept_key;

static bool keep_root(struct octets root)
{
    verifier = verifier_new(root);
    token_verifier = token_verifier_new(root);
    return verifier != NULL && token_verifier != NULL;
}

static bool verify(struct octets receipt, struct octets *content, const char **reason)
{
    struct refusal refusal;
    if (verifier_verify(verifier, receipt, content, &refusal))
        return true;
    *reason = refusal.reason;
    return false;
}

static bool verify_remembered(struct octets receipt, struct payload *payload, const char **reason)
{
    struct refusal refusal;
    if (verifier_verify_remembered(verifier, receipt, payload, &refusal))
        return true;
    *reason = refusal.reason;
    return false;
}

static bool verify_token(struct octets token, bool remember, struct octets *payload, const char **reason)
{
    return token_verify(token_verifier, token, remember, payload, reason);
}

static bool keep_digest(enum digest digest)
{
    kept_digest = digest;
    return hasher != NULL || (hasher = hasher_new()) != NULL;
}

static bool digest(struct octets message, uint8_t result[64])
{
    return hasher_digest(hasher, kept_digest, message, result);
}

static bool keep_key_for(struct octets subject_public_key_info, const EVP_MD *digest)
{
    const uint8_t *at = subject_public_key_info.at;
    EVP_PKEY *key = d2i_PUBKEY(NULL, &at, (long)subject_public_key_info.count);
    kept_key = key == NULL ? NULL : signature_context(key, digest);
    return kept_key != NULL;
}

static bool keep_key(struct octets subject_public_key_info)
{
    return keep_key_for(subject_public_key_info, EVP_sha256());
}

static bool keep_curve_key(struct octets subject_public_key_info, enum digest digest)
{
    return keep_key_for(subject_public_key_info, digest == DIGEST_SHA384 ? EVP_sha384() : EVP_sha256());
}

static bool verify_signature(const uint8_t digest[32], struct octets signature)
{
    return EVP_PKEY_verify(kept_key, signature.at, signature.count, digest, 32) == 1;
}

static bool verify_curve_signature(struct octets digest, struct octets signature)
{
    return EVP_PKEY_verify(kept_key, signature.at, signature.count, digest.at, digest.count) == 1;
}

const struct peer peer = {
    .name = LIBCRYPTO_NAME,
    .built = BUILT,
    .version = libcrypto_version,
    .keep_root = keep_root,
    .verify = verify,
    .verify_remembered = verify_remembered,
    .verify_token = verify_token,
    .keep_digest = keep_digest,
    .digest = digest,
    .keep_key = keep_key,
    .verify_signature = verify_signature,
    .keep_curve_key = keep_curve_key,
    .verify_curve_signature = verify_curve_signature,
};
