#include "token_result.h"
#include "../common/json.h"

#include <time.h>

enum member { ENVIRONMENT, BUNDLE, DATE, PRODUCT, TRANSACTION, ORIGINAL, MEMBERS };

static const char *const names[MEMBERS] = {"environment", "bundleId",      "signedDate",
                                           "productId",   "transactionId", "originalTransactionId"};

// Strings are copied as they stand, because no identifier has an escape.
static void append_value(struct text *text, struct octets value)
{
    if (value.count == 0)
        APPEND(text, "null");
    else
        append(text, (const char *)value.at, value.count);
}

// Milliseconds since 1970 as a time of RFC 3339. A whole second has no fraction.
static void append_date(struct text *text, struct octets value)
{
    int64_t milliseconds = 0;
    struct tm tm;
    for (size_t i = 0; i < value.count; i++)
        milliseconds = milliseconds * 10 + (value.at[i] - '0');
    time_t seconds = (time_t)(milliseconds / 1000);
    if (gmtime_r(&seconds, &tm) == NULL) {
        APPEND(text, "null");
        return;
    }
    APPEND(text, "\"");
    text_append_number(text, (uint64_t)tm.tm_year + 1900, 4);
    APPEND(text, "-");
    text_append_number(text, (uint64_t)tm.tm_mon + 1, 2);
    APPEND(text, "-");
    text_append_number(text, (uint64_t)tm.tm_mday, 2);
    APPEND(text, "T");
    text_append_number(text, (uint64_t)tm.tm_hour, 2);
    APPEND(text, ":");
    text_append_number(text, (uint64_t)tm.tm_min, 2);
    APPEND(text, ":");
    text_append_number(text, (uint64_t)tm.tm_sec, 2);
    if (milliseconds % 1000 != 0) {
        APPEND(text, ".");
        text_append_number(text, (uint64_t)(milliseconds % 1000), 3);
    }
    APPEND(text, "Z\"");
}

void text_append_transaction(struct text *text, struct octets payload)
{
    struct octets values[MEMBERS] = {{NULL, 0}}, name, value;
    while (json_next_member(&payload, &name, &value))
        for (size_t i = 0; i < MEMBERS; i++)
            if (octets_equal(name, (struct octets){(const uint8_t *)names[i], strlen(names[i])}))
                values[i] = value;
    // `app-receipt corpus verify --environment any --bundle-id any` does not check these either.
    APPEND(text, "\"status\":\"valid\",\"step\":null,\"code\":null,\"not_checked\":[\"revocation\",\"environment\","
                 "\"bundle-identifier\",\"app-apple-id\",\"device-verification\",\"age\"],"
                 "\"kind\":\"transaction\",\"payload\":{\"environment\":");
    append_value(text, values[ENVIRONMENT]);
    APPEND(text, ",\"bundleId\":");
    append_value(text, values[BUNDLE]);
    APPEND(text, ",\"signedDate\":");
    append_date(text, values[DATE]);
    APPEND(text, ",\"notificationType\":null,\"subtype\":null,\"notificationUUID\":null,\"productId\":");
    append_value(text, values[PRODUCT]);
    APPEND(text, ",\"transactionId\":");
    append_value(text, values[TRANSACTION]);
    APPEND(text, ",\"originalTransactionId\":");
    append_value(text, values[ORIGINAL]);
    APPEND(text, "}}\n");
}
