// Reads receipts in base64 or tokens, one on each line, and writes verdicts in JSON, one on each line, in the same
// order.
//
// Each thread takes the next batch of lines from the source, judges it, and writes all batches that are next
// in order. A batch keeps its place in a ring until it is written. So memory is bounded, and a thread waits
// for another thread's batch only if the whole ring is in use.
#include "../libcrypto/verifier.h"
#include "judge.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    BATCH = 1 << 18,      // bytes to read at a time: about the size of a processor's second-level cache
    LINE_LIMIT = 1 << 26, // the largest receipt known is 105 KB in base64
};

struct batch {
    uint8_t *at; // whole lines
    size_t count, capacity;
    uint64_t first_record, first_offset;
    struct text output;
    bool taken, judged;
};

static struct {
    pthread_mutex_t lock; // protects all of the source
    int descriptor;
    const char *name, *json; // the name, and the name as a JSON string
    bool ended;
    struct text rest; // the start of a line whose end is not read yet
    uint64_t record, offset, sequence;
} source = {.lock = PTHREAD_MUTEX_INITIALIZER, .record = 1};

static struct {
    pthread_mutex_t lock; // protects the state of all batches
    pthread_cond_t written;
    struct batch *batches;
    size_t count;
    uint64_t next; // the number of the next batch to write
    bool writing;
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER, .written = PTHREAD_COND_INITIALIZER};

static pthread_mutex_t counts_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t counts[STATUSES];

// Ends the process with _exit(), because exit() would free memory that the other threads still use.
static _Noreturn void fail(int status, const char *what, const char *about)
{
    fprintf(stderr, "end-to-end: %s: %s\n", about, what);
    _exit(status);
}

static void reserve(uint8_t **at, size_t *capacity, size_t count)
{
    if (*capacity >= count)
        return;
    *capacity = count;
    *at = realloc(*at, count);
    if (*at == NULL)
        fail(3, "no memory", source.name);
}

// Fills the batch with whole lines, and keeps the beginning of the next line for the next batch.
static void source_read(struct batch *batch)
{
    reserve(&batch->at, &batch->capacity, BATCH + source.rest.count);
    if (source.rest.count > 0)
        memcpy(batch->at, source.rest.at, source.rest.count);
    batch->count = source.rest.count;
    size_t searched = batch->count, lines_end = 0;
    while (!source.ended && lines_end == 0) {
        if (batch->count == batch->capacity)
            reserve(&batch->at, &batch->capacity, batch->capacity * 2);
        ssize_t count = read(source.descriptor, batch->at + batch->count, batch->capacity - batch->count);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            fail(3, strerror(errno), source.name);
        source.ended = count == 0;
        batch->count += (size_t)count;
        // A pipe returns few bytes at a time, so reading continues until the batch is large enough.
        if (batch->count < BATCH && !source.ended)
            continue;
        uint8_t *end = memrchr(batch->at + searched, '\n', batch->count - searched);
        lines_end = end == NULL ? 0 : (size_t)(end - batch->at) + 1;
        searched = batch->count;
        if (lines_end == 0 && batch->count > LINE_LIMIT)
            fail(3, "a line of more than 64 MiB", source.name);
    }
    // At the end of the source, the bytes after the last line end are a line as well.
    if (source.ended)
        lines_end = batch->count;
    size_t rest = batch->count - lines_end;
    source.rest.count = 0;
    reserve((uint8_t **)&source.rest.at, &source.rest.capacity, rest);
    if (rest > 0)
        memcpy(source.rest.at, batch->at + lines_end, rest);
    source.rest.count = rest;
    batch->count = lines_end;

    batch->first_record = source.record;
    batch->first_offset = source.offset;
    source.offset += batch->count;
    for (const uint8_t *at = batch->at, *end = at + batch->count; at < end; source.record++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at == NULL ? end : at + 1;
    }
}

// Returns the next batch of lines, or NULL at the end of the source.
static struct batch *batch_take(void)
{
    struct batch *batch = NULL;
    pthread_mutex_lock(&source.lock);
    if (!source.ended) {
        batch = &ring.batches[source.sequence++ % ring.count];
        pthread_mutex_lock(&ring.lock);
        while (batch->taken)
            pthread_cond_wait(&ring.written, &ring.lock);
        batch->taken = true;
        pthread_mutex_unlock(&ring.lock);
        source_read(batch);
    }
    pthread_mutex_unlock(&source.lock);
    return batch;
}

static void write_whole(struct text text)
{
    while (text.count > 0) {
        ssize_t count = write(STDOUT_FILENO, text.at, text.count);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            fail(4, strerror(errno), "standard output");
        text.at += count;
        text.count -= (size_t)count;
    }
}

// Marks a batch as judged. Then, unless another thread is writing, writes all batches that are next in order.
static void batch_give(struct batch *batch)
{
    pthread_mutex_lock(&ring.lock);
    batch->judged = true;
    if (!ring.writing) {
        ring.writing = true;
        while ((batch = &ring.batches[ring.next % ring.count])->judged) {
            pthread_mutex_unlock(&ring.lock);
            write_whole(batch->output);
            pthread_mutex_lock(&ring.lock);
            batch->judged = batch->taken = false;
            ring.next++;
            pthread_cond_broadcast(&ring.written);
        }
        ring.writing = false;
    }
    pthread_mutex_unlock(&ring.lock);
}

static void *work(void *given)
{
    struct judge *judge = given;
    uint64_t found[STATUSES] = {0};
    for (struct batch *batch; (batch = batch_take()) != NULL; batch_give(batch)) {
        batch->output.count = 0;
        struct record record = {.name = source.name, .source = source.json, .number = batch->first_record};
        for (size_t at = 0; at < batch->count; record.number++) {
            const uint8_t *line = batch->at + at, *end = memchr(line, '\n', batch->count - at);
            size_t count = end == NULL ? batch->count - at : (size_t)(end - line);
            record.offset = batch->first_offset + at;
            at += count + (end != NULL);
            record.line = (struct octets){line, count > 0 && line[count - 1] == '\r' ? count - 1 : count};
            found[judge_record(judge, &record, &batch->output)]++;
        }
    }
    pthread_mutex_lock(&counts_lock);
    for (size_t i = 0; i < STATUSES; i++)
        counts[i] += found[i];
    pthread_mutex_unlock(&counts_lock);
    return NULL;
}

static struct octets certificate_read(const char *path)
{
    static uint8_t octets[1 << 16];
    int descriptor = open(path, O_RDONLY);
    ssize_t count = descriptor < 0 ? -1 : read(descriptor, octets, sizeof octets);
    if (count < 0)
        fail(3, strerror(errno), path);
    close(descriptor);
    return (struct octets){octets, (size_t)count};
}

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

int main(int count, char **arguments)
{
    static const char usage[] = "usage: --root ROOT.der [--jobs N] [--kind transaction] FILE|-\n       describe\n";
    const char *root = NULL, *input = NULL;
    long jobs = sysconf(_SC_NPROCESSORS_ONLN);
    bool tokens = false;
    if (count == 2 && strcmp(arguments[1], "describe") == 0) {
        printf("{\"peer\": \"C and %s\", \"version\": \"%s\", \"built\": \"%s\", ", LIBCRYPTO_NAME,
               libcrypto_version(), BUILT);
        printf("\"measures\": [\"end-to-end\"]}\n");
        return 0;
    }
    int next = 1;
    for (; next + 1 < count && strncmp(arguments[next], "--", 2) == 0; next += 2) {
        if (strcmp(arguments[next], "--root") == 0)
            root = arguments[next + 1];
        else if (strcmp(arguments[next], "--jobs") == 0)
            jobs = atol(arguments[next + 1]);
        else if (strcmp(arguments[next], "--kind") == 0 && strcmp(arguments[next + 1], "transaction") == 0)
            tokens = true;
        else
            break;
    }
    if (next + 1 == count)
        input = arguments[next];
    if (root == NULL || input == NULL || jobs < 1 || jobs > 1024) {
        fputs(usage, stderr);
        return 2;
    }

    struct text name = {0};
    const char *shown = last_component(input);
    text_append_json(&name, (struct octets){(const uint8_t *)shown, strlen(shown)});
    reserve((uint8_t **)&name.at, &name.capacity, name.count + 1);
    name.at[name.count] = '\0';
    source.name = shown;
    source.json = name.at;
    source.descriptor = strcmp(input, "-") == 0 ? STDIN_FILENO : open(input, O_RDONLY);
    if (source.descriptor < 0)
        fail(3, strerror(errno), input);

    ring.count = (size_t)jobs * 4;
    ring.batches = calloc(ring.count, sizeof *ring.batches);
    pthread_t *threads = calloc((size_t)jobs, sizeof *threads);
    if (ring.batches == NULL || threads == NULL)
        fail(3, "no memory", input);
    struct octets certificate = certificate_read(root);
    for (long i = 0; i < jobs; i++) {
        struct judge *judge = judge_new(certificate, tokens);
        if (judge == NULL)
            fail(3, "not a certificate", root);
        if (pthread_create(&threads[i], NULL, work, judge) != 0)
            fail(3, "no thread", input);
    }
    for (long i = 0; i < jobs; i++)
        pthread_join(threads[i], NULL);
    fprintf(stderr, "%llu valid, %llu invalid, %llu unreadable\n", (unsigned long long)counts[STATUS_VALID],
            (unsigned long long)counts[STATUS_INVALID], (unsigned long long)counts[STATUS_UNREADABLE]);
    return 0;
}
