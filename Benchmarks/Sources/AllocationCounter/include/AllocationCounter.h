/// How many times this process has called malloc, calloc, realloc or an aligned kin so far.
/// Zero for ever where the C library's own functions cannot be stood in front of (anything but glibc).
unsigned long allocation_count(void);

/// From here on the bytes that are held are counted; what was held before counts as nothing.
void allocation_peak_begin(void);
/// The most bytes that were held at once since then, as the C library rounds them up. Zero where nothing is counted.
unsigned long allocation_peak_end(void);
