/*
 * What the library needs on WebAssembly besides itself: memory, and a few functions that compilers call.
 *
 * The module imports nothing, so that it runs in any host. Memory comes from dlmalloc, which wasi-libc contains.
 * dlmalloc returns freed memory to later calls, so the memory does not grow with the number of receipts. It takes
 * new memory from the host by memory.grow, and ends at 4 GiB or at the host's limit. Then the module traps.
 */
#include "../C/source/allocator.h"

#include <stdlib.h>

/* The export for the caller's buffers. A length of 0 gives an address, too. Traps if there is no memory. */
void *app_receipt_allocate(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory) __builtin_trap();
    return memory;
}

/* Takes back what app_receipt_allocate returned. */
void app_receipt_deallocate(void *memory) { free(memory); }

/* The Swift runtime does not look at the result of posix_memalign, so this one never fails. The linker puts it
 * before dlmalloc's (--wrap). */
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
    if (__real_posix_memalign(memory, alignment, size) != 0) __builtin_trap();
    return 0;
}

/* The interface for C lets the caller bring an allocator. A module has one memory and one allocator, so these
 * functions keep nothing. */
app_receipt_allocator app_receipt_standard_allocator(void) {
    app_receipt_allocator none = {NULL, NULL, NULL};
    return none;
}
const app_receipt_allocator *app_receipt_enter(const app_receipt_allocator *allocator) {
    (void)allocator;
    return NULL;
}
void app_receipt_leave(const app_receipt_allocator *previous) { (void)previous; }

/* The seeds of hashed collections. A constant, because the module imports no randomness. Inputs chosen to collide
 * cannot cost much: the library hashes no list that is longer than its limits, and those are short. */
void arc4random_buf(void *memory, size_t count) { __builtin_memset(memory, 0x5A, count); }

/* The guard of stack frames. A constant for the same reason. Return addresses are not in WebAssembly's memory, and
 * the stack lies first in memory, so that an overflow of the stack leaves the memory and traps. */
size_t __stack_chk_guard = 0x5CA1AB1E;
void __stack_chk_fail(void) { __builtin_trap(); }

/* In place of wasi-libc's, which needs the host. */
void abort(void) { __builtin_trap(); }

/* The low 128 bits of a product, for multiplications of 64-bit words. The linker drops it if it is not used. */
typedef unsigned long long word;
__int128 __multi3(__int128 a, __int128 b) {
    word a0 = (word)a, b0 = (word)b;
    word a1 = (word)((unsigned __int128)a >> 64), b1 = (word)((unsigned __int128)b >> 64);
    word low = (a0 & 0xFFFFFFFF) * (b0 & 0xFFFFFFFF);
    word middle = (a0 >> 32) * (b0 & 0xFFFFFFFF) + (low >> 32);
    word cross = (a0 & 0xFFFFFFFF) * (b0 >> 32) + (middle & 0xFFFFFFFF);
    word high = (a0 >> 32) * (b0 >> 32) + (middle >> 32) + (cross >> 32) + a0 * b1 + a1 * b0;
    return (__int128)((unsigned __int128)high << 64 | (cross << 32 | (low & 0xFFFFFFFF)));
}
