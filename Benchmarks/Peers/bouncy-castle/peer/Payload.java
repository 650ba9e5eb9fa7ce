package peer;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.util.Locale;

/** Reads a receipt's payload: a SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }. */
final class Payload {
    private static final long CREATION_DATE = 12;
    private static final long IN_APP_PURCHASE = 17;
    /** The format of RFC 3339. An offset without a colon is accepted as well. */
    private static final DateTimeFormatter DATE = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
            .appendPattern("[XXX][XX]")
            .toFormatter(Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT);

    record Attribute(long type, long version, Der value) {
        /** Takes the next attribute of a SET. */
        static Attribute take(Der set) throws Refused {
            Der attribute = set.take(Der.SEQUENCE);
            long type = attribute.takeInteger();
            long version = attribute.takeInteger();
            return new Attribute(type, version, attribute.takeLast(Der.OCTET_STRING));
        }
    }

    /** The creation date and the number of all attributes, including the attributes of purchases. */
    record Walk(Instant creationDate, int attributes) {}

    private Payload() {}

    /** Returns the creation date that the payload states. Ignores the rest of the payload. */
    static Instant creationDate(byte[] payload) throws Refused {
        Der attributes = new Der(payload).takeLast(Der.SET);
        while (!attributes.isEmpty()) {
            Attribute attribute = Attribute.take(attributes);
            if (attribute.type() == CREATION_DATE) {
                return date(attribute.value());
            }
        }
        throw new Refused("no creation date");
    }

    static Walk walk(Der payload) throws Refused {
        Instant creationDate = null;
        int count = 0;
        Der attributes = payload.takeLast(Der.SET);
        while (!attributes.isEmpty()) {
            Attribute attribute = Attribute.take(attributes);
            count++;
            if (attribute.type() == CREATION_DATE && creationDate == null) {
                creationDate = date(attribute.value());
            } else if (attribute.type() == IN_APP_PURCHASE) {
                count += attributesOfPurchase(attribute.value());
            }
        }
        if (creationDate == null) {
            throw new Refused("no creation date");
        }
        return new Walk(creationDate, count);
    }

    /**
     * Returns the number of attributes of a purchase, or 0 if the purchase cannot be read. The receipt is
     * valid without it.
     */
    private static int attributesOfPurchase(Der value) {
        try {
            int count = 0;
            Der attributes = value.takeLast(Der.SET);
            while (!attributes.isEmpty()) {
                Attribute.take(attributes);
                count++;
            }
            return count;
        } catch (Refused refusal) {
            return 0;
        }
    }

    private static Instant date(Der value) throws Refused {
        Der text = value.takeLast(Der.IA5_STRING);
        try {
            return DATE.parse(new String(text.octets(), StandardCharsets.US_ASCII), Instant::from);
        } catch (DateTimeException failure) {
            throw new Refused(failure.getMessage());
        }
    }
}
