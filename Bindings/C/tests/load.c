/* load LIBRARY [ARGUMENT...]: opens a library that has a main function, as Python opens a library, and calls it. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
    int (*body)(int, char **);
    void *library, *symbol;
    if (count < 2) return 2;
    library = dlopen(arguments[1], RTLD_NOW);
    symbol = library ? dlsym(library, "main") : NULL;
    if (!symbol) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    /* ISO C has no conversion from an object's pointer to a function's. */
    memcpy(&body, &symbol, sizeof body);
    return body(count - 1, arguments + 1);
}
