# The certificates, made by `openssl ca` with fixed serial numbers and dates.

ca=$work/ca
mkdir "$ca"
cat > "$ca/ca.cnf" <<CNF
[ca]
default_ca = authority
[authority]
database = $ca/index.txt
serial = $ca/serial
new_certs_dir = $ca
policy = any
unique_subject = no
[any]
countryName = optional
organizationName = optional
organizationalUnitName = optional
commonName = optional
[req]
distinguished_name = name
[name]
CNF

receipt_marker=1.2.840.113635.100.6.11.1
intermediate_marker=1.2.840.113635.100.6.2.1

# certificate NAME KEY ISSUER SERIAL NOT_BEFORE NOT_AFTER HASH SUBJECT: extensions come on standard
# input, dates are YYMMDDHHMMSSZ. ISSUER is the name of a certificate made before, or `self`.
certificate() {
    local name=$1 key=$keys/$2.pem issuer=$3 serial=$4 issuing
    { printf '[extensions]\n'; cat; } > "$ca/extensions.cnf"
    printf '%s\n' "$serial" > "$ca/serial"
    : > "$ca/index.txt"
    cp "$key" "$ca/$name.key"
    openssl req -new -config "$ca/ca.cnf" -utf8 -key "$key" -subj "$8" -out "$ca/request.pem"
    issuing=(-selfsign -keyfile "$key")
    [ "$issuer" = self ] || issuing=(-cert "$ca/$issuer.pem" -keyfile "$ca/$issuer.key")
    openssl ca -batch -notext -preserveDN -config "$ca/ca.cnf" -in "$ca/request.pem" "${issuing[@]}" \
        -md "$7" -startdate "$5" -enddate "$6" -extfile "$ca/extensions.cnf" -extensions extensions \
        -out "$ca/$name.pem" 2> "$ca/log" || { cat "$ca/log" >&2; fail "openssl ca: $name"; }
    openssl x509 -in "$ca/$name.pem" -outform DER -out "$out/certificates/$name.der"
    list_certificate "$name"
}

# list_certificate NAME: its row of certificates.tsv, read back by openssl.
list_certificate() {
    openssl x509 -in "$ca/$1.pem" -noout -subject -nameopt multiline -fingerprint -sha256 \
        -dates -dateopt iso_8601 > "$ca/facts"
    openssl x509 -in "$ca/$1.pem" -noout -text -certopt no_pubkey,no_sigdump > "$ca/text"
    awk -v file="$1.der" -v OFS='\t' '
        function date(text) { sub(/^[^=]*=/, "", text); sub(/ /, "T", text); return text }
        FNR == NR && / commonName / { sub(/^[^=]*= /, ""); name = $0 }
        FNR == NR && /Fingerprint=/ { sub(/^[^=]*=/, ""); gsub(/:/, ""); fingerprint = tolower($0) }
        FNR == NR && /^notBefore=/ { before = date($0) }
        FNR == NR && /^notAfter=/ { after = date($0) }
        # An extension of its own is a line that begins with the identifier; a policy is not.
        FNR != NR && /^ *1\.2\.840\.113635\.100\.6\.[0-9.]+: *$/ {
            sub(/: *$/, ""); sub(/^ */, ""); markers = markers (markers == "" ? "" : " ") $0
        }
        END { print file, name, fingerprint, before, after, markers }
    ' "$ca/facts" "$ca/text" >> "$out/certificates.tsv"
}

authority_names='authorityInfoAccess = OCSP;URI:http://ocsp.example.com/receipts
crlDistributionPoints = URI:http://crl.example.com/receipts.crl'

# root_extensions [BASIC_CONSTRAINTS]
root_extensions() {
    printf '%s\n' 'keyUsage = critical, keyCertSign, cRLSign' \
        "basicConstraints = critical, ${1:-CA:TRUE}" \
        'subjectKeyIdentifier = hash' 'authorityKeyIdentifier = keyid:always'
}

# intermediate_extensions BASIC_CONSTRAINTS KEY_USAGE [MARKER_LINE]
intermediate_extensions() {
    printf '%s\n' "basicConstraints = critical, $1" 'authorityKeyIdentifier = keyid:always' \
        "$authority_names" 'subjectKeyIdentifier = hash' "keyUsage = critical, $2" "${3:-}"
}

# leaf_extensions KEY_USAGE [MARKER_LINE [POLICIES]]
leaf_extensions() {
    printf '%s\n' 'basicConstraints = critical, CA:FALSE' 'authorityKeyIdentifier = keyid:always' \
        "$authority_names" "certificatePolicies = ${3:-@policy}" 'subjectKeyIdentifier = hash' \
        "keyUsage = critical, $1" "${2:-}" '[policy]' 'policyIdentifier = 1.2.840.113635.100.5.6.1' \
        'CPS.1 = https://www.example.com/certificateauthority/' 'userNotice.1 = @notice' '[notice]' \
        'explicitText = UTF8:These certificates are examples; their keys are public. Nobody may rely on them.'
}

# The usual extensions, each made by its openssl configuration line: own, non-critical, a NULL.
intermediate_mark="$intermediate_marker = DER:05:00"
leaf_mark="$receipt_marker = DER:05:00"
ca_usage='keyCertSign, cRLSign'

root_subject='/C=US/O=Example/OU=Example Certification Authority/CN=Example Root CA'
intermediate_subject='/CN=Example Developer Relations Certification Authority/OU=G1/O=Example/C=US'
leaf_subject='/CN=Example Store Receipt Signing/OU=Example Developer Relations/O=Example/C=US'

# root NAME KEY SERIAL [BASIC_CONSTRAINTS]
root() {
    root_extensions "${4:-}" |
        certificate "$1" "$2" self "$3" 060425214036Z 350209214036Z sha1 "$root_subject"
}

# intermediate NAME SERIAL ISSUER BASIC_CONSTRAINTS KEY_USAGE [MARKER_LINE [NOT_AFTER]]: all share
# subject and key, so that any of them can stand above the same leaf.
intermediate() {
    intermediate_extensions "$4" "$5" "${6:-}" |
        certificate "$1" intermediate "$3" "$2" 201216193856Z "${7:-301210000000Z}" sha256 \
            "$intermediate_subject"
}

# leaf NAME SERIAL KEY NOT_BEFORE NOT_AFTER KEY_USAGE [MARKER_LINE [POLICIES]]
leaf() {
    leaf_extensions "$6" "${7:-}" "${8:-}" |
        certificate "$1" "$3" intermediate "$2" "$4" "$5" sha256 "$leaf_subject"
}

make_certificates() {
    mkdir "$out/certificates"
    printf 'file\tsubject_common_name\tsha256\tnot_before\tnot_after\tmarkers\n' > "$out/certificates.tsv"

    root root root 02
    intermediate intermediate 3B7E01 root 'CA:TRUE, pathlen:0' "$ca_usage" "$intermediate_mark"
    leaf leaf 7D390001 leaf 240724145003Z 260823145002Z digitalSignature "$leaf_mark"

    leaf leaf-second 7D390004 other 240724145003Z 260823145002Z digitalSignature "$leaf_mark"

    intermediate_extensions CA:TRUE "$ca_usage" "$intermediate_mark" |
        certificate intermediate-sha1 intermediate root 3B7E02 130207214847Z 230207214847Z sha1 \
            "$intermediate_subject"
    leaf_extensions digitalSignature "$leaf_mark" |
        certificate leaf-sha1 leaf intermediate-sha1 7D390002 151113021509Z 231113021509Z sha1 \
            "$leaf_subject"

    root_extensions |
        certificate root-4096 root-4096 self 01 140430181009Z 390430181009Z sha256 \
            '/CN=Example Root CA - G2/OU=Example Certification Authority/O=Example/C=US'
    intermediate_extensions 'CA:TRUE, pathlen:0' "$ca_usage" "$intermediate_mark" |
        certificate intermediate-4096 intermediate root-4096 3B7E03 201216193856Z 301210000000Z sha256 \
            '/CN=Example Developer Relations Certification Authority/OU=G2/O=Example/C=US'
    leaf_extensions digitalSignature "$leaf_mark" |
        certificate leaf-4096 leaf intermediate-4096 7D390003 240724145003Z 260823145002Z sha256 \
            "$leaf_subject"

    printf '%s\n' 'basicConstraints = critical, CA:TRUE' \
        'keyUsage = critical, digitalSignature, keyCertSign' \
        'extendedKeyUsage = critical, codeSigning' |
        certificate storekit storekit self 01 200401175235Z 400327175235Z sha256 \
            '/CN=StoreKit/O=StoreKit/OU=StoreKit/C=US'

    # Leaves with one fault each, under the good intermediate.
    leaf leaf-without-marker 7D390011 leaf 240724145003Z 260823145002Z digitalSignature
    leaf leaf-with-intermediate-marker 7D390012 leaf 240724145003Z 260823145002Z digitalSignature \
        "$intermediate_mark"
    leaf leaf-marker-in-policies 7D390013 leaf 240724145003Z 260823145002Z digitalSignature '' \
        "1.2.840.113635.100.5.6.1, $receipt_marker"
    leaf leaf-without-digital-signature 7D390014 leaf 240724145003Z 260823145002Z keyEncipherment "$leaf_mark"
    leaf leaf-critical-unknown 7D390015 leaf 240724145003Z 260823145002Z digitalSignature \
        "$leaf_mark
1.2.840.113635.100.6.99.1 = critical, DER:05:00"
    leaf leaf-expired 7D390016 leaf 230724145003Z 250614235959Z digitalSignature "$leaf_mark"
    leaf leaf-not-yet-valid 7D390017 leaf 250616000000Z 260823145002Z digitalSignature "$leaf_mark"
    leaf leaf-1024 7D390018 leaf-1024 240724145003Z 260823145002Z digitalSignature "$leaf_mark"

    # Intermediates with one fault each, above the good leaf.
    intermediate intermediate-without-marker 3B7E11 root 'CA:TRUE, pathlen:0' "$ca_usage"
    intermediate intermediate-with-leaf-marker 3B7E12 root 'CA:TRUE, pathlen:0' "$ca_usage" "$leaf_mark"
    intermediate intermediate-marker-in-policies 3B7E13 root 'CA:TRUE, pathlen:0' "$ca_usage" \
        "certificatePolicies = $intermediate_marker"
    intermediate intermediate-not-ca 3B7E14 root CA:FALSE "$ca_usage" "$intermediate_mark"
    intermediate intermediate-without-key-cert-sign 3B7E15 root 'CA:TRUE, pathlen:0' digitalSignature \
        "$intermediate_mark"
    intermediate intermediate-expired 3B7E16 root 'CA:TRUE, pathlen:0' "$ca_usage" "$intermediate_mark" \
        250614235959Z

    # Paths of four: root, upper, lower, leaf.
    upper_subject='/CN=Example Regional Certification Authority/O=Example/C=US'
    intermediate_extensions CA:TRUE "$ca_usage" "$intermediate_mark" |
        certificate intermediate-upper other root 3B7E21 201216193856Z 301210000000Z sha256 "$upper_subject"
    intermediate_extensions 'CA:TRUE, pathlen:0' "$ca_usage" "$intermediate_mark" |
        certificate intermediate-upper-path-length other root 3B7E22 201216193856Z 301210000000Z sha256 \
            "$upper_subject"
    intermediate intermediate-lower 3B7E23 intermediate-upper 'CA:TRUE, pathlen:0' "$ca_usage" \
        "$intermediate_mark"
    root root-path-length root 03 'CA:TRUE, pathlen:0'

    # A root with the name and the key identifier of the pinned one, and one that shares nothing with it.
    key_identifier=$(openssl x509 -in "$ca/root.pem" -noout -ext subjectKeyIdentifier |
        awk 'NR == 2 { gsub(/ /, ""); print }')
    root_extensions | sed "s/^subjectKeyIdentifier = hash/subjectKeyIdentifier = $key_identifier/" |
        certificate root-impostor other self 02 060425214036Z 350209214036Z sha1 "$root_subject"
    intermediate intermediate-of-impostor 3B7E01 root-impostor 'CA:TRUE, pathlen:0' "$ca_usage" \
        "$intermediate_mark"
    root_extensions |
        certificate root-foreign other self 01 060425214036Z 350209214036Z sha256 \
            '/CN=Another Root CA/O=Another Example/C=US'
    intermediate intermediate-of-foreign 3B7E31 root-foreign 'CA:TRUE, pathlen:0' "$ca_usage" \
        "$intermediate_mark"
}
