#!/bin/sh
# What the tests use of the system, and which package of Debian has it: 'setup.sh list' says what is there and what is
# missing, 'setup.sh' says it, too, and installs what is missing, as root on Debian and its like. Elsewhere it says which
# packages these are and fails. No package here brings a service. Without one of them tests are left out, and 'make test'
# says which; Python and npm it cannot do without.
#
# redis-tools is enough for Redis: its redis-check-rdb is the server's program under another name, and unlike
# redis-server it brings no service.
set -u

# program is there when one of these can be run.
program() {
	for name in "$@"; do command -v "$name" >/dev/null && return; done
	return 1
}

sftp_server() {
	for dir in /usr/lib/openssh /usr/libexec/openssh /usr/lib/ssh /usr/libexec; do
		[ -x "$dir/sftp-server" ] && return
	done
	return 1
}

venv() { "${PYTHON:-python3}" -c 'import ensurepip, venv' 2>/dev/null; }

missing=
# need PACKAGES WHAT-FOR CHECK...: the packages are missing where the check fails.
need() {
	packages=$1 purpose=$2 state=there
	shift 2
	"$@" || { state=missing missing="$missing $packages"; }
	printf '  %-8s %-28s %s\n' "$state" "$packages" "$purpose"
}

echo 'Packages of Debian for the tests:'
need 'python3 python3-venv' 'servers and clients in Python; make test needs it' venv
need 'nodejs npm' 'servers and clients for Node.js; make test needs it' program npm
need 'gcc libc6-dev' 'the race detector' program cc gcc
need jq 'recipes of the documents' program jq
need openssh-sftp-server 'the store sftp:' sftp_server
need redis-tools 'the topic redis:' program redis-server redis-check-rdb
need chromium 'the pages' program ${PLIMSOLL_CHROMIUM:-chromium chromium-browser google-chrome}
[ -n "$missing" ] || { echo 'Nothing is to be installed.'; exit 0; }
[ "${1-}" != list ] || { echo "make setup installs:$missing"; exit 0; }
if [ "$(id -u)" != 0 ] || ! program apt-get; then
	echo "Nothing is installed: that takes root, and Debian or its like. As root:  apt-get install --no-install-recommends$missing" >&2
	exit 1
fi
echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# Each is tried alone where all at once cannot be had.
install() { apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=60 "$@" >/dev/null 2>&1; }
# shellcheck disable=SC2086 # these are words
install $missing || { apt-get update -qq >/dev/null 2>&1 && install $missing; } && exit 0
failed=
for package in $missing; do install "$package" || failed="$failed $package"; done
[ -z "$failed" ] || { echo "Not to be installed here:$failed" >&2; exit 1; }
