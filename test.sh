#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs what tests need, builds, and runs every test.
set -euo pipefail

cd "$(dirname "$0")"
. scripts/system.sh

usage() {
    cat <<'END'
Usage: ./test.sh [--sanitize] [OPTION OF CTEST]...

Builds into build/ and runs every test there. Missing packages are installed with apt-get.

  --sanitize   with AddressSanitizer and UndefinedBehaviorSanitizer, in build-asan/
  -R REGEX     only the tests with such names, for example -R pytest-framing (ctest --help has more)
  --help       show this
END
}

dir=build
sanitize=OFF
case ${1:-} in
    --help | -h) usage && exit ;;
    --sanitize)
        dir=build-asan
        sanitize=ON
        shift
        ;;
esac

check_system
install_packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"

say "Building"
configure $dir -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKAFKA_SANITIZE=$sanitize -DKAFKA_TESTS=ON -DKAFKA_WARNINGS_AS_ERRORS=ON
build $dir

say "Testing"
cd $dir
exec ctest --output-on-failure -j "$(nproc)" "$@"
