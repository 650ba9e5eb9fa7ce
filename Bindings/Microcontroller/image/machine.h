// Names of the C files and the linker script, for the Swift files.

#pragma once

/// An address, which Swift sees as `UInt`.
typedef unsigned long address;

/// The address of a symbol of the assembler file or the linker script.
#define ADDRESS(symbol)                                                                                                \
    extern unsigned char symbol[];                                                                                     \
    static inline address address_of_##symbol(void) { return (address)symbol; }

// The receipts, which lie in flash.
ADDRESS(genuine_start)
ADDRESS(genuine_end)
ADDRESS(forged_start)
ADDRESS(forged_end)
// The regions of the memory.
ADDRESS(flash_start)
ADDRESS(flash_end)
ADDRESS(stack_start)
ADDRESS(stack_end)
ADDRESS(data_start)
ADDRESS(data_end)
ADDRESS(heap_start)
ADDRESS(heap_end)

/// The address of the lowest byte of the stack that was ever written. See `paint` in start.c.
address stack_low_water(void);

/// Ends the emulation with an exit status.
_Noreturn void finish(int status);
