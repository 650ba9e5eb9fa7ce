// The generator of random choices, which callers of this module hand in.

@_exported import struct Basics.SeededGenerator
