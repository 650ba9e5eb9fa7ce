/// How many times this process has called malloc, calloc, realloc or an aligned kin so far.
/// Zero for ever where the C library's own functions cannot be stood in front of (anything but glibc).
unsigned long allocation_count(void);
