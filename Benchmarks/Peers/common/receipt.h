// What a receipt is, read by hand: the little of CMS (RFC 5652) around it, and its payload's attributes.
#ifndef RECEIPT_H
#define RECEIPT_H

#include "octets.h"

enum digest { DIGEST_SHA1, DIGEST_SHA256, DIGEST_SHA384, DIGEST_SHA512, DIGESTS };

/// A SignedData with its content in it and one SignerInfo, in definite lengths.
struct container {
    struct octets content;      ///< eContent
    struct octets certificates; ///< the contents of the field certificates
    struct octets signer;       ///< issuerAndSerialNumber of the SignerInfo, with tag and length
    enum digest digest;         ///< its digestAlgorithm
    /// Its signedAttrs but for their first octet, which is signed as that of a SET; none if the count is 0.
    struct octets signed_attributes;
    struct octets signature;
};

/// False where the receipt is of another form: only the library's own road is left then.
bool container_read(struct octets receipt, struct container *container);

/// The attribute messageDigest (RFC 5652 section 11.2), of signedAttrs as `container` has them.
bool container_message_digest(const struct container *container, struct octets *digest);

/// Strings are their contents, empty where the attribute is absent or empty.
struct payload {
    struct octets environment, bundle_identifier, app_version, creation_date;
    size_t attributes; ///< how many there were, those of purchases among them
    size_t purchases;
};

/// Reads type, version and value of each attribute, and of each attribute of each purchase.
bool payload_read(struct octets content, struct payload *payload);

/// Looks for attribute 12 and reads no further. In seconds from 1970-01-01T00:00:00Z.
bool payload_creation_time(struct octets content, int64_t *seconds);

/// RFC 3339 with any fraction, `Z` or an offset, whose colon may be absent.
bool time_read(struct octets text, int64_t *seconds);

/// From a date and time in UTC.
int64_t seconds_of(int year, int month, int day, int hour, int minute, int second);

#endif
