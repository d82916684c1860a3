#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the corpus of record sets: regenerate.sh [SEED [FILE]]
#
# Without arguments it makes the committed corpus again, byte for byte. Another seed needs another file.
# Wants a JDK (17 or later) and Maven, or the jars in $KAFKA_RECORDS_JARS.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
committed_seed=20260
seed=${1:-$committed_seed}
file=${2:-$here/corpus.zip}
jars=${KAFKA_RECORDS_JARS:-${XDG_CACHE_HOME:-$HOME/.cache}/kafka-records/jars}

if [ "$seed" != "$committed_seed" ] && [ "$file" = "$here/corpus.zip" ]; then
    echo "regenerate.sh: the committed corpus has seed $committed_seed; name another file for seed $seed" >&2
    exit 2
fi
command -v javac >/dev/null || { echo "regenerate.sh: javac is missing (a JDK, version 17 or later)" >&2; exit 2; }
if [ ! -d "$jars" ]; then
    command -v mvn >/dev/null || { echo "regenerate.sh: mvn (Maven) is missing, and $jars too" >&2; exit 2; }
    mvn -q -B -Dstyle.color=never -f "$here/generator/pom.xml" \
        org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory="$jars"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
javac -Xlint:all,-classfile,-processing -Werror --release 17 -cp "$jars/*" -d "$work" "$here"/generator/src/records/*.java
java -cp "$work:$jars/*" records.Main "$seed" "$file"
