// The start code: prepares the memory and calls `run`, which main.swift defines.

#include "machine.h"

extern unsigned int data_image[];
extern int run(void);

/// The word that the unused stack is filled with.
static const unsigned int paint = 0xA5A5A5A5;

/// Fills the stack below the caller's frame with paint, copies initial values into RAM, and runs the program.
__attribute__((used)) _Noreturn void prepare(void) {
    unsigned int *frame = __builtin_frame_address(0);
    for (volatile unsigned int *word = (unsigned int *)stack_start; word < frame - 16; word++) *word = paint;
    const unsigned int *from = data_image;
    for (volatile unsigned int *to = (unsigned int *)data_start; to < (unsigned int *)data_end;) *to++ = *from++;
    for (volatile unsigned int *to = (unsigned int *)data_end; to < (unsigned int *)heap_start;) *to++ = 0;
    finish(run());
}

address stack_low_water(void) {
    const volatile unsigned int *word = (unsigned int *)stack_start;
    while (word < (unsigned int *)stack_end && *word == paint) word++;
    return (address)word;
}

#if defined(__arm__)

static void fault(void) { finish(99); }

/// The vector table of ARMv7-M: the first stack pointer, the reset handler, and fourteen exceptions.
__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    stack_end, (void *)prepare, (void *)fault, (void *)fault, (void *)fault, (void *)fault, (void *)fault,
};

/// SYS_EXIT_EXTENDED of Arm's semihosting.
_Noreturn void finish(int status) {
    const unsigned int block[2] = {0x20026, (unsigned int)status};
    register unsigned int operation __asm__("r0") = 0x20;
    register const unsigned int *argument __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(argument) : "memory");
    for (;;) {
    }
}

#elif defined(__riscv)

__attribute__((aligned(4), used)) static void fault(void) { finish(99); }

__attribute__((section(".vectors"), naked, used)) void reset(void) {
    __asm__ volatile("la sp, stack_end\n la t0, fault\n csrw mtvec, t0\n j prepare");
}

/// The test device of QEMU's machine `virt`. It ends the emulation.
_Noreturn void finish(int status) {
    volatile unsigned int *device = (unsigned int *)0x100000;
    *device = status == 0 ? 0x5555 : (unsigned int)status << 16 | 0x3333;
    for (;;) {
    }
}

#endif
