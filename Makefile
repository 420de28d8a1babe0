# make          build bin/plimsoll
# make install  copy it to $(PREFIX)/bin, ~/.local/bin by default
# make run      build it and run the five demos, about a minute and a quarter
# make tidy     go.mod and go.sum of all modules as their imports need them
# make check    format, modules, vet, staticcheck, and the tests with goroutines under the race detector
# make setup    installs what the tests use of the system, as root on Debian, and says what; make setup-list says it alone
# make test     all tests, those against foreign peers included, which it fetches first; says what was left out, and why
# make test-stores  the tests against HDFS, race detector on; needs Java and Maven, fetches Hadoop first
# make test-sdks    the AWS SDKs for Java and Kotlin against the canned responder, HdrHistogram's tools on our logs; needs Java and Maven
# make test-transports  the topics against servers in Java, race detector on; needs Java and Maven
# make release  archives, packages, a container image and their checksums in dist (VERSION=v0.2.0, PLATFORMS=linux/amd64)
# make release-prepare VERSION=v0.2.0  the versions and sums of the modules, before a release is tagged
# make test-release  a release on a local module proxy: its importers, go install; what 'make release' makes, used
# make test-hostile  every command that connects against every server that lies, stalls and floods; twenty minutes
# make test-docs  the commands of README and docs that take minutes
# make bench    the benchmarks
# make bench-accuracy   write throughput against the truth, on links of known rate (Linux, root)
# make bench-course   the course of a transfer, second by second, against a proxy's own count; a minute
# make bench-sweep      sweeps of servers that can be computed: throughput, efficiency, best setting, how it ends
# make bench-compare    comparisons of servers and of clients a known 5 % apart, and alike; slices of 20 ms beside 500 ms; two hours
# make bench-verdict    whether verdicts are right, under conditions that it makes (Linux; root for all of them)
# make bench-peers      'plimsoll http' beside wrk, h2load, fortio, hey and k6, which it fetches where it can; six minutes
# make bench-search     the search of 'loadline' beside MLRsearch, on servers that are computed: how often right, probe time
# make bench-action     how often the example of the GitHub Action fails falsely on a busy machine, and a slow server passes; ten minutes
# make bench-page       how soon Chromium has drawn the page of a run of 10 minutes, two seconds at most
# make bench-ws         receivers of 'chat --fanout' beside loops that only read: processor time, memory, what is found; ten minutes
# make mutants  changes comparisons, constants and returns, and fails where no test notices (MUTANTS='-all rundoc')
# make fuzz     each fuzz target for a few seconds (FUZZTIME=10s, FUZZ='-sample 6' some of them)
# make nightly  what takes hours: each fuzz target for minutes, all under the race detector, the soak
# make soak     servers and workloads for an hour under faults: memory, goroutines and files stay bounded (SOAK=10m)
# make vuln     known vulnerabilities of what the binary has in it, where their database can be had

GO      ?= go
PYTHON  ?= python3
PACKAGE := github.com/plimsoll/plimsoll/internal/run
VERSION := $(shell git describe --tags --match 'v[0-9]*' --always --dirty 2>/dev/null || echo devel)
COMMIT  := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
# -s -w leaves out the tables for debuggers, 35 MB; stack traces do not need them.
LDFLAGS := -s -w -X $(PACKAGE).version=$(VERSION) -X $(PACKAGE).commit=$(COMMIT)
# The tools are in modules of their own, which are none of go.work.
TOOLS   := GOWORK=off $(GO) -C tools
# The race detector needs cgo, and that a C compiler; a machine without one can still run the tests.
RACE    := $(if $(shell command -v cc 2>/dev/null || command -v gcc 2>/dev/null),-race)
RACING  := $(if $(RACE),CGO_ENABLED=1)
# Google's storage client has a second transport, over gRPC, which is not used here: without
# its modules the binary is 20 MB smaller. The pages on which gRPC shows its calls are made with
# templates, which look methods up by name: with them the linker keeps all methods, 25 MB.
# The tests are built as the binary is, without cgo and without paths of this machine: they test what is shipped, and all is
# compiled once.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath -tags=disable_grpc_modules,grpcnotrace)
export CGO_ENABLED := 0
FUZZTIME ?= 10s
FUZZ     ?=
SOAK     ?= 1h
# Where the tests that were left out are listed, with their reasons: an absolute path. .ci/run has one for all targets.
LEFT_OUT ?= $(CURDIR)/bin/left-out.txt
# The tests of the command line wait for runs, which last as long as they were told to: more than one for each processor
# go on at once, and so do one package more than there are processors. 'make lint' has all vetted. The compiler and the
# linker take a fifth less of the processors' time where they collect garbage less often.
RUN_TESTS := bin/runtests $(LEFT_OUT)
TIMEOUT  ?= 30m
AT_ONCE  := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 1)))
LAZY_GC  := GOGC=400
TESTS    = $(RUN_TESTS) -vet=off -toolexec 'env $(LAZY_GC)' -p $(AT_ONCE) -parallel 4 -timeout $(TIMEOUT)
PREFIX  ?= $(HOME)/.local

# The tests against foreign peers run with this Python and are skipped without it.
VENV_PYTHON := $(CURDIR)/.venv/bin/python
# Those of the stores run against these servers, likewise.
FAKE_GCS := $(CURDIR)/bin/fake-gcs-server
AZURITE  := $(CURDIR)/tools/npm/node_modules/azurite/dist/src/blob/main.js
# And those of --otlp.
OTELCOL := $(CURDIR)/bin/otelcol
# And those of the dashboards, and of --metrics.
PROMETHEUS := $(CURDIR)/.peers/prometheus/prometheus
# And those of HTTP, against servers that others wrote.
WEB := $(CURDIR)/.peers/web
# And those of WebSocket, against brokers.
BROKERS := $(CURDIR)/.peers/brokers
PEERS    := PLIMSOLL_PYTHON=$(VENV_PYTHON) PLIMSOLL_FAKE_GCS=$(FAKE_GCS) PLIMSOLL_AZURITE=$(AZURITE) \
	PLIMSOLL_PROMETHEUS=$(PROMETHEUS) PLIMSOLL_OTELCOL=$(OTELCOL) PLIMSOLL_WEB=$(WEB) PLIMSOLL_BROKERS=$(BROKERS) \
	PLIMSOLL_NODE_MODULES=$(CURDIR)/tools/npm/node_modules

.PHONY: build small install run check lint tidy release release-prepare test-release race setup setup-list peers runtests test test-stores test-sdks test-transports test-docs bench bench-accuracy bench-course bench-sweep bench-compare bench-until bench-verdict bench-peers bench-search bench-action bench-page bench-ws mutants fuzz fuzz-nightly nightly soak vuln clean test-hostile
.DEFAULT_GOAL := build

build:
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/plimsoll ./cmd/plimsoll
	@echo 'built bin/plimsoll; next: bin/plimsoll chat'

# Without the linker's tables for debuggers, and as long as nothing looks methods up by a name that
# is not known at build time (docs/dependencies.md says how to find what does).
MAX_SIZE := 70000000
small: build
	@size=$$(wc -c <bin/plimsoll); [ $$size -le $(MAX_SIZE) ] || \
		{ echo "bin/plimsoll has $$size bytes, more than $(MAX_SIZE): docs/dependencies.md says what makes it large"; exit 1; }

install: build
	mkdir -p $(DESTDIR)$(PREFIX)/bin
	cp bin/plimsoll $(DESTDIR)$(PREFIX)/bin/plimsoll

# Nothing but the four answers is printed, all four also where one of them is not to be trusted.
# Four answers. That one of them is not to be trusted (status 4), as on a busy machine, is no failure of this target:
# the answer says so.
run:
	@$(MAKE) --silent --no-print-directory build >/dev/null
	@status=0; for kind in http chat bandwidth overhead updates; do \
		bin/plimsoll $$kind || { code=$$?; [ $$code -eq 4 ] || status=$$code; }; done; exit $$status

check: lint race

lint:
	@unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then echo "gofmt -w is needed on:"; echo "$$unformatted"; exit 1; fi
	$(GO) test -count=1 ./internal/archtest
	for module in $$(git ls-files 'tools/*go.mod'); do (cd $$(dirname $$module) && GOWORK=off $(GO) mod tidy -diff) || exit 1; done
	@$(TOOLS) build -o $(CURDIR)/bin/ ./release honnef.co/go/tools/cmd/staticcheck
	bin/release check
	$(LAZY_GC) $(GO) vet work
	$(LAZY_GC) bin/staticcheck work
	$(TOOLS) vet ./...
	@$(TOOLS) build -o $(CURDIR)/bin/ github.com/rhysd/actionlint/cmd/actionlint
	tools/action/lint.sh bin/actionlint

# What the modules of go.work require of each other has no published version: as 'go mod tidy' in
# each, behind a module proxy made of this directory.
tidy:
	@$(TOOLS) build -o $(CURDIR)/bin/ ./release
	bin/release tidy

# What people install, in dist. Each platform takes as long as a first 'make', the next time much less; PLATFORMS=linux/amd64
# is one alone. MAINTAINER is who answers for the packages.
PLATFORMS  ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
MAINTAINER ?= Plimsoll <maintainer@plimsoll.invalid>
release:
	GOWORK=off $(GO) -C tools/package build -o $(CURDIR)/bin/ .
	bin/package -version '$(VERSION)' -commit '$(COMMIT)' -maintainer '$(MAINTAINER)' -ldflags '$(LDFLAGS)' \
		-out dist $(PLATFORMS)

# The modules' own versions, which are tagged before anything is built of them.
release-prepare:
	@$(TOOLS) build -o $(CURDIR)/bin/ ./release
	bin/release prepare $(VERSION)

# A release in a copy of this directory, and what those get who import or install it; and the packages for this machine's
# processor, unpacked and run. What the other platforms would not compile is found by their types, which takes seconds.
PACKAGES := $(CURDIR)/.peers/packages
test-release: .venv/ready runtests
	@tools/package/install.sh $(PACKAGES)
	$(LAZY_GC) GOWORK=off $(RUN_TESTS) -C tools -count=1 -timeout 30m ./release
	GOWORK=off $(GO) -C tools/package vet .
	PLIMSOLL_PYTHON=$(VENV_PYTHON) PLIMSOLL_PACKAGES=$(PACKAGES) GOWORK=off $(RUN_TESTS) -C tools/package -count=1 -timeout 30m .
	$(SAY_LEFT_OUT)

# The packages in which goroutines are started, with the foreign peers: the others have no race to find, and 'make test' runs
# their tests. So with -short those that could start some and say that they do not (//runtests:alone), such as the reports.
# -short leaves out what measures time, which the race detector distorts, and has simulations take fewer
# seeds: RACE_SHORT= does not ('make nightly').
# A program under the race detector sleeps for a second before it ends, for races to come: the tests of the command line
# start hundreds of them.
# -timeout ends what hangs: a slow and busy machine takes many times what a quick one does.
RACE_SHORT ?= -short
race: peers runtests
	@[ -n "$(RACE)" ] || echo 'no C compiler found: the tests run without the race detector'
	$(PEERS) $(RACING) GORACE=atexit_sleep_ms=10 $(TESTS) $(RACE) $(RACE_SHORT) \
		$$(bin/runtests $(if $(RACE_SHORT),-beside,-concurrent) work)
	$(SAY_LEFT_OUT)

# What the tests use of the system. Nothing else here installs anything.
setup setup-list:
	@PYTHON='$(PYTHON)' tools/setup/setup.sh $(if $(filter setup-list,$@),list)

# What the tests use that is fetched into this directory, without root.
peers: .venv/ready $(FAKE_GCS) $(OTELCOL) tools/npm/node_modules/ready
	@tools/prometheus/install.sh $(PROMETHEUS)
	@tools/web/install.sh $(WEB)
	@tools/brokers/install.sh $(BROKERS)
	@$(VENV_PYTHON) --version >/dev/null || { echo '.venv was made by a Python that is gone: rm -r .venv, and try again'; exit 1; }

# Programs that run the tests. A list of what is left out begins anew, but for that of a caller's.
runtests:
	@$(TOOLS) build -o $(CURDIR)/bin/ ./runtests
	@$(if $(filter file,$(origin LEFT_OUT)),rm -f $(LEFT_OUT))

SAY_LEFT_OUT = @bin/runtests -say $(LEFT_OUT)

test: peers small runtests
	$(PEERS) $(TESTS) -count=1 work
	$(PEERS) PLIMSOLL_BINARY=$(CURDIR)/bin/plimsoll GOWORK=off $(RUN_TESTS) -C tools/browser -count=1 -timeout 10m ./...
	GOWORK=off $(GO) -C tools/verdict vet .
	GOOS=darwin GOWORK=off $(GO) -C tools/verdict vet .
	GOWORK=off $(GO) -C tools/verdict test .
	$(TOOLS) test ./mutants ./runtests ./fuzz ./soak
	$(SAY_LEFT_OUT)

# What an earlier try left behind is thrown away.
.venv/ready: tools/python/requirements.txt
	$(call needs,$(PYTHON),Python from 3.9 on with venv (Debian: python3-venv))
	$(PYTHON) -m venv --clear .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check -r tools/python/requirements.txt
	@touch $@

$(FAKE_GCS): tools/fakegcs/go.mod tools/fakegcs/go.sum
	cd tools/fakegcs && GOWORK=off $(GO) build -o $@ github.com/fsouza/fake-gcs-server

$(OTELCOL): tools/otelcol/go.mod tools/otelcol/go.sum $(wildcard tools/otelcol/*.go)
	cd tools/otelcol && GOWORK=off $(GO) build -o $@ .

tools/npm/node_modules/ready: tools/npm/package.json tools/npm/package-lock.json
	$(call needs,npm,Node.js with npm (Debian: npm))
	cd tools/npm && npm ci --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

# HDFS needs Java and seconds to start: its tests have a target of their own, and 'make test'
# skips them.
test-stores: .peers/hadoop/ready runtests
	PLIMSOLL_MINICLUSTER=$(CURDIR)/.peers/hadoop $(RACING) $(RUN_TESTS) $(RACE) -count=1 -timeout 10m ./internal/store/hdfs

.peers/hadoop/ready: tools/maven/pom.xml $(wildcard tools/maven/src/main/java/plimsoll/*.java)
	$(JAVA_IS_THERE)
	rm -rf .peers/hadoop
	mvn -q -B -ntp -f tools/maven/pom.xml -Dpeers=$(CURDIR)/.peers/hadoop compiler:compile dependency:copy-dependencies
	@touch $@

# Likewise the AWS SDKs for Java and Kotlin, clients of the canned responder that nobody here wrote.
# And HdrHistogram's own reader of its logs.
test-sdks: .peers/awssdk/ready .peers/hdrhistogram/ready runtests
	PLIMSOLL_JAVA_SDKS=$(CURDIR)/.peers/awssdk $(RUN_TESTS) -count=1 -timeout 10m -run TestJavaSDKs ./internal/cli
	PLIMSOLL_HDRHISTOGRAM=$(CURDIR)/.peers/hdrhistogram $(RUN_TESTS) -count=1 -timeout 10m -run TestJava ./internal/hlog

.peers/awssdk/ready: tools/awssdk/pom.xml $(wildcard tools/awssdk/src/main/*/plimsoll/*)
	$(JAVA_IS_THERE)
	rm -rf .peers/awssdk
	mvn -q -B -ntp -f tools/awssdk/pom.xml -Dpeers=$(CURDIR)/.peers/awssdk kotlin:compile compiler:compile dependency:copy-dependencies
	@touch $@

# Likewise the message services that are written in Java.
test-transports: .peers/elasticmq/ready .peers/kafka/ready runtests
	PLIMSOLL_ELASTICMQ=$(CURDIR)/.peers/elasticmq PLIMSOLL_KAFKA=$(CURDIR)/.peers/kafka \
	$(RACING) $(RUN_TESTS) $(RACE) -count=1 -timeout 10m -run 'TestElasticMQ|TestKafka' ./internal/topic/sqs ./internal/topic/kafka

.peers/elasticmq/ready .peers/kafka/ready .peers/hdrhistogram/ready: .peers/%/ready: tools/%/pom.xml
	$(JAVA_IS_THERE)
	rm -rf .peers/$*
	mvn -q -B -ntp -f $< -Dpeers=$(CURDIR)/.peers/$* dependency:copy-dependencies
	@touch $@

# All pairs of a command and a hostile server; make test has a sample of them. PLIMSOLL_HOSTILE_ONLY='^s3/http-' (part of
# CLIENT/MODE) makes it less, and PLIMSOLL_HOSTILE_LOUD=1 shows what each said, how long it took, and its memory.
test-hostile:
	PLIMSOLL_HOSTILE=all $(GO) test -count=1 -timeout 90m -v -run 'TestHostileServers' ./internal/cli

# The commands of the documents that take minutes; the others are part of make test.
test-docs: .venv/ready runtests
	$(PEERS) PLIMSOLL_DOCUMENTS=slow $(TESTS) -count=1 -run TestDocuments ./internal/cli

# needs fails unless there is such a program, and says what to install.
needs = @command -v $(1) >/dev/null || { echo '$(1) is missing: install $(2)'; exit 1; }

define JAVA_IS_THERE
$(call needs,javac,a JDK from 17 on (Debian: openjdk-17-jdk-headless))
$(call needs,mvn,Maven from 3.6.3 on (Debian: maven))
endef

# A program of which a part was written is no program.
.DELETE_ON_ERROR:

# The last ones run whole commands: against a target with a known delay, at half of the full
# rate, with idle clients, and in turn with a bare loop of the same WebSocket library against
# the same target, with the ratios of throughput and of processor time.
COMMANDS := DelayAgainstTruth|OpenAtHalf|IdleClients|AgainstBareLoop|Bandwidth|OverheadExec
SWEEPS   := SweepAgainstTruth
COURSES  := CourseAgainstProxy
FANOUTS  := Receivers|FanOutCounts
COMPARES := CompareAlternation|CompareFinds|UntilLaunches
bench: build
	$(GO) test -run '^$$' -bench . -skip '$(COMMANDS)|$(SWEEPS)|$(COURSES)|$(FANOUTS)|$(COMPARES)' -benchmem work
	$(GO) test -run '^$$' -bench '$(COMMANDS)' -benchtime 3x ./internal/cli

# Without network namespaces (root, iproute2) the links are throttled receivers in user space.
# Half an hour; in parts by LINK (part of a link's name, as 20_Mbit or bbr), and the variables ACCURACY_FLOWS=1,2,4,8
# ACCURACY_KIB=256,1024,4096 ACCURACY_ATTEMPTS=56 (of each), and ACCURACY_CONN=1 for a client on throughput.Conn.
# BEFORE='nice -n -10' has the client go before what else runs.
LINK ?= .
bench-accuracy:
	$(GO) test -c -o bin/throughputtest ./throughput/throughputtest
	$(GO) test -count=1 -run Delivered -v ./throughput
	PLIMSOLL_ACCURACY=table $(BEFORE) bin/throughputtest -test.run 'TestAccuracy/$(LINK)|TestAccuracyOfFlows/$(LINK)|TestAccuracyOfReads/$(LINK)|TestAccuracyOfSources/$(LINK)' -test.timeout 90m

# Servers with so many workers and a fixed service time, on real sockets: five minutes. A figure of the sweep that is
# more than 3 % away from the computed one fails; on a machine that is busy otherwise it may.
bench-sweep:
	$(GO) test -run '^$$' -bench '$(SWEEPS)' -benchtime 1x -timeout 20m ./internal/cli

# PLIMSOLL_CAMPAIGNS=5 makes it shorter. More than 3 of 20 false differences fail, and fewer than 16 true ones found.
bench-compare:
	$(GO) test -run '^$$' -bench 'CompareAlternation' -benchtime 8x -timeout 10m ./internal/cli
	$(GO) test -run '^$$' -bench 'CompareFinds' -benchtime 1x -timeout 60m ./internal/cli
	$(GO) test -run '^$$' -bench 'OverheadAgainst' -benchtime 1x -timeout 3h ./internal/cli

# PLIMSOLL_CAMPAIGNS=5 makes it shorter, UNTIL='p99±20%' asks for something else. Fewer than nine in ten that cover fail.
bench-until:
	$(GO) test -run '^$$' -bench 'UntilLaunches' -benchtime 1x -timeout 60m ./internal/cli

# Through an even rate, a step and a freeze, both ways. The worst second is to be within 3 percent of the proxy's.
bench-course:
	$(GO) test -run '^$$' -bench '$(COURSES)' -benchtime 1x -timeout 10m ./internal/cli

# It takes hours: TRIALS, OTHERS (trials of what is no clear trouble of the generator), WINDOW, PARTS and ONLY
# (part of the conditions' names) make it shorter. FOR=9m ends it after that time, and RESUME=bin/verdict.json
# goes on with what is missing then, with that file's seed and window. BINARY= is judged instead of what
# stands here, and takes turns with BEFORE= if there is one.
TRIALS ?= 20
WINDOW ?= 10s
PARTS  ?= conditions pacing hotpath
bench-verdict: $(if $(BINARY),,build)
	GOWORK=off $(GO) -C tools/verdict build -o $(CURDIR)/bin/verdict .
	GOWORK=off $(GO) -C tools/wsbench build -o $(CURDIR)/bin/wsbench .
	bin/verdict -binary $(or $(BINARY),bin/plimsoll) $(if $(BEFORE),-before $(BEFORE)) $(if $(SEED),-seed $(SEED)) \
		$(if $(FOR),-for $(FOR)) $(if $(RESUME),-resume $(RESUME),-time $(WINDOW)) $(if $(OTHERS),-others $(OTHERS)) \
		-trials $(TRIALS) -only '$(ONLY)' -wsbench bin/wsbench -out bin/verdict.json $(PARTS)

# Generators ask the same nginx in turn, then each a server that stalls once: rates, processor time and allocations a
# request, memory of an idle connection, percentiles. What cannot be fetched is left out. ROUNDS, and SCENES for a part.
ROUNDS ?= 5
SCENES ?= closed,tls,http2,open,idle,stall
bench-peers: build
	@GO=$(GO) tools/peers/install.sh .peers/http
	@$(TOOLS) build -o $(CURDIR)/bin/ ./peers
	@$(GO) test -c -o bin/httpbench ./internal/workload/http
	bin/peers -binary bin/plimsoll -peers .peers/http -allocations bin/httpbench -rounds $(ROUNDS) -only $(SCENES)

# Both search the same servers with the same probes, in simulated time: a few minutes. Where MLRsearch's bounds are right
# as often as ours in less probe time, it fails.
bench-search: .peers/mlrsearch/ready
	PLIMSOLL_MLRSEARCH=$(CURDIR)/.peers/mlrsearch/bin/python $(GO) test -count=1 -run AgainstMLRsearch -v -timeout 30m ./internal/search

.peers/mlrsearch/ready: tools/mlrsearch/requirements.txt
	$(call needs,$(PYTHON),Python from 3.9 on with venv (Debian: python3-venv))
	$(PYTHON) -m venv --clear .peers/mlrsearch
	.peers/mlrsearch/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# On a machine that does nothing else.
bench-page: peers small
	$(PEERS) PLIMSOLL_BINARY=$(CURDIR)/bin/plimsoll PLIMSOLL_BENCH=1 GOWORK=off $(GO) test -C tools/browser -count=1 -v -run TestPages/large ./...

# Receivers, each kind in a process of its own, in turn; and a run whose server loses, doubles and swaps deliveries, and
# counts them.
bench-ws:
	$(GO) test -c -o bin/clitest ./internal/cli
	cd internal/cli && ../../bin/clitest -test.run '^$$' -test.bench 'Receivers$$' -test.benchtime 10x -test.timeout 30m
	cd internal/cli && ../../bin/clitest -test.run '^$$' -test.bench 'ReceiversMemory|FanOutCounts' -test.benchtime 3x -test.timeout 30m

# RUNS, SLOW and SPINNERS (processes that keep the machine busy) make it shorter or harder.
bench-action: build
	tools/action/bench.sh bin/plimsoll

# govulncheck asks https://vuln.go.dev, which is no registry of packages: where it cannot be reached this fails, and says
# so. That is why .ci/run does not call it.
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.1.4
vuln:
	@$(GO) run $(GOVULNCHECK) -tags disable_grpc_modules,grpcnotrace ./cmd/plimsoll || { code=$$?; [ $$code -eq 3 ] || \
		echo 'nothing was looked up: govulncheck (through the module proxy) or its database (vuln.go.dev) cannot be had here'; exit $$code; }

# A sample of what tools/mutants/packages.txt names, with its seed; -wide -n 1000 -escapes 1 is one of wide.txt, too.
# tools/mutants/doc.go has the flags.
MUTANTS ?= -n 60
mutants:
	@$(TOOLS) build -o $(CURDIR)/bin/ ./mutants
	bin/mutants $(MUTANTS)

# tools/fuzz/doc.go has the flags: -keep brings what was found into testdata/fuzz.
fuzz:
	@$(TOOLS) build -o $(CURDIR)/bin/ ./fuzz
	bin/fuzz -time $(FUZZTIME) $(FUZZ)

fuzz-nightly:
	$(MAKE) fuzz FUZZTIME=2m FUZZ=-keep

nightly: fuzz-nightly
	$(MAKE) race RACE_SHORT= TIMEOUT=4h
	$(MAKE) soak

# Each server and each workload, under faults, kills and interrupts. tools/soak/doc.go says what is bounded.
soak: build
	@$(TOOLS) build -o $(CURDIR)/bin/ ./soak
	bin/soak -binary bin/plimsoll -time $(SOAK)

clean:
	rm -rf bin dist .venv .peers tools/npm/node_modules
