package peer;

import java.util.Arrays;

/** A small reader of DER (X.690): a range of bytes from which elements are taken one after the other. */
final class Der {
    static final int INTEGER = 0x02;
    static final int OCTET_STRING = 0x04;
    static final int NULL = 0x05;
    static final int OBJECT_IDENTIFIER = 0x06;
    static final int IA5_STRING = 0x16;
    static final int SEQUENCE = 0x30;
    static final int SET = 0x31;
    static final int CONTEXT_0 = 0xa0;

    final byte[] data;
    int at;
    final int end;

    Der(byte[] data, int start, int end) {
        this.data = data;
        this.at = start;
        this.end = end;
    }

    Der(byte[] data) {
        this(data, 0, data.length);
    }

    boolean isEmpty() {
        return at == end;
    }

    int length() {
        return end - at;
    }

    boolean isNext(int tag) {
        return at < end && (data[at] & 0xff) == tag;
    }

    /** Takes the next element, which must have the given tag, and returns its contents. */
    Der take(int tag) throws Refused {
        if (end - at < 2 || (data[at] & 0xff) != tag) {
            throw new Refused("no element with tag " + tag + " at " + at);
        }
        int length = data[at + 1] & 0xff;
        int start = at + 2;
        if (length >= 0x80) {
            int count = length & 0x7f;
            if (count == 0 || count > 3 || end - start < count || data[start] == 0) {
                throw new Refused("the length at " + at + " is not DER");
            }
            length = 0;
            for (int i = 0; i < count; i++) {
                length = length << 8 | data[start++] & 0xff;
            }
            if (length < 0x80) {
                throw new Refused("the length at " + at + " is not DER");
            }
        }
        if (length > end - start) {
            throw new Refused("the element at " + at + " ends after its container");
        }
        at = start + length;
        return new Der(data, start, at);
    }

    /** Takes the next element, which must have the given tag, and returns it with its tag and length. */
    Der takeWhole(int tag) throws Refused {
        int start = at;
        take(tag);
        return new Der(data, start, at);
    }

    /** Takes the next element as take does, and refuses bytes after it. */
    Der takeLast(int tag) throws Refused {
        Der contents = take(tag);
        if (!isEmpty()) {
            throw new Refused("octets follow the element that ends at " + at);
        }
        return contents;
    }

    long takeInteger() throws Refused {
        Der contents = take(INTEGER);
        if (contents.isEmpty() || contents.length() > 8) {
            throw new Refused("no INTEGER of 64 bits before " + at);
        }
        long value = data[contents.at];
        for (int i = contents.at + 1; i < contents.end; i++) {
            value = value << 8 | data[i] & 0xff;
        }
        return value;
    }

    boolean holds(byte[] other) {
        return Arrays.equals(data, at, end, other, 0, other.length);
    }

    byte[] octets() {
        return Arrays.copyOfRange(data, at, end);
    }
}
