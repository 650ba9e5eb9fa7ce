import Basics
import DER
import TestSupport
import Testing

@Suite("UTCTime and GeneralizedTime (X.690 §11.7, §11.8; RFC 5280 §4.1.2.5)")
struct TimeTests {
    private static func utc(_ text: String) throws(Refusal) -> Timestamp {
        let input = [0x17, UInt8(text.utf8.count)] + [UInt8](text.utf8)
        var reader = Reader(input.span)
        return try reader.readUTCTime("UTCTime")
    }

    private static func generalized(_ text: String) throws(Refusal) -> Timestamp {
        let input = [0x18, UInt8(text.utf8.count)] + [UInt8](text.utf8)
        var reader = Reader(input.span)
        return try reader.readGeneralizedTime("GeneralizedTime")
    }

    @Test(
        "reads a UTCTime from 1950 to 2049",
        arguments: [
            ("500101000000Z", "1950-01-01T00:00:00Z"), ("491231235959Z", "2049-12-31T23:59:59Z"),
            ("991231235959Z", "1999-12-31T23:59:59Z"), ("000101000000Z", "2000-01-01T00:00:00Z"),
            ("000229120000Z", "2000-02-29T12:00:00Z"), ("700101000000Z", "1970-01-01T00:00:00Z"),
            ("691231235959Z", "1969-12-31T23:59:59Z"), ("960229000000Z", "1996-02-29T00:00:00Z"),
        ]
    )
    func utc(_ text: String, _ time: String) throws {
        #expect(try Self.utc(text).description == time)
    }

    @Test(
        "refuses a UTCTime of another form or of a time that does not exist",
        arguments: [
            "", "Z", "0001010000Z", "000101000000", "000101000000+0000", "0001010000+0000", "000101000000z",
            "000101000000ZZ", "20000101000000Z", "000101000000.0Z", "000001000000Z", "001301000000Z",
            "000100000000Z", "000132000000Z", "000431000000Z", "010229000000Z", "000101240000Z",
            "000101006000Z", "000101000060Z", " 00101000000Z", "00010100000 Z", "-00101000000Z",
            "+00101000000Z", "0001010000:0Z", "00010100000/Z", "٠01010000Z",
        ]
    )
    func utcRefused(_ text: String) {
        refuses(.invalidTime, at: 2) { () throws(Refusal) in try Self.utc(text) }
    }

    @Test(
        "reads a GeneralizedTime of the years 0 to 9999, with milliseconds",
        arguments: [
            ("00000101000000Z", "0000-01-01T00:00:00Z"), ("00010101000000Z", "0001-01-01T00:00:00Z"),
            ("19000228235959Z", "1900-02-28T23:59:59Z"), ("20500101000000Z", "2050-01-01T00:00:00Z"),
            ("99991231235959Z", "9999-12-31T23:59:59Z"), ("20000229000000Z", "2000-02-29T00:00:00Z"),
            ("20100102030405.5Z", "2010-01-02T03:04:05.500Z"),
            ("20100102030405.05Z", "2010-01-02T03:04:05.050Z"),
            ("20100102030405.001Z", "2010-01-02T03:04:05.001Z"),
            ("20100102030405.999Z", "2010-01-02T03:04:05.999Z"),
            ("20100102030405.0009Z", "2010-01-02T03:04:05Z"),
            ("20100102030405.9999999999999999999999999999999Z", "2010-01-02T03:04:05.999Z"),
            ("19691231235959.999Z", "1969-12-31T23:59:59.999Z"),
        ]
    )
    func generalized(_ text: String, _ time: String) throws {
        #expect(try Self.generalized(text).description == time)
    }

    @Test(
        "refuses a GeneralizedTime of another form or of a time that does not exist",
        arguments: [
            "", "Z", "2010010203Z", "201001020304Z", "20100102030405", "20100102030405+0000",
            "20100102030405Z0000", "20100102030405z", "20100102030405.Z", "20100102030405.0Z",
            "20100102030405.10Z", "20100102030405.100Z", "20100102030405,5Z", "20100102030405.5",
            "20100102030405.5+0000", "20100102030405.-1Z", "20100102030405..5Z", "20100102030405.5aZ",
            "20100102030405 Z", "201001020304055Z", "20100002030405Z", "20101302030405Z", "20100100030405Z",
            "20100132030405Z", "19000229000000Z", "21000229000000Z", "20100102240000Z", "20100102036000Z",
            "20100102030460Z", "-0100102030405Z", "2010-0102030405Z", "100102030405Z",
        ]
    )
    func generalizedRefused(_ text: String) {
        refuses(.invalidTime, at: 2) { () throws(Refusal) in try Self.generalized(text) }
    }

    @Test("refuses one type of time for the other, and a time in segments")
    func tags() {
        let utc = hex("170d3030303130313030303030305a")
        let segments = hex("370f170d3030303130313030303030305a")
        refuses(.unexpectedTag, at: 0) { () throws(Refusal) in
            var reader = Reader(utc.span)
            _ = try reader.readGeneralizedTime("GeneralizedTime")
        }
        refuses(.unexpectedTag, at: 0) { () throws(Refusal) in
            var reader = Reader(segments.span)
            _ = try reader.readUTCTime("UTCTime")
        }
        refuses(.truncated, at: 14) { () throws(Refusal) in
            var reader = Reader(utc.span, in: 0..<14)
            _ = try reader.readUTCTime("UTCTime")
        }
    }
}
