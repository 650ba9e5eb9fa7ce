// The measuring program of a peer, with the commands describe, check and time. Prints one JSON object on each
// line.
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char usage[] =
    "usage: describe\n"
    "       check --root ROOT.der FILE...\n"
    "       time --measure NAME [--root ROOT.der] [--samples N] [--milliseconds M] INPUT...\n";

static _Noreturn void fail(int status, const char *what, const char *about)
{
    fprintf(stderr, "%s%s%s\n", what, *about ? ": " : "", about);
    exit(status);
}

static struct octets file_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    uint8_t *octets = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0)
        octets = malloc((size_t)size + 1);
    if (octets == NULL || fread(octets, 1, (size_t)size, file) != (size_t)size)
        fail(1, "cannot be read", path);
    fclose(file);
    return (struct octets){octets, (size_t)size};
}

static struct octets file_read_in(const char *directory, const char *name)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, name) >= sizeof path)
        fail(2, "too long", directory);
    return file_read(path);
}

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20)
            printf("\\u%04x", c);
        else
            printf(c == '"' || c == '\\' ? "\\%c" : "%c", c);
    }
    putchar('"');
}

static void print_last_component(const char *path)
{
    size_t count = strlen(path);
    while (count > 1 && path[count - 1] == '/')
        count--;
    size_t start = count;
    while (start > 0 && path[start - 1] != '/')
        start--;
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)(count - start), path + start);
    print_string(name);
}

// Measures

static const struct {
    const char *name;
    enum digest digest;
} digests[] = {
    {"sha1", DIGEST_SHA1}, {"sha256", DIGEST_SHA256}, {"sha384", DIGEST_SHA384}, {"sha512", DIGEST_SHA512}};

static bool is_curve(const char *name)
{
    return strcmp(name, "p256") == 0 || strcmp(name, "p384") == 0;
}

static bool measures(const char *name)
{
    if (strcmp(name, "uncached") == 0)
        return peer.verify != NULL;
    if (strcmp(name, "cached") == 0)
        return peer.verify_remembered != NULL;
    if (strcmp(name, "token-uncached") == 0 || strcmp(name, "token-cached") == 0)
        return peer.verify_token != NULL;
    if (is_curve(name))
        return peer.verify_curve_signature != NULL;
    if (strcmp(name, "rsa2048-eight") == 0)
        return peer.verify_eight_signatures != NULL;
    if (strcmp(name, "rsa2048") == 0 || strcmp(name, "rsa3072") == 0 || strcmp(name, "rsa4096") == 0)
        return peer.verify_signature != NULL;
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
        if (strcmp(name, digests[i].name) == 0)
            // A peer that verifies eight signatures at once has a digest only for that purpose.
            return peer.digest != NULL && peer.verify_eight_signatures == NULL;
    return false;
}

// An input of a measure: `count` records, used in turn.
struct input {
    struct octets *records;
    size_t count, next;
    double bytes;
    uint8_t digest[64];
    bool (*operation)(struct input *input);
};

static bool operate_uncached(struct input *input)
{
    struct octets content;
    const char *reason;
    return peer.verify(input->records[input->next], &content, &reason) && content.count > 0;
}

static bool operate_cached(struct input *input)
{
    struct payload payload;
    const char *reason;
    return peer.verify_remembered(input->records[input->next], &payload, &reason) && payload.attributes > 0;
}

static bool operate_token_uncached(struct input *input)
{
    struct octets payload;
    const char *reason;
    return peer.verify_token(input->records[input->next], false, &payload, &reason) && payload.count > 0;
}

static bool operate_token_cached(struct input *input)
{
    struct octets payload;
    const char *reason;
    return peer.verify_token(input->records[input->next], true, &payload, &reason) && payload.count > 0;
}

static bool operate_digest(struct input *input)
{
    return peer.digest(input->records[0], input->digest);
}

static bool operate_signature(struct input *input)
{
    return peer.verify_signature(input->digest, input->records[0]);
}

static bool operate_p256(struct input *input)
{
    return peer.verify_curve_signature((struct octets){input->digest, 32}, input->records[0]);
}

static bool operate_p384(struct input *input)
{
    return peer.verify_curve_signature((struct octets){input->digest, 48}, input->records[0]);
}

static bool operate_eight_signatures(struct input *input)
{
    return peer.verify_eight_signatures(input->digest, input->records[0]);
}

static size_t length_of(const uint8_t *octets)
{
    return (size_t)octets[0] << 24 | (size_t)octets[1] << 16 | (size_t)octets[2] << 8 | octets[3];
}

static void corpus_open(struct octets file, const char *path, struct input *input)
{
    input->count = 0;
    for (size_t at = 0; at < file.count; input->count++) {
        if (file.count - at < 4 || file.count - at - 4 < length_of(file.at + at))
            fail(1, "not a corpus", path);
        at += 4 + length_of(file.at + at);
    }
    input->records = calloc(input->count + 1, sizeof *input->records);
    if (input->records == NULL || input->count == 0)
        fail(1, "no records, or not enough memory for them", path);
    const uint8_t *at = file.at;
    for (size_t i = 0; i < input->count; at += input->records[i++].count + 4)
        input->records[i] = (struct octets){at + 4, length_of(at)};
    input->bytes = (double)(file.count - 4 * input->count) / (double)input->count;
}

static void one_record(struct octets record, struct input *input)
{
    input->records = malloc(sizeof *input->records);
    if (input->records == NULL)
        fail(1, "no memory", "");
    input->records[0] = record;
    input->count = 1;
    input->bytes = (double)record.count;
}

static struct input input_open(const char *measure, const char *name)
{
    struct input input = {0};
    size_t count = strlen(name);
    if (strncmp(measure, "sha", 3) == 0) {
        char *end;
        unsigned long size = strtoul(name, &end, 10);
        uint8_t *message = size > 0 && size <= 1UL << 30 && *end == '\0' ? malloc(size) : NULL;
        if (message == NULL)
            fail(2, "not a number of bytes", name);
        for (size_t i = 0; i < size; i++)
            message[i] = (uint8_t)(i * 31 + 7);
        one_record((struct octets){message, size}, &input);
        input.operation = operate_digest;
    } else if (strncmp(measure, "rsa", 3) == 0) {
        struct octets message = file_read_in(name, "message.bin");
        if (!peer.keep_digest(DIGEST_SHA256) || !peer.digest(message, input.digest))
            fail(1, "no SHA-256", name);
        if (!peer.keep_key(file_read_in(name, "key.der")))
            fail(1, "not a key", name);
        one_record(file_read_in(name, "signature.bin"), &input);
        input.operation = operate_signature;
        if (strcmp(measure, "rsa2048-eight") == 0) {
            input.operation = operate_eight_signatures;
            input.bytes *= 8;
        }
    } else if (is_curve(measure)) {
        bool is_p256 = strcmp(measure, "p256") == 0;
        enum digest digest = is_p256 ? DIGEST_SHA256 : DIGEST_SHA384;
        if (!peer.keep_digest(digest) || !peer.digest(file_read_in(name, "message.bin"), input.digest))
            fail(1, "no digest", name);
        if (!peer.keep_curve_key(file_read_in(name, "key.der"), digest))
            fail(1, "not a key", name);
        one_record(file_read_in(name, "signature.bin"), &input);
        input.operation = is_p256 ? operate_p256 : operate_p384;
    } else {
        struct octets file = file_read(name);
        if (count > 3 && strcmp(name + count - 3, ".lp") == 0)
            corpus_open(file, name, &input);
        else
            one_record(file, &input);
        input.operation = strcmp(measure, "cached") == 0           ? operate_cached
                          : strcmp(measure, "token-cached") == 0   ? operate_token_cached
                          : strcmp(measure, "token-uncached") == 0 ? operate_token_uncached
                                                                   : operate_uncached;
    }
    return input;
}

static void input_close(struct input *input)
{
    free(input->records);
}

// Timing

// The time does not grow while another process has the processor.
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static size_t accepted;

static inline void operate(struct input *input)
{
    accepted += input->operation(input);
    input->next = input->next + 1 == input->count ? 0 : input->next + 1;
}

static bool time_input(const char *measure, const char *name, long samples, double milliseconds)
{
    struct input input = input_open(measure, name);
    double goal = milliseconds * 1e6 / (double)samples;
    double *nanoseconds = malloc((size_t)samples * sizeof *nanoseconds);
    if (nanoseconds == NULL)
        fail(1, "no memory", "");

    // The warm-up runs double in length. The fastest of them determines how many operations fill a sample,
    // because the first runs include one-time work, and any run can be disturbed.
    accepted = 0;
    size_t done = 0;
    double start, warm = 0, quickest = INFINITY;
    for (size_t run = 1; warm < goal; run *= 2) {
        start = now();
        for (size_t i = 0; i < run; i++)
            operate(&input);
        double elapsed = now() - start;
        done += run;
        warm += elapsed;
        quickest = fmin(quickest, elapsed / (double)run);
    }
    size_t operations = (size_t)fmax(1, goal / quickest);

    for (long sample = 0; sample < samples; sample++) {
        start = now();
        for (size_t i = 0; i < operations; i++)
            operate(&input);
        nanoseconds[sample] = (now() - start) / (double)operations;
    }
    bool succeeded = accepted == done + operations * (size_t)samples;

    printf("{\"measure\": \"%s\", \"input\": ", measure);
    print_last_component(name);
    printf(", \"bytes\": %.10g, \"operations\": %zu, \"nanoseconds\": [", input.bytes, operations);
    for (long sample = 0; sample < samples; sample++)
        printf(sample == 0 ? "%.3f" : ", %.3f", nanoseconds[sample]);
    printf("]}\n");
    if (!succeeded)
        fprintf(stderr, "%s: some of the timed operations failed\n", name);
    free(nanoseconds);
    input_close(&input);
    return succeeded;
}

// The three commands

static int describe(void)
{
    static const char *const names[] = {"uncached", "cached",  "sha1",    "sha256",  "sha384",
                                        "sha512",   "rsa2048", "rsa3072", "rsa4096", "rsa2048-eight",
                                        "token-uncached", "token-cached", "p256", "p384"};
    printf("{\"peer\": ");
    print_string(peer.name);
    printf(", \"version\": ");
    print_string(peer.version());
    printf(", \"built\": ");
    print_string(peer.built);
    printf(", \"measures\": [");
    const char *separator = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (measures(names[i])) {
            printf("%s\"%s\"", separator, names[i]);
            separator = ", ";
        }
    }
    printf("]}\n");
    return 0;
}

static void print_verdict(const char *path, bool accepted, struct octets content, const char *reason)
{
    printf("{\"input\": ");
    print_last_component(path);
    printf(", \"verdict\": \"%s\", ", accepted ? "accepted" : "refused");
    if (accepted) {
        uint8_t digest[64];
        if (!peer.keep_digest(DIGEST_SHA256) || !peer.digest(content, digest))
            fail(1, "no SHA-256", path);
        printf("\"content_sha256\": \"");
        for (size_t i = 0; i < 32; i++)
            printf("%02x", digest[i]);
        printf("\"}\n");
    } else {
        printf("\"reason\": ");
        print_string(reason);
        printf("}\n");
    }
}

static bool is_token(const char *path)
{
    size_t count = strlen(path);
    return count > 4 && strcmp(path + count - 4, ".jws") == 0;
}

// Known signers must not change a verdict. The first call may only add the signer, so there are two.
static int check_token(const char *path)
{
    struct octets token = file_read(path), payload;
    const char *reason = "", *remembered_reason = "";
    int status = 0;
    bool verdict = peer.verify_token != NULL && peer.verify_token(token, false, &payload, &reason);
    print_verdict(path, verdict, payload, reason);
    for (int again = 0; again < 2 && peer.verify_token != NULL; again++) {
        if (peer.verify_token(token, true, &payload, &remembered_reason) != verdict) {
            fprintf(stderr, "%s: the verdict differs with known signers (%s)\n", path, remembered_reason);
            status = 1;
        }
    }
    free((void *)token.at);
    return status;
}

static int check(char **paths)
{
    int status = 0;
    for (; *paths != NULL; paths++) {
        if (is_token(*paths)) {
            status |= check_token(*paths);
            continue;
        }
        struct octets receipt = file_read(*paths), content;
        struct payload payload;
        const char *reason = "", *remembered_reason = "";
        bool verdict = peer.verify(receipt, &content, &reason);
        print_verdict(*paths, verdict, content, reason);
        // Known chains must not change a verdict. The first call may only add the chain, so there are two.
        for (int again = 0; again < 2 && peer.verify_remembered != NULL; again++) {
            if (peer.verify_remembered(receipt, &payload, &remembered_reason) != verdict) {
                fprintf(stderr, "%s: the verdict differs with known chains (%s)\n", *paths,
                        remembered_reason);
                status = 1;
            }
        }
        free((void *)receipt.at);
    }
    return status;
}

int main(int count, char **arguments)
{
    const char *command = count > 1 ? arguments[1] : "", *root = NULL, *measure = NULL;
    long samples = 31, milliseconds = 300;
    int next = 2;
    for (; next + 1 < count && strncmp(arguments[next], "--", 2) == 0; next += 2) {
        const char *option = arguments[next], *value = arguments[next + 1];
        if (strcmp(option, "--root") == 0)
            root = value;
        else if (strcmp(option, "--measure") == 0)
            measure = value;
        else if (strcmp(option, "--samples") == 0)
            samples = atol(value);
        else if (strcmp(option, "--milliseconds") == 0)
            milliseconds = atol(value);
        else
            fail(2, usage, option);
    }
    if (strcmp(command, "describe") == 0 && count == 2)
        return describe();
    if (next >= count || samples < 1 || samples > 1000000 || milliseconds < 1)
        fail(2, usage, "");
    if (root != NULL && !peer.keep_root(file_read(root)))
        fail(1, "not a certificate", root);

    if (strcmp(command, "check") == 0 && root != NULL && measure == NULL)
        return check(arguments + next);
    if (strcmp(command, "time") != 0 || measure == NULL || !measures(measure))
        fail(2, usage, measure != NULL ? measure : "");
    if (strstr(measure, "cached") != NULL && root == NULL)
        fail(2, usage, "--root is missing");
    if (strncmp(measure, "sha", 3) == 0)
        for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
            if (strcmp(measure, digests[i].name) == 0 && !peer.keep_digest(digests[i].digest))
                fail(1, "not provided", measure);
    int status = 0;
    for (; next < count; next++)
        if (!time_input(measure, arguments[next], samples, (double)milliseconds))
            status = 1;
    return status;
}
