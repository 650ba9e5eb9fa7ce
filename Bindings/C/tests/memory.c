/* memory RECEIPT ROOT [ISSUER]: what is allocated. Link with -Wl,--wrap=aligned_alloc, which counts the calls of the
 * standard allocator. */
#include "support.h"

struct sizes {
    size_t calls, largest;
};

static size_t standard_calls;

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    standard_calls++;
    return __real_aligned_alloc(alignment, size);
}

static void *allocate(void *context, size_t size, size_t alignment) {
    struct sizes *sizes = (struct sizes *)context;
    void *memory;
    sizes->calls++;
    if (size > sizes->largest) sizes->largest = size;
    return posix_memalign(&memory, alignment, size) ? NULL : memory;
}

static void deallocate(void *context, void *memory) {
    (void)context;
    free(memory);
}

static app_receipt_validator *open_validator(const app_receipt_allocator *allocator, int count, char **arguments,
                                             int64_t most_bytes) {
    app_receipt_policy *policy = open_policy(allocator, arguments[2]);
    app_receipt_validator *validator;
    if (count > 3) {
        size_t length;
        uint8_t *issuer = read_file(arguments[3], &length);
        CHECK(app_receipt_policy_add_issuer(policy, issuer, length) == APP_RECEIPT_OK);
        free(issuer);
    }
    CHECK(app_receipt_policy_set_limit(policy, APP_RECEIPT_LIMIT_INPUT_BYTES, most_bytes) == APP_RECEIPT_OK);
    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_OK);
    app_receipt_policy_release(policy);
    return validator;
}

/* Every accessor with every number, of a field or of none. */
static void read_all(const app_receipt_result *result) {
    uint8_t octets[8192];
    app_receipt_error error;
    int64_t number;
    size_t length, purchases, index;
    int32_t field, read = 0;
    CHECK(app_receipt_result_purchase_count(result, &purchases) == APP_RECEIPT_OK && purchases > 0);
    CHECK(app_receipt_result_error(result, &error) == APP_RECEIPT_ABSENT);
    for (field = 0; field < 130; field++) {
        /* The digest of the content is the only value that is computed. */
        if (field == APP_RECEIPT_CONTENT_SHA256) continue;
        read += app_receipt_result_text(result, field, (char *)octets, sizeof octets, &length) == APP_RECEIPT_OK;
        read += app_receipt_result_octets(result, field, octets, sizeof octets, &length) == APP_RECEIPT_OK;
        read += app_receipt_result_integer(result, field, &number) == APP_RECEIPT_OK;
        for (index = 0; index <= purchases; index++) {
            read += app_receipt_purchase_text(result, index, field, (char *)octets, sizeof octets, &length) ==
                    APP_RECEIPT_OK;
            read += app_receipt_purchase_integer(result, index, field, &number) == APP_RECEIPT_OK;
        }
    }
    CHECK(read > 10);
}

static void check_accessors(int count, char **arguments) {
    struct sizes sizes = {0, 0};
    const app_receipt_allocator allocator = {&sizes, allocate, deallocate};
    app_receipt_validator *validator = open_validator(&allocator, count, arguments, 8 << 20);
    app_receipt_result *result;
    size_t length, calls;
    uint8_t *bytes = read_file(arguments[1], &length);
    CHECK(app_receipt_validate(validator, NULL, bytes, length, &result) == APP_RECEIPT_OK);
    free(bytes);
    calls = sizes.calls;
    read_all(result);
    CHECK(sizes.calls == calls && calls > 0);
    app_receipt_result_release(result);
    app_receipt_validator_release(validator);
    CHECK(standard_calls == 0);
}

/* An input that is much longer than the limits allow takes no more memory than one that is a little longer. */
static void check_long_inputs(int count, char **arguments) {
    const size_t length = 64 << 20;
    const char *beginnings = "0Me{ \xFF";
    struct sizes sizes = {0, 0};
    const app_receipt_allocator allocator = {&sizes, allocate, deallocate};
    app_receipt_validator *validator = open_validator(&allocator, count, arguments, 10000);
    uint8_t *bytes = (uint8_t *)malloc(length);
    CHECK(bytes != NULL);
    for (; *beginnings; beginnings++) {
        app_receipt_input input;
        app_receipt_result *result;
        app_receipt_error error;
        memset(bytes, *beginnings, length);
        input.bytes = bytes;
        input.length = length;
        CHECK(app_receipt_validate(validator, NULL, bytes, length, &result) == APP_RECEIPT_REFUSED);
        CHECK(app_receipt_result_error(result, &error) == APP_RECEIPT_OK);
        CHECK(strcmp(error.name, *beginnings == ' ' ? "input.empty" : "der.input-too-large") == 0);
        app_receipt_result_release(result);
        CHECK(app_receipt_validate_many(validator, NULL, &input, 1, &result) == APP_RECEIPT_OK);
        CHECK(app_receipt_result_verdict(result) == APP_RECEIPT_REFUSED);
        app_receipt_result_release(result);
    }
    CHECK(sizes.largest < 50000);
    app_receipt_validator_release(validator);
    free(bytes);
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    check_accessors(count, arguments);
    check_long_inputs(count, arguments);
    puts("the accessors allocate nothing, and the limits bound what an input takes");
    return 0;
}
