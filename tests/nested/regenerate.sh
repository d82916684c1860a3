#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes corpus.jsonl again, byte for byte. Wants a JDK (17 or later) and Maven, or the jars in $KAFKA_JARS.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
jars=${KAFKA_JARS:-${XDG_CACHE_HOME:-$HOME/.cache}/kafka-nested/jars}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! ls "$jars"/connect-runtime-*.jar >/dev/null 2>&1; then
    mvn -q -B -Dstyle.color=never -f "$here/generator/pom.xml" \
        org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory="$jars" >&2
fi
javac -Xlint:cast,deprecation,fallthrough,rawtypes,unchecked -Werror --release 17 -encoding UTF-8 -cp "$jars/*" \
    -d "$work" "$here"/generator/NestedCorpus.java
java -cp "$work:$jars/*" NestedCorpus >"$work/corpus.jsonl"
cp "$work/corpus.jsonl" "$here/corpus.jsonl"
