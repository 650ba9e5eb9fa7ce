# Signed payloads, and the rows of receipts.tsv.

# The values that a row expects of a receipt, and the time when openssl judges the receipt, its creation date.
# An assignment before `accept` or `reject` changes them for one row. HASH is the digest of a signature.
ROOT=root.der
ENVIRONMENT=Production
BUNDLE=com.example.receipts
VERSION=42
DEVICE=
NOW=
CREATED=2025-06-15T12:00:00Z
CREATED_SECONDS=1749988800
HASH=sha256

# bag CERTIFICATE...: those certificates as PEM, in bag.pem.
bag() {
    local name
    : > "$work/bag.pem"
    for name in "$@"; do
        cat "$ca/$name.pem" >> "$work/bag.pem"
    done
}

# sign RECEIPT SIGNER CERTIFICATE...: payload.der signed by SIGNER, with those certificates.
# PKCS #7 by `openssl smime` has the genuine profile, NULL parameters included, with one difference: the
# signer's certificate comes after the certificates of the bag.
# EXTRA holds further options.
EXTRA=()
sign() {
    local file=$1 signer=$2 more=()
    shift 2
    if [ $# -gt 0 ]; then
        bag "$@"
        more=(-certfile "$work/bag.pem")
    fi
    openssl smime -sign -binary -nodetach -noattr -md "$HASH" -signer "$ca/$signer.pem" \
        -inkey "$ca/$signer.key" ${more[@]+"${more[@]}"} ${EXTRA[@]+"${EXTRA[@]}"} \
        -in "$work/payload.der" -outform DER -out "$out/receipts/$file"
}

# signature HASH KEY FILE: the PKCS #1 v1.5 signature of a file, in HEX.
signature() {
    openssl dgst "-$1" -sign "$2" -out "$work/signature" "$3"
    read_hex "$work/signature"
}

# issuer_and_serial_number CERTIFICATE: cut out of the certificate, in HEX. Below tbsCertificate stand
# version, serialNumber, signature and issuer.
issuer_and_serial_number() {
    local spans
    read_hex "$out/certificates/$1.der"
    spans=($(openssl asn1parse -inform DER -in "$out/certificates/$1.der" | tr ':=' '  ' | awk '
        $3 == 2 { n++; if (n == 2 || n == 4) print $1 * 2, ($5 + $7) * 2 }'))
    tlv 30 "${HEX:${spans[2]}:${spans[3]}}${HEX:${spans[0]}:${spans[1]}}"
}

sha256_algorithm=300d06096086480165030402010500
rsa_encryption=300d06092a864886f70d0101010500
content_type_data=06092a864886f70d010701

# write_signed_data RECEIPT SIGNER_INFOS CERTIFICATE...: a SignedData around payload.der, for what the
# openssl command will not write. SIGNER_INFOS is the hexadecimal contents of the SET.
write_signed_data() {
    local file=$1 signers=$2 contents certificates= name
    shift 2
    for name in "$@"; do
        read_hex "$out/certificates/$name.der"
        certificates+=$HEX
    done
    read_hex "$work/payload.der"
    tlv 04 "$HEX"
    tlv a0 "$HEX"
    tlv 30 "$content_type_data$HEX"
    contents=$HEX
    tlv 31 $sha256_algorithm
    contents=020101$HEX$contents
    tlv a0 "$certificates"
    contents+=$HEX
    tlv 31 "$signers"
    tlv 30 "$contents$HEX"
    tlv a0 "$HEX"
    tlv 30 06092a864886f70d010702$HEX
    write_hex "$out/receipts/$file" "$HEX"
}

# signed_attributes DIGEST: contentType, signingTime and messageDigest (RFC 5652 §11), in HEX as the
# SET that is signed.
signed_attributes() {
    local content_type signing_time message_digest
    tlv 31 $content_type_data
    tlv 30 "06092a864886f70d010903$HEX"
    content_type=$HEX
    string 17 250615120000Z
    tlv 31 "$HEX"
    tlv 30 "06092a864886f70d010905$HEX"
    signing_time=$HEX
    tlv 04 "$1"
    tlv 31 "$HEX"
    tlv 30 "06092a864886f70d010904$HEX"
    message_digest=$HEX
    set_of "$content_type" "$signing_time" "$message_digest"
}

# signer_info CERTIFICATE ATTRIBUTES SIGNATURE: ATTRIBUTES is the contents of the SET, or empty.
signer_info() {
    local contents=020101
    issuer_and_serial_number "$1"
    contents+=$HEX$sha256_algorithm
    if [ -n "$2" ]; then
        tlv a0 "$2"
        contents+=$HEX
    fi
    tlv 04 "$3"
    tlv 30 "$contents$rsa_encryption$HEX"
}

# openssl_verdict FILE: the verdict of `openssl cms` on path and signature at the receipt's creation date.
# It does not check markers, payloads, or that a path has exactly three certificates.
openssl_verdict() {
    if openssl cms -verify -binary -inform DER -in "$out/receipts/$1" -CAfile "$ca/${ROOT%.der}.pem" \
        -purpose any -attime $CREATED_SECONDS -out /dev/null 2> "$work/log"; then
        OPENSSL=accept
    else
        OPENSSL=reject
    fi
}

# row FILE AT_FAULT STEP VERDICT WHY
row() {
    printf '%s' "$1" >> "$out/receipts.tsv"
    printf '\t%s' "$ROOT" "$ENVIRONMENT" "$BUNDLE" "$VERSION" "$DEVICE" "$2" \
        "$3" "$4" "$5" "$NOW" "$OPENSSL" >> "$out/receipts.tsv"
    printf '\n' >> "$out/receipts.tsv"
}

# accept FILE WHY: openssl has to agree.
accept() {
    openssl_verdict "$1"
    [ $OPENSSL = accept ] || { cat "$work/log" >&2; fail "openssl refuses $1"; }
    row "$1" '' '' accept "$2"
}

# reject FILE AT_FAULT STEP WHY
reject() {
    openssl_verdict "$1"
    row "$1" "$2" "$3" reject "$4"
}
