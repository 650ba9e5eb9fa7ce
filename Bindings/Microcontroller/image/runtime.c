// The functions that the compilers expect from a C library and from the compiler's own library.

typedef __SIZE_TYPE__ size_t;
typedef unsigned int word;
typedef unsigned long long wide;

// The Swift runtime's allocator. Heap.swift defines it, but Swift refuses to define these two names.
int heap_allocate(void **result, size_t alignment, size_t size);
void heap_free(void *memory);
int posix_memalign(void **result, size_t alignment, size_t size) { return heap_allocate(result, alignment, size); }
void free(void *memory) { heap_free(memory); }

void *memmove(void *to, const void *from, size_t count) {
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t <= f || t >= f + count)
        for (size_t i = 0; i < count; i++) t[i] = f[i];
    else
        while (count-- > 0) t[count] = f[count];
    return to;
}

/// Copies whole words as long as both addresses are aligned.
void *memcpy(void *to, const void *from, size_t count) {
    unsigned char *t = to;
    const unsigned char *f = from;
    if ((((size_t)t | (size_t)f) & 3) == 0)
        for (; count >= 4; count -= 4, t += 4, f += 4) *(word *)t = *(const word *)f;
    while (count-- > 0) *t++ = *f++;
    return to;
}

void *memset(void *to, int byte, size_t count) {
    unsigned char *t = to;
    while (count-- > 0) *t++ = (unsigned char)byte;
    return to;
}

int memcmp(const void *one, const void *other, size_t count) {
    const unsigned char *a = one, *b = other;
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

// The guard of stack frames, which the compiler inserts for Embedded Swift.
void finish(int status) __attribute__((noreturn));
size_t __stack_chk_guard = 0x5CA1AB1E;
void __stack_chk_fail(void) { finish(98); }

/// A number of 64 bits in two words. Its shifts need no other function of this file.
typedef union {
    wide whole;
    struct {
        word low, high;
    };
} halves;

static wide shift_left(wide value, int count) {
    halves v = {value};
    if (count >= 32) return (halves){.low = 0, .high = v.low << (count - 32)}.whole;
    if (count == 0) return value;
    return (halves){.low = v.low << count, .high = v.high << count | v.low >> (32 - count)}.whole;
}

static wide shift_right(wide value, int count) {
    halves v = {value};
    if (count >= 32) return (halves){.low = v.high >> (count - 32), .high = 0}.whole;
    if (count == 0) return value;
    return (halves){.low = v.low >> count | v.high << (32 - count), .high = v.high >> count}.whole;
}

static long long shift_right_signed(long long value, int count) {
    return value < 0 ? (long long)~shift_right(~(wide)value, count) : (long long)shift_right((wide)value, count);
}

/// Divides bit by bit. The quotient and the remainder, in this order, are what the Arm ABI returns.
typedef struct {
    wide quotient, remainder;
} division;

__attribute__((used)) static void divide(division *result, wide dividend, wide divisor) {
    wide remainder = 0;
    for (int i = 0; i < 64; i++) {
        remainder = remainder << 1 | dividend >> 63;
        dividend <<= 1;
        if (remainder >= divisor) {
            remainder -= divisor;
            dividend |= 1;
        }
    }
    *result = (division){dividend, remainder};
}

__attribute__((used)) static void divide_signed(division *result, long long dividend, long long divisor) {
    divide(result, dividend < 0 ? -(wide)dividend : (wide)dividend, divisor < 0 ? -(wide)divisor : (wide)divisor);
    if ((dividend < 0) != (divisor < 0)) result->quotient = -result->quotient;
    if (dividend < 0) result->remainder = -result->remainder;
}

#if defined(__arm__)

wide __aeabi_llsl(wide value, int count) { return shift_left(value, count); }
wide __aeabi_llsr(wide value, int count) { return shift_right(value, count); }
long long __aeabi_lasr(long long value, int count) { return shift_right_signed(value, count); }

// The quotient is returned in r0 and r1, the remainder in r2 and r3.
#define DIVISION(name, function)                                                                                       \
    __attribute__((naked)) void name(void) {                                                                           \
        __asm__ volatile("push {r4, lr}\n sub sp, #24\n strd r2, r3, [sp]\n mov r2, r0\n mov r3, r1\n"                 \
                         "add r0, sp, #8\n bl " #function "\n add r0, sp, #8\n ldm r0, {r0-r3}\n"                      \
                         "add sp, #24\n pop {r4, pc}");                                                                \
    }
DIVISION(__aeabi_uldivmod, divide)
DIVISION(__aeabi_ldivmod, divide_signed)

// The Arm ABI has names of its own, and a variant for each alignment.
void __aeabi_memset(void *to, size_t count, int byte) { memset(to, byte, count); }
void __aeabi_memclr(void *to, size_t count) { memset(to, 0, count); }
#define ALIAS(name, function) extern __typeof(function) name __attribute__((alias(#function)))
ALIAS(__aeabi_memcpy, memcpy);
ALIAS(__aeabi_memcpy4, memcpy);
ALIAS(__aeabi_memcpy8, memcpy);
ALIAS(__aeabi_memmove, memmove);
ALIAS(__aeabi_memmove4, memmove);
ALIAS(__aeabi_memmove8, memmove);
ALIAS(__aeabi_memset4, __aeabi_memset);
ALIAS(__aeabi_memset8, __aeabi_memset);
ALIAS(__aeabi_memclr4, __aeabi_memclr);
ALIAS(__aeabi_memclr8, __aeabi_memclr);

#elif defined(__riscv)

wide __ashldi3(wide value, int count) { return shift_left(value, count); }
wide __lshrdi3(wide value, int count) { return shift_right(value, count); }
long long __ashrdi3(long long value, int count) { return shift_right_signed(value, count); }

wide __udivdi3(wide dividend, wide divisor) {
    division result;
    divide(&result, dividend, divisor);
    return result.quotient;
}
wide __umoddi3(wide dividend, wide divisor) {
    division result;
    divide(&result, dividend, divisor);
    return result.remainder;
}
long long __divdi3(long long dividend, long long divisor) {
    division result;
    divide_signed(&result, dividend, divisor);
    return (long long)result.quotient;
}
long long __moddi3(long long dividend, long long divisor) {
    division result;
    divide_signed(&result, dividend, divisor);
    return (long long)result.remainder;
}

#endif
