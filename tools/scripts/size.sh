#!/bin/sh
# Fails if a binary is larger than expected: usually a new import makes the linker keep all methods.
# docs/design/dependencies.md describes how to find it.
limit=73000000
size=$(wc -c <"$1")
[ "$size" -le "$limit" ] || {
	echo "$1 has $size bytes, more than $limit: see docs/design/dependencies.md" >&2
	exit 1
}
