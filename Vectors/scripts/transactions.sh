# Transaction receipts of iOS 6: a property list around another one, purchase-info, and its signature.

# property_list KEY VALUE...: writes a list of strings to the file `list`, as the App Store does.
property_list() {
    printf '{\n' > "$work/list"
    while [ $# -gt 0 ]; do
        printf '\t"%s" = "%s";\n' "$1" "$2" >> "$work/list"
        shift 2
    done
    printf '}' >> "$work/list"
}

# purchase_info KEY VALUE...: the entries of the receipts to come, in `info`, and for their JSON.
purchase_info() {
    property_list "$@"
    cp "$work/list" "$work/info"
    ENTRIES=
    while [ $# -gt 0 ]; do
        ENTRIES+="${ENTRIES:+, }{ \"key\": \"$1\", \"value\": \"$2\" }"
        shift 2
    done
}

# transaction FILE VERSION HASH SIGNER: signs the version and `info`. If the file `shown` is there, it stands in the
# receipt in place of `info`. CLAIMED is the environment beside the signature, empty for none.
transaction() {
    local signature length version=0$2 shown=$work/shown outer=()
    write_hex "$work/signed" "$version"
    cat "$work/info" >> "$work/signed"
    signature "$3" "$ca/$4.key" "$work/signed"
    signature=$HEX
    read_hex "$out/certificates/$4.der"
    printf -v length %08x $((${#HEX} / 2))
    write_hex "$work/blob" "$version$signature$length$HEX"
    [ -e "$shown" ] || cp "$work/info" "$shown"
    outer=(signature "$(openssl base64 -A -in "$work/blob")" purchase-info "$(openssl base64 -A -in "$shown")")
    [ -z "$CLAIMED" ] || outer+=(environment "$CLAIMED")
    property_list "${outer[@]}" pod 100 signing-status 0
    rm "$shown"
    case $1 in
        *.b64) openssl base64 -A -in "$work/list" -out "$out/transactions/$1" ;;
        *) cp "$work/list" "$out/transactions/$1" ;;
    esac
    printf '{ "signature_version": %d, "claimed_environment": %s, "purchase_info": [%s] }\n' \
        "$2" "${CLAIMED:+\"}${CLAIMED:-null}${CLAIMED:+\"}" "$ENTRIES" > "$out/transactions/${1%.*}.json"
}

# judged FILE VERDICT WHY: a row of transactions.tsv.
judged() {
    printf '%s' "$1" >> "$out/transactions.tsv"
    printf '\t%s' "$ROOT" "$ISSUER" "$ENVIRONMENT" "$BUNDLE" "$2" "$3" >> "$out/transactions.tsv"
    printf '\n' >> "$out/transactions.tsv"
}

# season TRANSACTION: a purchase with the keys of version 4. Transactions of the sandbox begin with 2000000.
season() {
    purchase_info purchase-date-ms 1749988800522 original-transaction-id "$1" bvrs 42 \
        app-item-id 1234567890 transaction-id "$1" quantity 3 in-app-ownership-type FAMILY_SHARED \
        original-purchase-date-ms 1749988800522 item-id 1234567892 is-in-intro-offer-period true \
        product-id com.example.receipts.season is-trial-period false subscription-group-identifier 20000001 \
        version-external-identifier 876543210 bid "$BUNDLE"
}

make_transactions() {
    local ENVIRONMENT=ProductionSandbox ISSUER=intermediate.der CLAIMED=Sandbox ENTRIES
    mkdir "$out/transactions"
    printf 'file\troot\tissuer\tenvironment\tbundle_identifier\tverdict\twhy\n' > "$out/transactions.tsv"

    purchase_info original-purchase-date-pst '2025-05-15 04:00:00 America/Los_Angeles' \
        purchase-date-ms 1749988800131 unique-identifier 0123456789abcdef0123456789abcdef01234567 \
        original-transaction-id 100000000000401 expires-date 1752580800131 transaction-id 100000000000402 \
        original-purchase-date-ms 1747310400000 web-order-line-item-id 576460752303423487 bvrs 42 \
        unique-vendor-identifier 00112233-4455-6677-8899-AABBCCDDEEFF item-id 1234567891 \
        product-id com.example.receipts.monthly purchase-date '2025-06-15 12:00:00 Etc/GMT' \
        bid "$BUNDLE" quantity 1
    transaction version-3.b64 3 sha1 leaf
    judged version-3.b64 accept 'A renewed subscription; version 3 signs a SHA-1 digest.'
    BUNDLE=com.example.another judged version-3.b64 reject 'Another app is asked for.'
    ENVIRONMENT=Production judged version-3.b64 reject 'A receipt of the sandbox where production is asked for.'
    ISSUER= judged version-3.b64 reject 'The receipt does not contain the certificate of the issuer, and nobody gives it.'
    ROOT=root-4096.der judged version-3.b64 reject 'Another root is pinned.'
    transaction version-3-sha256.b64 3 sha256 leaf
    judged version-3-sha256.b64 reject 'The signature is over the SHA-256 digest, as in version 4.'
    transaction version-3-without-marker.b64 3 sha1 leaf-without-marker
    judged version-3-without-marker.b64 reject 'A developer certificate of the same intermediate signed it.'
    transaction version-3-expired.b64 3 sha1 leaf-expired
    judged version-3-expired.b64 reject 'The certificate of the signer expired the day before the purchase.'

    season 2000000100000003
    transaction version-4.b64 4 sha256 leaf
    judged version-4.b64 accept 'Version 4 signs a SHA-256 digest, and has new keys.'
    transaction version-4.plist 4 sha256 leaf
    judged version-4.plist accept 'The same without base64.'
    transaction version-4-sha1.b64 4 sha1 leaf
    judged version-4-sha1.b64 reject 'The signature is over the SHA-1 digest, as in version 3.'
    sed 's/"quantity" = "3"/"quantity" = "9"/' "$work/info" > "$work/shown"
    transaction version-4-tampered.b64 4 sha256 leaf
    judged version-4-tampered.b64 reject 'One digit of the purchase-info, in the quantity, is another.'
    transaction version-5.b64 5 sha256 leaf
    judged version-5.b64 reject 'No version 5 is known.'
    CLAIMED= transaction version-4-unnamed.b64 4 sha256 leaf
    ENVIRONMENT=Production judged version-4-unnamed.b64 reject \
        'The word Sandbox was removed, but the transaction is one of the sandbox.'

    season 550000000000003
    CLAIMED= transaction version-4-production.b64 4 sha256 leaf
    ENVIRONMENT=Production judged version-4-production.b64 accept 'Production names no environment.'
}
