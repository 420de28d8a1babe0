#!/bin/sh
# Lists the packages that start goroutines and have tests. The command line is left to 'make nightly': its tests start
# hundreds of processes.
git grep -lE '^[[:space:]]*go |\.Go\(|time\.AfterFunc\(' -- '*.go' ':!*_test.go' ':!tools' |
	xargs -n 1 dirname | sort -u | grep -vE '^internal/(cli|peertest)(/|$)' |
	while read -r dir; do
		[ -z "$(git ls-files "$dir/*_test.go" | grep "^$dir/[^/]*$")" ] || echo "./$dir"
	done
