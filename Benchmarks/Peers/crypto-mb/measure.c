// The measuring program of Intel's crypto_mb, which verifies eight signatures at once.
#include "../common/peer.h"

#include <crypto_mb/rsa.h>
#include <crypto_mb/version.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <string.h>

enum { BITS = 2048, BYTES = BITS / 8 };

static int64u modulus[BITS / 64];

static const char *version(void)
{
    return mbx_getversion()->strVersion;
}

// The only digest computed is the digest of the signed message. It is not timed.
static bool keep_digest(enum digest digest)
{
    return digest == DIGEST_SHA256;
}

static bool digest(struct octets message, uint8_t result[64])
{
    return EVP_Digest(message.at, message.count, result, NULL, EVP_sha256(), NULL) == 1;
}

static bool keep_key(struct octets subject_public_key_info)
{
    const uint8_t *at = subject_public_key_info.at;
    EVP_PKEY *key = d2i_PUBKEY(NULL, &at, (long)subject_public_key_info.count);
    BIGNUM *n = NULL;
    bool kept = key != NULL && EVP_PKEY_get_bits(key) == BITS && EVP_PKEY_get_bn_param(key, "n", &n) == 1 &&
                BN_bn2lebinpad(n, (uint8_t *)modulus, BYTES) == BYTES;
    BN_free(n);
    EVP_PKEY_free(key);
    return kept;
}

// Builds the one correct encoded message (RFC 8017, section 9.2) and compares it with the result of each
// signature.
static bool verify_eight_signatures(const uint8_t digest[32], struct octets signature)
{
    static const uint8_t prefix[] = {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                     0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};
    static int8u opened[8][BYTES];
    uint8_t expected[BYTES] = {0x00, 0x01};
    const int8u *from[8];
    int8u *to[8];
    const int64u *moduli[8];
    if (signature.count != BYTES)
        return false;
    memset(expected + 2, 0xff, BYTES - 2);
    expected[BYTES - 33 - sizeof prefix] = 0x00;
    memcpy(expected + BYTES - 32 - sizeof prefix, prefix, sizeof prefix);
    memcpy(expected + BYTES - 32, digest, 32);
    for (int lane = 0; lane < 8; lane++) {
        from[lane] = signature.at;
        to[lane] = opened[lane];
        moduli[lane] = modulus;
    }
    if (mbx_rsa_public_mb8(from, to, moduli, BITS, NULL, NULL) != MBX_STATUS_OK)
        return false;
    for (int lane = 0; lane < 8; lane++)
        if (memcmp(opened[lane], expected, BYTES) != 0)
            return false;
    return true;
}

const struct peer peer = {
    .name = "crypto_mb",
    .built = BUILT,
    .version = version,
    .keep_digest = keep_digest,
    .digest = digest,
    .keep_key = keep_key,
    .verify_eight_signatures = verify_eight_signatures,
};
