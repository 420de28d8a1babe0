#!/bin/sh
# Makes sure that there is a Chromium for the tests of the pages, where that can be done without asking: as root, on
# Debian and its like. Nothing of it is started but by the tests.
# Without it the tests are skipped, and say so.
[ -n "$PLIMSOLL_CHROMIUM" ] || command -v chromium chromium-browser google-chrome >/dev/null && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo 'the tests of the pages are skipped: install chromium'
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=60 chromium >/dev/null 2>&1; }
install || { apt-get update -qq >/dev/null 2>&1 && install; } ||
	echo 'the tests of the pages are skipped: chromium could not be installed'
exit 0
