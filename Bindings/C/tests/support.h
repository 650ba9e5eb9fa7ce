/* Shared by the tests. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app_receipt.h"

#define CHECK(claim) \
    do { \
        if (!(claim)) { \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #claim); \
            exit(1); \
        } \
    } while (0)

/* Reads a whole file. One byte more is allocated, so that the address of an empty file is not NULL. */
static inline uint8_t *read_file(const char *name, size_t *length) {
    FILE *file = fopen(name, "rb");
    uint8_t *bytes;
    long size;
    if (!file) {
        perror(name);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    bytes = (uint8_t *)malloc((size_t)size + 1);
    *length = fread(bytes, 1, (size_t)size, file);
    fclose(file);
    return bytes;
}

/* A policy that accepts any environment and any app. With a root's file, it trusts that root. */
static inline app_receipt_policy *open_policy(const app_receipt_allocator *allocator, const char *root) {
    app_receipt_policy *policy;
    CHECK(app_receipt_policy_create(allocator, &policy) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_accept_any_environment(policy) == APP_RECEIPT_OK);
    CHECK(app_receipt_policy_accept_any_bundle_identifier(policy) == APP_RECEIPT_OK);
    if (root) {
        size_t length;
        uint8_t *bytes = read_file(root, &length);
        CHECK(app_receipt_policy_trust_root(policy, bytes, length) == APP_RECEIPT_OK);
        free(bytes);
    }
    return policy;
}

/* The JSON of a result, which the caller frees. */
static inline char *json_of(const app_receipt_result *result) {
    size_t length, again;
    char *text;
    CHECK(app_receipt_result_json(result, NULL, 0, &length) == APP_RECEIPT_BUFFER_TOO_SMALL);
    text = (char *)malloc(length + 1);
    CHECK(app_receipt_result_json(result, text, length, &again) == APP_RECEIPT_OK && again == length);
    text[length] = 0;
    return text;
}

/* The JSON of a token's result, which the caller frees. */
static inline char *token_json_of(const app_receipt_token_result *result) {
    size_t length, again;
    char *text;
    CHECK(app_receipt_token_result_json(result, NULL, 0, &length) == APP_RECEIPT_BUFFER_TOO_SMALL);
    text = (char *)malloc(length + 1);
    CHECK(app_receipt_token_result_json(result, text, length, &again) == APP_RECEIPT_OK && again == length);
    text[length] = 0;
    return text;
}

#endif
