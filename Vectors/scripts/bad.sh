# Receipts that are refused. Each has one fault, which its row names.

# attributes_but TYPE: the plain payload begun, without the attribute TYPE.
attributes_but() {
    local type
    device_hash "$DEVICE" "$opaque" "$BUNDLE"
    no_purchases
    begin
    for type in 0 2 3 4 5 12 18; do
        [ "$type" != "$1" ] || continue
        case $type in
            0) field 0 "$ENVIRONMENT" ;;
            2) field 2 "$BUNDLE" ;;
            3) field 3 "$VERSION" ;;
            4) field 4 "$opaque" ;;
            5) field 5 "$DEVICE_HASH" ;;
            12) field 12 "$CREATED" ;;
            18) field 18 2020-10-08T11:17:49Z ;;
        esac
    done
}

plain_payload() {
    attributes_but none
    end_payload
}

# wrong_path RECEIPT AT_FAULT STEP WHY CERTIFICATE...: the plain payload signed by the first of these.
wrong_path() {
    sign "$1" "${@:5}"
    reject "$1" "$2" "$3" "$4"
}

# wrong_payload RECEIPT STEP WHY: the attributes begun, well signed.
wrong_payload() {
    end_payload
    sign "$1" leaf intermediate root
    reject "$1" payload "$2" "$3"
}

make_bad_paths() {
    wrong_path leaf-without-marker.der leaf leaf-marker \
        'A developer certificate of the same intermediate could sign so.' \
        leaf-without-marker intermediate root
    wrong_path intermediate-without-marker.der intermediate intermediate-marker \
        'The intermediate is not the one for receipts.' leaf intermediate-without-marker root
    wrong_path markers-swapped.der intermediate intermediate-marker \
        'Each of the two carries the marker of the other.' \
        leaf-with-intermediate-marker intermediate-with-leaf-marker root
    wrong_path leaf-marker-in-policies.der leaf leaf-marker \
        'The marker is a certificate policy, not an extension.' leaf-marker-in-policies intermediate root
    wrong_path intermediate-marker-in-policies.der intermediate intermediate-marker \
        'The marker is a certificate policy, not an extension.' leaf intermediate-marker-in-policies root
    wrong_path four-certificates.der intermediate certificate-path \
        'Two intermediates; a receipt has one.' leaf intermediate-lower intermediate-upper root
    wrong_path path-length-of-intermediate.der intermediate certificate-path \
        'The upper of two intermediates allows none below it.' \
        leaf intermediate-lower intermediate-upper-path-length root
    ROOT=root-path-length.der wrong_path path-length-of-root.der root certificate-path \
        'The root allows no intermediate; here are two.' \
        leaf intermediate-lower intermediate-upper root-path-length
    ROOT=root-path-length.der wrong_path path-length-of-root-three.der root certificate-path \
        'The root allows no intermediate; here is one.' leaf intermediate root-path-length
    wrong_path root-impostor.der root root \
        'A whole path, its root with the name and the key identifier of the pinned one but another key.' \
        leaf intermediate-of-impostor root-impostor
    wrong_path intermediate-of-impostor.der intermediate certificate-path \
        'The pinned root is there, but another key signed the intermediate.' \
        leaf intermediate-of-impostor root
    wrong_path root-foreign.der root root \
        'A whole path with both markers, to a root that is not pinned.' \
        leaf intermediate-of-foreign root-foreign
    wrong_path intermediate-not-ca.der intermediate certificate-path \
        'BasicConstraints say CA false.' leaf intermediate-not-ca root
    wrong_path intermediate-without-key-cert-sign.der intermediate certificate-path \
        'KeyUsage lacks keyCertSign.' leaf intermediate-without-key-cert-sign root
    wrong_path intermediate-expired.der intermediate certificate-path \
        'The intermediate expired the day before the creation date.' leaf intermediate-expired root
    wrong_path leaf-without-digital-signature.der leaf certificate-path \
        'KeyUsage lacks digitalSignature.' leaf-without-digital-signature intermediate root
    wrong_path leaf-critical-unknown.der leaf certificate-path \
        'A critical extension of no known meaning.' leaf-critical-unknown intermediate root
    wrong_path leaf-expired.der leaf certificate-path \
        'The leaf expired the day before the creation date.' leaf-expired intermediate root
    wrong_path leaf-not-yet-valid.der leaf certificate-path \
        'The leaf begins the day after the creation date.' leaf-not-yet-valid intermediate root
    wrong_path leaf-1024.der leaf signature \
        'The key of the leaf has 1024 bits.' leaf-1024 intermediate root
    wrong_path intermediate-missing.der intermediate certificate-path \
        'No certificate in the bag issued the leaf.' leaf root
    EXTRA=(-nocerts)
    wrong_path leaf-missing.der container certificate-path \
        'The certificate that the SignerInfo names is not in the bag.' leaf intermediate root
    EXTRA=()
    ENVIRONMENT=Xcode reject xcode-like.der root root \
        'A receipt of StoreKit Testing where the root of the store is pinned.'
}

# alter RECEIPT OLD NEW: a good receipt in which NEW stands for OLD; both are hexadecimal.
alter() {
    sign "$1" leaf intermediate root
    replace "$out/receipts/$1" "$2" "$3"
}

make_tampered() {
    local text
    string 0c "$VERSION"
    text=$HEX
    string 0c 43
    alter tampered-payload.der "$text" "$HEX"
    VERSION=43 reject tampered-payload.der payload signature \
        'One octet of the payload, in the app version, is another.'

    sign tampered-signature.der leaf intermediate root
    read_hex "$out/receipts/tampered-signature.der"
    flip "$HEX" -1
    write_hex "$out/receipts/tampered-signature.der" "$HEX"
    reject tampered-signature.der signer-info signature 'The last bit of the signature is inverted.'

    string 17 260823145002Z
    text=$HEX
    string 17 270823145002Z
    alter tampered-leaf.der "$text" "$HEX"
    reject tampered-leaf.der leaf certificate-path 'One octet of the leaf, in its notAfter, is another.'

    string 17 301210000000Z
    text=$HEX
    string 17 311210000000Z
    alter tampered-intermediate.der "$text" "$HEX"
    reject tampered-intermediate.der intermediate certificate-path \
        'One octet of the intermediate, in its notAfter, is another.'

    sign signature-of-another-key.der leaf intermediate root
    signature sha256 "$keys/other.pem" "$work/payload.der"
    replace_tail "$out/receipts/signature-of-another-key.der" "$HEX"
    reject signature-of-another-key.der signer-info signature 'A signature, but not by the key of the leaf.'

    sign signature-of-another-hash.der leaf intermediate root
    signature sha1 "$ca/leaf.key" "$work/payload.der"
    replace_tail "$out/receipts/signature-of-another-hash.der" "$HEX"
    reject signature-of-another-hash.der signer-info signature \
        'digestAlgorithm says sha256; the signature is over the SHA-1 digest.'
}

make_bad_signed_attributes() {
    local attributes
    printf 'another payload' > "$work/other"
    signed_attributes "$(openssl dgst -sha256 -r "$work/other" | cut -d ' ' -f 1)"
    attributes=$HEX
    write_hex "$work/attributes.der" "$attributes"
    signature sha256 "$ca/leaf.key" "$work/attributes.der"
    signer_info leaf "${attributes:4}" "$HEX"
    write_signed_data signed-attributes-digest.der "$HEX" leaf intermediate root
    reject signed-attributes-digest.der signer-info signature 'messageDigest is the digest of something else.'

    signed_attributes "$(openssl dgst -sha256 -r "$work/payload.der" | cut -d ' ' -f 1)"
    attributes=$HEX
    signature sha256 "$ca/leaf.key" "$work/payload.der"
    signer_info leaf "${attributes:4}" "$HEX"
    write_signed_data signed-attributes-passed-over.der "$HEX" leaf intermediate root
    reject signed-attributes-passed-over.der signer-info signature \
        'Signed attributes are there, but the signature is over the content.'
}

make_bad_containers() {
    sign trailing-byte.der leaf intermediate root
    printf '\0' >> "$out/receipts/trailing-byte.der"
    reject trailing-byte.der container container 'An octet follows the ContentInfo.'

    sign truncated.der leaf intermediate root
    read_hex "$out/receipts/truncated.der"
    write_hex "$out/receipts/truncated.der" "${HEX:0:$((${#HEX} / 4 * 2))}"
    reject truncated.der container container 'The first half of a receipt.'

    bag leaf intermediate root
    openssl crl2pkcs7 -nocrl -certfile "$work/bag.pem" -outform DER -out "$out/receipts/certificates-only.der"
    reject certificates-only.der container container 'Certificates alone: no content and no SignerInfo.'

    write_signed_data no-signer.der '' leaf intermediate root
    reject no-signer.der container container 'A content without a signer.'

    EXTRA=(-signer "$ca/leaf-second.pem" -inkey "$ca/leaf-second.key")
    sign two-signers.der leaf intermediate root
    EXTRA=()
    reject two-signers.der container container 'Two SignerInfos, each of them good.'

    # Without -nodetach: openssl would otherwise put the content in.
    bag intermediate root
    openssl smime -sign -binary -noattr -md sha256 -signer "$ca/leaf.pem" -inkey "$ca/leaf.key" \
        -certfile "$work/bag.pem" -in "$work/payload.der" -outform DER -out "$out/receipts/detached.der"
    reject detached.der container container 'The content is not in the container.'
}

make_bad_payloads() {
    attributes_but 12
    wrong_payload creation-date-missing.der creation-date 'No attribute 12.'
    attributes_but 12
    field 12 ''
    wrong_payload creation-date-empty.der creation-date 'Attribute 12 is an empty string.'
    attributes_but none
    field 12 2025-06-15T12:00:01Z
    wrong_payload creation-date-doubled.der creation-date 'Two attributes 12.'
    attributes_but 12
    string 0c "$CREATED"
    element 12 1 "$HEX"
    wrong_payload creation-date-utf8-string.der creation-date \
        'Attribute 12 is a UTF8String, not an IA5String.'
    attributes_but 12
    field 12 2025-02-30T12:00:00Z
    wrong_payload creation-date-impossible.der creation-date 'Attribute 12 is the 30th of February.'
    attributes_but 2
    wrong_payload bundle-identifier-missing.der bundle-identifier 'No attribute 2.'
    attributes_but 2
    element 2 1 0c04636fc328
    wrong_payload bundle-identifier-not-utf8.der payload 'Attribute 2 is not well-formed UTF-8.'
    attributes_but none
    field 2 com.example.another
    wrong_payload bundle-identifier-doubled.der payload 'Two attributes 2.'
    attributes_but 0
    wrong_payload environment-missing.der environment 'No attribute 0.'
    attributes_but 5
    flip "$DEVICE_HASH" 0
    field 5 "$HEX"
    wrong_payload device-hash-wrong.der device-hash 'Attribute 5 is not the hash of this device.'
    attributes_but 5
    wrong_payload device-hash-missing.der device-hash 'No attribute 5.'
}

# Good receipts, asked for something else.
make_wrong_expectations() {
    local ENVIRONMENT=ProductionSandbox DEVICE=$phone
    ENVIRONMENT=Production reject sandbox-sha256.der expectation environment \
        'A sandbox receipt where production is asked for.'
    BUNDLE=com.example.another reject sandbox-sha256.der expectation bundle-identifier \
        'Another app is asked for.'
    BUNDLE=com.example.Receipts reject sandbox-sha256.der expectation bundle-identifier 'Letter case counts.'
    VERSION=42.0 reject sandbox-sha256.der expectation app-version 'Another version is asked for.'
    DEVICE=$computer reject sandbox-sha256.der expectation device-hash 'Another device is asked for.'
    ROOT=root-4096.der reject sandbox-sha256.der expectation root 'Another root is pinned.'
    ENVIRONMENT=ProductionVPP NOW=2026-06-15T12:00:01Z reject vpp.der expectation expiration-date \
        'One second after the receipt expired.'
    NOW=2026-07-01T00:00:00Z accept sandbox-sha256.der 'No expiration date: the time does not matter.'
}

# Inputs that are not PKCS #7 receipts.
make_wrong_inputs() {
    : > "$out/receipts/empty.der"
    reject empty.der input input 'No octets.'
    printf 'eyJhbGciOiJFUzI1NiIsIng1YyI6W119.e30.AAAA' > "$out/receipts/signed-transaction.jws"
    reject signed-transaction.jws input input 'A JWS of StoreKit 2.'
    printf '{\n\t"%s" = "AAAA";\n\t"%s" = "AAAA";\n\t"%s" = "0";\n}' signature purchase-info signing-status |
        openssl base64 -A > "$out/receipts/transaction-receipt.b64"
    reject transaction-receipt.b64 input input 'A transaction receipt of iOS 6: a property list in base64.'
    printf 'MIIV*no*base64' > "$out/receipts/not-base64.b64"
    reject not-base64.b64 input input 'Characters that are not of base64.'
}

make_bad_receipts() {
    local opaque=6261642072656365697074206f706171 DEVICE=$phone
    plain_payload
    make_bad_paths
    make_tampered
    make_bad_signed_attributes
    make_bad_containers
    make_bad_payloads
    make_wrong_expectations
    make_wrong_inputs
}
