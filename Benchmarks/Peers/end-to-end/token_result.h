// Writes what a valid transaction of StoreKit 2 holds.
#ifndef TOKEN_RESULT_H
#define TOKEN_RESULT_H

#include "text.h"

/// Appends the members of the result from `status` on, and the end of the line.
void text_append_transaction(struct text *text, struct octets payload);

#endif
