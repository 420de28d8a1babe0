#!/bin/sh
# Runs each fuzz target for FUZZTIME (10s by default), one after the other; ONLY selects some by name. The go command
# writes an input that fails to the package's testdata/fuzz.
set -eu
git grep -hoE '^func Fuzz\w+' -- '*_test.go' >/dev/null
git grep -oE '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' | sed 's/:func /:/' | while IFS=: read -r file name; do
	case $name in *${ONLY-}*) ;; *) continue ;; esac
	echo "--- $name ($(dirname "$file"))"
	(cd "$(dirname "$file")" && go test -vet=off -run '^$' -fuzz "^$name\$" -fuzztime "${FUZZTIME:-10s}" . </dev/null)
done
