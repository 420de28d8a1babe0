#!/bin/sh
# Runs actionlint on this repository's workflow, and on those of deploy/action and docs/ci.md, as those of a repository that has the Action in
# itself: so what they give to it is held against action.yml. The scripts go through shellcheck where there is one.
#
#   tools/action/lint.sh ACTIONLINT
set -eu
cd "$(dirname "$0")/../.."
actionlint=$(realpath "$1")
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
mkdir -p "$here/.git" "$here/.github/workflows"
cp -R deploy/action "$here/action"
cp deploy/action/example.yml "$here/.github/workflows/"
# Each block of docs/ci.md that is a workflow; one without a name is of jobs alone.
awk -v to="$here/.github/workflows/ci-" '
    /^```yaml$/ { n++; text = ""; inside = 1; next }
    /^```$/ && inside { if (text ~ /(^|\n)jobs:/) { if (text !~ /(^|\n)on:/) text = "on: push\n" text
        printf "%s", text >(to n ".yml") }; inside = 0; next }
    inside { text = text $0 "\n" }' docs/ci.md
ls "$here"/.github/workflows/ci-*.yml >/dev/null
sed -i.before 's|uses: plimsoll/plimsoll/deploy/action@.*|uses: ./action|' "$here"/.github/workflows/*.yml
rm "$here"/.github/workflows/*.before
grep -q 'uses: ./action' "$here/.github/workflows/example.yml"
(cd "$here" && "$actionlint" -color=false .github/workflows/*.yml)
"$actionlint" -color=false .github/workflows/*.yml
sh -n deploy/action/run.sh
! command -v shellcheck >/dev/null || shellcheck deploy/action/run.sh tools/action/*.sh
