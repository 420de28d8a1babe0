#!/bin/sh
# Runs everything that is too long for a change, and reports at the end which targets failed. The argument is make.
make=$1 failed=
export PLIMSOLL_NIGHTLY=1
for target in test-busy test-race-long test-java test-hostile test-docs test-browser test-release fuzz soak; do
	echo "--- make $target"
	"$make" "$target" || failed="$failed $target"
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
