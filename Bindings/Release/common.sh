# shellcheck shell=bash
# Sourced by the scripts of this folder: the flags of a reproducible Swift build, and copies of the sources.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Each flag removes a difference between two builds of one commit. SOURCES stands for the folder of the build.
release_flags=(
    -c release
    # With debug information, Swift 6.3.1 more often orders the instructions of a function at random.
    -debug-info-format none
    # Drops the section .swift_modhash, whose hashes differ between folders.
    -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
    # Removes the folder's path from strings such as #filePath.
    -Xswiftc -file-prefix-map -Xswiftc SOURCES=.
    # Links with the toolchain's own linker, whose version the compiler's version names.
    -Xswiftc -use-ld=lld
    # The build id is a hash over everything, also over the parts that are stripped.
    -Xlinker --build-id=none
)

# Sets `commit` and SOURCE_DATE_EPOCH from git, unless the caller has set APP_RECEIPT_COMMIT.
find_commit() {
    if [ -n "${APP_RECEIPT_COMMIT:-}" ]; then
        commit=$APP_RECEIPT_COMMIT
    else
        commit=$(git -C "$root" rev-parse HEAD)
        [ -z "$(git -C "$root" status --porcelain --untracked-files=no)" ] || commit+=" with uncommitted changes"
        SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
    fi
    export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}
}

# Sets `compiler` to the version and the target of the compiler.
find_compiler() {
    compiler=$(swift --version 2>/dev/null | awk '/Swift version/ { sub(/.*Swift version/, "Swift version"); version = $0 }
        /^Target:/ { target = $2 } END { print version ", " target }')
}

# copy_sources FOLDER: copies the tracked files, or all files if this is no git checkout, and links as links. SwiftPM
# passes the name of the package's folder to the compiler, so every copy must have one name.
copy_sources() {
    mkdir -p "$1"
    if git -C "$root" rev-parse --git-dir >/dev/null 2>&1; then
        git -C "$root" ls-files -z
    else
        (cd "$root" && find . -path ./.build -prune -o \( -type f -o -type l \) -print0)
    fi | tar -C "$root" --null --no-recursion -T - -cf - | tar -C "$1" -xf -
}

# swift_release FOLDER ARGUMENT…: builds in a copy of the sources. Fails if the compiler warns.
swift_release() {
    local folder=$1
    shift
    (cd "$folder" && swift build "${release_flags[@]/#SOURCES=/$PWD=}" --jobs "$(nproc)" "$@") >"$folder/../log" 2>&1 || {
        tail -40 "$folder/../log" >&2
        return 1
    }
    # Warnings of the compiler. SwiftPM has its own, for example about a user without a home folder.
    ! grep -E ':[0-9]+: warning:' "$folder/../log" >&2
}
