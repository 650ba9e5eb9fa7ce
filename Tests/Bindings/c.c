/* c ROOT TIMED FILE...: judges the files, and times TIMED. Prints what Tests/Bindings/table reads. */
#include <stdio.h>
#include <time.h>

#include "../../Bindings/C/tests/support.h"

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int compare(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
    static double times[301];
    app_receipt_policy *policy;
    app_receipt_validator *validator;
    app_receipt_cache *cache;
    size_t length;
    uint8_t *bytes;
    int index, cached;
    if (count < 3) return 2;
    policy = open_policy(NULL, arguments[1]);
    CHECK(app_receipt_validator_create(policy, &validator) == APP_RECEIPT_OK);
    CHECK(app_receipt_cache_create(NULL, &cache) == APP_RECEIPT_OK);
    bytes = read_file(arguments[2], &length);
    for (cached = 0; cached < (count > 3 ? 2 : 1); cached++) {
        for (index = 0; index < (count > 3 ? 301 : 1); index++) {
            app_receipt_result *result;
            double start = milliseconds();
            CHECK(app_receipt_validate(validator, cached ? cache : NULL, bytes, length, &result) == APP_RECEIPT_OK);
            times[index] = milliseconds() - start;
            app_receipt_result_release(result);
        }
        qsort(times, (size_t)index, sizeof *times, compare);
        printf("%s\t%.4f\n", cached ? "remembered" : "new", times[index / 2]);
    }
    for (index = 3; index < count; index++) {
        app_receipt_result *result;
        app_receipt_error error;
        uint8_t *file = read_file(arguments[index], &length);
        app_receipt_status verdict = app_receipt_validate(validator, cache, file, length, &result);
        if (verdict == APP_RECEIPT_OK)
            printf("verdict\tvalid\t\t\n");
        else {
            CHECK(app_receipt_result_error(result, &error) == APP_RECEIPT_OK);
            printf("verdict\t%s\t%s\t%s\n", error.kind, error.step, error.name);
        }
        app_receipt_result_release(result);
        free(file);
    }
    return 0;
}
