// Replaces glibc's allocation functions with functions that count. The counters are not atomic, so the
// program must have one thread.
#include "AllocationCounter.h"
#include <stdlib.h>

static unsigned long count;
unsigned long allocation_count(void) { return count; }

static _Bool weighs;
static long held, peak;
void allocation_peak_begin(void) { weighs = 1; held = peak = 0; }
unsigned long allocation_peak_end(void) { weighs = 0; return peak; }

#ifdef __GLIBC__
#include <malloc.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void *taken(void *memory) {
    count++;
    if (weighs && memory != NULL) {
        held += malloc_usable_size(memory);
        if (held > peak) peak = held;
    }
    return memory;
}

void *malloc(size_t size) { return taken(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) { return taken(__libc_calloc(number, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }

void free(void *memory) {
    if (weighs && memory != NULL) held -= malloc_usable_size(memory);
    __libc_free(memory);
}

void *realloc(void *old, size_t size) {
    size_t before = weighs && old != NULL ? malloc_usable_size(old) : 0;
    void *memory = __libc_realloc(old, size);
    if (memory != NULL || size == 0) held -= before;
    return taken(memory);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    *result = taken(__libc_memalign(alignment, size));
    return *result == NULL ? 12 : 0;
}
#endif
