#!/bin/sh
# Fetches the load generators and the server that 'make bench-peers' measures with, into the directory $1, where that
# can be done without asking: packages of Debian are taken apart and not installed, since some of them would start a
# service; hey, fortio, k6 and vegeta are built from their sources by Go, oha by cargo. What cannot be had is left out, and said.
set -u
to=$1
mkdir -p "$to/bin" || exit 1
to=$(cd "$to" && pwd)

missing() { echo "left out: $1"; }

packages="nginx wrk nghttp2-client libluajit-5.1-2 libluajit-5.1-common libev4 libnghttp2-14 libc-ares2 libjansson4"
if [ ! -e "$to/packages" ]; then
	if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
		missing 'nginx, wrk and h2load: they are taken from packages of Debian'
	else
		parts=$(mktemp -d) || exit 1
		trap 'rm -rf "$parts"' EXIT
		cd "$parts" || exit 1
		# One by one: a library that this release of Debian does not know may not be needed there.
		download() { for p in $packages; do apt-get download -qq "$p" >/dev/null 2>&1; done; ls ./wrk_*.deb >/dev/null 2>&1; }
		if download || { apt-get update -qq >/dev/null 2>&1 && download; }; then
			for p in ./*.deb; do dpkg -x "$p" "$to/root"; done
			touch "$to/packages"
		else
			missing 'nginx, wrk and h2load: their packages could not be downloaded'
		fi
	fi
fi

# Later versions of fortio need a module that is not to be had everywhere.
cd / || exit 1
build() {
	[ -x "$to/bin/$1" ] && return
	GOFLAGS= GOWORK=off CGO_ENABLED=0 GOBIN="$to/bin" "${GO:-go}" install "$2" >"$to/$1.log" 2>&1 ||
		missing "$1: $(tail -n 1 "$to/$1.log")"
}
build hey github.com/rakyll/hey@v0.1.5
build fortio fortio.org/fortio@v1.66.3
build k6 go.k6.io/k6@v1.8.1
build vegeta github.com/tsenart/vegeta/v12@v12.13.0
if [ ! -x "$to/bin/oha" ]; then
	if ! command -v cargo >/dev/null; then
		missing 'oha: it is built by cargo'
	else
		cargo install --quiet --locked --root "$to" oha@1.16.0 >"$to/oha.log" 2>&1 || missing "oha: $(tail -n 1 "$to/oha.log")"
	fi
fi
exit 0
