#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the corpus: regenerate.sh [SEED [FOLDER]]
#
# Without arguments it makes the committed corpus again, byte for byte. Another seed needs another folder.
# Wants a JDK (17 or later) and Maven, or the jars in $KAFKA_JARS/<release>/.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
committed_seed=20260
seed=${1:-$committed_seed}
folder=${2:-$here/corpus}
jars=${KAFKA_JARS:-${XDG_CACHE_HOME:-$HOME/.cache}/kafka-conformance/jars}
# From the newest to the oldest: each release gets the versions that no newer one writes in the same way.
releases="4.4.0 4.0.0 3.9.2"

if [ "$seed" != "$committed_seed" ] && [ "$folder" = "$here/corpus" ]; then
    echo "regenerate.sh: the committed corpus has seed $committed_seed; name another folder for seed $seed" >&2
    exit 2
fi
command -v javac >/dev/null || { echo "regenerate.sh: javac is missing (a JDK, version 17 or later)" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"
rm -f "$folder"/*.pcap.gz "$folder"/*.jsonl.gz

newer=
for release in $releases; do
    lib=$jars/$release
    if [ ! -f "$lib/kafka-clients-$release.jar" ]; then
        command -v mvn >/dev/null || { echo "regenerate.sh: mvn (Maven) is missing, and $lib too" >&2; exit 2; }
        mvn -q -B -Dstyle.color=never -f "$here/generator/pom.xml" -Dkafka.version="$release" \
            org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
            -DoutputDirectory="$lib"
    fi
    # Every release has its own classes for the same messages, so each run is compiled against its own.
    mkdir "$work/$release"
    javac -Xlint:cast,deprecation,fallthrough,rawtypes,unchecked -Werror --release 17 -encoding UTF-8 \
        -cp "$lib/*" -d "$work/$release" "$here"/generator/src/conformance/*.java
    # shellcheck disable=SC2086
    java -cp "$work/$release:$lib/*" conformance.Main "$release" "$seed" "$folder" $newer
    newer="$newer $lib/kafka-clients-$release.jar"
done
