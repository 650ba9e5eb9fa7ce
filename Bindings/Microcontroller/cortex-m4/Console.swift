// The first UART of QEMU's machine mps2-an386, an Arm CMSDK APB UART.

import _Volatile

private func register(_ offset: UInt) -> VolatileMappedRegister<UInt32> {
    VolatileMappedRegister(unsafeBitPattern: 0x4000_4000 + offset)
}

/// Sets the divisor of the clock, and switches the transmitter on.
func startConsole() {
    register(0x10).store(16)
    register(0x08).store(1)
}

/// Waits until the transmitter is free, and sends one byte.
func send(_ byte: UInt8) {
    while register(0x04).load() & 1 != 0 {}
    register(0x00).store(UInt32(byte))
}
