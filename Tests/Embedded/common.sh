# Builds programs of Embedded Swift. The caller's directory is the project's. Sets `place`, a folder for products that
# is removed at the end, and `toolchain`.
# shellcheck shell=bash
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")
# The code of a module is made once, with the last module that uses it.
embedded=(-enable-experimental-feature Embedded -enable-experimental-feature DeferredCodeGen -wmo)

# need TOOL…: ends the script if a tool is missing. In CI that is a failure.
need() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit $((0${CI:+1})); }
    done
}

# build_library MODULE TRIPLE
build_library() {
    swift build -c release --target "$1" --triple "$2" --scratch-path .build/embedded \
        $(printf ' -Xswiftc %s' "${embedded[@]}") >&2
}

# build TRIPLE SOURCE…
# Builds AppReceipt, and main.o from the sources of a program. Sets `objects` to the object files of the modules.
build() {
    local triple=$1 scratch=.build/embedded
    local products=$scratch/$triple/release
    shift
    build_library AppReceipt "$triple"
    swiftc -target "$triple" -O -parse-as-library "${embedded[@]}" -enable-experimental-feature Extern \
        -I "$products/Modules" -c "$@" -o "$place/main.o"
    # The names come from the present sources, because earlier builds may have left other object files.
    objects=()
    for module in $(.ci/modules.py AppReceipt --kernels aarch64); do
        # On WebAssembly the kernels of Arm64 compile to nothing.
        while read -r source; do
            objects+=("$products/${module##*/}.build/$(basename "$source").o")
        done < <(find "Sources/$module" -name '*.swift')
    done
}

# build_arm64 PROGRAM SOURCE…: builds a program for Linux on Arm64.
build_arm64() {
    local program=$1
    shift
    build aarch64-none-none-elf "$@"
    clang --target=aarch64-linux-gnu -static -fuse-ld=lld "$place/main.o" "${objects[@]}" \
        "$toolchain/lib/swift/embedded/aarch64-none-none-elf/libswiftUnicodeDataTables.a" -o "$program"
}
