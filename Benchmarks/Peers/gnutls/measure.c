// The measuring program of GnuTLS. GnuTLS uses the arithmetic and digests of Nettle, and its own assembly.
//
// Its verdicts are libcrypto's (see ../libcrypto/verifier.h) with one exception: gnutls_pkcs7_verify() builds
// the path step by step and does not apply pathLenConstraint.
#include "../common/chains.h"
#include "../common/peer.h"

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/pkcs7.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <time.h>

// Apple signed with SHA-1 until 2023. GnuTLS refuses SHA-1 without this flag.
static const unsigned flags = GNUTLS_VERIFY_ALLOW_SIGN_WITH_SHA1;

static const struct {
    gnutls_digest_algorithm_t digest;
    gnutls_sign_algorithm_t signature;
} algorithms[DIGESTS] = {
    [DIGEST_SHA1] = {GNUTLS_DIG_SHA1, GNUTLS_SIGN_RSA_SHA1},
    [DIGEST_SHA256] = {GNUTLS_DIG_SHA256, GNUTLS_SIGN_RSA_SHA256},
    [DIGEST_SHA384] = {GNUTLS_DIG_SHA384, GNUTLS_SIGN_RSA_SHA384},
    [DIGEST_SHA512] = {GNUTLS_DIG_SHA512, GNUTLS_SIGN_RSA_SHA512},
};

static gnutls_x509_crt_t root;
static gnutls_x509_trust_list_t trusted;
static struct chains chains;
static gnutls_hash_hd_t hashes[DIGESTS];
static enum digest kept_digest;
static gnutls_pubkey_t kept_key;

// The last receipt's message and content, kept because the caller still uses the content.
static gnutls_pkcs7_t message;
static gnutls_datum_t embedded;

static gnutls_datum_t datum(struct octets octets)
{
    return (gnutls_datum_t){(unsigned char *)octets.at, (unsigned)octets.count};
}

static const char *version(void)
{
    return gnutls_check_version(NULL);
}

// GnuTLS has one clock. It is set to each receipt's creation date.
static time_t judged_at;

static time_t judging_time(time_t *time)
{
    if (time != NULL)
        *time = judged_at;
    return judged_at;
}

static bool keep_root(struct octets octets)
{
    gnutls_datum_t der = datum(octets);
    gnutls_global_set_time_function(judging_time);
    return gnutls_x509_crt_init(&root) == 0 && gnutls_x509_crt_import(root, &der, GNUTLS_X509_FMT_DER) == 0 &&
           gnutls_x509_trust_list_init(&trusted, 0) == 0 &&
           gnutls_x509_trust_list_add_cas(trusted, &root, 1, 0) == 1;
}

// Class (i)

static bool refuse(const char **reason, const char *why)
{
    *reason = why;
    return false;
}

static bool verify(struct octets receipt, struct octets *content, const char **reason)
{
    if (message != NULL)
        gnutls_pkcs7_deinit(message);
    message = NULL;
    gnutls_free(embedded.data);
    embedded = (gnutls_datum_t){NULL, 0};

    gnutls_datum_t der = datum(receipt);
    int status = gnutls_pkcs7_init(&message);
    if (status == 0)
        status = gnutls_pkcs7_import(message, &der, GNUTLS_X509_FMT_DER);
    if (status == 0)
        status = gnutls_pkcs7_get_embedded_data(message, 0, &embedded);
    if (status < 0)
        return refuse(reason, gnutls_strerror(status));
    *content = (struct octets){embedded.data, embedded.size};

    int64_t created;
    if (!payload_creation_time(*content, &created))
        return refuse(reason, "no creation date");
    judged_at = (time_t)created;
    int signers = gnutls_pkcs7_get_signature_count(message);
    if (signers <= 0)
        return refuse(reason, "no signer");
    for (int i = 0; i < signers; i++) {
        status = gnutls_pkcs7_verify(message, trusted, NULL, 0, (unsigned)i, NULL, flags);
        if (status < 0)
            return refuse(reason, gnutls_strerror(status));
    }
    return true;
}

// Class (ii)

static bool is_signer(gnutls_x509_crt_t certificate, const gnutls_pkcs7_signature_info_st *info)
{
    uint8_t serial[64];
    size_t size = sizeof serial;
    gnutls_datum_t issuer;
    if (gnutls_x509_crt_get_serial(certificate, serial, &size) != 0 ||
        !octets_equal((struct octets){serial, size},
                      (struct octets){info->signer_serial.data, info->signer_serial.size}) ||
        gnutls_x509_crt_get_raw_issuer_dn(certificate, &issuer) != 0)
        return false;
    bool equal = octets_equal((struct octets){issuer.data, issuer.size},
                              (struct octets){info->issuer_dn.data, info->issuer_dn.size});
    gnutls_free(issuer.data);
    return equal;
}

static void narrow(int64_t *not_before, int64_t *not_after, gnutls_x509_crt_t certificate)
{
    int64_t from = gnutls_x509_crt_get_activation_time(certificate);
    int64_t to = gnutls_x509_crt_get_expiration_time(certificate);
    if (*not_before < from)
        *not_before = from;
    if (*not_after > to)
        *not_after = to;
}

static void key_free(void *key)
{
    gnutls_pubkey_deinit(key);
}

// Remembers the chain of the verified message. If the chain cannot be remembered, it is verified again each
// time.
static void remember(const struct container *container)
{
    gnutls_pkcs7_signature_info_st info;
    if (gnutls_pkcs7_get_signature_info(message, 0, &info) != 0)
        return;
    gnutls_pubkey_t key = NULL;
    int64_t not_before = INT64_MIN, not_after = INT64_MAX;
    narrow(&not_before, &not_after, root);
    // Narrows the validity by all certificates of the message, whether the path needs them or not. A validity
    // that is too short only costs a verification.
    for (int i = 0; i < gnutls_pkcs7_get_crt_count(message); i++) {
        gnutls_x509_crt_t certificate;
        gnutls_datum_t der;
        if (gnutls_pkcs7_get_crt_raw2(message, (unsigned)i, &der) != 0 ||
            gnutls_x509_crt_init(&certificate) != 0)
            continue;
        if (gnutls_x509_crt_import(certificate, &der, GNUTLS_X509_FMT_DER) == 0) {
            narrow(&not_before, &not_after, certificate);
            if (key == NULL && is_signer(certificate, &info) && gnutls_pubkey_init(&key) == 0)
                gnutls_pubkey_import_x509(key, certificate, 0);
        }
        gnutls_x509_crt_deinit(certificate);
        gnutls_free(der.data);
    }
    gnutls_pkcs7_signature_info_deinit(&info);
    if (key != NULL && (gnutls_pubkey_get_pk_algorithm(key, NULL) != GNUTLS_PK_RSA ||
                        !chains_add(&chains, container, not_before, not_after, key, key_free)))
        key_free(key);
}

static bool hash_ready(enum digest digest)
{
    return hashes[digest] != NULL || gnutls_hash_init(&hashes[digest], algorithms[digest].digest) == 0;
}

static bool signature_verify(gnutls_pubkey_t key, const struct container *container)
{
    uint8_t result[64];
    enum digest digest = container->digest;
    gnutls_datum_t signature = datum(container->signature);
    gnutls_datum_t hashed = {result, gnutls_hash_get_len(algorithms[digest].digest)};
    if (!hash_ready(digest) ||
        gnutls_hash(hashes[digest], container->content.at, container->content.count) != 0)
        return false;
    gnutls_hash_output(hashes[digest], result);
    if (container->signed_attributes.count != 0) {
        struct octets claimed;
        if (!container_message_digest(container, &claimed) ||
            !octets_equal(claimed, (struct octets){result, hashed.size}))
            return false;
        // The signature covers the signed attributes with the tag of a SET, which differs from their tag in
        // the message.
        if (gnutls_hash(hashes[digest], "\x31", 1) != 0 ||
            gnutls_hash(hashes[digest], container->signed_attributes.at,
                        container->signed_attributes.count) != 0)
            return false;
        gnutls_hash_output(hashes[digest], result);
    }
    return gnutls_pubkey_verify_hash2(key, algorithms[digest].signature, flags, &hashed, &signature) >= 0;
}

static bool verify_remembered(struct octets receipt, struct payload *payload, const char **reason)
{
    struct container container;
    bool plain = container_read(receipt, &container);
    struct chain *chain = plain ? chains_find(&chains, &container) : NULL;
    if (chain != NULL) {
        int64_t created;
        if (!signature_verify(chain->key, &container))
            return refuse(reason, "signature mismatch");
        if (!payload_read(container.content, payload))
            return refuse(reason, "payload not readable");
        if (!time_read(payload->creation_date, &created))
            return refuse(reason, "no creation date");
        if (chain->not_before <= created && created <= chain->not_after)
            return true;
    }
    struct octets content;
    if (!verify(receipt, &content, reason))
        return false;
    if (plain && chain == NULL)
        remember(&container);
    return payload_read(content, payload) || refuse(reason, "payload not readable");
}

// Digests and signatures on their own

static bool keep_digest(enum digest digest)
{
    kept_digest = digest;
    return hash_ready(digest);
}

static bool digest(struct octets message, uint8_t result[64])
{
    if (gnutls_hash(hashes[kept_digest], message.at, message.count) != 0)
        return false;
    gnutls_hash_output(hashes[kept_digest], result);
    return true;
}

static bool keep_key(struct octets subject_public_key_info)
{
    gnutls_datum_t der = datum(subject_public_key_info);
    return gnutls_pubkey_init(&kept_key) == 0 &&
           gnutls_pubkey_import(kept_key, &der, GNUTLS_X509_FMT_DER) == 0;
}

static bool verify_signature(const uint8_t digest[32], struct octets signature)
{
    gnutls_datum_t hashed = {(unsigned char *)digest, 32}, octets = datum(signature);
    return gnutls_pubkey_verify_hash2(kept_key, GNUTLS_SIGN_RSA_SHA256, 0, &hashed, &octets) >= 0;
}

const struct peer peer = {
    .name = "GnuTLS",
    .built = BUILT,
    .version = version,
    .keep_root = keep_root,
    .verify = verify,
    .verify_remembered = verify_remembered,
    .keep_digest = keep_digest,
    .digest = digest,
    .keep_key = keep_key,
    .verify_signature = verify_signature,
};
