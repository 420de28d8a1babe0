#!/bin/sh
# Tests a release in a copy of this directory: what importers and 'go install' get, and the packages and the image for
# this machine's processor, unpacked and run. rpm and umoci are fetched, where that is possible.
set -eu
export GOWORK=off PLIMSOLL_PACKAGES="$PWD/.peers/packages"
tools/package/install.sh "$PLIMSOLL_PACKAGES"
bin/gotestsum --format pkgname -- -C tools -count=1 -timeout 60m ./release
bin/gotestsum --format pkgname -- -C tools/package -count=1 -timeout 60m .
