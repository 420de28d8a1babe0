#!/bin/sh
# Tests a release in a copy of this directory: what importers and 'go install' get, and the packages and the image for
# this machine's processor, unpacked and run. rpm and umoci are fetched, where that is possible.
set -eu
export GOWORK=off PLIMSOLL_PACKAGES="$PWD/.peers/packages"
tools/package/install.sh "$PLIMSOLL_PACKAGES"
gotestsum=$PWD/bin/gotestsum
(cd tools && "$gotestsum" --format pkgname -- -count=1 -timeout 60m ./release)
(cd tools/package && "$gotestsum" --format pkgname -- -count=1 -timeout 60m .)
