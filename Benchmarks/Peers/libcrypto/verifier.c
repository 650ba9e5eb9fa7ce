#include "verifier.h"
#include "../common/chains.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// AWS-LC has only PKCS #7. OpenSSL has PKCS #7 and CMS, and its CMS is faster.
#ifdef OPENSSL_IS_AWSLC
#include <openssl/pkcs7.h>
#include <openssl/service_indicator.h>
typedef PKCS7 message;
#else
#include <openssl/cms.h>
typedef CMS_ContentInfo message;
#endif

const char *libcrypto_version(void)
{
#ifdef OPENSSL_IS_AWSLC
    return awslc_version_string() + sizeof "AWS-LC";
#else
    return OpenSSL_version(OPENSSL_VERSION_STRING);
#endif
}

// Digests

struct hasher {
    const EVP_MD *digests[DIGESTS];
    EVP_MD_CTX *context;
};

struct hasher *hasher_new(void)
{
    struct hasher *hasher = calloc(1, sizeof *hasher);
    if (hasher == NULL || (hasher->context = EVP_MD_CTX_new()) == NULL)
        return NULL;
#ifdef OPENSSL_IS_AWSLC
    hasher->digests[DIGEST_SHA1] = EVP_sha1();
    hasher->digests[DIGEST_SHA256] = EVP_sha256();
    hasher->digests[DIGEST_SHA384] = EVP_sha384();
    hasher->digests[DIGEST_SHA512] = EVP_sha512();
#else
    // The library would look up EVP_sha256() and the others among its providers at the start of every digest.
    hasher->digests[DIGEST_SHA1] = EVP_MD_fetch(NULL, "SHA1", NULL);
    hasher->digests[DIGEST_SHA256] = EVP_MD_fetch(NULL, "SHA256", NULL);
    hasher->digests[DIGEST_SHA384] = EVP_MD_fetch(NULL, "SHA384", NULL);
    hasher->digests[DIGEST_SHA512] = EVP_MD_fetch(NULL, "SHA512", NULL);
#endif
    return hasher;
}

static size_t digest_size(const struct hasher *hasher, enum digest digest)
{
    return (size_t)EVP_MD_size(hasher->digests[digest]);
}

// OpenSSL's SHA256_Init() and similar functions would save about 60 ns, but are deprecated since 3.0.
bool hasher_digest(struct hasher *hasher, enum digest digest, struct octets message, uint8_t result[64])
{
    return EVP_DigestInit_ex(hasher->context, hasher->digests[digest], NULL) &&
           EVP_DigestUpdate(hasher->context, message.at, message.count) &&
           EVP_DigestFinal_ex(hasher->context, result, NULL);
}

// The signature covers the signed attributes with the tag of a SET, which differs from their tag in the
// message.
static bool digest_signed_attributes(struct hasher *hasher, const struct container *container,
                                     uint8_t result[64])
{
    return EVP_DigestInit_ex(hasher->context, hasher->digests[container->digest], NULL) &&
           EVP_DigestUpdate(hasher->context, "\x31", 1) &&
           EVP_DigestUpdate(hasher->context, container->signed_attributes.at,
                            container->signed_attributes.count) &&
           EVP_DigestFinal_ex(hasher->context, result, NULL);
}

// A kept key with a context for each digest. A context is made when a signature first uses its digest.
struct key {
    EVP_PKEY *key;
    EVP_PKEY_CTX *contexts[DIGESTS];
};

static void key_free(void *kept)
{
    struct key *key = kept;
    EVP_PKEY_free(key->key);
    for (size_t i = 0; i < DIGESTS; i++)
        EVP_PKEY_CTX_free(key->contexts[i]);
    free(key);
}

struct verifier {
    X509 *root;
    X509_STORE *store;
    struct hasher *hasher;
    message *message; // the last call's message, kept because the caller still uses its content
    char reason[256];
    struct chains chains;
};

struct verifier *verifier_new(struct octets root)
{
    struct verifier *verifier = calloc(1, sizeof *verifier);
    if (verifier == NULL)
        return NULL;
    const uint8_t *at = root.at;
    verifier->root = d2i_X509(NULL, &at, (long)root.count);
    verifier->store = X509_STORE_new();
    verifier->hasher = hasher_new();
    if (verifier->root == NULL || verifier->store == NULL || verifier->hasher == NULL ||
        !X509_STORE_add_cert(verifier->store, verifier->root))
        return NULL;
    // By default the library requires certificates for e-mail.
    X509_VERIFY_PARAM_set_purpose(X509_STORE_get0_param(verifier->store), X509_PURPOSE_ANY);
    return verifier;
}

static bool refuse(struct verifier *verifier, struct refusal *refusal, enum step step, const char *otherwise)
{
    const char *data = NULL, *reason = NULL;
    int flags = 0;
#ifdef OPENSSL_IS_AWSLC
    uint32_t error = ERR_peek_last_error_line_data(NULL, NULL, &data, &flags);
#else
    unsigned long error = ERR_peek_last_error_all(NULL, NULL, NULL, &data, &flags);
#endif
    if (error != 0)
        reason = ERR_reason_error_string(error);
    if (reason == NULL)
        reason = otherwise;
    bool with_data = error != 0 && (flags & ERR_TXT_STRING) && data != NULL && *data != '\0';
    snprintf(verifier->reason, sizeof verifier->reason, with_data ? "%s: %s" : "%s", reason, data);
    ERR_clear_error();
    *refusal = (struct refusal){step, verifier->reason};
    return false;
}

// Verification by the library

#ifdef OPENSSL_IS_AWSLC

static message *message_parse(const uint8_t **at, size_t count)
{
    return d2i_PKCS7(NULL, at, count);
}

static void message_free(message *message)
{
    PKCS7_free(message);
}

static const ASN1_OCTET_STRING *message_content(message *message)
{
    if (!PKCS7_type_is_signed(message) || message->d.sign->contents == NULL ||
        !PKCS7_type_is_data(message->d.sign->contents))
        return NULL;
    return message->d.sign->contents->d.data;
}

static bool message_verify(message *message, X509_STORE *store)
{
    return PKCS7_verify(message, NULL, store, NULL, NULL, PKCS7_BINARY) == 1;
}

static bool is_of_path(uint32_t error)
{
    int reason = ERR_GET_REASON(error);
    return ERR_GET_LIB(error) == ERR_LIB_PKCS7 &&
           (reason == PKCS7_R_CERTIFICATE_VERIFY_ERROR || reason == PKCS7_R_SIGNER_CERTIFICATE_NOT_FOUND);
}

static STACK_OF(X509) *message_signers(message *message)
{
    return PKCS7_get0_signers(message, NULL, 0);
}

static STACK_OF(X509) *message_certificates(message *message)
{
    return X509_chain_up_ref(message->d.sign->cert);
}

#else

static message *message_parse(const uint8_t **at, size_t count)
{
    return d2i_CMS_ContentInfo(NULL, at, (long)count);
}

static void message_free(message *message)
{
    CMS_ContentInfo_free(message);
}

static const ASN1_OCTET_STRING *message_content(message *message)
{
    ASN1_OCTET_STRING **content = CMS_get0_content(message);
    return content == NULL ? NULL : *content;
}

static bool message_verify(message *message, X509_STORE *store)
{
    return CMS_verify(message, NULL, store, NULL, NULL, CMS_BINARY) == 1;
}

static bool is_of_path(unsigned long error)
{
    int reason = ERR_GET_REASON(error);
    return ERR_GET_LIB(error) == ERR_LIB_CMS &&
           (reason == CMS_R_CERTIFICATE_VERIFY_ERROR || reason == CMS_R_SIGNER_CERTIFICATE_NOT_FOUND);
}

static STACK_OF(X509) *message_signers(message *message)
{
    return CMS_get0_signers(message);
}

static STACK_OF(X509) *message_certificates(message *message)
{
    return CMS_get1_certs(message);
}

#endif

bool verifier_verify(struct verifier *verifier, struct octets receipt, struct octets *content,
                     struct refusal *refusal)
{
    message_free(verifier->message);
    const uint8_t *at = receipt.at;
    verifier->message = message_parse(&at, receipt.count);
    if (verifier->message == NULL || at != receipt.at + receipt.count)
        return refuse(verifier, refusal, STEP_CONTAINER, "trailing octets");
    const ASN1_OCTET_STRING *octets = message_content(verifier->message);
    if (octets == NULL)
        return refuse(verifier, refusal, STEP_CONTAINER, "no content");
    // The message keeps its content, so the content need not be copied.
    *content = (struct octets){ASN1_STRING_get0_data(octets), (size_t)ASN1_STRING_length(octets)};

    int64_t created;
    if (!payload_creation_time(*content, &created))
        return refuse(verifier, refusal, STEP_CREATION_DATE, "no creation date");
    X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(verifier->store), (time_t)created);
    if (!message_verify(verifier->message, verifier->store)) {
        enum step step = is_of_path(ERR_peek_last_error()) ? STEP_PATH : STEP_SIGNATURE;
        return refuse(verifier, refusal, step, "not verified");
    }
    return true;
}

// Verification with known chains

static bool seconds_from(const ASN1_TIME *time, int64_t *seconds)
{
    struct tm tm;
    if (!ASN1_TIME_to_tm(time, &tm))
        return false;
    *seconds = seconds_of(tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
    return true;
}

bool validity_narrow(int64_t *not_before, int64_t *not_after, const X509 *certificate)
{
    int64_t from, to;
    if (!seconds_from(X509_get0_notBefore(certificate), &from) ||
        !seconds_from(X509_get0_notAfter(certificate), &to))
        return false;
    if (*not_before < from)
        *not_before = from;
    if (*not_after > to)
        *not_after = to;
    return true;
}

// Remembers the chain of the verified message. If the chain cannot be remembered, it is verified again each
// time.
static void remember(struct verifier *verifier, const struct container *container)
{
    STACK_OF(X509) *signers = message_signers(verifier->message);
    STACK_OF(X509) *certificates = message_certificates(verifier->message);
    int64_t not_before = INT64_MIN, not_after = INT64_MAX;
    bool good =
        signers != NULL && sk_X509_num(signers) == 1 && validity_narrow(&not_before, &not_after, verifier->root);
    // Narrows the validity by all certificates of the message, whether the path needs them or not. A validity
    // that is too short only costs a verification.
    for (int i = 0; good && certificates != NULL && i < (int)sk_X509_num(certificates); i++)
        good = validity_narrow(&not_before, &not_after, sk_X509_value(certificates, i));

    EVP_PKEY *signer = good ? X509_get0_pubkey(sk_X509_value(signers, 0)) : NULL;
    struct key *key = signer != NULL && EVP_PKEY_id(signer) == EVP_PKEY_RSA ? calloc(1, sizeof *key) : NULL;
    if (key != NULL) {
        EVP_PKEY_up_ref(signer);
        key->key = signer;
        if (!chains_add(&verifier->chains, container, not_before, not_after, key, key_free))
            key_free(key);
    }
    sk_X509_free(signers);
    sk_X509_pop_free(certificates, X509_free);
    ERR_clear_error();
}

EVP_PKEY_CTX *signature_context(EVP_PKEY *key, const EVP_MD *digest)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    if (context != NULL && EVP_PKEY_verify_init(context) == 1 &&
        (EVP_PKEY_id(key) != EVP_PKEY_RSA ||
         EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1) &&
        EVP_PKEY_CTX_set_signature_md(context, digest) == 1)
        return context;
    EVP_PKEY_CTX_free(context);
    return NULL;
}

static bool signature_verify(struct verifier *verifier, struct key *key, const struct container *container)
{
    EVP_PKEY_CTX **context = &key->contexts[container->digest];
    if (*context == NULL)
        *context = signature_context(key->key, verifier->hasher->digests[container->digest]);
    size_t size = digest_size(verifier->hasher, container->digest);
    uint8_t digest[64];
    if (*context == NULL || !hasher_digest(verifier->hasher, container->digest, container->content, digest))
        return false;
    if (container->signed_attributes.count != 0) {
        struct octets claimed;
        if (!container_message_digest(container, &claimed) ||
            !octets_equal(claimed, (struct octets){digest, size}) ||
            !digest_signed_attributes(verifier->hasher, container, digest))
            return false;
    }
    return EVP_PKEY_verify(*context, container->signature.at, container->signature.count, digest, size) == 1;
}

bool verifier_verify_remembered(struct verifier *verifier, struct octets receipt, struct payload *payload,
                                struct refusal *refusal)
{
    struct container container;
    bool plain = container_read(receipt, &container);
    struct chain *chain = plain ? chains_find(&verifier->chains, &container) : NULL;
    if (chain != NULL) {
        int64_t created;
        if (!signature_verify(verifier, chain->key, &container))
            return refuse(verifier, refusal, STEP_SIGNATURE, "signature mismatch");
        if (!payload_read(container.content, payload))
            return refuse(verifier, refusal, STEP_PAYLOAD, "payload not readable");
        if (!time_read(payload->creation_date, &created))
            return refuse(verifier, refusal, STEP_CREATION_DATE, "no creation date");
        if (chain->not_before <= created && created <= chain->not_after)
            return true;
    }
    struct octets content;
    if (!verifier_verify(verifier, receipt, &content, refusal))
        return false;
    if (plain && chain == NULL)
        remember(verifier, &container);
    if (!payload_read(content, payload))
        return refuse(verifier, refusal, STEP_PAYLOAD, "payload not readable");
    return true;
}
