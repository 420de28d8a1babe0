#!/bin/sh
# Makes sure that there are rpm and umoci, which read what 'make release' made, below $1, where that can be done without
# asking: on Debian and its like. Their packages are taken apart and not installed. Without them these tests are skipped,
# and say so.
[ -e "$1/ready" ] && exit 0
missing() { echo "the tests of packages by rpm and of the image by umoci are skipped: $1"; exit 0; }
command -v apt-get >/dev/null && command -v dpkg >/dev/null || missing 'install rpm and umoci'
parts=$(mktemp -d) || exit 1
trap 'rm -rf "$parts"' EXIT
# The names of rpm's libraries have its version in them.
needs() { apt-cache depends "$@" 2>/dev/null | sed -n 's/.*Depends: \(librpm[a-z]*[0-9]*\|liblua[0-9.-]*\)$/\1/p'; }
cd "$parts" || exit 1
download() {
	libraries=$(needs rpm)
	[ -n "$libraries" ] || return 1
	apt-get download -qq rpm rpm-common rpm2cpio cpio umoci $libraries $(needs $libraries) >/dev/null 2>&1
}
download || { apt-get update -qq >/dev/null 2>&1 && download; } || missing 'their packages could not be downloaded'
rm -rf "$1" && mkdir -p "$1" || exit 1
for package in *.deb; do
	dpkg -x "$package" "$1" || missing "$package could not be taken apart"
done
touch "$1/ready"
