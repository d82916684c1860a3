#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs what is missing, builds the plugin, installs it for the Wireshark that is there, and decodes a sample capture.
set -euo pipefail

cd "$(dirname "$0")"
. scripts/system.sh

usage() {
    cat <<'END'
Usage: ./install.sh [--user]

Builds the Kafka plugin and installs it for the Wireshark of this machine; when there is none, it installs tshark.
Missing packages are installed with apt-get. It can be run again, also to install a newer version.

  --user   install into your own plugin folder (~/.local/lib/wireshark/plugins) and not for all users
  --help   show this
END
}

user=OFF
for option in "$@"; do
    case $option in
        --user) user=ON ;;
        --help | -h) usage && exit ;;
        *) usage >&2 && exit 2 ;;
    esac
done
if [ $user = ON ] && [ "$(id -u)" = 0 ]; then
    fail "as root, Wireshark does not read plugins from root's own folder. Run this without --user, or as another user."
fi

check_system
packages=("${BUILD_PACKAGES[@]}")
options=()
tshark=$(command -v tshark || true)
if [ -n "$tshark" ] && ! dpkg-query -S "$(readlink -f "$tshark")" >/dev/null 2>&1; then
    # Somebody built this Wireshark: the packages' development files would be those of another one.
    say "Using the Wireshark that $tshark belongs to"
    mapfile -t packages < <(printf '%s\n' "${BUILD_PACKAGES[@]}" | grep -v -e '^tshark$' -e wireshark)
    options+=("-DCMAKE_PREFIX_PATH=$(dirname "$(dirname "$tshark")")")
fi
install_packages "${packages[@]}"
tshark=$(command -v tshark) || fail "tshark was installed, but is not in PATH ($PATH)."

say "Building"
configure build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKAFKA_SANITIZE=OFF -DKAFKA_INSTALL_USER_PLUGIN=$user \
    -DKAFKA_WARNINGS_AS_ERRORS=OFF -DKAFKA_TESTS=OFF "${options[@]}"
build build

series=$("$tshark" --version 2>/dev/null | sed -n '1s/^[^0-9]*\([0-9]*\.[0-9]*\)\..*/\1/p')
[ -f "build/plugins/$series/epan/kafka.so" ] ||
    fail "$tshark is Wireshark $series, but the development files found are those of $(ls build/plugins);" \
        "install those of $series and remove build/."

say "Installing"
system_copy=$(sed -n 's/^KAFKA_SYSTEM_PLUGIN_DIR:[^=]*=//p' build/CMakeCache.txt)/epan/kafka.so
own_copy=$HOME/.local/lib/wireshark/plugins/$series/epan/kafka.so
# Wireshark complains at each start when it finds a plugin twice.
if [ $user = ON ]; then
    [ ! -e "$system_copy" ] || fail "the plugin is already installed for all users. Remove that first: sudo rm $system_copy"
    cmake --install build
    installed=$own_copy
else
    as_root cmake --install build
    installed=$system_copy
    if [ -e "$own_copy" ]; then
        rm "$own_copy"
        echo "Removed $own_copy, which is not needed any more."
    fi
fi

sample=captures/java-4.4-produce-fetch-none.pcapng
say "Decoding a sample: tshark -r $sample -Y kafka"
# As root, tshark says on stderr that this is dangerous; a failure shows in what it prints.
messages=$("$tshark" -r "$sample" -Y kafka 2>/dev/null) || fail "tshark could not read $sample."
"$tshark" -G plugins 2>/dev/null | grep -q "^kafka\.so[[:space:]].*$installed" ||
    fail "$tshark did not load $installed. (Help → About Wireshark → Plugins lists what it loads.)"
case $messages in
    '' | *Malformed* | *"Unsupported API"*) fail "the sample was not decoded as it should be: $messages" ;;
esac
lines=$(wc -l <<<"$messages")
head -n 8 <<<"$messages" | cut -c1-150
echo "… and $((lines - 8)) lines more"

cat <<END

The Kafka plugin is installed: $installed

Now you can
  - open the sample:                wireshark $sample
  - watch a broker on this machine: tshark -i lo -f 'tcp port 9092' -Y kafka
  - find messages about a topic:    tshark -r FILE -Y 'kafka.topic_name == "orders"'
  - decode another port:            tshark -r FILE -d tcp.port==19092,kafka
To remove it again: rm $installed
END
