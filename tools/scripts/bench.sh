#!/bin/sh
# Runs a benchmark that measures Plimsoll against a truth outside it, or beside other programs. A machine that does
# nothing else gives the best results.
#
#   bench.sh accuracy  write throughput on links of known rate: half an hour. Without network namespaces (root, iproute2)
#                      the links are throttled receivers in user space. LINK= selects links by name; ACCURACY_FLOWS,
#                      ACCURACY_KIB, ACCURACY_ATTEMPTS and ACCURACY_CONN=1 change what is sent.
#   bench.sh action    runs the example of the GitHub Action on a busy machine: ten minutes (RUNS, SLOW, SPINNERS)
#   bench.sh compare   compares servers and clients 5% apart, and equal ones: two hours (PLIMSOLL_CAMPAIGNS=5)
#   bench.sh course    measures a transfer through an even rate, a step and a freeze, against a proxy: a minute
#   bench.sh page      measures the time until Chromium has drawn the page of a run of ten minutes
#   bench.sh peers     measures plimsoll http beside other load generators: six minutes (ROUNDS, SCENES)
#   bench.sh search    compares the search of loadline with MLRsearch, in simulated time: a few minutes
#   bench.sh sweep     sweeps servers whose capacity is computed: five minutes
#   bench.sh until     counts how often the interval covers when a run stops by itself (PLIMSOLL_CAMPAIGNS, UNTIL)
#   bench.sh verdict   compares send delays with a server's own stamps, and counts right and wrong verdicts under
#                      conditions that it makes: hours. TRIALS, OTHERS, WINDOW and ONLY shorten it; FOR=9m ends it;
#                      BINARY= is judged instead of this tree's.
#   bench.sh ws        measures receivers of chat --fanout beside loops that only read: ten minutes
#   bench.sh own       prints the benchmarks that one of these runs, which 'make bench' leaves out
set -eu
cli() { go test -run '^$' -bench "$@" ./internal/cli; }
case $1 in
own)
	echo 'DelayAgainstTruth|OpenAtHalf|IdleClients|Bandwidth|OverheadExec|SweepAgainstTruth' \
		'CourseAgainstProxy|Receivers|FanOutCounts|CompareAlternation|CompareFinds|UntilLaunches|OverheadAgainst' \
		SendDelayAgainstArrivals | tr ' ' '|'
	;;
accuracy)
	link=${LINK:-.}
	go test -c -o bin/throughputtest ./throughput/throughputtest
	PLIMSOLL_NIGHTLY=1 PLIMSOLL_SEEDS=0-9 go test -count=1 -run Delivered -v ./throughput
	PLIMSOLL_ACCURACY=table bin/throughputtest -test.timeout 90m -test.run \
		"TestAccuracy/$link|TestAccuracyOfFlows/$link|TestAccuracyOfReads/$link|TestAccuracyOfSources/$link"
	;;
action) tools/action/bench.sh bin/plimsoll ;;
compare)
	cli CompareAlternation -benchtime 8x -timeout 10m
	cli CompareFinds -benchtime 1x -timeout 60m
	cli OverheadAgainst -benchtime 1x -timeout 3h
	;;
course) cli CourseAgainstProxy -benchtime 1x -timeout 10m ;;
page)
	PLIMSOLL_BINARY=$PWD/bin/plimsoll PLIMSOLL_BENCH=1 GOWORK=off \
		go test -C tools/browser -count=1 -v -run TestPages/large ./...
	;;
peers)
	tools/peers/install.sh .peers/http
	GOWORK=off go -C tools build -o "$PWD/bin/" ./peers
	go test -c -o bin/httpbench ./internal/workload/http
	bin/peers -binary bin/plimsoll -peers .peers/http -allocations bin/httpbench -rounds "${ROUNDS:-5}" \
		-only "${SCENES:-closed,tls,http2,open,idle,stall}"
	;;
search)
	PLIMSOLL_MLRSEARCH=$PWD/.peers/mlrsearch/bin/python go test -count=1 -run AgainstMLRsearch -v -timeout 30m ./internal/search
	;;
sweep) cli SweepAgainstTruth -benchtime 1x -timeout 20m ;;
until) cli UntilLaunches -benchtime 1x -timeout 60m ;;
verdict)
	[ -n "${ONLY-}${BINARY-}" ] || cli SendDelayAgainstArrivals -benchtime 1x
	GOWORK=off go -C tools/verdict build -o "$PWD/bin/verdict" .
	bin/verdict -binary "${BINARY:-bin/plimsoll}" ${SEED:+-seed "$SEED"} ${FOR:+-for "$FOR"} ${OTHERS:+-others "$OTHERS"} \
		-trials "${TRIALS:-20}" -time "${WINDOW:-10s}" -only "${ONLY-}" -out bin/verdict.json
	;;
ws)
	go test -c -o bin/clitest ./internal/cli
	cd internal/cli
	../../bin/clitest -test.run '^$' -test.bench 'Receivers$' -test.benchtime 10x -test.timeout 30m
	../../bin/clitest -test.run '^$' -test.bench 'ReceiversMemory|FanOutCounts' -test.benchtime 3x -test.timeout 30m
	;;
*)
	echo "bench.sh: there is no benchmark '$1'" >&2
	exit 2
	;;
esac
