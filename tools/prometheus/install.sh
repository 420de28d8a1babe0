#!/bin/sh
# Makes sure that there is a Prometheus for the tests of the dashboards, at $1, where that can be done without
# asking: on Debian and its like. The package is taken apart and not installed: it would start a service.
# Without it the tests are skipped, and say so.
[ -x "$1" ] || command -v prometheus >/dev/null && exit 0
missing() { echo "the tests of the dashboards are skipped: $1"; exit 0; }
command -v apt-get >/dev/null && command -v dpkg >/dev/null || missing 'install prometheus'
parts=$(mktemp -d) || exit 1
trap 'rm -rf "$parts"' EXIT
cd "$parts" || exit 1
download() { apt-get download -qq prometheus >/dev/null 2>&1; }
download || { apt-get update -qq >/dev/null 2>&1 && download; } || missing 'the package prometheus could not be downloaded'
dpkg -x prometheus_*.deb . && mkdir -p "$(dirname "$1")" && mv usr/bin/prometheus "$1" ||
	missing 'the package prometheus could not be taken apart'
exit 0
