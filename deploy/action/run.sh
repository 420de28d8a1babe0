#!/bin/sh
# Runs a plan in a GitHub Actions job, reports the result in the job summary and in a comment, and exits with 1 if the
# job should fail. Called by action.yml. The variables are named after the inputs: PLAN, ARGS, BINARY, COMMENT, NAME,
# FAIL_ON, ATTEMPTS, DIRECTORY.
#
# A busy runner must not fail a change, so a run is repeated up to ATTEMPTS times if its result is not ok. The job
# succeeds if one attempt succeeds. It fails if two attempts missed a threshold, or if one did and none succeeded. A
# measurement that is not valid (exit status 4) is a warning unless FAIL_ON is invalid.
set -u

say() { printf '%s\n' "$*"; }

# Prints a workflow command. GitHub interprets lines that begin with ::, so newlines in the text are removed.
annotate() { # error|warning|notice, text
    text=$(printf '%s' "$2" | tr '\r\n' '  ' | sed 's/%/%25/g' | cut -c1-1000)
    say "::$1 title=Plimsoll ($NAME)::$text"
}

wrong() {
    annotate error "$1"
    exit 1
}

: "${PLAN=}" "${ARGS=}" "${COMMENT:=true}" "${FAIL_ON:=thresholds}" "${ATTEMPTS:=3}"
BINARY=${BINARY:-plimsoll}
DIRECTORY=${DIRECTORY:-plimsoll-report}
NAME=$(printf '%s' "${NAME:-${PLAN:-plimsoll}}" | tr -cd 'A-Za-z0-9 ._/-') # used in an HTML comment

case $FAIL_ON in thresholds | invalid | never) ;; *) wrong "fail-on is '$FAIL_ON': it must be thresholds, invalid or never" ;; esac
case $COMMENT in true | false) ;; *) wrong "comment is '$COMMENT': it must be true or false" ;; esac
case $ATTEMPTS in [1-9]) ;; *) wrong "attempts is '$ATTEMPTS': it must be between 1 and 9" ;; esac
command -v "$BINARY" >/dev/null ||
    wrong "executable $BINARY not found: set the input binary to its path, or version to install one"

# Builds the command. Each line of ARGS is one argument; quotes have no special meaning.
set --
[ -z "$PLAN" ] || set -- run "$PLAN"
while IFS= read -r line || [ -n "$line" ]; do
    [ -z "$line" ] || set -- "$@" "$line"
done <<END
$ARGS
END
[ $# -gt 0 ] || wrong "set the input plan or args"

mkdir -p "$DIRECTORY" || wrong "cannot create directory $DIRECTORY"

# Repeats the run until an attempt decides the result of the job.
attempt=0 missed=0 untrusted=0 failed=0 outcome='' kept='' history=''
while [ -z "$outcome" ] && [ "$attempt" -lt "$ATTEMPTS" ]; do
    attempt=$((attempt + 1))
    here=$DIRECTORY/attempt-$attempt
    rm -rf "$here"
    mkdir -p "$here" || wrong "cannot create directory $here"
    say "attempt $attempt of up to $ATTEMPTS: plimsoll $*" | sed 's/^::/ ::/'
    status=0
    "$BINARY" "$@" --quiet --markdown --junit "$here/junit.xml" --html "$here/report.html" --out "$here/document" \
        >"$here/report.md" 2>"$here/log.txt" || status=$?
    sed 's/^/  | /' "$here/log.txt"
    say "  exit status $status"
    history="$history${history:+, }$status"
    case $status in
    0) outcome=ok ;;
    2) outcome=usage ;;
    3) missed=$((missed + 1)) kept=$attempt ;;
    4) untrusted=$((untrusted + 1)) ;;
    130 | 143) outcome=interrupted ;;
    *) failed=$((failed + 1)) ;;
    esac
    [ "$missed" -lt 2 ] || outcome=missed
done
if [ -z "$outcome" ]; then
    if [ "$missed" -gt 0 ]; then
        outcome=missed
    elif [ "$untrusted" -gt 0 ]; then
        outcome=untrusted
    else
        outcome=failed
    fi
fi

# Keeps the files of the deciding attempt: the last one that missed a threshold, or else the last one.
[ "$outcome" = missed ] || kept=$attempt
here=$DIRECTORY/attempt-$kept
rm -rf "$DIRECTORY/document"
for file in report.md report.html junit.xml log.txt document; do
    [ ! -e "$here/$file" ] || cp -R "$here/$file" "$DIRECTORY/$file"
done
why=$(sed -n 's/^plimsoll: //p' "$here/log.txt" | head -n 1)

red=false
case $outcome in
missed | failed) [ "$FAIL_ON" = never ] || red=true ;;
untrusted) [ "$FAIL_ON" != invalid ] || red=true ;;
usage | interrupted) red=true ;; # there is no result
esac
case $outcome in
ok) result='ok' ;;
missed) result='a threshold was missed' ;;
untrusted) result='the measurement is not valid' ;;
failed) result='the run failed' ;;
usage) result='invalid command or plan' ;;
interrupted) result='interrupted' ;;
esac

# Writes the short report, below a marker by which the next run finds this comment.
mark="<!-- plimsoll: $NAME -->"
body=$DIRECTORY/comment.md
{
    say "$mark"
    if [ -s "$here/report.md" ]; then
        cat "$here/report.md"
    else
        printf '## Plimsoll\n\n- Result: **%s**\n\n' "$result"
        sed 's/^/    /' "$here/log.txt" | head -n 20
    fi
    if [ "$attempt" -gt 1 ] || [ "$red" = true ] || [ "$outcome" != ok ]; then
        printf '\n%s: %s. Exit status by attempt: %s.\n' "$NAME" "$result" "$history"
    fi
} >"$body"
if [ "$(wc -c <"$body")" -gt 60000 ]; then # GitHub's limit is 65,536 characters
    sed '/^<details>$/,$d' "$body" >"$body.short"
    printf '\nThe full report is in the artifact of this job.\n' >>"$body.short"
    mv "$body.short" "$body"
fi
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$body" >>"$GITHUB_STEP_SUMMARY"
[ -z "${GITHUB_OUTPUT:-}" ] ||
    printf 'outcome=%s\nstatus=%s\nattempts=%s\ndirectory=%s\n' "$outcome" "$status" "$attempt" "$DIRECTORY" >>"$GITHUB_OUTPUT"

# Posts or updates the pull request's comment. A failure, for example for a fork, does not fail the job.
comment() {
    number=$(jq -r '.pull_request.number // empty' "${GITHUB_EVENT_PATH:-/dev/null}") || return 1
    [ -n "$number" ] || return 0 # not a pull request
    there=repos/$GITHUB_REPOSITORY/issues/$number/comments
    own=$(gh api --paginate "$there" --jq \
        ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$mark\"))) | .id" | head -n 1) || return 1
    if [ -n "$own" ]; then
        gh api -X PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$own" -F "body=@$body" >/dev/null
    else
        gh api "$there" -F "body=@$body" >/dev/null
    fi
}
if [ "$COMMENT" = true ] && [ -n "${GITHUB_EVENT_PATH:-}" ]; then
    comment || annotate warning "cannot post the report as a comment: the job needs 'permissions: pull-requests: write'"
fi

if [ "$red" = true ]; then
    annotate error "$result (exit status by attempt: $history)${why:+: $why}"
    exit 1
elif [ "$outcome" != ok ]; then
    annotate warning "$result (exit status by attempt: $history)${why:+: $why}"
elif [ "$attempt" -gt 1 ]; then
    annotate notice "ok at attempt $attempt (exit status by attempt: $history)"
fi
exit 0
