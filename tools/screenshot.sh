#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Takes the README's picture: the real Wireshark, in a display that exists only in memory, with a sample capture open.
set -euo pipefail

cd "$(dirname "$0")/.."
. scripts/system.sh

# What the picture shows: a transaction that has to wait. Patterns for awk say which lines of the tree are opened, and which
# one is selected.
capture=captures/java-4.4-transactions.pcapng
frame=51
open='^Kafka|Results|Transaction: |Topic: |Partition: 1,|Error: CONCURRENT'
select='Error: CONCURRENT_TRANSACTIONS'

plugins=build/plugins
output=docs/screenshot.png
width=1500
height=950
list_height=364
list_scroll=2
tree_width=880

usage() {
    cat <<END
Usage: tools/screenshot.sh [OPTION]...

Takes a picture of Wireshark with a capture open, and writes it to $output. Missing packages are installed with apt-get.

  --plugins DIR      the folder with the plugin, as WIRESHARK_PLUGIN_DIR takes it (default: $plugins)
  --capture FILE     the capture to open (default: $capture)
  --frame N          the frame to select (default: $frame)
  --open PATTERN     which lines of the tree to open, as awk's pattern (default: $open)
  --select PATTERN   which line of the tree to select (default: $select)
  --output FILE      where to write the picture (default: $output)
  --help             show this
END
}

while [ $# -gt 0 ]; do
    case $1 in
        --help | -h) usage && exit ;;
        --plugins | --capture | --frame | --open | --select | --output) [ $# -gt 1 ] || fail "$1 needs a value." ;;
        *) usage >&2 && exit 2 ;;
    esac
    value=$2
    case $1 in
        # A file is meant from where the caller is.
        --plugins | --capture | --output) value=$(cd "$OLDPWD" && realpath -m "$value") ;;
    esac
    declare "${1#--}=$value"
    shift 2
done

check_system
install_packages wireshark tshark xvfb xdotool imagemagick pngquant optipng fonts-dejavu-core
[ -d "$plugins" ] || fail "there is no $plugins: build the plugin first (./test.sh), or name another folder by --plugins."

scratch=$(mktemp -d)
processes=()
cleanup() {
    [ ${#processes[@]} -eq 0 ] || kill "${processes[@]}" 2>/dev/null || true
    wait
    rm -rf "$scratch"
}
trap cleanup EXIT

# Wireshark starts with a profile and a home of its own, so that the picture does not depend on who takes it.
home=$scratch/home
config=$home/.config/wireshark
mkdir -p "$config/profiles/Kafka"
cat >"$config/profiles/Kafka/preferences" <<'END'
gui.column.format: "No.", "%m", "Time", "%t", "Src Port", "%uS", "Dst Port", "%uD", "Protocol", "%p",
    "Response Time", "%Cus:kafka.time:0:R", "Info", "%i"
gui.qt.font_name: DejaVu Sans Mono,10,-1,5,50,0,0,0,0,0
gui.layout_type: 2
gui.layout_content_1: PLIST
gui.layout_content_2: PDETAILS
gui.layout_content_3: PBYTES
END
cat >"$config/profiles/Kafka/recent" <<END
gui.geometry_main_upper_pane: $list_height
gui.geometry_main_lower_pane: $tree_width
gui.time_precision: MSEC
column.width: "%m", "50", "%t", "70", "%uS", "75", "%uD", "75", "%p", "75", "%Cus:kafka.time:0:R", "120", "%i", "-1"
END
cat >"$config/recent_common" <<END
gui.geometry_main_x: 0
gui.geometry_main_y: 0
gui.geometry_main_width: $width
gui.geometry_main_height: $height
gui.geometry_main_maximized: FALSE
END

cp -r "$plugins" "$scratch/plugins"
cp "$capture" "$scratch/"
capture=$scratch/$(basename "$capture")

mkfifo "$scratch/display"
Xvfb -displayfd 3 -screen 0 "${width}x${height}x24" -dpi 96 -nolisten tcp 3>"$scratch/display" 2>"$scratch/xvfb.log" &
processes+=($!)
read -r -t 30 display <"$scratch/display" || fail "Xvfb did not start: $(cat "$scratch/xvfb.log")"
export DISPLAY=:$display

# Nothing of the caller's environment gets through: it may know another display, another language, another look.
as_user=(env -i PATH="$PATH" HOME="$home" LC_ALL=C.UTF-8 TZ=UTC DISPLAY="$DISPLAY" WIRESHARK_PLUGIN_DIR="$scratch/plugins")
# For root, Wireshark ignores WIRESHARK_PLUGIN_DIR.
if [ "$(id -u)" = 0 ]; then
    chown -R 65534:65534 "$scratch"
    as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups "${as_user[@]}")
fi

# Prints the keys that walk down the tree from its first line, opening lines on the way. The wanted lines are found in tshark's
# text of the same tree, where a line counts when all that it lies in are open.
keys() {
    "${as_user[@]}" tshark -2 -r "$capture" -Y "frame.number == $frame" -V 2>"$scratch/tshark.log" |
        open=$open select=$select awk '
            function move(to) {
                for (; at < to; at++) print "Down"
                for (; at > to; at--) print "Up"
            }
            BEGIN { at = 1; print "Home" }
            /^$/ { next }
            {
                match($0, /^ */)
                depth = RLENGTH / 4
                while (opened > depth) opened--
                if (opened < depth) next
                row++
                if (!selected && $0 ~ ENVIRON["select"]) selected = row
                if ($0 ~ ENVIRON["open"]) { move(row); print "Right"; opened++ }
            }
            END { if (!selected) exit 1; move(selected) }' || fail "frame $frame has no line that matches \"$select\" in what is opened."
}
keys=$(keys)
mapfile -t keys <<<"$keys"

# Waits until the picture has not changed for two seconds, and leaves it in picture.png.
settle() {
    local same=0 tries before='' now
    for ((tries = 0; tries < 120 && same < 8; tries++)); do
        sleep 0.25
        import -window root "$scratch/picture.png"
        now=$(convert "$scratch/picture.png" rgb:- | cksum)
        if [ "$now" = "$before" ]; then same=$((same + 1)); else same=0; fi
        before=$now
    done
    [ $same -ge 8 ] || fail "the picture did not come to rest."
}

"${as_user[@]}" wireshark -C Kafka -r "$capture" -Y kafka -g "$frame" >"$scratch/wireshark.log" 2>&1 &
processes+=($!)
window=$(timeout 60 xdotool search --sync --onlyvisible --limit 1 --name "^$(basename "$capture")") ||
    fail "Wireshark did not open the capture: $(cat "$scratch/wireshark.log")"
settle
# A click on the empty end of the tree gives it the keyboard, and the wheel shows what follows the selected frame in the list.
# Where opened lines are long the tree moves to their ends: the sideways wheel (button 6) brings it back. At last the pointer
# goes where it lights up nothing.
xdotool windowfocus --sync "$window" \
    mousemove $((tree_width / 2)) $((list_height / 2)) click --repeat "$list_scroll" 5 \
    mousemove $((tree_width / 2)) $((height - 60)) click 1 \
    key --delay 50 "${keys[@]}" \
    click --repeat 50 --delay 20 6 \
    mousemove "$width" "$height"
settle

pngquant --force --output "$scratch/small.png" 256 "$scratch/picture.png"
optipng -quiet -strip all "$scratch/small.png"
cat "$scratch/small.png" >"$output"
say "$output: $(stat -c %s "$output") bytes"
