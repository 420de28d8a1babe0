#!/bin/sh
# Makes sure that OpenSSH's sftp-server is there for the tests, where that can be done without
# asking: as root, on Debian and its like. It is a program and no service; nothing is started.
# Without it the tests are skipped, and say so.
for dir in /usr/lib/openssh /usr/libexec/openssh /usr/lib/ssh /usr/libexec; do
	[ -x "$dir/sftp-server" ] && exit 0
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo 'the tests of sftp: are skipped: install OpenSSH'"'"'s sftp-server (Debian: openssh-sftp-server)'
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=60 openssh-sftp-server >/dev/null 2>&1; }
install || { apt-get update -qq >/dev/null 2>&1 && install; } ||
	echo 'the tests of sftp: are skipped: openssh-sftp-server could not be installed'
exit 0
