// Finds values in JSON text (RFC 8259) without decoding them.
#ifndef JSON_H
#define JSON_H

#include "octets.h"

/// Takes the next member off an object. `rest` is the object at first. The name is given as it is written,
/// without its quotes. Returns false at the end, or at text that is not JSON.
bool json_next_member(struct octets *rest, struct octets *name, struct octets *value);

/// Finds the first member with this name in an object. The name is compared as it is written. Returns false
/// if there is none before the end, or before text that is not JSON.
bool json_member(struct octets object, const char *name, struct octets *value);

/// Takes the contents of the next string off an array. `rest` is the array at first. Returns false at its
/// end, or if the next element is not a string.
bool json_next_string(struct octets *rest, struct octets *contents);

/// The text between the quotes of a string. Returns false for another value.
bool json_string(struct octets value, struct octets *contents);

#endif
