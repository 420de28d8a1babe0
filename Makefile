# Run 'make help' for the list of targets. Longer recipes are scripts in tools/scripts.
GO      ?= go
PYTHON  ?= python3
PREFIX  ?= $(HOME)/.local
VERSION := $(shell git describe --tags --match 'v[0-9]*' --always --dirty 2>/dev/null || echo devel)
COMMIT  := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
# -s -w omits the debugger's tables, 35 MB; stack traces do not need them.
RUN     := github.com/plimsoll/plimsoll/internal/run
LDFLAGS := -s -w -X $(RUN).version=$(VERSION) -X $(RUN).commit=$(COMMIT)
# The tags omit the gRPC transport of Google's storage client (20 MB) and gRPC's trace pages (25 MB). Tests are built
# with the flags of the binary: they test what is shipped, and everything is compiled once.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath -tags=disable_grpc_modules,grpcnotrace)
export CGO_ENABLED := 0
# The modules of the tools are not part of go.work.
TOOLS   := GOWORK=off $(GO) -C tools
# Less frequent garbage collection saves a fifth of the compiler's and linker's time. More compilers than processors
# get a fair share of a busy machine.
BUILD   := GOGC=400 $(GO)
AT_ONCE := $(shell echo $$((4 * $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))))

# The tests find foreign peers by these variables, and skip what needs a peer that is not installed.
PEERS := PLIMSOLL_PYTHON=$(CURDIR)/.venv/bin/python \
	PLIMSOLL_FAKE_GCS=$(CURDIR)/bin/fake-gcs-server PLIMSOLL_OTELCOL=$(CURDIR)/bin/otelcol \
	PLIMSOLL_AZURITE=$(CURDIR)/tools/npm/node_modules/azurite/dist/src/blob/main.js \
	PLIMSOLL_NODE_MODULES=$(CURDIR)/tools/npm/node_modules \
	PLIMSOLL_PROMETHEUS=$(CURDIR)/.peers/prometheus/prometheus \
	PLIMSOLL_WEB=$(CURDIR)/.peers/web PLIMSOLL_BROKERS=$(CURDIR)/.peers/brokers
# A timeout only ends tests that hang: a busy machine takes many times as long as an idle one.
TIMEOUT ?= 60m
# Tests mostly wait, so four packages are tested at a time. 'make lint' runs vet.
GO_TEST := -vet=off -toolexec 'env GOGC=400' -p 4 -parallel 4 -timeout $(TIMEOUT)
# gotestsum prints the output of failed tests, and lists skipped ones with their reasons at the end.
TESTSUM := $(CURDIR)/bin/gotestsum --format pkgname-and-test-fails --hide-summary=output --
BROWSER := PLIMSOLL_BINARY=$(CURDIR)/bin/plimsoll GOWORK=off $(TESTSUM) -count=1 -timeout $(TIMEOUT)
# The race detector needs cgo, hence a C compiler. Programs under it would sleep for a second before they exit.
RACE    := CGO_ENABLED=1 GORACE=atexit_sleep_ms=10 $(PEERS) $(TESTSUM) $(GO_TEST) -race -count=1

BENCHES := accuracy action compare course page peers search sweep until verdict ws
JAVA    := stores sdks transports
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
.PHONY: help build install clean run setup setup-list peers lint tidy test race fuzz soak vuln nightly release release-prepare bench \
	$(addprefix test-,busy hostile docs release browser race-long java $(JAVA)) $(addprefix bench-,$(BENCHES))

##@ Build
build: ## build bin/plimsoll
	$(BUILD) build -p $(AT_ONCE) -ldflags '$(LDFLAGS)' -o bin/plimsoll ./cmd/plimsoll
	@tools/scripts/size.sh bin/plimsoll
	@echo 'built bin/plimsoll; next: bin/plimsoll http'

install: build ## copy it to PREFIX/bin (PREFIX=~/.local)
	install -D bin/plimsoll $(DESTDIR)$(PREFIX)/bin/plimsoll

run: ## build it and run the five demos
	@$(MAKE) --silent --no-print-directory build >/dev/null
	@tools/scripts/demos.sh bin/plimsoll

clean: ## delete everything that make created
	rm -rf bin dist .venv .peers tools/npm/node_modules

##@ Test
setup: ## install the system packages that the tests use (Debian, root)
	@PYTHON='$(PYTHON)' tools/setup/setup.sh

setup-list: ## list them
	@tools/setup/setup.sh list

lint: bin/tools.ready ## format, modules, vet, staticcheck, import rules, workflows
	@tools/scripts/lint.sh

test: peers build bin/tools.ready ## all tests; lists what was skipped, and why
	$(PEERS) $(TESTSUM) $(GO_TEST) -count=1 work
	cd tools/browser && $(PEERS) $(BROWSER) -short ./...
	$(TOOLS) test ./soak
	GOWORK=off $(GO) -C tools/verdict test .

test-busy: ## make test beside busy loops, four for each processor (LOOPS=8)
	@tools/scripts/busy.sh $(LOOPS) -- $(MAKE) test

race: peers bin/tools.ready ## packages that start goroutines, under the race detector
	$(RACE) -short $$(tools/scripts/concurrent.sh)

# The peers that are fetched into this directory, without root.
peers: .venv/ready bin/fake-gcs-server bin/otelcol tools/npm/node_modules/ready
	@tools/prometheus/install.sh $(CURDIR)/.peers/prometheus/prometheus
	@tools/web/install.sh $(CURDIR)/.peers/web
	@tools/brokers/install.sh $(CURDIR)/.peers/brokers

##@ Nightly
nightly: ## all that follows, and make test-busy; hours
	@tools/scripts/nightly.sh $(MAKE)

test-hostile: ## every command that connects against every server that lies, stalls and floods
	PLIMSOLL_NIGHTLY=1 PLIMSOLL_HOSTILE=all $(GO) test -count=1 -timeout 4h -run 'TestHostile' ./internal/cli

test-docs: peers bin/tools.ready ## the commands of README and docs that take minutes
	$(PEERS) PLIMSOLL_DOCUMENTS=slow $(TESTSUM) $(GO_TEST) -count=1 -run TestDocuments ./internal/cli

test-browser: peers build bin/tools.ready ## the pages in Chromium, in depth
	cd tools/browser && $(PEERS) $(BROWSER) ./...

test-race-long: peers bin/tools.ready ## all packages under the race detector, and tests that are skipped otherwise
	PLIMSOLL_NIGHTLY=1 $(RACE) work

test-java: $(addprefix test-,$(JAVA)) ## stores, SDKs and transports against peers in Java (JDK, Maven)

test-stores: .peers/hadoop/ready bin/tools.ready
	PLIMSOLL_MINICLUSTER=$(CURDIR)/.peers/hadoop $(RACE) ./internal/store/hdfs

test-sdks: .peers/awssdk/ready .peers/hdrhistogram/ready bin/tools.ready
	PLIMSOLL_JAVA_SDKS=$(CURDIR)/.peers/awssdk PLIMSOLL_HDRHISTOGRAM=$(CURDIR)/.peers/hdrhistogram \
		$(TESTSUM) $(GO_TEST) -count=1 -run 'TestJava' ./internal/cli ./internal/hlog

test-transports: .peers/elasticmq/ready .peers/kafka/ready bin/tools.ready
	PLIMSOLL_ELASTICMQ=$(CURDIR)/.peers/elasticmq PLIMSOLL_KAFKA=$(CURDIR)/.peers/kafka \
		$(RACE) -run 'TestElasticMQ|TestKafka' ./internal/topic/sqs ./internal/topic/kafka

test-release: .venv/ready bin/tools.ready ## a release on a local module proxy; packages and image, unpacked and run
	@PLIMSOLL_PYTHON=$(CURDIR)/.venv/bin/python tools/scripts/test-release.sh

fuzz: ## each fuzz target for a few seconds (FUZZTIME=10s, ONLY=FuzzRead)
	@tools/scripts/fuzz.sh

soak: build ## servers and workloads for an hour under faults (SOAK=1h)
	@$(TOOLS) build -o $(CURDIR)/bin/ ./soak
	bin/soak -binary bin/plimsoll -time $(or $(SOAK),1h)

vuln: ## known vulnerabilities, where their database can be reached
	@tools/scripts/vuln.sh

##@ Benchmarks (tools/scripts/bench.sh describes each and its variables)
bench: build ## the benchmarks of all packages
	$(GO) test -run '^$$' -bench . -skip "$$(tools/scripts/bench.sh own)" -benchmem work

bench-accuracy: ## write throughput against links of known rate (Linux, root)
bench-action: build ## how often the GitHub Action fails falsely on a busy machine
bench-compare: ## comparisons of servers that differ by a known share, and of equal ones
bench-course: ## a transfer second by second, against a proxy's count
bench-page: peers build ## the time Chromium needs to draw a large page
bench-peers: build ## plimsoll http beside wrk, h2load, fortio, hey and k6
bench-search: .peers/mlrsearch/ready ## the search of loadline beside MLRsearch
bench-sweep: ## sweeps of servers whose capacity is computed
bench-until: ## how often an interval at the moment of stopping covers
bench-verdict: build ## whether verdicts are right, under conditions that it makes
bench-ws: ## receivers of chat --fanout beside loops that only read
$(addprefix bench-,$(BENCHES)):
	@$(PEERS) tools/scripts/bench.sh $(@:bench-%=%)

##@ Release
PLATFORMS  ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
MAINTAINER ?= Plimsoll <maintainer@plimsoll.invalid>
release: ## archives, packages, an image and checksums in dist (PLATFORMS=linux/amd64)
	GOWORK=off $(GO) -C tools/package build -o $(CURDIR)/bin/ .
	bin/package -version '$(VERSION)' -commit '$(COMMIT)' -maintainer '$(MAINTAINER)' -ldflags '$(LDFLAGS)' \
		-out dist $(PLATFORMS)

release-prepare: bin/tools.ready ## write the versions of the modules before a release is tagged (VERSION=v0.2.0)
	bin/release prepare $(VERSION)

tidy: bin/tools.ready ## go.mod and go.sum of all modules
	bin/release tidy

help: ## print this list
	@awk -f tools/scripts/help.awk $(MAKEFILE_LIST)

.DEFAULT:
	@echo "make: there is no target '$@'" >&2; awk -f tools/scripts/help.awk Makefile >&2; exit 2

# The programs that the other targets use.
bin/tools.ready: tools/go.mod tools/go.sum $(wildcard tools/release/*.go)
	@GOGC=400 $(TOOLS) build -o $(CURDIR)/bin/ ./release gotest.tools/gotestsum honnef.co/go/tools/cmd/staticcheck \
		github.com/rhysd/actionlint/cmd/actionlint
	@touch $@

.venv/ready: tools/python/requirements.txt
	$(PYTHON) -m venv --clear .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check -r tools/python/requirements.txt
	@touch $@

bin/fake-gcs-server: tools/fakegcs/go.mod tools/fakegcs/go.sum
	cd tools/fakegcs && GOGC=400 GOWORK=off $(GO) build -o $(CURDIR)/$@ github.com/fsouza/fake-gcs-server

bin/otelcol: tools/otelcol/go.mod tools/otelcol/go.sum $(wildcard tools/otelcol/*.go)
	cd tools/otelcol && GOGC=400 GOWORK=off $(GO) build -o $(CURDIR)/$@ .

tools/npm/node_modules/ready: tools/npm/package.json tools/npm/package-lock.json
	cd tools/npm && npm ci --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

.peers/mlrsearch/ready: tools/mlrsearch/requirements.txt
	$(PYTHON) -m venv --clear .peers/mlrsearch
	.peers/mlrsearch/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

.peers/hadoop/ready: tools/maven/pom.xml $(wildcard tools/maven/src/main/java/plimsoll/*.java)
	@tools/scripts/maven.sh $< .peers/hadoop compiler:compile
.peers/awssdk/ready: tools/awssdk/pom.xml $(wildcard tools/awssdk/src/main/*/plimsoll/*)
	@tools/scripts/maven.sh $< .peers/awssdk kotlin:compile compiler:compile
.peers/%/ready: tools/%/pom.xml
	@tools/scripts/maven.sh $< .peers/$*
