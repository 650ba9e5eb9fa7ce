/* Lends the caller's allocator to the Swift runtime. Not installed. */
#ifndef APP_RECEIPT_ALLOCATOR_H
#define APP_RECEIPT_ALLOCATOR_H

#include "../include/app_receipt.h"

/* The allocator over malloc and free. */
app_receipt_allocator app_receipt_standard_allocator(void);

/* Makes the thread allocate by an allocator until app_receipt_leave. Returns what app_receipt_leave takes. The
 * allocator must live until then. */
const app_receipt_allocator *app_receipt_enter(const app_receipt_allocator *allocator);
void app_receipt_leave(const app_receipt_allocator *previous);

/* The functions that the Swift runtime calls in place of posix_memalign and free. */
int app_receipt_memalign(void **memory, size_t alignment, size_t size);
void app_receipt_free(void *memory);

#endif
