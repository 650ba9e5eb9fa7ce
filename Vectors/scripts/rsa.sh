# RSA signatures (RFC 8017 §8.2, RSASSA-PKCS1-v1_5): the good by `openssl dgst -sign`, the forged by the
# private operation alone on an encoded message built here. openssl has to agree with every verdict.

# rsa_key NAME BITS EXPONENT: chooses the key for the rows to come.
rsa_key() {
    KEY=$1 BITS=$2 EXPONENT=$3
    [ -f "$out/rsa/keys/$1.der" ] ||
        openssl pkey -in "$keys/$1.pem" -pubout -outform DER -out "$out/rsa/keys/$1.der"
}

# rsa_row ID HASH MESSAGE SIGNATURE VERDICT WHY: message and signature are hexadecimal.
rsa_row() {
    local found=reject
    write_hex "$work/message" "$3"
    write_hex "$work/signature" "$4"
    # `openssl dgst -verify` would read no more octets of a signature than the modulus has.
    if openssl pkeyutl -verify -pubin -inkey "$out/rsa/keys/$KEY.der" -keyform DER -rawin -digest "$2" \
        -sigfile "$work/signature" -in "$work/message" > "$work/log" 2>&1; then
        found=accept
    fi
    [ $found = "$5" ] || fail "openssl says $found to the RSA signature $1"
    printf '%s\t' "$1" $BITS $EXPONENT "$2" "$KEY.der" "$3" "$4" "$5" >> "$out/rsa/signatures.tsv"
    printf '%s\n' "$6" >> "$out/rsa/signatures.tsv"
}

# rsa_sign HASH MESSAGE [OPTION...]: in HEX.
rsa_sign() {
    write_hex "$work/message" "$2"
    openssl dgst "-$1" -sign "$keys/$KEY.pem" "${@:3}" -out "$work/signature" "$work/message"
    read_hex "$work/signature"
}

# private_operation ENCODED_MESSAGE: RSASP1 (RFC 8017 §5.2.1), in HEX. openssl offers it as decryption
# without padding, which is the same arithmetic; its signing operation accepts only input of a hash's size.
private_operation() {
    write_hex "$work/encoded" "$1"
    openssl pkeyutl -decrypt -inkey "$keys/$KEY.pem" -pkeyopt rsa_padding_mode:none -in "$work/encoded" \
        -out "$work/signature"
    read_hex "$work/signature"
}

# repeat OCTET COUNT: in HEX.
repeat() {
    printf -v HEX '%*s' "$2" ''
    HEX=${HEX// /$1}
}

# add A B: the sum of two hexadecimal numbers of one length, in HEX; CARRY is what does not fit.
add() {
    local at sum digits=
    CARRY=0
    for ((at = ${#1} - 8; at >= 0; at -= 8)); do
        sum=$((16#${1:at:8} + 16#${2:at:8} + CARRY))
        CARRY=$((sum >> 32))
        printf -v digits '%08x%s' $((sum & 0xffffffff)) "$digits"
    done
    HEX=$digits
}

# forge ID PADDING TAIL WHY: an encoded message of the modulus' length: 00 01, PADDING, TAIL. If PADDING is
# `full`, the padding is as many FF as fit. If it is a number, the padding is as many FF, and octets AA follow
# TAIL up to the end.
forge() {
    local size=$((BITS / 8)) tail=$3 encoded
    if [ "$2" = full ]; then
        repeat ff $((size - 2 - ${#tail} / 2))
        encoded=0001$HEX$tail
    else
        repeat ff "$2"
        encoded=0001$HEX$tail
        repeat aa $((size - ${#encoded} / 2))
        encoded+=$HEX
    fi
    forge_encoded "$1" "$encoded" "$4"
}

# forge_encoded ID ENCODED_MESSAGE WHY
forge_encoded() {
    private_operation "$2"
    rsa_row "$KEY-$1" sha256 "$message" "$HEX" reject "$3"
}

good_signatures() {
    local hash index=0 messages long
    repeat 5a 200
    long=$HEX
    messages=('' 616263 "$long" 30820122300d06092a864886f70d010101)
    for hash in sha1 sha256 sha384 sha512; do
        rsa_sign $hash "${messages[index]}"
        rsa_row "$KEY-$hash" $hash "${messages[index]}" "$HEX" accept 'A signature by openssl.'
        index=$((index + 1))
    done
    message=616263
    rsa_sign sha256 $message
    good=$HEX
    flip "$good" -1
    rsa_row "$KEY-last-bit" sha256 $message "$HEX" reject 'The last bit of the signature is inverted.'
    flip "$good" 1
    rsa_row "$KEY-second-octet" sha256 $message "$HEX" reject \
        'A bit near the head of the signature is inverted.'
}

# Changes to a signature or its message that need no private key.
altered_signatures() {
    local size=$((BITS / 8)) hash other modulus zeros octets tries
    rsa_row "$KEY-another-message" sha256 616264 "$good" reject 'Another message.'
    rsa_row "$KEY-no-message" sha256 '' "$good" reject 'The empty message.'
    for hash in sha1 sha384 sha512; do
        rsa_row "$KEY-claimed-$hash" $hash $message "$good" reject \
            "A signature over SHA-256, claimed as $hash."
    done
    rsa_sign sha1 $message
    rsa_row "$KEY-made-with-sha1" sha256 $message "$HEX" reject 'A signature over SHA-1, claimed as sha256.'
    # A salt would differ each time.
    rsa_sign sha256 $message -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:0
    rsa_row "$KEY-pss" sha256 $message "$HEX" reject 'RSASSA-PSS with an empty salt.'
    other=$KEY
    KEY=rsa-2048-e17
    rsa_sign sha256 $message
    KEY=$other
    rsa_row "$KEY-another-key" sha256 $message "$HEX" reject 'By another key.'

    rsa_row "$KEY-cut-at-the-end" sha256 $message "${good%??}" reject 'The last octet is missing.'
    rsa_row "$KEY-cut-at-the-head" sha256 $message "${good#??}" reject 'The first octet is missing.'
    rsa_row "$KEY-zero-before" sha256 $message "00$good" reject 'An octet 00 too many at the head.'
    rsa_row "$KEY-zero-after" sha256 $message "${good}00" reject 'An octet 00 too many at the end.'
    rsa_row "$KEY-empty" sha256 $message '' reject 'No octets.'
    repeat 00 $size
    zeros=$HEX
    rsa_row "$KEY-zero" sha256 $message "$zeros" reject 'The number 0.'
    rsa_row "$KEY-one" sha256 $message "${zeros%??}01" reject 'The number 1.'
    repeat ff $size
    rsa_row "$KEY-ones" sha256 $message "$HEX" reject 'A number above the modulus.'
    modulus=$(openssl rsa -in "$keys/$KEY.pem" -noout -modulus | tr 'A-F' 'a-f')
    modulus=${modulus#*=}
    rsa_row "$KEY-modulus" sha256 $message "$modulus" reject 'The modulus itself.'
    # The sum has to fit in as many octets, so a message is looked for whose signature is small.
    for ((tries = 0; tries < 256; tries++)); do
        printf -v octets '%02x' $tries
        rsa_sign sha256 "$octets"
        add "$HEX" "$modulus"
        [ "$CARRY" -ne 0 ] || break
    done
    [ "$CARRY" -eq 0 ] || fail "no signature of $KEY is small enough"
    rsa_row "$KEY-plus-modulus" sha256 "$octets" "$HEX" reject \
        'A good signature with the modulus added: congruent, but out of range (RFC 8017 section 5.2.2).'
}

# Encoded messages that a lenient verifier would accept.
forged_encodings() {
    local size=$((BITS / 8)) hash digest_info padding
    write_hex "$work/message" $message
    hash=$(openssl dgst -sha256 -r "$work/message")
    hash=${hash%% *}
    digest_info=3031300d060960864801650304020105000420$hash

    # Made the same way without a fault, it is the signature that openssl makes.
    repeat ff $((size - 3 - ${#digest_info} / 2))
    padding=$HEX
    private_operation "0001${padding}00$digest_info"
    [ "$HEX" = "$good" ] || fail "the private operation of $KEY does not make a signature"

    forge garbage-after 100 "00$digest_info" 'Octets after the hash.'
    forge eight-and-garbage 8 "00$digest_info" \
        'Eight octets of padding, then octets after the hash (Bleichenbacher 2006).'
    forge short-padding 7 "00$digest_info" 'Seven octets of padding.'
    forge no-padding 0 "00$digest_info" 'No padding.'
    forge no-null full "00302f300b06096086480165030402010420$hash" 'AlgorithmIdentifier without NULL.'
    forge stuffed-parameters full "003037301306096086480165030402010406aaaaaaaaaaaa0420$hash" \
        'An OCTET STRING in the place of NULL.'
    forge long-null full "003032300e06096086480165030402010581000420$hash" \
        'NULL with its length in two octets (BER).'
    forge long-sequence full "00308131300d060960864801650304020105000420$hash" \
        'The length of DigestInfo in two octets (BER).'
    forge long-hash full "003032300d06096086480165030402010500048120$hash" \
        'The length of the hash in two octets (BER).'
    forge indefinite full "003080300d060960864801650304020105000420${hash}0000" \
        'DigestInfo of indefinite length (BER).'
    forge within-sequence full "003033300d060960864801650304020105000420${hash}0500" \
        'A NULL after the hash, within DigestInfo.'
    forge sha384-named full "003031300d060960864801650304020205000420$hash" \
        'SHA-384 is named; the hash is SHA-256.'
    forge sha512-256-named full "003031300d060960864801650304020605000420$hash" \
        'SHA-512/256 is named, of the same length; the hash is SHA-256.'
    forge short-hash full "003030300d06096086480165030402010500041f${hash%??}" \
        'The last octet of the hash is missing.'
    forge bare-hash full "00$hash" 'The hash without a DigestInfo.'
    forge no-separator full "ff$digest_info" 'FF where the octet 00 ends the padding.'
    forge extra-separator full "0000$digest_info" 'Two octets 00 where the padding ends.'
    forge padding-broken full "feffffff00$digest_info" 'One octet of the padding is FE.'

    forge_encoded block-type-2 "0002${padding}00$digest_info" 'Block type 2.'
    forge_encoded block-type-0 "0000${padding}00$digest_info" 'Block type 0, padding of FF.'
    forge_encoded first-octet "0101${padding}00$digest_info" 'The first octet is 01.'
    forge_encoded shifted "000001${padding%??}00$digest_info" \
        'One octet 00 too many at the head, one of padding too few.'
    forge_encoded shifted-left "01${padding}ff00$digest_info" 'The octet 00 at the head is missing.'
    forge_encoded zero-padding "0001${padding//ff/00}00$digest_info" 'Padding of 00.'
}

make_rsa_signatures() {
    local message good
    mkdir -p "$out/rsa/keys"
    printf 'id\tbits\texponent\thash\tkey\tmessage_hex\tsignature_hex\tverdict\twhy\n' \
        > "$out/rsa/signatures.tsv"
    rsa_key rsa-1024 1024 65537
    good_signatures
    rsa_key rsa-2048-e17 2048 17
    good_signatures
    rsa_key rsa-3072 3072 65537
    good_signatures
    rsa_key rsa-4096 4096 65537
    good_signatures
    rsa_key rsa-2048 2048 65537
    good_signatures
    altered_signatures
    forged_encodings
    rsa_key rsa-2048-e3 2048 3
    good_signatures
    forged_encodings
}
