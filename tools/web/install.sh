#!/bin/sh
# Makes sure that there are nginx, Apache httpd and Caddy for the tests of HTTP, below $1, where that can be done
# without asking: on Debian and its like. The packages are taken apart and not installed: they would start services.
# Without them the tests are skipped, and say so.
[ -e "$1/ready" ] && exit 0
missing() { echo "the tests of HTTP against nginx, Apache and Caddy are skipped: $1"; exit 0; }
command -v apt-get >/dev/null && command -v dpkg >/dev/null || missing 'install nginx, apache2-bin and caddy'
parts=$(mktemp -d) || exit 1
trap 'rm -rf "$parts"' EXIT
packages='nginx apache2-bin libapr1 libaprutil1 caddy'
cd "$parts" || exit 1
download() { apt-get download -qq $packages >/dev/null 2>&1; }
download || { apt-get update -qq >/dev/null 2>&1 && download; } || missing 'their packages could not be downloaded'
rm -rf "$1" && mkdir -p "$1" || exit 1
for package in *.deb; do
	dpkg -x "$package" "$1" || missing "$package could not be taken apart"
done
touch "$1/ready"
