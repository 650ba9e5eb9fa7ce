// Does the work of ours.swift with OpenSSL or AWS-LC: peer MEASURE OPERATIONS FOLDER.
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char octets[1 << 16];

static size_t read_file(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        exit(2);
    size_t count = fread(octets, 1, sizeof octets, file);
    fclose(file);
    return count;
}

static void require(int success)
{
    if (!success)
        exit(1);
}

static void digest(const EVP_MD *algorithm, long operations, const char *folder)
{
    unsigned char result[64];
    size_t count = read_file(folder, "message.bin");
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    for (long i = 0; i < operations; i++)
        require(EVP_DigestInit_ex(context, algorithm, NULL) && EVP_DigestUpdate(context, octets, count) &&
                EVP_DigestFinal_ex(context, result, NULL));
}

static void base64(long operations, const char *folder)
{
    static unsigned char decoded[1 << 16];
    size_t count = read_file(folder, "text.base64");
    for (long i = 0; i < operations; i++)
        require(EVP_DecodeBlock(decoded, octets, (int)count) > 0);
}

static void rsa(long operations, const char *folder)
{
    unsigned char result[64], signature[256];
    unsigned size;
    size_t count = read_file(folder, "message.bin");
    require(EVP_Digest(octets, count, result, &size, EVP_sha256(), NULL));
    require(read_file(folder, "signature.bin") == sizeof signature);
    memcpy(signature, octets, sizeof signature);
    count = read_file(folder, "key.der");
    const unsigned char *at = octets;
    EVP_PKEY *key = d2i_PUBKEY(NULL, &at, (long)count);
    require(key != NULL);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    require(EVP_PKEY_verify_init(context) == 1 && EVP_PKEY_CTX_set_rsa_padding(context, 1) == 1 &&
            EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1);
    for (long i = 0; i < operations; i++)
        require(EVP_PKEY_verify(context, signature, sizeof signature, result, size) == 1);
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    const char *measure = arguments[1], *folder = arguments[3];
    long operations = atol(arguments[2]);
    if (strcmp(measure, "sha1") == 0)
        digest(EVP_sha1(), operations, folder);
    else if (strcmp(measure, "sha256") == 0)
        digest(EVP_sha256(), operations, folder);
    else if (strcmp(measure, "base64") == 0)
        base64(operations, folder);
    else if (strcmp(measure, "rsa2048") == 0)
        rsa(operations, folder);
    else
        return 2;
    return 0;
}
