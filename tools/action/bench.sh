#!/bin/sh
# How often the example of the Action is red: RUNS times with a server that nothing is wrong with, on a machine that is
# kept busy, where each red one is false; and SLOW times with a server that is really too slow, where each must be red.
# It fails where more than one in twenty is red falsely, or a slow server passes.
#
#   tools/action/bench.sh BINARY    RUNS=20 SLOW=5 SPINNERS=2 by default; the results are in DIR, bin/action by default
set -eu
cd "$(dirname "$0")/../.."
binary=$(realpath "$1")
runs=${RUNS:-20} slow=${SLOW:-5} spinners=${SPINNERS:-2} dir=${DIR:-bin/action}
rm -rf "$dir"
mkdir -p "$dir"

started=
stop() {
    for pid in $started; do kill "$pid" 2>/dev/null || true; done
    started=
}
trap stop EXIT
trap 'exit 130' INT TERM

serve() { # settings of the server; its URL is in $url
    "$binary" serve http --listen 127.0.0.1:0 "$@" 2>"$dir/server.txt" &
    started="$started $!"
    url=
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        url=$(sed -n 's/^serving HTTP at //p' "$dir/server.txt")
        [ -z "$url" ] || return 0
        sleep 0.5
    done
    echo 'the server does not start'
    exit 1
}

red=0 attempts=0 warned=0
measure() { # of the name, so many times
    red=0 attempts=0 warned=0 i=0
    while [ "$i" -lt "$2" ]; do
        i=$((i + 1))
        : >"$dir/output.txt"
        status=0
        env -u GITHUB_EVENT_PATH -u GITHUB_STEP_SUMMARY SERVER="$url" PLAN=deploy/action/plan.yaml BINARY="$binary" \
            COMMENT=false DIRECTORY="$dir/$1-$i" GITHUB_OUTPUT="$dir/output.txt" \
            sh deploy/action/run.sh >"$dir/$1-$i.log" 2>&1 || status=$?
        [ "$status" = 0 ] || red=$((red + 1))
        ! grep -q '^outcome=untrusted$' "$dir/output.txt" || warned=$((warned + 1))
        attempts=$((attempts + $(sed -n 's/^attempts=//p' "$dir/output.txt")))
        history=$(sed -n 's/^  exit status //p' "$dir/$1-$i.log" | tr '\n' ' ')
        printf '%s %d of %d: job %s, attempts ended with %s(load %s)\n' "$1" "$i" "$2" "$status" "$history" \
            "$(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null)"
    done
}

printf '%s processors, load %s before; %s processes spin\n' "$(getconf _NPROCESSORS_ONLN)" \
    "$(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null)" "$spinners"
n=0
while [ "$n" -lt "$spinners" ]; do
    n=$((n + 1))
    sh -c 'while :; do :; done' &
    started="$started $!"
done
serve
measure unchanged "$runs"
false=$red
printf 'unchanged: %d of %d are red, falsely, and %d could not tell; %d attempts\n' "$red" "$runs" "$warned" "$attempts"
serve --delay 30ms
measure slow "$slow"
printf 'slow (30 ms each, and p50<20ms is the goal): %d of %d are red; %d attempts\n' "$red" "$slow" "$attempts"
[ $((false * 20)) -le "$runs" ] && [ "$red" = "$slow" ]
