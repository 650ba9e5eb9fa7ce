#include "receipt.h"

// Compares the contents of an OBJECT IDENTIFIER with a string literal.
#define IS(found, literal) \
    octets_equal(found, (struct octets){(const uint8_t *)(literal), sizeof(literal) - 1})

static bool digest_read(struct octets identifier, enum digest *digest)
{
    if (IS(identifier, "\x60\x86\x48\x01\x65\x03\x04\x02\x01"))
        *digest = DIGEST_SHA256;
    else if (IS(identifier, "\x2b\x0e\x03\x02\x1a"))
        *digest = DIGEST_SHA1;
    else if (IS(identifier, "\x60\x86\x48\x01\x65\x03\x04\x02\x02"))
        *digest = DIGEST_SHA384;
    else if (IS(identifier, "\x60\x86\x48\x01\x65\x03\x04\x02\x03"))
        *digest = DIGEST_SHA512;
    else
        return false;
    return true;
}

// Returns whether the identifier is rsaEncryption, or RSA with the given digest (RFC 8017 appendix A.2.4).
static bool is_pkcs1(struct octets identifier, enum digest digest)
{
    static const uint8_t with_digest[DIGESTS] = {
        [DIGEST_SHA1] = 5, [DIGEST_SHA256] = 11, [DIGEST_SHA384] = 12, [DIGEST_SHA512] = 13};
    if (identifier.count != 9 || memcmp(identifier.at, "\x2a\x86\x48\x86\xf7\x0d\x01\x01", 8) != 0)
        return false;
    return identifier.at[8] == 1 || identifier.at[8] == with_digest[digest];
}

static bool signer_info_read(struct octets info, struct container *container)
{
    struct octets version, algorithm, identifier;
    if (!der_take(&info, TAG_INTEGER, &version) || !der_take_whole(&info, TAG_SEQUENCE, &container->signer) ||
        !der_take(&info, TAG_SEQUENCE, &algorithm) ||
        !der_take(&algorithm, TAG_OBJECT_IDENTIFIER, &identifier) ||
        !digest_read(identifier, &container->digest))
        return false;
    container->signed_attributes = (struct octets){NULL, 0};
    if (der_begins_with(info, TAG_CONTEXT_0)) {
        if (!der_take_whole(&info, TAG_CONTEXT_0, &container->signed_attributes))
            return false;
        container->signed_attributes.at++;
        container->signed_attributes.count--;
    }
    return der_take(&info, TAG_SEQUENCE, &algorithm) &&
           der_take(&algorithm, TAG_OBJECT_IDENTIFIER, &identifier) &&
           is_pkcs1(identifier, container->digest) &&
           der_take(&info, TAG_OCTET_STRING, &container->signature);
}

bool container_read(struct octets receipt, struct container *container)
{
    struct octets content_info, explicit, data, skipped, identifier, inner, infos, info;
    if (!der_take(&receipt, TAG_SEQUENCE, &content_info) || receipt.count != 0 ||
        !der_take(&content_info, TAG_OBJECT_IDENTIFIER, &identifier) ||
        !IS(identifier, "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02") ||
        !der_take(&content_info, TAG_CONTEXT_0, &explicit) || !der_take(&explicit, TAG_SEQUENCE, &data))
        return false;
    if (!der_take(&data, TAG_INTEGER, &skipped) || !der_take(&data, TAG_SET, &skipped) ||
        !der_take(&data, TAG_SEQUENCE, &inner) || !der_take(&inner, TAG_OBJECT_IDENTIFIER, &identifier) ||
        !IS(identifier, "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01") ||
        !der_take(&inner, TAG_CONTEXT_0, &explicit) ||
        !der_take(&explicit, TAG_OCTET_STRING, &container->content))
        return false;
    return der_take(&data, TAG_CONTEXT_0, &container->certificates) && der_take(&data, TAG_SET, &infos) &&
           der_take(&infos, TAG_SEQUENCE, &info) && infos.count == 0 && signer_info_read(info, container);
}

bool container_message_digest(const struct container *container, struct octets *digest)
{
    struct octets whole = container->signed_attributes, attributes, attribute, identifier, values;
    // signed_attributes begins after the first octet, so the element begins one octet earlier.
    whole.at--;
    whole.count++;
    bool found = false;
    if (!der_take(&whole, TAG_CONTEXT_0, &attributes))
        return false;
    while (attributes.count > 0) {
        if (!der_take(&attributes, TAG_SEQUENCE, &attribute) ||
            !der_take(&attribute, TAG_OBJECT_IDENTIFIER, &identifier))
            return false;
        if (!IS(identifier, "\x2a\x86\x48\x86\xf7\x0d\x01\x09\x04"))
            continue;
        if (found || !der_take(&attribute, TAG_SET, &values) ||
            !der_take(&values, TAG_OCTET_STRING, digest) || values.count != 0)
            return false;
        found = true;
    }
    return found;
}

struct attribute {
    int64_t type, version;
    struct octets value;
};

static bool integer_take(struct octets *rest, int64_t *value)
{
    struct octets contents;
    if (!der_take(rest, TAG_INTEGER, &contents) || contents.count == 0 || contents.count > 8)
        return false;
    uint64_t bits = (contents.at[0] & 0x80) ? UINT64_MAX : 0;
    for (size_t i = 0; i < contents.count; i++)
        bits = bits << 8 | contents.at[i];
    *value = (int64_t)bits;
    return true;
}

// SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
static bool attribute_take_any(struct octets *rest, struct attribute *attribute)
{
    struct octets contents;
    return der_take(rest, TAG_SEQUENCE, &contents) && integer_take(&contents, &attribute->type) &&
           integer_take(&contents, &attribute->version) &&
           der_take(&contents, TAG_OCTET_STRING, &attribute->value) && contents.count == 0;
}

// Takes one attribute, with a fast path. A purchase has twenty attributes. Nearly all have a type of two
// octets, a version of one octet, and lengths of one octet: 30 length, 02 02 type, 02 01 version, 04 length.
// The fast path compares the constant octets as one word.
static inline bool attribute_take(struct octets *rest, struct attribute *attribute)
{
    static const uint8_t usual[8] = {TAG_SEQUENCE, 0, TAG_INTEGER, 2, 0, 0, TAG_INTEGER, 1};
    static const uint8_t compared[8] = {0xff, 0x80, 0xff, 0xff, 0, 0, 0xff, 0xff};
    const uint8_t *at = rest->at;
    if (rest->count >= 11) {
        uint64_t head, pattern, mask;
        memcpy(&head, at, sizeof head);
        memcpy(&pattern, usual, sizeof pattern);
        memcpy(&mask, compared, sizeof mask);
        size_t length = at[1];
        if ((head & mask) == pattern && at[9] == TAG_OCTET_STRING && at[10] + 9u == length &&
            rest->count - 2 >= length) {
            attribute->type = (int16_t)(at[4] << 8 | at[5]);
            attribute->version = (int8_t)at[8];
            attribute->value = (struct octets){at + 11, at[10]};
            rest->at += 2 + length;
            rest->count -= 2 + length;
            return true;
        }
    }
    return attribute_take_any(rest, attribute);
}

static bool purchase_read(struct octets value, size_t *attributes)
{
    struct octets set;
    struct attribute attribute;
    if (!der_take(&value, TAG_SET, &set))
        return false;
    for (; set.count > 0; ++*attributes)
        if (!attribute_take(&set, &attribute))
            return false;
    return true;
}

bool payload_read(struct octets content, struct payload *payload)
{
    struct octets set, text;
    struct attribute attribute;
    *payload = (struct payload){0};
    if (!der_take(&content, TAG_SET, &set))
        return false;
    for (; set.count > 0; payload->attributes++) {
        if (!attribute_take(&set, &attribute))
            return false;
        switch (attribute.type) {
        case 0:
            if (der_take(&attribute.value, TAG_UTF8_STRING, &text))
                payload->environment = text;
            break;
        case 1:
            if (der_take(&attribute.value, TAG_INTEGER, &text) && text.count <= 8)
                payload->item = text;
            break;
        case 2:
            if (der_take(&attribute.value, TAG_UTF8_STRING, &text))
                payload->bundle_identifier = text;
            break;
        case 3:
            if (der_take(&attribute.value, TAG_UTF8_STRING, &text))
                payload->app_version = text;
            break;
        case 12:
            if (payload->creation_date.at == NULL && der_take(&attribute.value, TAG_IA5_STRING, &text))
                payload->creation_date = text;
            break;
        case 17:
            // A purchase that cannot be read is skipped. The receipt is signed, and its other purchases are
            // valid.
            if (purchase_read(attribute.value, &payload->attributes))
                payload->purchases++;
            break;
        }
    }
    return true;
}

bool payload_creation_time(struct octets content, int64_t *seconds)
{
    struct octets set, text;
    struct attribute attribute;
    if (!der_take(&content, TAG_SET, &set))
        return false;
    while (attribute_take(&set, &attribute))
        if (attribute.type == 12)
            return der_take(&attribute.value, TAG_IA5_STRING, &text) && time_read(text, seconds);
    return false;
}

// Returns the number that the digits form, or -1 if there are other characters or too few.
static int digits(struct octets text, size_t at, size_t count)
{
    int number = 0;
    if (text.count < at + count)
        return -1;
    for (size_t i = at; i < at + count; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return -1;
        number = number * 10 + (text.at[i] - '0');
    }
    return number;
}

static int days_in(int year, int month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

int64_t seconds_of(int year, int month, int day, int hour, int minute, int second)
{
    // Counts years from March, so that the leap day is the last day of a year.
    int64_t y = year - (month <= 2), era_day = y * 365 + y / 4 - y / 100 + y / 400;
    int64_t days = era_day + (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1 - 719468;
    return days * 86400 + hour * 3600 + minute * 60 + second;
}

bool time_read(struct octets text, int64_t *seconds)
{
    int year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
    int hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
    if (year < 0 || month < 1 || month > 12 || day < 1 || day > days_in(year, month) || hour < 0 ||
        hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
        return false;
    if (text.at[4] != '-' || text.at[7] != '-' || text.at[10] != 'T' || text.at[13] != ':' ||
        text.at[16] != ':')
        return false;
    *seconds = seconds_of(year, month, day, hour, minute, second);
    size_t at = 19;
    if (at < text.count && text.at[at] == '.') {
        size_t fraction = ++at;
        while (digits(text, at, 1) >= 0)
            at++;
        if (at == fraction)
            return false;
    }
    if (at + 1 == text.count && text.at[at] == 'Z')
        return true;
    if (at == text.count || (text.at[at] != '+' && text.at[at] != '-'))
        return false;
    int sign = text.at[at] == '+' ? 1 : -1, hours = digits(text, at + 1, 2);
    at += 3;
    at += at < text.count && text.at[at] == ':';
    int minutes = digits(text, at, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || at + 2 != text.count)
        return false;
    *seconds -= sign * (hours * 3600 + minutes * 60);
    return true;
}
