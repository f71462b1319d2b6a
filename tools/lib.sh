# Functions shared by ./run, ./test and tools/: install packages, configure and build.
# Messages go to stderr: stdout belongs to the program that ./run starts.
# shellcheck shell=bash

TL_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TL_MIN_CMAKE=3.25

say() { printf 'treelight: %s\n' "$*" >&2; }
die() {
    say "$@"
    exit 1
}

# version_at_least HAVE WANT: succeeds if version HAVE is WANT or later.
version_at_least() {
    [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]
}

# --- missing packages --------------------------------------------------------------------------

# os_release KEY: prints a field of /etc/os-release. TREELIGHT_OS_RELEASE names another file, which simulates another
# distribution.
os_release() {
    local file=${TREELIGHT_OS_RELEASE:-/etc/os-release}
    [[ -r $file ]] || return 0
    sed -n "s/^$1=//p" "$file" | tr -d "\"'"
}

# Whether the distribution's package names are those in tools/packages.txt: Debian 12, Ubuntu 24.04, later releases and
# derivatives. Debian testing has no VERSION_ID and counts as later.
has_known_packages() {
    local version
    command -v dpkg-query apt-get > /dev/null || return 1
    version=$(os_release VERSION_ID)
    case $(os_release ID) in
        debian) version_at_least "${version:-99}" 12 ;;
        ubuntu) version_at_least "${version:-99}" 24.04 ;;
        *) [[ " $(os_release ID_LIKE) " =~ \ (debian|ubuntu)\  ]] ;;
    esac
}

# packages_of SET...: prints a line "package probe" for each package of the sets.
packages_of() {
    awk -v sets=" $* " '!/^#/ && NF && index(sets, " " $1 " ") { print $2, $3 }' \
        "$TL_ROOT/tools/packages.txt"
}

missing_by_dpkg() {
    local names installed
    names=$(packages_of "$@" | cut -d ' ' -f 1 | sort)
    # dpkg-query fails on an unknown name, but still lists the others.
    # shellcheck disable=SC2086
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $names 2> /dev/null |
        sed -n 's/^installed //p' | sort -u) || true
    comm -23 <(echo "$names") <(echo "$installed")
}

has_header() { echo "#include <$1>" | c++ -E -x c++ - > /dev/null 2>&1; }

# has_probe KIND:NAME: succeeds if the command, header, pkg-config module, library or file exists.
has_probe() {
    local name=${1#*:}
    case $1 in
        command:*) command -v "$name" > /dev/null ;;
        header:*) has_header "$name" ;;
        module:*) pkg-config --exists "$name" 2> /dev/null ;;
        library:*) PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2> /dev/null | grep -F "$name" > /dev/null ;;
        file:*) [[ -e $name ]] ;;
        *) return 0 ;;
    esac
}

missing_by_probe() {
    local package probe
    while read -r package probe; do
        has_probe "$probe" || echo "$package (${probe/:/ })"
    done < <(packages_of "$@")
}

# --- installation ------------------------------------------------------------------------------

# as_root COMMAND...: runs the command as root, by sudo where necessary.
as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo > /dev/null; then
        sudo "$@"
    else
        return 1
    fi
}

# apt_get ARGUMENTS...: runs apt-get as root without questions; waits up to 600 s for a lock that another apt holds.
apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 "$@"
}

install_packages() {
    local log=$TL_ROOT/build/install.log
    say "installing from the distribution's packages: $*"
    # Continues after a failed update: with one unreachable mirror, the present lists may suffice.
    apt_get update > "$log" 2>&1 || true
    apt_get install -y --no-install-recommends "$@" >> "$log" 2>&1 && return
    tail -n 15 "$log" >&2
    die "could not install them; as root: apt-get update && apt-get install $*"
}

# install_missing SET...: installs missing packages of the sets. Silent and offline if none is missing.
install_missing() {
    local missing
    mkdir -p "$TL_ROOT/build"
    if has_known_packages; then
        mapfile -t missing < <(missing_by_dpkg "$@")
        ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
        return
    fi
    mapfile -t missing < <(missing_by_probe "$@")
    ((${#missing[@]} == 0)) && return
    say "packages are installed only on Debian 12, Ubuntu 24.04 and later; missing on" \
        "$(os_release PRETTY_NAME) (Debian's name, then what was looked for):"
    printf '  %s\n' "${missing[@]}" >&2
    exit 1
}

# --- configuration and build -------------------------------------------------------------------

# Sets CMAKE and CTEST. Also considers /usr/bin/cmake, since the first cmake in PATH (pip, conda) may be older than the
# distribution's.
find_cmake() {
    local candidate
    for candidate in "$(command -v cmake || true)" /usr/bin/cmake; do
        [[ -x $candidate ]] || continue
        if version_at_least "$("$candidate" --version | awk 'NR == 1 { print $3 }')" "$TL_MIN_CMAKE"; then
            CMAKE=$candidate
            # shellcheck disable=SC2034  # used by ./test
            CTEST=$(dirname "$candidate")/ctest
            return
        fi
    done
    die "cmake $TL_MIN_CMAKE or later is needed"
}

# Whether CMake will find nvcc: searches the same locations as cmake/Cuda.cmake.
has_nvcc() {
    [[ -n ${CUDACXX:-} || -x /usr/local/cuda/bin/nvcc ]] || command -v nvcc > /dev/null
}

preset_uses_cuda() { [[ $1 != cpu && $1 != asan && $1 != tsan ]]; }

# forgets_cuda PRESET: whether a CUDA toolkit was installed after the first configuration. CMake's cache would keep
# recording its absence.
forgets_cuda() {
    preset_uses_cuda "$1" && has_nvcc &&
        grep -qs '^CMAKE_CUDA_COMPILER:.*NOTFOUND' "$TL_ROOT/build/$1/CMakeCache.txt"
}

# lacks_parts PRESET SET...: whether the configuration omits parts that these sets of packages enable. The first
# configuration by ./run may omit the tests, for example.
lacks_parts() {
    local cache=$TL_ROOT/build/$1/CMakeCache.txt set
    for set in "${@:2}"; do
        case $set in
            test) set=TESTS ;;
            python | octave) set=${set^^} ;;
            *) continue ;;
        esac
        grep -qs "^TL_$set:INTERNAL=OFF" "$cache" && return
    done
    return 1
}

# configure PRESET SET...: configures a new or incomplete build folder. Later, ninja calls CMake when CMake's files have
# changed.
configure() {
    local preset=$1 build=$TL_ROOT/build/$1 log=$TL_ROOT/build/configure.log refresh=()
    if forgets_cuda "$preset"; then
        refresh=(-U 'CMAKE_CUDA_*')
    elif [[ -e $build/build.ninja ]] && ! lacks_parts "$@"; then
        return
    fi
    say "configuring build/$preset"
    if preset_uses_cuda "$preset" && ! has_nvcc; then
        say "CUDA: no nvcc here, so the program is built for the CPU alone"
    fi
    if (cd "$TL_ROOT" && "$CMAKE" --preset "$preset" "${refresh[@]}") > "$log" 2>&1; then
        lacks_parts "$@" || return 0
        echo "CMake has not found what belongs to one of these sets of packages: ${*:2}" >> "$log"
    fi
    tail -n 30 "$log" >&2
    if grep -qE 'nvcc fatal|CMAKE_CUDA_|CUDA compiler' "$log"; then
        say "if the CUDA toolkit is at fault: --preset cpu builds without it"
    fi
    say "the configuration failed: build/configure.log"
    return 1
}

# Prints the number of compilers to run at once: one per processor and per 2 GB of available memory, the most that nvcc
# takes.
job_count() {
    local processors gigabytes
    processors=$(nproc)
    gigabytes=$(awk '/^MemAvailable/ { print int($2 / 2097152) }' /proc/meminfo)
    ((gigabytes >= 1)) || gigabytes=1
    echo $((processors < gigabytes ? processors : gigabytes))
}

# build PRESET TARGET: builds the target. Concurrent calls wait for each other.
build() {
    local build=$TL_ROOT/build/$1 built=$TL_ROOT/build/$1/.built-$2 quiet=()
    # Shows progress in the first build, which takes minutes; later builds show it only on a terminal.
    if [[ ! -e $built ]]; then
        say "building build/$1"
    elif [[ ! -t 2 ]]; then
        quiet=(-- --quiet)
    fi
    flock --close "$build/.lock" \
        "$CMAKE" --build "$build" --target "$2" --parallel "$(job_count)" "${quiet[@]}" >&2 || return 1
    touch "$built"
}

# set_up PRESET TARGET SET...: installs missing packages, configures and builds the target.
set_up() {
    local preset=$1 target=$2
    shift 2
    install_missing "$@"
    find_cmake
    configure "$preset" "$@" || return 1
    build "$preset" "$target" || {
        say "the build failed"
        return 1
    }
}
