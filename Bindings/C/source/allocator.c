/*
 * The memory of the library.
 *
 * The Swift runtime allocates by posix_memalign and free. The build redirects both to the two functions at the
 * end. They use the allocator of the call that the thread is in. The allocator is written before each block,
 * because a block may be freed in a call with another allocator.
 */
#include "allocator.h"

/* WebAssembly has its own allocator, in Bindings/WebAssembly. */
#ifndef __wasm__

#include <stdlib.h>

static void *standard_allocate(void *context, size_t size, size_t alignment) {
    (void)context;
    /* C11: the size must be a multiple of the alignment. It was bounded before. */
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void standard_deallocate(void *context, void *memory) {
    (void)context;
    free(memory);
}

static const app_receipt_allocator standard = {NULL, standard_allocate, standard_deallocate};

app_receipt_allocator app_receipt_standard_allocator(void) { return standard; }

static _Thread_local const app_receipt_allocator *current;

const app_receipt_allocator *app_receipt_enter(const app_receipt_allocator *allocator) {
    const app_receipt_allocator *previous = current;
    current = allocator;
    return previous;
}

void app_receipt_leave(const app_receipt_allocator *previous) { current = previous; }

/* The header that stands before each block. */
struct header {
    app_receipt_allocator allocator;
    void *start;
};

int app_receipt_memalign(void **memory, size_t alignment, size_t size) {
    const app_receipt_allocator *allocator = current ? current : &standard;
    unsigned char *start;
    struct header *header;
    size_t room;
    if (alignment < sizeof(void *)) alignment = sizeof(void *);
    /* The smallest multiple of the alignment, a power of two, that holds the header. */
    room = (sizeof(struct header) + alignment - 1) & ~(alignment - 1);
    if (size > PTRDIFF_MAX - room - alignment) abort();
    start = allocator->allocate(allocator->context, size + room, alignment);
    if (!start) abort();
    header = (struct header *)(start + room) - 1;
    header->allocator = *allocator;
    header->start = start;
    *memory = start + room;
    return 0;
}

void app_receipt_free(void *memory) {
    struct header header;
    if (!memory) return;
    header = ((struct header *)memory)[-1];
    header.allocator.deallocate(header.allocator.context, header.start);
}

#endif
