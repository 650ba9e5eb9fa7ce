#include "token.h"
#include "../common/base64.h"
#include "../common/chains.h"
#include "../common/json.h"
#include "verifier.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

enum {
    CERTIFICATES = 3,
    DEPTH = 2,            // a notification, and the tokens inside it
    SIGNATURE = 64,       // r and s
    DER_SIGNATURE = 72,   // SEQUENCE of two INTEGERs of up to 33 octets
    TOKEN_LIMIT = 1 << 20 // characters
};

struct buffer {
    uint8_t *at;
    size_t room;
};

struct token_verifier {
    X509 *root;
    X509_STORE *store;
    struct hasher *hasher;
    struct chains signers; // by the text of the header; the key is an EVP_PKEY_CTX
    struct buffer payloads[DEPTH], header, signature, certificate;
    const char *reason;
};

/// The parts of a token, as text.
struct token {
    struct octets header, payload, signature, signing_input;
};

struct token_verifier *token_verifier_new(struct octets root)
{
    struct token_verifier *verifier = calloc(1, sizeof *verifier);
    if (verifier == NULL)
        return NULL;
    const uint8_t *at = root.at;
    verifier->root = d2i_X509(NULL, &at, (long)root.count);
    verifier->store = X509_STORE_new();
    verifier->hasher = hasher_new();
    if (verifier->root == NULL || verifier->store == NULL || verifier->hasher == NULL ||
        !X509_STORE_add_cert(verifier->store, verifier->root))
        return NULL;
    X509_VERIFY_PARAM_set_purpose(X509_STORE_get0_param(verifier->store), X509_PURPOSE_ANY);
    return verifier;
}

static bool refuse(struct token_verifier *verifier, const char *reason)
{
    ERR_clear_error();
    verifier->reason = reason;
    return false;
}

static bool split(struct octets text, struct token *token)
{
    const uint8_t *end = text.at + text.count, *first = memchr(text.at, '.', text.count);
    const uint8_t *second = first == NULL ? NULL : memchr(first + 1, '.', (size_t)(end - first - 1));
    if (second == NULL || memchr(second + 1, '.', (size_t)(end - second - 1)) != NULL)
        return false;
    token->header = (struct octets){text.at, (size_t)(first - text.at)};
    token->payload = (struct octets){first + 1, (size_t)(second - first - 1)};
    token->signature = (struct octets){second + 1, (size_t)(end - second - 1)};
    token->signing_input = (struct octets){text.at, (size_t)(second - text.at)};
    return true;
}

// Decodes text into a buffer, which grows if needed.
static bool decode(struct buffer *buffer, struct octets text, enum base64 alphabet, struct octets *octets)
{
    if (buffer->room < base64_room(text.count)) {
        free(buffer->at);
        buffer->room = 2 * base64_room(text.count);
        buffer->at = malloc(buffer->room);
        if (buffer->at == NULL) {
            buffer->room = 0;
            return false;
        }
    }
    octets->at = buffer->at;
    return base64_decode(text, alphabet, buffer->at, &octets->count);
}

// Reads the payload's date in milliseconds, as seconds since 1970.
static bool date_read(struct octets payload, int64_t *seconds)
{
    struct octets value;
    if (!json_member(payload, "signedDate", &value) && !json_member(payload, "receiptCreationDate", &value))
        return false;
    if (value.count == 0 || value.count > 16)
        return false;
    int64_t milliseconds = 0;
    for (size_t i = 0; i < value.count; i++) {
        if (value.at[i] < '0' || value.at[i] > '9')
            return false;
        milliseconds = milliseconds * 10 + (value.at[i] - '0');
    }
    *seconds = milliseconds / 1000;
    return true;
}

// Writes r or s as an INTEGER and returns the place behind it.
static uint8_t *integer_write(uint8_t *to, const uint8_t *octets)
{
    size_t count = SIGNATURE / 2;
    for (; count > 1 && *octets == 0; count--)
        octets++;
    bool zero = *octets >= 0x80;
    *to++ = TAG_INTEGER;
    *to++ = (uint8_t)(count + zero);
    if (zero)
        *to++ = 0;
    memcpy(to, octets, count);
    return to + count;
}

// Verifies ES256 with a kept context.
static bool signature_verify(struct token_verifier *verifier, EVP_PKEY_CTX *key, const struct token *token)
{
    struct octets signature;
    if (!decode(&verifier->signature, token->signature, BASE64URL, &signature) || signature.count != SIGNATURE)
        return false;
    uint8_t der[DER_SIGNATURE] = {TAG_SEQUENCE}, digest[64];
    uint8_t *end = integer_write(integer_write(der + 2, signature.at), signature.at + SIGNATURE / 2);
    der[1] = (uint8_t)(end - der - 2);
    return hasher_digest(verifier->hasher, DIGEST_SHA256, token->signing_input, digest) &&
           EVP_PKEY_verify(key, der, (size_t)(end - der), digest, 32) == 1;
}

// Parses the three certificates of `x5c`. Returns how many were parsed.
static size_t certificates_read(struct token_verifier *verifier, const struct token *token,
                                X509 *certificates[CERTIFICATES])
{
    struct octets header, algorithm, list, text, octets;
    if (!decode(&verifier->header, token->header, BASE64URL, &header) ||
        !json_member(header, "alg", &algorithm) ||
        !octets_equal(algorithm, (struct octets){(const uint8_t *)"\"ES256\"", 7}) ||
        !json_member(header, "x5c", &list))
        return 0;
    size_t count = 0;
    while (count < CERTIFICATES && json_next_string(&list, &text) &&
           decode(&verifier->certificate, text, BASE64, &octets)) {
        const uint8_t *at = octets.at;
        certificates[count] = d2i_X509(NULL, &at, (long)octets.count);
        if (certificates[count] == NULL)
            return count;
        count++;
        if (at != octets.at + octets.count)
            return 0;
    }
    return json_next_string(&list, &text) ? 0 : count;
}

// Verifies the path from the first certificate at the date, and returns a context with its key.
static EVP_PKEY_CTX *path_verify(struct token_verifier *verifier, X509 *certificates[CERTIFICATES], int64_t date)
{
    EVP_PKEY_CTX *context = NULL;
    STACK_OF(X509) *others = sk_X509_new_null();
    X509_STORE_CTX *search = X509_STORE_CTX_new();
    bool ready = others != NULL && search != NULL;
    for (size_t i = 1; ready && i < CERTIFICATES; i++)
        ready = sk_X509_push(others, certificates[i]) > 0;
    if (ready && X509_STORE_CTX_init(search, verifier->store, certificates[0], others) == 1) {
        X509_STORE_CTX_set_time(search, 0, (time_t)date);
        EVP_PKEY *key = X509_verify_cert(search) == 1 ? X509_get0_pubkey(certificates[0]) : NULL;
        if (key != NULL && EVP_PKEY_id(key) == EVP_PKEY_EC && EVP_PKEY_bits(key) == 256)
            context = signature_context(key, EVP_sha256());
    }
    X509_STORE_CTX_free(search);
    sk_X509_free(others);
    return context;
}

static void key_free(void *key)
{
    EVP_PKEY_CTX_free(key);
}

static void remember_signer(struct token_verifier *verifier, const struct container *known,
                            X509 *certificates[CERTIFICATES], EVP_PKEY_CTX *key)
{
    int64_t not_before = INT64_MIN, not_after = INT64_MAX;
    bool good = validity_narrow(&not_before, &not_after, verifier->root);
    for (size_t i = 0; good && i < CERTIFICATES; i++)
        good = validity_narrow(&not_before, &not_after, certificates[i]);
    if (!good || !chains_add(&verifier->signers, known, not_before, not_after, key, key_free))
        key_free(key);
}

// Verifies path and signature of a token whose signer is not known.
static bool verify_whole(struct token_verifier *verifier, const struct token *token, int64_t date,
                         const struct container *known)
{
    X509 *certificates[CERTIFICATES] = {NULL};
    EVP_PKEY_CTX *key = NULL;
    const char *reason = NULL;
    if (certificates_read(verifier, token, certificates) != CERTIFICATES)
        reason = "header not readable";
    else if ((key = path_verify(verifier, certificates, date)) == NULL)
        reason = "path not verified";
    else if (!signature_verify(verifier, key, token))
        reason = "signature mismatch";
    if (reason == NULL && known != NULL)
        remember_signer(verifier, known, certificates, key);
    else
        key_free(key);
    for (size_t i = 0; i < CERTIFICATES; i++)
        X509_free(certificates[i]);
    return reason == NULL || refuse(verifier, reason);
}

static bool verify(struct token_verifier *verifier, struct octets text, size_t depth, bool remember,
                   struct octets *payload)
{
    struct token token;
    int64_t date;
    if (text.count > TOKEN_LIMIT || !split(text, &token))
        return refuse(verifier, "not three segments");
    if (!decode(&verifier->payloads[depth], token.payload, BASE64URL, payload) || !date_read(*payload, &date))
        return refuse(verifier, "no date");

    struct container known = {.certificates = token.header, .signer = {token.header.at, 0}};
    struct chain *chain = remember ? chains_find(&verifier->signers, &known) : NULL;
    if (chain != NULL && chain->not_before <= date && date <= chain->not_after) {
        if (!signature_verify(verifier, chain->key, &token))
            return refuse(verifier, "signature mismatch");
    } else if (!verify_whole(verifier, &token, date, remember && chain == NULL ? &known : NULL)) {
        return false;
    }
    if (depth + 1 == DEPTH)
        return true;

    static const char *const nested[][2] = {{"data", "signedTransactionInfo"},
                                            {"data", "signedRenewalInfo"},
                                            {"appData", "signedAppTransactionInfo"}};
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++) {
        struct octets object, value, inner, inner_payload;
        if (!json_member(*payload, nested[i][0], &object) || !json_member(object, nested[i][1], &value))
            continue;
        if (!json_string(value, &inner))
            return refuse(verifier, "a nested token that is not a string");
        if (!verify(verifier, inner, depth + 1, remember, &inner_payload))
            return false;
    }
    return true;
}

bool token_verify(struct token_verifier *verifier, struct octets token, bool remember, struct octets *payload,
                  const char **reason)
{
    if (verify(verifier, token, 0, remember, payload))
        return true;
    *reason = verifier->reason;
    return false;
}
