// A hand-written reader of receipts: the parts of CMS (RFC 5652) that a receipt uses, and the payload's
// attributes.
#ifndef RECEIPT_H
#define RECEIPT_H

#include "octets.h"

enum digest { DIGEST_SHA1, DIGEST_SHA256, DIGEST_SHA384, DIGEST_SHA512, DIGESTS };

/// A SignedData with embedded content and one SignerInfo, encoded with definite lengths.
struct container {
    struct octets content;      ///< eContent
    struct octets certificates; ///< the contents of the field certificates
    struct octets signer;       ///< issuerAndSerialNumber of the SignerInfo, with tag and length
    enum digest digest;         ///< digestAlgorithm of the SignerInfo
    /// signedAttrs without the first octet, because the tag of a SET is signed in its place. The count is 0
    /// if there are no signedAttrs.
    struct octets signed_attributes;
    struct octets signature;
};

/// Returns false if the receipt has another form. The caller then leaves the whole verification to the
/// library.
bool container_read(struct octets receipt, struct container *container);

/// Finds the attribute messageDigest (RFC 5652 section 11.2) in the container's signedAttrs.
bool container_message_digest(const struct container *container, struct octets *digest);

/// The fields of a payload. A string is empty if its attribute is absent or empty.
struct payload {
    struct octets environment, bundle_identifier, app_version, creation_date;
    struct octets item; ///< the octets of the App Store item id, at most eight
    size_t attributes; ///< the number of attributes, including the attributes of purchases
    size_t purchases;
};

/// Reads type, version and value of each attribute, and of each attribute of each purchase.
bool payload_read(struct octets content, struct payload *payload);

/// Finds the creation date, attribute 12, and stops there. The result is in seconds since
/// 1970-01-01T00:00:00Z.
bool payload_creation_time(struct octets content, int64_t *seconds);

/// Reads a time of RFC 3339 with any fraction and `Z` or an offset. The offset's colon may be absent.
bool time_read(struct octets text, int64_t *seconds);

/// Converts a date and time in UTC to seconds since 1970.
int64_t seconds_of(int year, int month, int day, int hour, int minute, int second);

#endif
