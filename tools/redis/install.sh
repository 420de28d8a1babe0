#!/bin/sh
# Makes sure that there is a Redis server for the tests, where that can be done without asking: as
# root, on Debian and its like. redis-tools is enough: its redis-check-rdb is the server's program
# under another name, and unlike redis-server it brings no service that would be started.
# Without it the tests are skipped, and say so.
command -v redis-server >/dev/null || command -v redis-check-rdb >/dev/null && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo 'the tests of redis: are skipped: install a Redis server (Debian: redis-tools or redis-server)'
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=60 redis-tools >/dev/null 2>&1; }
install || { apt-get update -qq >/dev/null 2>&1 && install; } ||
	echo 'the tests of redis: are skipped: redis-tools could not be installed'
exit 0
