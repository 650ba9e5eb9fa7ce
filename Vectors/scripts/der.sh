# DER (X.690) written as hexadecimal text, and bytes changed in place.
# Each writer leaves its result in HEX: a subshell for every element would make 187 purchases slow.

# tlv TAG CONTENTS: one element; both arguments are hexadecimal.
tlv() {
    local length=$((${#2} / 2))
    if [ $length -lt 128 ]; then
        printf -v HEX '%s%02x%s' "$1" $length "$2"
    elif [ $length -lt 256 ]; then
        printf -v HEX '%s81%02x%s' "$1" $length "$2"
    elif [ $length -lt 65536 ]; then
        printf -v HEX '%s82%04x%s' "$1" $length "$2"
    else
        printf -v HEX '%s83%06x%s' "$1" $length "$2"
    fi
}

# integer NUMBER: a non-negative INTEGER below 2^63.
integer() {
    local digits
    printf -v digits '%x' "$1"
    [ $((${#digits} % 2)) -eq 0 ] || digits=0$digits
    case $digits in
        [89a-f]*) digits=00$digits ;;
    esac
    tlv 02 "$digits"
}

# string TAG TEXT: a character string of ASCII text; 0c is UTF8String, 16 is IA5String.
string() {
    local contents= octet i
    for ((i = 0; i < ${#2}; i++)); do
        printf -v octet '%02x' "'${2:i:1}"
        contents+=$octet
    done
    tlv "$1" "$contents"
}

# set_of ELEMENT...: a SET OF in the ascending order that DER asks for (X.690 §11.6). Elements carry
# their own lengths, so the order of the octets is the order of the text.
set_of() {
    local contents
    contents=$(printf '%s\n' "$@" | sort | tr -d '\n')
    tlv 31 "$contents"
}

# read_hex FILE: its octets.
read_hex() {
    HEX=$(xxd -p "$1" | tr -d '\n')
}

# write_hex FILE HEXADECIMAL
write_hex() {
    printf '%s' "$2" | fold -w 60 | xxd -r -p > "$1"
}

# replace FILE OLD NEW: puts NEW in the place of the first OLD; both are hexadecimal. Lengths around
# them stay as they are.
replace() {
    local before
    read_hex "$1"
    before=${HEX%%"$2"*}
    if [ "$before" = "$HEX" ] || [ $((${#before} % 2)) -ne 0 ]; then
        fail "$1 does not hold the octets to be replaced"
    fi
    write_hex "$1" "$before$3${HEX:$((${#before} + ${#2}))}"
}

# replace_tail FILE NEW: puts NEW in the place of as many octets at the end.
replace_tail() {
    read_hex "$1"
    write_hex "$1" "${HEX:0:$((${#HEX} - ${#2}))}$2"
}

# flip HEXADECIMAL INDEX: the lowest bit of the octet at INDEX (from the end where negative) inverted.
flip() {
    local at=$(($2 * 2)) octet
    [ $at -ge 0 ] || at=$((${#1} + at))
    printf -v octet '%02x' $((16#${1:at:2} ^ 1))
    HEX=${1:0:at}$octet${1:at + 2}
}
