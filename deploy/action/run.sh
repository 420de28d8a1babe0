#!/bin/sh
# Makes the runs of a plan for a job of GitHub Actions, says on its page and in a comment what came of them, and ends
# with 1 where the job is to fail. action.yml calls it; all that it is told is in variables, each of which has the name
# of an input: PLAN, ARGS, BINARY, COMMENT, NAME, FAIL_ON, ATTEMPTS, DIRECTORY.
#
# A busy runner must not fail a change. So what went wrong is made again, up to ATTEMPTS times: the job is green as soon
# as one attempt went well, and red when two have missed a goal, or one did and none went well. What cannot be trusted
# or told (status 4) is a warning, unless FAIL_ON is invalid.
set -u

say() { printf '%s\n' "$*"; }

# A line for GitHub, which takes what begins with :: for a command: nothing else of a text must be one.
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
NAME=$(printf '%s' "${NAME:-${PLAN:-plimsoll}}" | tr -cd 'A-Za-z0-9 ._/-') # it stands in a comment of HTML

case $FAIL_ON in thresholds | invalid | never) ;; *) wrong "fail-on is '$FAIL_ON': it must be thresholds, invalid or never" ;; esac
case $COMMENT in true | false) ;; *) wrong "comment is '$COMMENT': it must be true or false" ;; esac
case $ATTEMPTS in [1-9]) ;; *) wrong "attempts is '$ATTEMPTS': it must be from 1 to 9" ;; esac
command -v "$BINARY" >/dev/null || wrong "there is no program $BINARY: say where it is with binary, or which to install with version"

# The command, of which each line of ARGS is an argument: a shell's quotes would be another program's to read.
set --
[ -z "$PLAN" ] || set -- run "$PLAN"
while IFS= read -r line || [ -n "$line" ]; do
    [ -z "$line" ] || set -- "$@" "$line"
done <<END
$ARGS
END
[ $# -gt 0 ] || wrong "neither plan nor args is given: say what is to be run"

mkdir -p "$DIRECTORY" || wrong "cannot make the directory $DIRECTORY"

# Attempts are made until one says how the job ends.
attempt=0 missed=0 untrusted=0 failed=0 outcome='' kept='' history=''
while [ -z "$outcome" ] && [ "$attempt" -lt "$ATTEMPTS" ]; do
    attempt=$((attempt + 1))
    here=$DIRECTORY/attempt-$attempt
    rm -rf "$here"
    mkdir -p "$here" || wrong "cannot make the directory $here"
    say "attempt $attempt of at most $ATTEMPTS: plimsoll $*" | sed 's/^::/ ::/'
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

# What is kept is the attempt that says it: the last one, or the last that missed.
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
usage | interrupted) red=true ;; # nothing was told that could be judged
esac
case $outcome in
ok) result='as it should be' ;;
missed) result='a goal was missed' ;;
untrusted) result='the measurement cannot tell' ;;
failed) result='the run failed' ;;
usage) result='the command is wrong' ;;
interrupted) result='interrupted' ;;
esac

# The report, in short, below the mark by which the next one finds this comment.
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
        printf '\n%s: %s. Exit status of each attempt: %s.\n' "$NAME" "$result" "$history"
    fi
} >"$body"
if [ "$(wc -c <"$body")" -gt 60000 ]; then # GitHub takes 65,536 characters
    sed '/^<details>$/,$d' "$body" >"$body.short"
    printf '\nThe whole report is among the files of this job.\n' >>"$body.short"
    mv "$body.short" "$body"
fi
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$body" >>"$GITHUB_STEP_SUMMARY"
[ -z "${GITHUB_OUTPUT:-}" ] ||
    printf 'outcome=%s\nstatus=%s\nattempts=%s\ndirectory=%s\n' "$outcome" "$status" "$attempt" "$DIRECTORY" >>"$GITHUB_OUTPUT"

# One comment a change: that of an earlier push is written anew. That there can be none, as from a fork, fails no job.
comment() {
    number=$(jq -r '.pull_request.number // empty' "${GITHUB_EVENT_PATH:-/dev/null}") || return 1
    [ -n "$number" ] || return 0 # no pull request
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
    comment || annotate warning "the report could not be written as a comment: the job needs 'permissions: pull-requests: write'"
fi

if [ "$red" = true ]; then
    annotate error "$result (exit status of each attempt: $history)${why:+: $why}"
    exit 1
elif [ "$outcome" != ok ]; then
    annotate warning "$result (exit status of each attempt: $history)${why:+: $why}"
elif [ "$attempt" -gt 1 ]; then
    annotate notice "as it should be at attempt $attempt (exit status of each attempt: $history)"
fi
exit 0
