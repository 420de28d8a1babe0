#!/bin/sh
# Makes sure that there are rpm and umoci, which read what 'make release' made, below $1, where that can be done without
# asking: on Debian and its like. Their packages are taken apart and not installed. Without them these tests are skipped,
# and say so.
[ -e "$1/ready" ] && exit 0
missing() { echo "the tests of packages by rpm and of the image by umoci are skipped: $1"; exit 0; }
command -v apt-get >/dev/null && command -v dpkg >/dev/null || missing 'install rpm and umoci'
parts=$(mktemp -d) || exit 1
trap 'rm -rf "$parts"' EXIT
# They and what they need that is not installed here, such as libpopt, which a machine may have or not.
needed() {
	apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
		rpm rpm2cpio cpio umoci 2>/dev/null | grep '^[a-z0-9]' | sort -u | while read -r package; do
		case $package in
		rpm* | cpio | umoci | librpm*) echo "$package" ;; # which are looked for here alone
		*) [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package" ;;
		esac
	done
}
cd "$parts" || exit 1
download() {
	packages=$(needed)
	[ -n "$packages" ] || return 1
	apt-get download -qq $packages >/dev/null 2>&1
}
download || { apt-get update -qq >/dev/null 2>&1 && download; } || missing 'their packages could not be downloaded'
rm -rf "$1" && mkdir -p "$1" || exit 1
for package in *.deb; do
	dpkg -x "$package" "$1" || missing "$package could not be taken apart"
done
touch "$1/ready"
