// Judges messages from standard input with libcrypto: OpenSSL 3.0 or newer, or AWS-LC.
//
// Numbers are little-endian. A batch is a count (4 octets), then for each message: the number of its root (4), the
// time for its path in seconds since 1970 (8, signed), its length (4), and its octets. The answer has, for each
// message in order: a verdict (1 octet; 1 means accepted), a length (4), and that many octets, which are the verified
// content or the reasons of the refusal. The program reads a whole batch before it answers. The root 0xFFFFFFFF marks
// a certificate to trust: the first is number 0, and the answer is the library's name and version.
//
// The program accepts a message if the library verifies it with only that root trusted, for any purpose, at that
// time, and no octet is left over. With -DPKCS7_API it uses OpenSSL's PKCS7_verify instead of CMS_verify.
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined OPENSSL_IS_AWSLC || defined PKCS7_API
#include <openssl/pkcs7.h>
#ifdef OPENSSL_IS_AWSLC
#include <openssl/service_indicator.h>
#endif
typedef PKCS7 message;
#define message_free PKCS7_free
#define API "PKCS7_verify"
#else
#include <openssl/cms.h>
typedef CMS_ContentInfo message;
#define message_free CMS_ContentInfo_free
#define API "CMS_verify"
#endif

struct item {
    uint32_t root;
    int64_t time;
    uint32_t count;
    size_t start; // in the batch's octets
};

static X509_STORE **stores;
// The reason why the last path failed, or X509_V_OK. AWS-LC's errors do not contain it.
static int path_error;
static uint32_t store_count;

static void fail(const char *why)
{
    fprintf(stderr, "peer: %s\n", why);
    exit(2);
}

static void *grown(void *memory, size_t count)
{
    memory = realloc(memory, count);
    if (memory == NULL)
        fail("out of memory");
    return memory;
}

static uint64_t number(const uint8_t *octets, int count)
{
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | octets[i];
    return value;
}

static void answer(bool accepted, const void *octets, size_t count)
{
    uint8_t header[5] = {accepted};
    for (int i = 0; i < 4; i++)
        header[1 + i] = (uint8_t)(count >> 8 * i);
    if (fwrite(header, 1, sizeof header, stdout) != sizeof header || fwrite(octets, 1, count, stdout) != count)
        fail("cannot write");
}

static int note_path_error(int ok, X509_STORE_CTX *context)
{
    if (!ok)
        path_error = X509_STORE_CTX_get_error(context);
    return ok;
}

// All errors in the queue, the innermost first, and then the path's error.
static void refuse(const char *otherwise)
{
    char text[1024] = "";
    size_t used = 0;
    const char *data;
    int flags;
#ifdef OPENSSL_IS_AWSLC
    uint32_t error;
    while ((error = ERR_get_error_line_data(NULL, NULL, &data, &flags)) != 0) {
#else
    unsigned long error;
    while ((error = ERR_get_error_all(NULL, NULL, NULL, &data, &flags)) != 0) {
#endif
        const char *reason = ERR_reason_error_string(error);
        bool with_data = (flags & ERR_TXT_STRING) && data != NULL && *data != '\0';
        int more = snprintf(text + used, sizeof text - used, "%s%s%s%s", used == 0 ? "" : " < ",
                            reason == NULL ? "unnamed" : reason, with_data ? ": " : "", with_data ? data : "");
        if (more < 0 || used + (size_t)more >= sizeof text)
            break;
        used += (size_t)more;
    }
    ERR_clear_error();
    if (path_error != X509_V_OK)
        snprintf(text + used, sizeof text - used, " < path: %s", X509_verify_cert_error_string(path_error));
    const char *said = *text == '\0' ? otherwise : text;
    answer(false, said, strlen(said));
}

static void trust(const uint8_t *octets, uint32_t count)
{
    const uint8_t *at = octets;
    X509 *root = d2i_X509(NULL, &at, (long)count);
    X509_STORE *store = X509_STORE_new();
    if (root == NULL || store == NULL || !X509_STORE_add_cert(store, root))
        fail("a root is not a certificate");
    X509_free(root);
    X509_STORE_set_verify_cb(store, note_path_error);
    // Without this, the library applies its rules for e-mail certificates.
    X509_VERIFY_PARAM_set_purpose(X509_STORE_get0_param(store), X509_PURPOSE_ANY);
    stores = grown(stores, (store_count + 1) * sizeof *stores);
    stores[store_count++] = store;
    char version[128];
#ifdef OPENSSL_IS_AWSLC
    snprintf(version, sizeof version, "%s, %s", awslc_version_string(), API);
#else
    snprintf(version, sizeof version, "OpenSSL %s, %s", OpenSSL_version(OPENSSL_VERSION_STRING), API);
#endif
    answer(true, version, strlen(version));
}

#if defined OPENSSL_IS_AWSLC || defined PKCS7_API

static message *parse(const uint8_t **at, uint32_t count)
{
    return d2i_PKCS7(NULL, at, (long)count);
}

static bool is_data(message *message)
{
    return PKCS7_type_is_signed(message) && message->d.sign != NULL && message->d.sign->contents != NULL &&
           PKCS7_type_is_data(message->d.sign->contents);
}

static bool verify(message *message, X509_STORE *store, BIO *content)
{
    return PKCS7_verify(message, NULL, store, NULL, content, PKCS7_BINARY) == 1;
}

#else

static message *parse(const uint8_t **at, uint32_t count)
{
    return d2i_CMS_ContentInfo(NULL, at, (long)count);
}

static bool is_data(message *message)
{
    return OBJ_obj2nid(CMS_get0_type(message)) == NID_pkcs7_signed &&
           OBJ_obj2nid(CMS_get0_eContentType(message)) == NID_pkcs7_data;
}

static bool verify(message *message, X509_STORE *store, BIO *content)
{
    return CMS_verify(message, NULL, store, NULL, content, CMS_BINARY) == 1;
}

#endif

static void judge(const struct item *item, const uint8_t *octets)
{
    const uint8_t *at = octets;
    ERR_clear_error();
    path_error = X509_V_OK;
    message *message = parse(&at, item->count);
    if (message == NULL) {
        refuse("not parsed");
        return;
    }
    X509_STORE *store = stores[item->root];
    BIO *content = BIO_new(BIO_s_mem());
    if (content == NULL)
        fail("out of memory");
    X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store), (time_t)item->time);
    char *octets_of_content;
    if (at != octets + item->count)
        refuse("peer: octets after the message");
    else if (!is_data(message))
        refuse("peer: not signed data of type data");
    else if (!verify(message, store, content))
        refuse("not verified");
    else {
        long count = BIO_get_mem_data(content, &octets_of_content);
        answer(true, octets_of_content, (size_t)count);
    }
    BIO_free(content);
    message_free(message);
}

int main(void)
{
    static struct item *items;
    static uint8_t *octets;
    size_t item_capacity = 0, octet_capacity = 0;
    uint8_t header[16];
    while (fread(header, 1, 4, stdin) == 4) {
        uint32_t count = (uint32_t)number(header, 4);
        size_t used = 0;
        if (count > item_capacity)
            items = grown(items, (item_capacity = count) * sizeof *items);
        for (uint32_t i = 0; i < count; i++) {
            if (fread(header, 1, sizeof header, stdin) != sizeof header)
                fail("a batch ends early");
            items[i] = (struct item){(uint32_t)number(header, 4), (int64_t)number(header + 4, 8),
                                     (uint32_t)number(header + 12, 4), used};
            if (used + items[i].count > octet_capacity)
                octets = grown(octets, octet_capacity = 2 * (used + items[i].count));
            if (fread(octets + used, 1, items[i].count, stdin) != items[i].count)
                fail("a batch ends early");
            used += items[i].count;
        }
        for (uint32_t i = 0; i < count; i++) {
            // A separate allocation, so that the address sanitizer notices a read beyond the message.
            uint8_t *copy = grown(NULL, items[i].count + 1);
            memcpy(copy, octets + items[i].start, items[i].count);
            if (items[i].root == UINT32_MAX)
                trust(copy, items[i].count);
            else if (items[i].root < store_count)
                judge(&items[i], copy);
            else
                fail("no such root");
            free(copy);
        }
        if (fflush(stdout) != 0)
            fail("cannot write");
    }
    return 0;
}
