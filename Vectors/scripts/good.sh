# Receipts to be accepted.

phone=00112233445566778899aabbccddeeff # identifierForVendor: 16 octets
computer=020000000001                  # a MAC address, locally administered: 6 octets
server=00000000000000000000000000000000

# identity OPAQUE_VALUE: the attributes of every receipt about its app and its device.
identity() {
    device_hash "$DEVICE" "$1" "$BUNDLE"
    field 0 "$ENVIRONMENT"
    field 2 "$BUNDLE"
    field 3 "$VERSION"
    field 4 "$1"
    field 5 "$DEVICE_HASH"
    field 12 "$CREATED"
}

# store_fields ITEM VERSION_IDENTIFIER PURCHASE_DATE ORIGINAL_PURCHASE_DATE ORIGINAL_VERSION PLATFORM
store_fields() {
    field 1 "$1"
    field 8 "$3"
    field 10 4+
    field 11 0
    field 15 "$1"
    field 16 "$2"
    field 18 "$4"
    field 19 "$5"
    field 25 "$6"
    undocumented 9 020450333035
    undocumented 13 020302c17a
    undocumented 14 020200e5
    undocumented 20 0c00
}

# begin_purchase PRODUCT TYPE TRANSACTION ORIGINAL_TRANSACTION DATE ORIGINAL_DATE [EXPIRES [LINE_ITEM]]
begin_purchase() {
    local type
    begin
    field 1701 1
    field 1702 "$1"
    field 1703 "$3"
    field 1704 "$5"
    field 1705 "$4"
    field 1706 "$6"
    field 1707 "$2"
    field 1708 "${7:-}"
    field 1711 "${8:-0}"
    for type in 1709 1714 1715 1716 1717 1718; do
        undocumented $type 0c00
    done
    undocumented 1710 020100
    undocumented 1722 020100
}

sandbox_payload() {
    no_purchases
    begin_purchase com.example.receipts.everything 0 2000000100000001 2000000100000001 \
        2025-06-01T08:15:30Z 2025-06-01T08:15:30Z
    field 1712 ''
    field 1713 0
    end_purchase
    begin_purchase com.example.receipts.subscription.annual 3 2000000100000002 2000000100000002 \
        2025-06-15T11:17:49Z 2025-06-15T11:17:50Z 2025-06-15T12:17:49Z 2000000050000001
    field 1712 ''
    field 1713 0
    field 1719 0
    end_purchase

    begin
    identity be1dd3ea9bcf4d08652eb539b9e05694
    store_fields 0 0 '' 2013-08-01T07:00:00Z 1.0 3
    noise six 320
    undocumented 6 "$NOISE"
    noise seven 320
    undocumented 7 "$NOISE"
    end_payload
}

make_sandbox() {
    local ENVIRONMENT=ProductionSandbox DEVICE=$phone split at
    sandbox_payload
    sign sandbox-sha256.der leaf intermediate root
    write_json sandbox-sha256.der
    accept sandbox-sha256.der \
        'The genuine profile of a sandbox receipt, with a non-consumable and a subscription.'
    DEVICE= accept sandbox-sha256.der 'The same, its device hash not looked at.'
    VERSION= accept sandbox-sha256.der 'The same, its app version not looked at.'

    openssl base64 -in "$out/receipts/sandbox-sha256.der" -out "$out/receipts/sandbox-sha256.b64"
    tr -d '\n=' < "$out/receipts/sandbox-sha256.b64" | tr '+/' '-_' > "$out/receipts/sandbox-sha256.b64url"
    OPENSSL=accept
    row sandbox-sha256.b64 '' '' accept 'The same in base64 with line breaks (openssl judged the DER).'
    row sandbox-sha256.b64url '' '' accept \
        'The same in URL-safe base64 without padding (openssl judged the DER).'

    EXTRA=(-stream)
    sign ber.ber leaf intermediate root
    EXTRA=()
    write_json ber.ber
    accept ber.ber \
        'The same with indefinite lengths and a constructed content, as a streaming writer leaves it.'

    # The segment that openssl wrote becomes three, the second of them empty.
    cp "$out/receipts/ber.ber" "$out/receipts/ber-segments.ber"
    read_hex "$work/payload.der"
    at=1000
    tlv 04 "$HEX"
    split=$HEX
    read_hex "$work/payload.der"
    tlv 04 "${HEX:0:at}"
    set -- "$HEX"
    read_hex "$work/payload.der"
    tlv 04 "${HEX:at}"
    replace "$out/receipts/ber-segments.ber" "$split" "${1}0400$HEX"
    write_json ber-segments.ber
    accept ber-segments.ber 'The same, its content in three segments of which one is empty.'

    openssl cms -sign -binary -nodetach -noattr -md sha256 -signer "$ca/leaf.pem" -inkey "$ca/leaf.key" \
        -certfile "$work/bag.pem" -in "$work/payload.der" -outform DER \
        -out "$out/receipts/certificates-sorted.der"
    write_json certificates-sorted.der
    accept certificates-sorted.der \
        'As openssl cms writes it: the root first, since sorted, and sha256 without parameters (RFC 5754).'

    read_hex "$work/payload.der"
    signed_attributes "$(openssl dgst -sha256 -r "$work/payload.der" | cut -d ' ' -f 1)"
    set -- "$HEX"
    write_hex "$work/attributes.der" "$1"
    signature sha256 "$ca/leaf.key" "$work/attributes.der"
    set -- "${1:4}" "$HEX"
    signer_info leaf "$1" "$2"
    write_signed_data signed-attributes.der "$HEX" leaf intermediate root
    write_json signed-attributes.der
    accept signed-attributes.der 'Signed attributes, over which the signature is made (RFC 5652 section 5.4).'
}

make_production() {
    local DEVICE=$computer BUNDLE=com.example.receipts.mac VERSION=2.10.1
    no_purchases
    begin_purchase com.example.receipts.coins 1 100000000000001 100000000000001 \
        2024-12-24T18:00:00.001Z 2024-12-24T18:00:00.001Z
    field 1712 ''
    end_purchase
    begin_purchase com.example.receipts.everything 0 100000000000002 100000000000002 \
        2025-01-02T03:04:05Z 2025-01-02T03:04:05Z
    field 1712 2025-01-09T10:11:12.5Z
    field 1720 1
    field 1713 0
    end_purchase
    begin_purchase com.example.receipts.season 2 100000000000003 100000000000003 \
        2025-02-03T04:05:06Z 2025-02-03T04:05:06Z
    end_purchase
    begin_purchase com.example.receipts.monthly 3 100000000000004 100000000000004 \
        2025-03-01T00:00:00.131Z 2025-03-01T00:00:01.131Z 2025-03-08T00:00:00.131Z 576460752303423487
    field 1712 ''
    field 1713 1
    field 1719 0
    end_purchase
    begin_purchase com.example.receipts.monthly 3 100000000000005 100000000000004 \
        2025-03-08T00:00:00.131Z 2025-03-01T00:00:01.131Z 2025-04-08T00:00:00.131Z 576460752303423486
    field 1713 0
    field 1719 1
    field 1721 welcome-back
    end_purchase
    begin_purchase com.example.receipts.yearly 3 100000000000006 100000000000004 \
        2025-04-08T00:00:00Z 2025-03-01T00:00:01.131Z 2026-04-08T00:00:00Z 576460752303423485
    field 1712 2025-05-05T05:05:05Z
    field 1720 0
    field 1713 0
    field 1719 0
    field 1721 ''
    end_purchase

    begin
    identity 0123456789abcdef0123456789abcdef
    store_fields 1234567890 876543210 2024-12-01T10:20:30.999Z 2020-10-08T11:17:49.131Z '' 2
    end_payload
    sign production-sha256.der leaf intermediate root
    write_json production-sha256.der
    accept production-sha256.der \
        'Purchases of every kind: refunded, upgraded, in trial, in an introductory offer, fractional seconds.'
}

make_production_sha1() {
    local DEVICE=$server VERSION=1.0 CREATED=2016-02-11T12:00:00Z CREATED_SECONDS=1455192000 HASH=sha1
    no_purchases
    begin_purchase com.example.receipts.coins 1 100000000000101 100000000000101 \
        2016-02-10T09:08:07Z 2016-02-10T09:08:07Z
    field 1712 ''
    end_purchase
    begin
    identity 4f7061717565
    store_fields 1234567890 812345678 2016-02-01T00:00:00Z 2016-02-01T00:00:00Z 1.0 3
    end_payload
    sign production-sha1.der leaf-sha1 intermediate-sha1 root
    write_json production-sha1.der
    accept production-sha1.der \
        'SHA-1 throughout: the digest and both certificates; good at its creation date alone.'
}

make_vpp() {
    local ENVIRONMENT=ProductionVPP DEVICE=$phone
    no_purchases
    begin
    identity 56505020566f6c756d65205075726368
    store_fields 1234567890 876543210 2025-06-01T00:00:00Z 2025-06-01T00:00:00Z 40 3
    field 21 2026-06-15T12:00:00Z
    end_payload
    sign vpp.der leaf intermediate root
    write_json vpp.der
    accept vpp.der \
        'A Volume Purchase Program receipt; without a time to judge it at, its expiration is not looked at.'
    NOW=2026-06-15T11:59:59Z accept vpp.der 'The same, one second before it expires.'
}

make_many_purchases() {
    local ENVIRONMENT=ProductionSandbox DEVICE=$phone i month start end
    no_purchases
    for ((i = 0; i < 187; i++)); do
        month=$((2009 * 12 + i))
        printf -v start '%04d-%02d-15T12:54:58Z' $((month / 12)) $((month % 12 + 1))
        month=$((month + 1))
        printf -v end '%04d-%02d-15T12:54:58Z' $((month / 12)) $((month % 12 + 1))
        begin_purchase com.example.receipts.monthly 3 $((1000000600000000 + i)) 1000000600000000 \
            $start 2009-01-15T12:54:59Z $end $((1000000040000000 + i))
        field 1712 ''
        field 1713 $((i == 0))
        field 1719 0
        end_purchase
    done
    begin
    identity 6d616e79206d616e79206d616e792121
    store_fields 0 0 '' 2013-08-01T07:00:00Z 1.0 3
    end_payload
    sign many-purchases.der leaf intermediate root
    write_json many-purchases.der
    accept many-purchases.der '187 purchases of 20 attributes: the size of the largest genuine receipt known.'
}

make_key_4096() {
    local ROOT=root-4096.der DEVICE=$phone
    no_purchases
    begin
    identity 34303936343039363430393634303936
    store_fields 1234567890 876543210 2025-06-01T00:00:00Z 2025-06-01T00:00:00Z 1.0 3
    end_payload
    sign key-4096.der leaf-4096 intermediate-4096 root-4096
    write_json key-4096.der
    accept key-4096.der 'A root of 4096 bits.'
}

make_xcode_like() {
    local ROOT=storekit.der ENVIRONMENT=Xcode DEVICE=$phone CREATED=2025-06-15T15:00:00+0300
    no_purchases
    begin
    field 1701 1
    field 1702 com.example.receipts.yearly
    field 1703 0
    field 1704 2025-06-15T14:00:00+0300 2025-06-15T11:00:00Z
    field 1708 2026-06-15T14:00:00+0300 2026-06-15T11:00:00Z
    field 1719 0
    end_purchase
    begin
    identity bd76f4ff04000000
    VALUES[12]='"2025-06-15T12:00:00Z"'
    field 1 0
    field 8 ''
    field 21 4001-01-01T00:00:00+0000 4001-01-01T00:00:00Z
    end_payload_unsorted
    sign xcode-like.der storekit
    write_json xcode-like.der
    accept xcode-like.der 'One self-signed CA that signs, no markers, offsets in dates, an unsorted payload.'
    EXTRA=(-stream)
    sign xcode-like.ber storekit
    EXTRA=()
    accept xcode-like.ber 'The same with indefinite lengths, as Xcode writes it.'
}

make_odd_payloads() {
    local DEVICE=$phone
    no_purchases
    begin_purchase com.example.receipts.everything 0 100000000000201 100000000000201 \
        2025-06-01T08:15:30Z 2025-06-01T08:15:30Z
    end_purchase
    malformed_purchase 3182ffff02010104
    begin_purchase com.example.receipts.coins 1 100000000000202 100000000000202 \
        2025-06-02T08:15:30Z 2025-06-02T08:15:30Z
    end_purchase
    begin
    identity 6d616c666f726d656420707572636861
    end_payload
    sign malformed-purchase.der leaf intermediate root
    write_json malformed-purchase.der
    accept malformed-purchase.der \
        'One attribute 17 holds no DER; it is set apart and the other two purchases are read.'

    no_purchases
    begin_purchase com.example.receipts.season 2 100000000000302 100000000000302 \
        2025-06-03T08:15:30Z 2025-06-03T08:15:30Z
    end_purchase
    begin_purchase com.example.receipts.coins 1 100000000000301 100000000000301 \
        2025-06-02T08:15:30Z 2025-06-02T08:15:30Z
    end_purchase
    begin
    store_fields 1234567890 876543210 2025-06-01T00:00:00Z 2025-06-01T00:00:00Z 1.0 3
    identity 756e736f727465642070617972696365
    end_payload_unsorted
    sign purchases-unsorted.der leaf intermediate root
    write_json purchases-unsorted.der
    accept purchases-unsorted.der 'Neither the attributes nor the purchases in the order of DER.'
}

make_good_receipts() {
    mkdir "$out/receipts"
    printf 'file\troot\tenvironment\tbundle_identifier\tapp_version\tdevice_identifier' > "$out/receipts.tsv"
    printf '\tat_fault\tstep\tverdict\twhy\tnow\topenssl\n' >> "$out/receipts.tsv"
    make_sandbox
    make_production
    make_production_sha1
    make_vpp
    make_many_purchases
    make_key_4096
    make_xcode_like
    make_odd_payloads
}
