/*
 * Saves and restores registers at the beginning and at the end of functions. The compiler calls these functions
 * instead of writing their instructions into each function (-msave-restore).
 *
 * `__riscv_save_N` makes a frame of a multiple of 16 bytes and saves ra and the first N of s0 to s11, from the top of
 * the frame downwards. It returns to t0. `__riscv_restore_N` is jumped to, and returns to the caller of the function.
 * Up to three registers more than N are saved and restored, in space that the frame has in any case.
 */
    .section .text.registers, "ax", @progbits

    .globl __riscv_save_12
__riscv_save_12:
    addi sp, sp, -64
    sw s11, 12(sp)
    sw s10, 16(sp)
    sw s9, 20(sp)
    sw s8, 24(sp)
    sw s7, 28(sp)
    sw s6, 32(sp)
    sw s5, 36(sp)
    sw s4, 40(sp)
    sw s3, 44(sp)
    sw s2, 48(sp)
    sw s1, 52(sp)
    sw s0, 56(sp)
    sw ra, 60(sp)
    jr t0

    .globl __riscv_save_11, __riscv_save_10, __riscv_save_9, __riscv_save_8
__riscv_save_11:
__riscv_save_10:
__riscv_save_9:
__riscv_save_8:
    addi sp, sp, -48
    sw s10, 0(sp)
    sw s9, 4(sp)
    sw s8, 8(sp)
    sw s7, 12(sp)
    sw s6, 16(sp)
    sw s5, 20(sp)
    sw s4, 24(sp)
    sw s3, 28(sp)
    sw s2, 32(sp)
    sw s1, 36(sp)
    sw s0, 40(sp)
    sw ra, 44(sp)
    jr t0

    .globl __riscv_save_7, __riscv_save_6, __riscv_save_5, __riscv_save_4
__riscv_save_7:
__riscv_save_6:
__riscv_save_5:
__riscv_save_4:
    addi sp, sp, -32
    sw s6, 0(sp)
    sw s5, 4(sp)
    sw s4, 8(sp)
    sw s3, 12(sp)
    sw s2, 16(sp)
    sw s1, 20(sp)
    sw s0, 24(sp)
    sw ra, 28(sp)
    jr t0

    .globl __riscv_save_3, __riscv_save_2, __riscv_save_1, __riscv_save_0
__riscv_save_3:
__riscv_save_2:
__riscv_save_1:
__riscv_save_0:
    addi sp, sp, -16
    sw s2, 0(sp)
    sw s1, 4(sp)
    sw s0, 8(sp)
    sw ra, 12(sp)
    jr t0

/* Each part frees 16 bytes and goes on with the next part. */
    .globl __riscv_restore_12
__riscv_restore_12:
    lw s11, 12(sp)
    addi sp, sp, 16

    .globl __riscv_restore_11, __riscv_restore_10, __riscv_restore_9, __riscv_restore_8
__riscv_restore_11:
__riscv_restore_10:
__riscv_restore_9:
__riscv_restore_8:
    lw s10, 0(sp)
    lw s9, 4(sp)
    lw s8, 8(sp)
    lw s7, 12(sp)
    addi sp, sp, 16

    .globl __riscv_restore_7, __riscv_restore_6, __riscv_restore_5, __riscv_restore_4
__riscv_restore_7:
__riscv_restore_6:
__riscv_restore_5:
__riscv_restore_4:
    lw s6, 0(sp)
    lw s5, 4(sp)
    lw s4, 8(sp)
    lw s3, 12(sp)
    addi sp, sp, 16

    .globl __riscv_restore_3, __riscv_restore_2, __riscv_restore_1, __riscv_restore_0
__riscv_restore_3:
__riscv_restore_2:
__riscv_restore_1:
__riscv_restore_0:
    lw s2, 0(sp)
    lw s1, 4(sp)
    lw s0, 8(sp)
    lw ra, 12(sp)
    addi sp, sp, 16
    ret
