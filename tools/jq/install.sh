#!/bin/sh
# Makes sure that there is jq, which recipes of the documents call, where that can be done without
# asking: as root, on Debian and its like. Without it these commands are not run, and the test says so.
command -v jq >/dev/null && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo 'the commands of the documents that call jq are not run: install jq (Debian: jq)'
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=60 jq >/dev/null 2>&1; }
install || { apt-get update -qq >/dev/null 2>&1 && install; } ||
	echo 'the commands of the documents that call jq are not run: jq could not be installed'
exit 0
