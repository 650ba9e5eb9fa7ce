// The UART of QEMU's machine virt, an NS16550A.

import _Volatile

private func register(_ offset: UInt) -> VolatileMappedRegister<UInt8> {
    VolatileMappedRegister(unsafeBitPattern: 0x1000_0000 + offset)
}

/// The UART needs no preparation in the emulator.
func startConsole() {}

/// Waits until the transmitter is free, and sends one byte.
func send(_ byte: UInt8) {
    while register(5).load() & 0x20 == 0 {}
    register(0).store(byte)
}
