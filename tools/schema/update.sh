#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes schema/messages and schema/errors.tsv anew from released kafka-clients jars.
#   tools/schema/update.sh           from the releases in schema/releases.tsv
#   tools/schema/update.sh 4.5.0     the same, with one more release
#   tools/schema/update.sh --check   changes nothing, fails when the files are not what the jars give
# Needs Python 3, a JDK (11 or later) and Maven, which fetches the jars into $KAFKA_JARS (default: build/kafka-jars).
set -eu

tools=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tools/../.." && pwd)
schema=$root/schema
jars=${KAFKA_JARS:-$root/build/kafka-jars}
slf4j=1.7.36
export PYTHONDONTWRITEBYTECODE=1

# Fetches group:artifact:version unless it is there already.
fetch() {
    artifact=$(echo "$1" | cut -d: -f2)
    version=$(echo "$1" | cut -d: -f3)
    [ -f "$jars/$artifact-$version.jar" ] && return
    mvn --batch-mode --quiet -Dstyle.color=never dependency:copy "-Dartifact=$1" "-DoutputDirectory=$jars" >&2
}

# Prints the jars of the releases that are for $1, oldest first.
jars_of() {
    awk -F'\t' -v use="$1" '!/^#/ && $2 == use { print $1 }' "$work/releases.tsv" | sort -V |
        while read -r version; do echo "$jars/kafka-clients-$version.jar"; done
}

check=no
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$schema/releases.tsv" "$work"
for version in "$@"; do
    grep -q "^$version	" "$work/releases.tsv" || printf '%s\tmerged\n' "$version" >>"$work/releases.tsv"
done

mkdir -p "$jars"
fetch "org.slf4j:slf4j-api:$slf4j"
awk -F'\t' '!/^#/ { print $1 }' "$work/releases.tsv" | while read -r version; do
    fetch "org.apache.kafka:kafka-clients:$version" </dev/null
done

# The list of jars is split at spaces on purpose.
# shellcheck disable=SC2046
python3 "$tools/extract.py" --out "$work/messages" --known "$schema/differences.tsv" $(jars_of merged) \
    --check $(jars_of compared)
# Kafka's classes log that no logger is configured; only a failure is worth reading.
newest=$(jars_of merged | tail -n 1)
if ! java -cp "$newest:$jars/slf4j-api-$slf4j.jar" "$tools/ErrorCodes.java" >"$work/errors.tsv" 2>"$work/java.log"; then
    cat "$work/java.log" >&2
    exit 1
fi

if [ $check = yes ]; then
    diff -r "$work/messages" "$schema/messages"
    diff "$work/errors.tsv" "$schema/errors.tsv"
    echo "schema/ is what the jars give"
    exit
fi
rm -rf "$schema/messages"
cp -R "$work/messages" "$schema/messages"
cp "$work/errors.tsv" "$work/releases.tsv" "$schema"
# Says what has to be added by hand: a name, a meaning, the sentence for a new error code.
python3 "$tools/compile.py" --schema "$schema" --schema-out "$work/schema_data.c" --display-out "$work/display_data.c" \
    --errors-out "$work/errors_data.c"
