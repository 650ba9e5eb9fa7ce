"""Receipts that are composed from parts, most of them right, and signed: for the rules that mutants seldom reach.

Keys are products of 32 primes, which sign fast.
"""
import datetime
import hashlib
import math
import random

from rfc8017 import encoded_message
from x690 import encoded, identified

CREATED = datetime.datetime(2024, 5, 6, 7, 8, 9, 250_000, datetime.timezone.utc)
HASHES = {"sha1": ("1.2.840.113549.1.1.5", "1.3.14.3.2.26"),
          "sha256": ("1.2.840.113549.1.1.11", "2.16.840.1.101.3.4.2.1"),
          "sha384": ("1.2.840.113549.1.1.12", "2.16.840.1.101.3.4.2.2"),
          "sha512": ("1.2.840.113549.1.1.13", "2.16.840.1.101.3.4.2.3")}
NULL, RSA_ENCRYPTION = b"\x05\x00", "1.2.840.113549.1.1.1"
MARKERS = {"leaf": "1.2.840.113635.100.6.11.1", "intermediate": "1.2.840.113635.100.6.2.1"}


def sequence(*parts):
    return encoded(0x30, b"".join(parts))


def oid(dotted):
    return encoded(6, identified(dotted))


def integer(number):
    return encoded(2, number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True))


def octets(contents):
    return encoded(4, contents)


def bits(contents, unused=0):
    return encoded(3, bytes([unused]) + contents)


def boolean(value):
    return encoded(1, b"\xFF" if value else b"\0")


def is_prime(number):
    """Whether a number below 2^64 is a prime (Miller and Rabin, with bases that suffice)."""
    odd = (number - 1) // ((number - 1) & -(number - 1))
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        power, exponent = pow(base, odd, number), odd
        while exponent != number - 1 and power not in (1, number - 1):
            power, exponent = power * power % number, 2 * exponent
        if power != number - 1 and exponent % 2 == 0:
            return False
    return True


def attribute(number, values):
    """An Attribute of PKCS #9."""
    return sequence(oid(f"1.2.840.113549.1.9.{number}"), encoded(0x31, values))


class Key:
    """A key of 2048 bits whose numbers a seed determines."""

    def __init__(self, seed):
        dice, self.primes = random.Random(seed), []
        while len(self.primes) < 32:
            # Factors above 2^64 * 0.98 have a product of 2048 bits.
            prime = dice.randrange(int(2**64 * 0.98), 2**64) | 1
            if is_prime(prime) and (prime - 1) % 65537 and prime not in self.primes:
                self.primes.append(prime)
        self.modulus = math.prod(self.primes)
        others = [(prime, self.modulus // prime) for prime in self.primes]
        self.parts = [(prime, pow(65537, -1, prime - 1), other * pow(other, -1, prime)) for prime, other in others]
        self.encoded = sequence(integer(self.modulus), integer(65537))
        self.identifier = hashlib.sha1(self.encoded).digest()

    def sign(self, message, name):
        number = int.from_bytes(encoded_message(message, name, 256), "big")
        powers = (pow(number % p, d, p) * unit for p, d, unit in self.parts)
        return (sum(powers) % self.modulus).to_bytes(256, "big")


KEYS = {role: Key(role) for role in ("leaf", "intermediate", "root", "other")}
ISSUERS = {"leaf": "intermediate", "intermediate": "root", "root": "root"}


def name(text, kind=12):
    return sequence(encoded(0x31, sequence(oid("2.5.4.3"), encoded(kind, text.encode()))))


def utc(moment):
    return encoded(23, moment.strftime("%y%m%d%H%M%SZ").encode())


def generalized(moment, form="%Y%m%d%H%M%SZ"):
    return encoded(24, moment.strftime(form).encode())


def moved(seconds):
    return CREATED.replace(microsecond=0) + datetime.timedelta(seconds=seconds)


def algorithm(dotted, parameters=NULL):
    return sequence(oid(dotted), parameters)


def general_names(role):
    """Values of authorityCertIssuer for a certificate that a role's certificate issued; the first is right."""
    right = encoded(0xA4, name(ISSUERS[role]))
    return [right, encoded(0xA4, name(role)), encoded(0x82, b"a.b"), b"", encoded(0x82, b"a.b") + right, NULL,
            encoded(0xA9, b""), right + encoded(0xA4, name("x")), encoded(0xA4, sequence()), encoded(0x86, b"\xFF"),
            encoded(0xA0, oid("1.2.3")), encoded(0xA4, b"")]


def policy_qualifiers():
    practice, notice = oid("1.3.6.1.5.5.7.2.1"), oid("1.3.6.1.5.5.7.2.2")
    text = encoded(12, b"x")
    return [sequence(practice, encoded(22, b"a:b")), sequence(oid("1.2.3"), NULL), sequence(practice, NULL), sequence(),
            sequence(notice, sequence(text)), sequence(notice, sequence()), sequence(notice, sequence(NULL)),
            sequence(notice, sequence(sequence(text, sequence(integer(1))))), sequence(practice),
            sequence(practice, encoded(22, b"\xFF"))]


def times_of(moment):
    """Encodings of a time in a certificate; the first is right."""
    texts = [b"240506070809+0000", b"2405060708Z", b"500101000000Z", b"491231235960Z", b"240230000000Z", b""]
    general = [b"20241340000000Z", b"99991231235959Z", b"00000101000000Z", b"20240506240000Z", b"2024050607Z", b""]
    return [utc(moment), generalized(moment), generalized(moment, "%Y%m%d%H%M%S.0Z"), utc(moment)[:-1] + b"z",
            encoded(22, b"240506070809Z"), *(encoded(23, text) for text in texts),
            *(encoded(24, text) for text in general)]


DATES = """2024-05-06t07:08:09z 2024-05-06T07:08:60Z 2024-02-30T07:08:09Z 2024-05-06T07:08:09.Z 0000-01-01T00:00:00Z
0001-01-01T00:00:00Z 0001-01-01T00:00:00+0100 9999-12-31T23:59:59-0100 2024-05-06T24:00:00Z 2024-05-06T07:08:09+24:00
2024-05-06T07:08:09+02 2024-05-06_07:08:09Z 2024-05-06T07:08:09 2024-05-06T07:08:09.1234567890123456789Z
2024-05-06T07:08:09,5Z 2024-05-06T07:08:09+2359 2024-05-06T07:08:09-00:00 2024-05-06T07:08:09+0260 1969-12-31T00:00:00Z
12024-05-06T07:08:09Z 2024-5-06T07:08:09Z 2024-05-06T07:08Z 2024-05-06T07:08:09ZZ 4001-01-01T00:00:00Z""".split()
RIGHT_DATES = """2024-05-06T07:08:09.250Z 2024-05-06T07:08:09.2505Z 2024-05-06T09:08:09.25+0200
2024-05-06T09:08:09.25+02:00 2024-05-05T19:08:09.25-12:00""".split()


class Composer:
    """Chooses the parts of one receipt. `part` gives the right part, or once in `rarity` times another.

    Without a rarity, all parts are right.
    """

    def __init__(self, dice, rarity=250):
        self.dice, self.rarity = dice, rarity

    def one_in(self, count):
        return self.rarity is not None and self.dice.randrange(count) == 0

    def part(self, right, *others):
        return self.dice.choice(others) if self.one_in(self.rarity) else right

    # Certificates

    def constraints(self, is_issuer):
        return self.part(sequence(boolean(True)) if is_issuer else sequence(), sequence(boolean(True), integer(0)),
                         sequence(boolean(True), integer(1)), sequence(), sequence(integer(0)), NULL, b"",
                         sequence(boolean(False)), sequence(boolean(True), integer(-1)), sequence(boolean(True), NULL),
                         sequence(boolean(True), integer(2**63)), sequence(boolean(True), integer(2**63 - 1)))

    def usage(self, is_issuer):
        return self.part(bits(b"\x06", 1) if is_issuer else bits(b"\x80", 7), bits(b"\x86", 1), bits(b"\x80", 7), NULL,
                         bits(b"\x06", 1), bits(b"\x40", 6), bits(b"\x86\x80", 7), bits(b"\x04"), bits(b""),
                         bits(b"\0", 7), bits(b"\x86"), bits(b"\x86\x40", 6), bits(b"\x87\x80", 7))

    def purposes(self):
        code, anything, server = oid("1.3.6.1.5.5.7.3.3"), oid("2.5.29.37.0"), oid("1.3.6.1.5.5.7.3.1")
        return self.part(sequence(anything), sequence(code), sequence(code, anything, server), sequence(server),
                         sequence(), sequence(server, code), anything, sequence(anything, NULL), sequence(code) * 2)

    def authority(self, issuer):
        names = encoded(0xA1, self.part(*general_names(issuer)))
        both = names + encoded(0x82, self.part(b"\x05", b"\x06", b"", b"\0\x05", b"\1" * 21))
        key = encoded(0x80, self.part(KEYS[issuer].identifier, b"x", b"")) + (both if self.one_in(3) else b"")
        return self.part(sequence(key), sequence(), sequence(both), sequence(names), NULL, sequence(key, NULL),
                         sequence(encoded(0x82, b"\x05")), sequence(both, key), sequence(encoded(0xA0, octets(b"x"))))

    def policies(self):
        qualifiers = [sequence(one) for one in policy_qualifiers()]
        policy = sequence(oid("1.2.3"), self.part(self.dice.choice([b"", qualifiers[0]]), sequence(), *qualifiers))
        other = sequence(oid("2.5.29.32.0"))
        return self.part(sequence(policy), sequence(), sequence(policy, policy), sequence(policy, NULL), NULL,
                         sequence(other, policy), sequence(sequence()))

    def extensions(self, role):
        is_issuer = role != "leaf"
        unread = self.dice.choice(["2.5.29.17", "2.5.29.30", "2.5.29.36", "1.2.3.5", "2.5.29.9"])
        found = [("2.5.29.19", self.constraints(is_issuer)), ("2.5.29.15", self.usage(is_issuer)),
                 ("2.5.29.35", self.authority(ISSUERS[role])), (unread, NULL),
                 ("2.5.29.14", self.part(octets(KEYS[role].identifier), octets(b""), NULL, octets(b"x"))),
                 (self.part(MARKERS.get(role, "1.2.3.4"), *MARKERS.values()), NULL)]
        found += [("2.5.29.37", self.purposes())] if self.one_in(4) or self.rarity is None else []
        found += [("2.5.29.32", self.policies())] if self.one_in(3) else []
        found = [one for one in found if not self.one_in(40)]
        found += self.part([], found[:1], [(f"1.2.{number}", NULL) for number in range(60)])
        self.dice.shuffle(found)
        return sequence(*(sequence(oid(kind), self.critical(kind), octets(value + self.part(b"", NULL)))
                          for kind, value in found))

    def critical(self, kind):
        is_known = kind in ("2.5.29.19", "2.5.29.15", "2.5.29.37", "2.5.29.35", "2.5.29.14", "2.5.29.32")
        if self.one_in(2 if is_known else 60):
            return boolean(True)
        return self.part(b"", boolean(False), encoded(1, b"\1"))

    def key_information(self, role):
        key = self.part(KEYS[role], KEYS["other"])
        numbers = integer(key.modulus), integer(65537)
        return sequence(
            self.part(algorithm(RSA_ENCRYPTION), algorithm(RSA_ENCRYPTION, b""), algorithm("1.2.3")),
            self.part(bits(key.encoded), bits(key.encoded + NULL), bits(b""), octets(key.encoded), bits(key.encoded, 1),
                      bits(sequence(*numbers, integer(1))), bits(sequence(numbers[0])),
                      *(bits(sequence(numbers[0], integer(number))) for number in (2**33 + 1, 65538, 1, 3, -3))))

    def certificate(self, role):
        issuer, hash_name = ISSUERS[role], self.dice.choice(list(HASHES))
        signature = HASHES[hash_name][0]
        inside = self.part(algorithm(signature), algorithm(signature, b""), algorithm(signature, sequence()),
                           algorithm("1.2.840.113549.1.1.14"), algorithm(RSA_ENCRYPTION))
        ends = [self.part(*map(moved, (seconds, 0, 1, -1))) for seconds in (-900, 900)]
        serials = [integer(number) for number in (5, 0, -5, 2**158, 2**159)]
        versions = [encoded(0xA0, integer(number)) for number in (2, 1, 0, 3, -1)]
        extensions = encoded(0xA3, self.extensions(role))
        names = [[name(text), name(text, 19), name(text.upper()), sequence(), sequence(encoded(0x31, b"")), b""]
                 for text in (issuer, role)]
        signed = sequence(
            self.part(*versions, b"", encoded(0xA0, b"")), self.part(*serials, encoded(2, b"\0\5")), inside,
            self.part(*names[0]), sequence(*(self.part(*times_of(end)) for end in ends)), self.part(*names[1]),
            self.key_information(role),
            self.part(b"", encoded(0x81, b"\0x"), encoded(0x82, b"\0x"), encoded(0x82, b"\1y"), encoded(0x81, b"")),
            self.part(extensions, b"", encoded(0xA3, sequence()), encoded(0xA3, b""), extensions + NULL))
        made = KEYS[issuer].sign(signed, hash_name)
        return sequence(signed, self.part(inside, algorithm(signature, b"")),
                        self.part(bits(made), bits(made[:-1] + b"\0", 1), bits(b"\0" + made), octets(made),
                                  bits(made[1:]), bits(made) + NULL))

    # The payload

    def text(self, right):
        return self.part(right, encoded(12, b""), encoded(22, b""), b"", NULL, encoded(12, b"\xC3"), right + NULL,
                         encoded(22, b"\x80"), encoded(12, "é\0".encode()), encoded(0x2C, right))

    def date(self):
        return self.text(encoded(22, self.part(self.dice.choice(RIGHT_DATES), *DATES).encode()))

    def number(self, *right):
        numbers = (-1, 2, 2**53 - 1, 2**53, 2**63 - 1, 2**63)
        return self.part(integer(self.dice.choice(right)), encoded(2, b"\0\0"), encoded(2, b""), NULL, b"",
                         integer(0) * 2, *map(integer, numbers))

    def attributes(self, rows):
        found = []
        for kind, value in rows:
            version = self.part(integer(1), integer(2), integer(-1), integer(2**63), NULL)
            kinds = (kind, kind + 1, -kind, 2**63 - 1, 2**70)
            one = sequence(self.part(*map(integer, kinds), NULL), version,
                           self.part(octets(value), octets(b""), encoded(0x24, octets(value)), value))
            found += self.part([one], [], [one, one], [one + NULL], [encoded(0x31, one)])
        self.dice.shuffle(found)
        inside = b"".join(found)
        return self.part(encoded(0x31, inside), encoded(0x30, inside), octets(encoded(0x31, inside)))

    def purchase(self):
        rows = [(kind, self.date()) for kind in (1704, 1706, 1708, 1712)]
        rows += [(kind, self.text(encoded(12, b"text"))) for kind in (1702, 1703, 1705, 1721)]
        rows += [(kind, self.number(0, 1)) for kind in (1701, 1713, 1719, 1720, 1722)]
        rows += [(kind, NULL) for kind in (1709, 17, 12)]
        rows += [(1707, self.number(0, 1, 2, 3, 4)), (1711, self.number(0, 2**58))]
        return self.attributes([row for row in rows if row[0] == 1702 or self.one_in(2)])

    def payload(self, environment):
        rows = [(kind, self.date()) for kind in (12, 8, 18, 21, 32)]
        rows += [(kind, self.text(encoded(12, b"text"))) for kind in (2, 3, 19)]
        rows += [(kind, self.number(0, 2**31, 2**58)) for kind in (1, 11, 15, 16, 25)]
        rows += [(0, self.text(encoded(12, environment))), (10, self.text(encoded(22, b"4+"))), (6, b"raw"),
                 (1720, NULL), (4, self.part(b"opaque", b"")), (5, self.part(bytes(20), b"x", b""))]
        rows = [row for row in rows if row[0] in (0, 2, 12) or self.one_in(2)]
        content = self.attributes(rows + [(17, self.purchase()) for _ in range(self.dice.randrange(3))])
        return self.part(content, octets(content), octets(octets(content)), content + NULL)

    # The message

    def signed_attributes(self, content, hash_name):
        digest, data = octets(hashlib.new(hash_name, content).digest()), oid("1.2.840.113549.1.7.1")
        moment = self.part(*times_of(CREATED), encoded(24, b"20510101000000Z"), NULL, utc(CREATED) * 2)
        value = self.part(NULL, b"", integer(1) + integer(2), integer(2) + integer(1), encoded(0x30, b"\4"),
                          encoded(1, b"\1"), encoded(0x24, octets(b"x")), encoded(0x31, integer(2) + integer(1)))
        found = [attribute(3, self.part(data, b"", data + data, oid("1.2.3"), NULL, data + NULL)),
                 attribute(4, self.part(digest, b"", octets(b""), digest + digest, NULL, digest + NULL))]
        found += [attribute(5, moment)] if self.one_in(2) else []
        found += [attribute(16, value)] if self.one_in(3) else []
        found += self.part([], [attribute(6, NULL)], [attribute(4, digest)], [attribute(5, moment)], [NULL],
                           [sequence()])
        found.sort(key=lambda one: one.ljust(2000, b"\0"))
        return self.part(found, found[1:], found[:1], [], found[::-1])

    def unsigned_attributes(self):
        kind = self.part(6, 3, 4, 5)
        one = attribute(kind, self.part(NULL, b"", b"\5", encoded(0x30, NULL)))
        return encoded(0xA1, self.part(one, b"", one * 2, NULL, sequence(oid("1.2.3")), sequence()))

    def signer(self, content, hash_name):
        """The digest algorithm, and a SignerInfo."""
        identifier, version = sequence(
            self.part(name("intermediate"), name("root"), name("INTERMEDIATE")),
            self.part(integer(5), integer(6), integer(2**300), encoded(2, b"\0\5"))), 1
        if self.one_in(4):
            identifier, version = encoded(0x80, self.part(*(KEYS[role].identifier for role in KEYS), b"")), 3
        signature, digest = HASHES[hash_name]
        digest = algorithm(digest, self.part(self.dice.choice([b"", NULL]), sequence(), encoded(5, b"\0")))
        attributes, message = b"", content
        if self.one_in(2):
            found = b"".join(self.signed_attributes(content, hash_name))
            attributes = encoded(0xA0, found)
            message = self.part(encoded(0x31, found), content, attributes)
        named = self.part(self.dice.choice([RSA_ENCRYPTION, signature]), HASHES["sha512"][0], "1.2.3")
        made = KEYS["leaf"].sign(message, hash_name)
        return digest, sequence(
            self.part(integer(version), integer(1), integer(3), integer(2)), identifier, digest, attributes,
            algorithm(named, self.part(NULL, b"", sequence())),
            self.part(octets(made), encoded(0x24, octets(made)), octets(b"\0" + made), octets(made[:-1])),
            self.unsigned_attributes() if self.one_in(3) else b"")

    def certificates(self, root, is_xcode):
        found = [root] if is_xcode else [root, self.certificate("leaf"), self.certificate("intermediate")]
        found = [one for one in found if not self.one_in(60)]
        signed, other = sequence() + algorithm("1.2.3") + bits(b""), oid("1.2.3") + NULL
        found += self.part([], found[:1], found * 6, [self.certificate("leaf")], [self.certificate("intermediate")],
                           [sequence(signed)], [NULL], [encoded(0xA3, other)], [encoded(0xA3, oid("1.2.3"))],
                           *([encoded(tag, signed)] for tag in (0xA0, 0xA1, 0xA2)), [encoded(0xA2, b"")])
        self.dice.shuffle(found)
        return self.part(encoded(0xA0, b"".join(found)), b"")

    def lists(self):
        signed, other = sequence() + algorithm("1.2.3") + bits(b""), oid("1.2.3") + NULL
        return encoded(0xA1, self.part(b"", sequence(signed), encoded(0xA1, other), NULL, sequence(),
                                       encoded(0xA1, b""), sequence(signed + NULL)))

    def receipt(self, root, is_xcode):
        """A receipt under a root."""
        hash_name = self.dice.choice(list(HASHES))
        content = self.payload(self.part(b"Xcode" if is_xcode else b"Production", b"Xcode", b"Sandbox"))
        digest, signer = self.signer(content, hash_name)
        listed = self.part(digest, b"", digest + algorithm(HASHES["sha1"][1]), algorithm("1.2.3"), digest + NULL,
                           digest + algorithm("1.2.3"), digest + algorithm("1.2.3", sequence()))
        inside = self.part(octets(content), encoded(0x24, octets(content)), b"", octets(content) * 2, NULL)
        kinds = [oid(f"1.2.840.113549.1.7.{number}") for number in (1, 2)]
        data = sequence(integer(self.part(1, 3, 4, 5, 0, 2, -1)), encoded(0x31, listed),
                        sequence(self.part(*kinds), self.part(encoded(0xA0, inside), b"")),
                        self.certificates(root, is_xcode), self.lists() if self.one_in(6) else b"",
                        encoded(0x31, self.part(signer, b"", signer * 2)))
        return sequence(self.part(kinds[1], kinds[0]), encoded(0xA0, data)) + self.part(b"", NULL)


def roots(seed):
    """The certificates of roots, and whether they are Xcode's. The first of each kind is right."""
    for number in range(40):
        dice = random.Random(f"{seed} root {number}")
        is_xcode = number % 4 == 3
        composer = Composer(dice, None if number < 4 else 25)
        yield composer.certificate("leaf" if is_xcode else "root"), is_xcode


def composed(seed, first, count):
    """The roots, and rows of receipts: number, description, index of the root, trust, and octets."""
    found, rows = list(roots(seed)), []
    for number in range(first, first + count):
        dice = random.Random(f"{seed} receipt {number}")
        index = dice.randrange(4) if dice.randrange(4) else dice.randrange(len(found))
        root, is_xcode = found[index]
        trust = "xcode" if is_xcode else dice.choice(["markers", "no-markers"])
        rows.append((number, "composed", index, trust, Composer(dice).receipt(root, is_xcode).hex()))
    return [root for root, _ in found], rows
