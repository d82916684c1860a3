#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs commands on a clean copy of this tree in an empty Debian: try-empty.sh SUITE [COMMAND]...
# SUITE is bookworm, trixie or forky. The default commands are the README's two. Each is one argument, run by a shell as root.
# Needs root and mmdebstrap; packages come from the Debian mirror that this machine's apt uses. The empty system is a folder
# below TMPDIR (default /var/tmp) and goes away at the end.
# shellcheck disable=SC2016  # what stands in single quotes is for apt and for the inner shell
set -euo pipefail

cd "$(dirname "$0")/.."
. scripts/system.sh

[ $# -gt 0 ] || fail "which suite? bookworm, trixie or forky"
suite=$1
shift
[ $# -gt 0 ] || set -- ./install.sh ./test.sh
[ "$(id -u)" = 0 ] || fail "making a Debian system in a folder needs root."

# The mirror's address, from the sources of this machine.
mirror() {
    apt-get indextargets --format '$(LABEL) $(ORIGIN) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}

# The files of the working tree, committed or not, without what is ignored.
copy_tree() {
    git -c safe.directory='*' ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
        tar --create --null --files-from=- --owner=0 --group=0 | tar --extract --directory "$1"
}

mirror=$(mirror)
[ -n "$mirror" ] || fail "this machine's apt has no source with Debian's packages (apt-get update may be needed)."
root=$(mktemp -d "${TMPDIR:-/var/tmp}/kafka-$suite-XXXXXX")
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

say "An empty $suite from $mirror"
# Old snapshots of the archive are mirrors too; and what goes away at the end need not be safe from a loss of power.
mmdebstrap --quiet --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' --dpkgopt=force-unsafe-io "$suite" "$root" "$mirror"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir "$root/src"
copy_tree "$root/src"

for command in "$@"; do
    say "$suite: $command"
    # In a mount namespace of its own nothing stays mounted, whatever happens.
    unshare --mount bash -euc '
        mount --rbind /proc "$1/proc"
        mount --rbind /dev "$1/dev"
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 chroot "$1" sh -c "cd /src && $2"
    ' bash "$root" "$command" </dev/null
done
say "$suite: done"
