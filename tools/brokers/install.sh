#!/bin/sh
# Makes sure that there are RabbitMQ, with the Erlang that it needs, and mosquitto for the tests of WebSocket, below $1,
# where that can be done without asking: on Debian and its like. The packages are taken apart and not installed: they
# would start services, and Erlang a daemon. Without them the tests are skipped, and say so.
[ -e "$1/ready" ] && exit 0
missing() { echo "the tests of WebSocket against RabbitMQ and mosquitto are skipped: $1"; exit 0; }
command -v apt-get >/dev/null && command -v dpkg >/dev/null || missing 'install rabbitmq-server and mosquitto'
parts=$(mktemp -d) || exit 1
trap 'rm -rf "$parts"' EXIT
packages='rabbitmq-server mosquitto libmosquitto1 libcjson1 libdlt2 libwrap0'
for part in asn1 base crypto eldap inets mnesia os-mon parsetools public-key runtime-tools ssl syntax-tools tools xmerl; do
	packages="$packages erlang-$part"
done
cd "$parts" || exit 1
download() { apt-get download -qq $packages >/dev/null 2>&1; }
download || { apt-get update -qq >/dev/null 2>&1 && download; } || missing 'their packages could not be downloaded'
rm -rf "$1" && mkdir -p "$1" || exit 1
for package in *.deb; do
	dpkg -x "$package" "$1" || missing "$package could not be taken apart"
done
touch "$1/ready"
