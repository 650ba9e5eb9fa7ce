# Payloads: one list of fields makes both the DER and the JSON beside it.
# A payload is SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }; so is a purchase.

receipt_types='0 1 2 3 4 5 8 10 11 12 15 16 18 19 21 25'
purchase_types='1701 1702 1703 1704 1705 1706 1707 1708 1711 1712 1713 1719 1720 1721'

# describe TYPE: the NAME of a documented attribute and how its value is encoded, its KIND.
describe() {
    case $1 in
        0) NAME=environment KIND=utf8 ;;
        1) NAME=app_store_id KIND=integer ;;
        2) NAME=bundle_identifier KIND=utf8 ;;
        3) NAME=app_version KIND=utf8 ;;
        4) NAME=opaque_value KIND=raw ;;
        5) NAME=sha1_hash KIND=raw ;;
        8) NAME=purchase_date KIND=ia5 ;;
        10) NAME=age_rating KIND=ia5 ;;
        11) NAME=developer_id KIND=integer ;;
        12) NAME=creation_date KIND=ia5 ;;
        15) NAME=download_id KIND=integer ;;
        16) NAME=version_external_identifier KIND=integer ;;
        18) NAME=original_purchase_date KIND=ia5 ;;
        19) NAME=original_app_version KIND=utf8 ;;
        21) NAME=expiration_date KIND=ia5 ;;
        25) NAME=platform KIND=integer ;;
        1701) NAME=quantity KIND=integer ;;
        1702) NAME=product_identifier KIND=utf8 ;;
        1703) NAME=transaction_identifier KIND=utf8 ;;
        1704) NAME=purchase_date KIND=ia5 ;;
        1705) NAME=original_transaction_identifier KIND=utf8 ;;
        1706) NAME=original_purchase_date KIND=ia5 ;;
        1707) NAME=product_type KIND=integer ;;
        1708) NAME=expires_date KIND=ia5 ;;
        1711) NAME=web_order_line_item_id KIND=integer ;;
        1712) NAME=cancellation_date KIND=ia5 ;;
        1713) NAME=is_trial_period KIND=flag ;;
        1719) NAME=is_in_intro_offer_period KIND=flag ;;
        1720) NAME=cancellation_reason KIND=integer ;;
        1721) NAME=promotional_offer_identifier KIND=utf8 ;;
        *) fail "attribute type $1 is not documented" ;;
    esac
}

# begin: starts an empty set, of a purchase or of a receipt.
begin() {
    ELEMENTS=()
    VALUES=()
    UNDOCUMENTED=()
}

# element TYPE VERSION VALUE: an attribute as it stands, its value hexadecimal, unknown to the JSON.
element() {
    local contents
    integer "$1"
    contents=$HEX
    integer "$2"
    contents+=$HEX
    tlv 04 "$3"
    tlv 30 "$contents$HEX"
    ELEMENTS+=("$HEX")
}

# field TYPE VALUE [MEANING]: a documented attribute; the JSON says MEANING where that differs from
# VALUE. Empty text is encoded as an empty string and means absent.
field() {
    local version=1
    describe "$1"
    case $KIND in
        utf8) string 0c "$2" ;;
        ia5) string 16 "$2" ;;
        raw) HEX=$2 ;;
        *) integer "$2" ;;
    esac
    # Genuine receipts give the opaque value version 2.
    [ "$1" -ne 4 ] || version=2
    element "$1" $version "$HEX"
    case $KIND in
        integer) VALUES[$1]=$2 ;;
        flag) [ "$2" -eq 0 ] && VALUES[$1]=false || VALUES[$1]=true ;;
        *) [ -z "$2" ] || VALUES[$1]="\"${3:-$2}\"" ;;
    esac
}

# undocumented TYPE VALUE: an attribute of no known meaning, its value hexadecimal.
undocumented() {
    element "$1" 1 "$2"
    UNDOCUMENTED+=("$1")
}

# json_fields SEPARATOR TYPE...: the values of the set's fields, null for an absent field.
json_fields() {
    local separator=$1 type types
    shift
    JSON=
    for type in "$@"; do
        describe "$type"
        JSON+="\"$NAME\": ${VALUES[$type]:-null},$separator"
    done
    types=$(printf '%s\n' ${UNDOCUMENTED[@]+"${UNDOCUMENTED[@]}"} | sort -nu | tr '\n' ' ')
    types=${types% }
    JSON+="\"_undocumented_types\": [${types// /, }]"
}

# no_purchases: forgets the purchases made so far.
no_purchases() {
    PURCHASES=()
    PURCHASES_JSON=()
    MALFORMED_JSON=()
}

# end_purchase: the set begun becomes the next purchase of the receipt to come.
end_purchase() {
    set_of "${ELEMENTS[@]}"
    PURCHASES+=("$HEX")
    json_fields ' ' $purchase_types
    PURCHASES_JSON+=("{ $JSON }")
}

# malformed_purchase VALUE: an attribute 17 that holds no purchase.
malformed_purchase() {
    PURCHASES+=("$1")
    PURCHASES_JSON+=('')
    MALFORMED_JSON+=("\"$1\"")
}

# add_purchases: the purchases as attributes of the set begun.
add_purchases() {
    local purchase
    for purchase in ${PURCHASES[@]+"${PURCHASES[@]}"}; do
        element 17 1 "$purchase"
    done
}

# end_payload: writes the set begun, with the purchases, to payload.der: sorted, and the JSON likewise.
end_payload() {
    local first=${#ELEMENTS[@]} i sorted=()
    add_purchases
    for i in $(for ((i = 0; i < ${#PURCHASES[@]}; i++)); do
        printf '%s %d\n' "${ELEMENTS[first + i]}" $i
    done | sort | cut -d ' ' -f 2); do
        sorted+=("${PURCHASES_JSON[i]}")
    done
    PURCHASES_JSON=(${sorted[@]+"${sorted[@]}"})
    set_of "${ELEMENTS[@]}"
    write_hex "$work/payload.der" "$HEX"
}

# end_payload_unsorted: the same, all in the order of the calls.
end_payload_unsorted() {
    local contents
    add_purchases
    contents=$(printf '%s' "${ELEMENTS[@]}")
    tlv 31 "$contents"
    write_hex "$work/payload.der" "$HEX"
}

# write_json RECEIPT: what RECEIPT's payload says, in RECEIPT's name with .json at its end.
write_json() {
    local purchase purchases= malformed
    json_fields $'\n  ' $receipt_types
    for purchase in ${PURCHASES_JSON[@]+"${PURCHASES_JSON[@]}"}; do
        [ -z "$purchase" ] || purchases+="${purchases:+,}"$'\n'"   $purchase"
    done
    purchases+=${purchases:+$'\n  '}
    malformed=${MALFORMED_JSON[*]+${MALFORMED_JSON[*]}}
    malformed=${malformed// /, }
    cat > "$out/receipts/${1%.*}.json" <<JSON
{
 "file": "$1",
 "device_identifier_hex": ${DEVICE:+\"}${DEVICE:-null}${DEVICE:+\"},
 "payload": {
  $JSON,
  "in_app_purchases": [$purchases],
  "_malformed_in_app_purchases": [$malformed]
 }
}
JSON
}

# device_hash DEVICE_IDENTIFIER OPAQUE_VALUE BUNDLE_IDENTIFIER: attribute 5. The bundle identifier
# counts with its tag and length; the others are hexadecimal.
device_hash() {
    string 0c "$3"
    DEVICE_HASH=$(printf '%s' "$1$2$HEX" | xxd -r -p | openssl dgst -sha1 -r)
    DEVICE_HASH=${DEVICE_HASH%% *}
}

# noise LABEL COUNT: octets that look random and are the same every time, for undocumented attributes.
noise() {
    local block=0 digest
    NOISE=
    while [ ${#NOISE} -lt $(($2 * 2)) ]; do
        digest=$(printf '%s %d' "$1" $block | openssl dgst -sha256 -r)
        NOISE+=${digest%% *}
        block=$((block + 1))
    done
    NOISE=${NOISE:0:$(($2 * 2))}
}
