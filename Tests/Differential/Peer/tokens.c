// Judges tokens of StoreKit 2 with libcrypto, by the peer of the benchmarks (Benchmarks/Peers/libcrypto/token.c).
//
// Each line of standard input has a root certificate and a token, in hexadecimal with a tab between them. The answer is
// a line for each: `accept`, or the reason of the refusal. The program does not read values other than the date.
#include "../../../Benchmarks/Peers/libcrypto/token.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

// Decodes hexadecimal digits in place, to the first character that is none.
static struct octets unhex(char *text)
{
    uint8_t *octets = (uint8_t *)text;
    size_t count = 0;
    unsigned value;
    while (isxdigit((unsigned char)text[2 * count]) && sscanf(text + 2 * count, "%2x", &value) == 1)
        octets[count++] = (uint8_t)value;
    return (struct octets){octets, count};
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *tab = strchr(line, '\t');
        if (tab == NULL)
            return 2;
        struct octets token = unhex(tab + 1), root = unhex(line), payload;
        struct token_verifier *verifier = token_verifier_new(root);
        const char *reason = "the root is not a certificate";
        puts(verifier != NULL && token_verify(verifier, token, false, &payload, &reason) ? "accept" : reason);
    }
    free(line);
    return 0;
}
