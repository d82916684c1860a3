# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034  # the lists are for those who source this file
# What install.sh, test.sh and .ci/run share: messages, packages of Debian and Ubuntu, the build. To be sourced by bash.

BUILD_PACKAGES=(
    gcc libc6-dev cmake ninja-build pkg-config python3
    tshark wireshark-dev libwireshark-dev
    libglib2.0-dev liblz4-dev libzstd-dev libsnappy-dev libisal-dev)
TEST_PACKAGES=(libcmocka-dev zlib1g-dev python3-pytest)

say() {
    printf '\n==> %s\n' "$*"
}

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Runs a command as root: as it is for root, else by sudo.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "this needs root, and there is no sudo here. Run as root: $*"
    fi
}

# Prints those of the named packages that are not installed.
missing_packages() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
    done
}

# Installs those of the named packages that are missing. No question is asked: not by apt, and not by the one of its packages
# that would (who may capture live traffic keeps Debian's default, root only).
install_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
        fail "packages are missing, and there is no sudo here. Run as root: apt-get install ${missing[*]}"
    say "Installing ${#missing[@]} packages: ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
        fail "apt-get update failed: is the network there, and are the sources in /etc/apt right?"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        -o DPkg::Lock::Timeout=600 "${missing[@]}" ||
        fail "apt-get could not install: ${missing[*]}. (On Ubuntu they are in the component \"universe\".)"
}

# Refuses systems that these scripts do not know, and says which of the others nobody tested.
check_system() {
    local name=unknown id='' version='' tested=no
    [ "$(uname -s)" = Linux ] || fail "only Linux is supported for now; this is $(uname -s)."
    if [ -r /etc/os-release ]; then
        name=$(. /etc/os-release && echo "$PRETTY_NAME")
        id=$(. /etc/os-release && echo "$ID")
        version=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    fi
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        fail "this script installs packages on Debian and Ubuntu only; this is $name. CONTRIBUTING.md says what to install" \
            "by hand and how to build with CMake."
    fi
    case $id/$version in
        debian/bookworm | debian/trixie | debian/forky) tested=yes ;;
    esac
    [ $tested = yes ] || say "$name: not tested (tested: Debian bookworm, trixie and forky); trying all the same"
}

# configure DIR OPTION...: configures the build in DIR, which another user may have made before.
configure() {
    local dir=$1
    shift
    [ ! -e "$dir" ] || [ -w "$dir" ] || fail "$dir belongs to another user; remove it first."
    cmake -S . -B "$dir" -G Ninja "$@" || fail "CMake could not configure the build; the reason stands above."
}

build() {
    cmake --build "$1" || fail "the build failed; the reason stands above."
}
