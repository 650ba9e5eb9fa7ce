// The functions that the library needs on a machine without an operating system: memory, and the functions that
// compilers expect. The library needs neither Unicode tables nor a source of randomness.

typedef __SIZE_TYPE__ size_t;
typedef unsigned long long word;

extern unsigned char __heap_base;
static size_t next;

// Memory is allocated and never freed, because the program is short.
static void *take(size_t alignment, size_t size) {
    if (next == 0) next = (size_t)&__heap_base;
    size_t start = (next + alignment - 1) & ~(alignment - 1);
    next = start + size;
    size_t there = __builtin_wasm_memory_size(0) * 65536;
    if (next > there && __builtin_wasm_memory_grow(0, (next - there + 65535) / 65536) == (size_t)-1)
        __builtin_trap();
    return (void *)start;
}

void *malloc(size_t size) { return take(16, size); }
int posix_memalign(void **result, size_t alignment, size_t size) {
    *result = take(alignment, size);
    return 0;
}
void free(void *memory) { (void)memory; }

int memcmp(const void *one, const void *other, size_t count) {
    const unsigned char *a = one, *b = other;
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

// The guard of stack frames, which the compiler inserts for Embedded Swift.
size_t __stack_chk_guard = 0x5CA1AB1E;
void __stack_chk_fail(void) { __builtin_trap(); }

// Returns the low 128 bits of the product of two numbers of 128 bits.
__int128 __multi3(__int128 a, __int128 b) {
    word a0 = (word)a, b0 = (word)b;
    word a1 = (word)((unsigned __int128)a >> 64), b1 = (word)((unsigned __int128)b >> 64);
    word low = (a0 & 0xFFFFFFFF) * (b0 & 0xFFFFFFFF);
    word middle = (a0 >> 32) * (b0 & 0xFFFFFFFF) + (low >> 32);
    word cross = (a0 & 0xFFFFFFFF) * (b0 >> 32) + (middle & 0xFFFFFFFF);
    word high = (a0 >> 32) * (b0 >> 32) + (middle >> 32) + (cross >> 32) + a0 * b1 + a1 * b0;
    return (__int128)((unsigned __int128)high << 64 | (cross << 32 | (low & 0xFFFFFFFF)));
}
