/// Returns how many times this process has called malloc, calloc, realloc, aligned_alloc or posix_memalign.
/// Always 0 with a C library other than glibc, because its functions cannot be replaced.
unsigned long allocation_count(void);

/// Starts to count the bytes that are allocated and not yet freed. Memory allocated earlier is not counted.
void allocation_peak_begin(void);
/// Stops counting and returns the largest number of bytes held at one time since `allocation_peak_begin`.
/// Sizes are as the C library rounds them up. Returns 0 with a C library other than glibc.
unsigned long allocation_peak_end(void);
