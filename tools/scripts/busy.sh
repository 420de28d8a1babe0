#!/bin/sh
# Runs a command while busy loops hold the processors: 'busy.sh [LOOPS] -- COMMAND…'. LOOPS is four for each processor
# by default. The loops run as long as the command.
loops=$((4 * $(getconf _NPROCESSORS_ONLN)))
[ "$1" = -- ] || { loops=$1; shift; }
shift
pids=
stop() { for pid in $pids; do kill "$pid" 2>/dev/null; done; }
trap stop EXIT
trap 'exit 130' INT TERM
for _ in $(seq "$loops"); do
	while :; do :; done &
	pids="$pids $!"
done
"$@"
