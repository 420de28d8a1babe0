#!/bin/sh
# Lists and installs the Debian packages that the tests use. 'setup.sh list' lists the installed and missing packages.
# 'setup.sh' also installs the missing ones, as root on Debian and derivatives; elsewhere it lists them and fails. No
# package installs a service. Tests that need a missing package are skipped, and 'make test' lists them; Python and npm
# are required.
#
# redis-tools is enough for Redis: its redis-check-rdb is the server's executable under another name, and unlike
# redis-server the package does not install a service.
set -u

# program succeeds if one of these commands exists.
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
# need PACKAGES PURPOSE CHECK... adds the packages to $missing if the check fails.
need() {
	packages=$1 purpose=$2 state=found
	shift 2
	"$@" || { state=missing missing="$missing $packages"; }
	printf '  %-8s %-28s %s\n' "$state" "$packages" "$purpose"
}

echo 'Debian packages for the tests:'
need 'python3 python3-venv' 'Python servers and clients; required by make test' venv
need 'nodejs npm' 'Node.js servers and clients; required by make test' program npm
need 'gcc libc6-dev' 'the race detector' program cc gcc
need jq 'jq examples in the docs' program jq
need openssh-sftp-server 'sftp: stores' sftp_server
need redis-tools 'redis:// topics' program redis-server redis-check-rdb
need chromium 'HTML reports and live pages' program ${PLIMSOLL_CHROMIUM:-chromium chromium-browser google-chrome}
[ -n "$missing" ] || { echo 'All packages are installed.'; exit 0; }
[ "${1-}" != list ] || { echo "make setup will install:$missing"; exit 0; }
if [ "$(id -u)" != 0 ] || ! program apt-get; then
	echo "Cannot install packages: this requires root on Debian or a derivative. As root, run:" >&2
	echo "  apt-get install --no-install-recommends$missing" >&2
	exit 1
fi
echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# If they cannot be installed together, tries each package separately.
install() { apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=60 "$@" >/dev/null 2>&1; }
# shellcheck disable=SC2086 # these are words
install $missing || { apt-get update -qq >/dev/null 2>&1 && install $missing; } && exit 0
failed=
for package in $missing; do install "$package" || failed="$failed $package"; done
[ -z "$failed" ] || { echo "Could not install:$failed" >&2; exit 1; }
