#!/bin/sh
# Format, import rules, modules, vet, staticcheck, workflows.
set -eu
unformatted=$(gofmt -l $(git ls-files '*.go'))
[ -z "$unformatted" ] || { echo "gofmt -w is needed on:" "$unformatted" >&2; exit 1; }
go test -vet=off -count=1 ./internal/archtest
for module in $(git ls-files 'tools/*go.mod'); do
	(cd "$(dirname "$module")" && GOWORK=off go mod tidy -diff)
done
bin/release check
export GOGC=400
go vet work
bin/staticcheck work
GOWORK=off go -C tools vet ./...
GOWORK=off go -C tools/package vet .
GOWORK=off go -C tools/browser vet .
for os in linux darwin; do GOOS=$os GOWORK=off go -C tools/verdict vet .; done
tools/action/lint.sh bin/actionlint
! command -v shellcheck >/dev/null || shellcheck tools/scripts/*.sh
