// The receipts in flash. `build` makes the forged one.

    .section .rodata.receipts, "a"
    .global genuine_start, genuine_end, forged_start, forged_end
genuine_start:
    .incbin "genuine.der"
genuine_end:
forged_start:
    .incbin "forged.der"
forged_end:
