# Build, run and check xbot. "make" lists the targets; README.md tells the story.
SHELL := bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN     := $(CURDIR)/.bin
# What is built says which release it follows and which commit it is, such as 0.1.0+ce75fb5a; "make dist" builds 0.1.0.
RELEASE := $(shell cat VERSION)
VERSION := $(RELEASE)$(shell git describe --always --dirty --exclude '*' 2>/dev/null | sed 's/^/+/')
# Without tables for debuggers, as in the container: idle processes are 10 MB smaller, and stack traces stay as they are.
LDFLAGS := -s -w -X main.version=$(VERSION)
STAMP   := -ldflags "$(LDFLAGS)"
# The race detector needs a C compiler and makes tests slower. RACE=-race: everything runs with it. RACE=concurrent, the default in CI:
# the packages in which goroutines meet (scripts/concurrent-packages), and the end-to-end tests of CONCURRENT_E2E.
RACE    ?= $(if $(CI),concurrent)
# Memory is not short there, so the collector runs a quarter as often; and a process that ends need not wait a second for races of
# those that it leaves: thousands of them end in a run.
RACED := GOGC=400 GORACE=atexit_sleep_ms=20
# End-to-end suites in which much happens at once: crashes, queues, deliveries, runners, services, subagents and plugins. In the others one process is killed
# or one user acts, which the packages' own tests cover.
CONCURRENT_E2E := ^Test(Background|Bridge|Channels|Concurrency|Consumer|Crash|Delivery|Follow|Inbox|Peer|Plugin|Queue|Runner|Service|Stop|Subagent|Upgrade)
# REQUIRE_CHROMIUM=1 makes a missing Chromium a failure of "make test".
REQUIRE_CHROMIUM ?=

# Tools, installed into .bin at exactly these versions. govulncheck is not among them: it downloads its database at
# each run, so what it says depends on the day and it says nothing without a network.
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
SQLC          := github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1
WORKFLOWCHECK := go.temporal.io/sdk/contrib/tools/workflowcheck@v0.6.0
OAPI_CODEGEN  := github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
GOTESTSUM     := gotest.tools/gotestsum@v1.13.0
NFPM          := github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2

# Up to five failed tests of a run are tried again, twice at most; never where a data race was seen. scripts/testreport names them, and
# .ci/run fails where more than two needed it.
GO_TEST = $(BIN)/gotestsum --format pkgname-and-test-fails --rerun-fails=2 --rerun-fails-max-failures=5 \
	--rerun-fails-run-root-test --rerun-fails-abort-on-data-race

# $(call go_test,stage,packages,flags) runs the tests of packages as a stage of scripts/stage.
define go_test
	$(CURDIR)/scripts/stage $1 $(GO_TEST) $(if $(RESULTS),--jsonfile=$(RESULTS)/$1.json) --packages="$2" -- $(QUICK) $3
endef

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

# --- run and build

.PHONY: run
run: build ## build everything and start the server; Ctrl-C stops it
	@echo "Starting xbot"
	@exec $(BIN)/xbot serve

# BUILT=1 skips the build in a nested make. The page is built in parallel with xbot-temporal: it waits for downloads half of its time.
.PHONY: build
build: ## build the page and all programs into .bin
	$(if $(BUILT),,@scripts/check-prerequisites && $(MAKE) --no-print-directory -j2 page temporal && $(MAKE) --no-print-directory binaries)

.PHONY: binaries
binaries: page
	@echo "Building xbot, xbot-cli and xbot-runner ($(VERSION))"
	@scripts/go-build $(BIN)/ "$(LDFLAGS)" ./cmd/xbot ./cmd/xbot-cli
	@CGO_ENABLED=0 scripts/go-build $(BIN)/ "$(LDFLAGS)" ./cmd/xbot-runner # static: it goes to other machines

# Temporal is two thousand packages. Go's cache makes every build but the first one quick. It is stamped with the release
# alone: a server that "xbot serve" finds running stays the same one from commit to commit.
.PHONY: temporal
temporal:
	@echo "Building xbot-temporal ($(RELEASE))"
	@scripts/go-build -C cmd/xbot-temporal $(BIN)/xbot-temporal "-s -w -X main.version=$(RELEASE)" .

NODE_MODULES := web/node_modules/.package-lock.json
PAGE_SOURCES := $(shell find web/src web/public -type f 2>/dev/null) web/index.html web/service.html web/diagram.html web/vite.config.ts web/vite.service.config.ts web/vite.diagram.config.ts web/tsconfig.json \
	web/scripts/finish-dist.mjs web/package.json

.PHONY: page
page: web/dist/index.html

web/dist/index.html: $(NODE_MODULES) $(PAGE_SOURCES)
	@echo "Building the page"
	@cd web && out=$$(npm run --silent build 2>&1) || { echo "$$out"; exit 1; }; echo "$$out" | tail -n 1

$(NODE_MODULES): web/package-lock.json
	@scripts/check-prerequisites node
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# --- check

# These end-to-end tests stand for all of them in "make test": a turn, its tools, a stop, a question, each platform, a
# subagent, a job, hooks, memory; one kill of the server and one of its Temporal.
SMOKE := TestServe_AnswersRunsToolsAndComesBackOnTheSameData TestServe_StopsARunningStreamAndARunningCommand \
	TestCrash02_ServerKilledDuringACommand TestCrash05_TemporalKilled TestApproval_ADenialReachesTheModelWithItsNote \
	TestSubagent_OneShotsRunTogetherAndTheirAnswersAreTheResults TestCron_AnEditReachesAJobThatWaits \
	TestHooks_ArgumentsAndContextReachToolAndModel TestMemory_OfOnePersonReachesNoOther \
	TestFollow_AnAnswerIsReadWhileItIsWritten TestNapCat_AReplyToAnAnswerGoesOnInItsWorkSession \
	TestQQ_AnAnswerThatTookTooLongIsAMessageOfTheBotsOwn TestCosts_OfAPieceOfWorkStayWithinTheirBounds
SMOKE_PATTERN := ($(shell tr ' ' '|' <<<'$(strip $(SMOKE))'))

.PHONY: test
test: build ## run the tests that take minutes; needs no more than "make run", and uses Chromium where it is
	@cat e2e/*_test.go | test $$(grep -cE '^func $(SMOKE_PATTERN)\(') = $(words $(SMOKE)) || { echo "A test in SMOKE has another name now: correct the Makefile." >&2; exit 1; }
	@rm -rf $(BIN)/page-again $(BIN)/results && mkdir -p $(BIN)/results
	@export RESULTS=$(BIN)/results; status=0; \
	$(MAKE) --no-print-directory -kj2 BESIDE=1 BUILT=1 test-page test-smoke || status=1; \
	{ $(page_again); } || status=1; \
	$(test_report) && exit $$status

# A table of the stages, and three lines: which tests ran, which did not, and why not.
define test_report
	page=(); scripts/find-chromium || \
		page=(--omitted="the page in a browser" --reason="no Chromium was found: install it, or name it in CHROMIUM_PATH"); \
	all=$$(cat e2e/*_test.go | grep -c '^func Test.*testing.T)'); \
	go run ./scripts/testreport "$${page[@]}" --omitted="$$((all - $(words $(SMOKE)))) end-to-end tests" \
		--reason='"make test-all" runs the other end-to-end tests' $(BIN)/results
endef

# Tests of the page and of servers wait about half of their time, so two cores do both at once: the page beside the others, which come
# one after the other, four packages at a time. With the race detector they wait for nothing but the cores, and some have deadlines: then
# there are as many packages as cores, and the page yields to them. It prints its lines together, and where something did not hold it is
# tried once more when the others have ended, since a page that yields may be slower than any patience.
page_again = test ! -e $(BIN)/page-again || { echo "The test of the page failed beside the others: once more, alone."; $(MAKE) --no-print-directory test-page; }
ifdef BESIDE
test-temporal: test-go
test-e2e test-smoke: test-temporal
endif

.PHONY: test-all
test-all: build ## run all tests; RACE=-race looks for races and needs a C compiler
	@rm -f $(BIN)/page-again
	@$(MAKE) --no-print-directory -kj2 BESIDE=1 BUILT=1 test-page test-e2e
	@$(page_again)

# "make lint" vets, and nobody looks at test programs with a debugger: both together take two minutes of two cores.
QUICK := -vet=off -ldflags='-s -w'
packages := go list ./... | grep -vxF xbot/e2e
join     := tr '\n' ' '

.PHONY: test-go
test-go: build
	$(call install,$(GOTESTSUM))
	@export XBOT_E2E_BIN=$(BIN) XBOT_TEMPORAL_BIN=$$(scripts/content-path $(BIN)/xbot-temporal)$(if $(RACE), $(RACED)); \
$(if $(filter concurrent,$(RACE)),\
	$(call go_test,go-race,$$($(packages) | grep -xF -f <(scripts/concurrent-packages) | $(join)),-race -timeout 20m) && \
	$(call go_test,go,$$($(packages) | grep -vxF -f <(scripts/concurrent-packages) | $(join)),-timeout 20m),\
	$(call go_test,go,$$($(packages) | $(join)),$(or $(RACE),-p 4) -timeout 20m))
	@test -n "$(XBOT_TEST_IMAGE)" || echo '!!! The tests of containers did not run: start a Docker engine and "export XBOT_TEST_IMAGE=$$(scripts/test-image)".'

# A server that is built with the race detector writes its reports to files, since it is killed most of the time.
.PHONY: test-e2e test-smoke
test-smoke: ONLY = -run '^$(SMOKE_PATTERN)$$'
test-e2e test-smoke: $(if $(RACE),race-binaries,build)
	$(call install,$(GOTESTSUM))
	@export XBOT_E2E_BIN=$(BIN)$(if $(RACE), $(RACED) XBOT_E2E_RACE='$(if $(filter concurrent,$(RACE)),$(CONCURRENT_E2E),.)'); \
	$(call go_test,e2e,./e2e,-parallel 6 -timeout 60m $(ONLY))
	@$(if $(RACE),scripts/race-reports $(BIN)/race/reports)

.PHONY: race-binaries
race-binaries: build
	@rm -rf $(BIN)/race && mkdir -p $(BIN)/race/real $(BIN)/race/reports
	go build -race $(STAMP) -o $(BIN)/race/real/ ./cmd/xbot
	@for program in xbot-cli xbot-runner xbot-temporal; do ln -s $(BIN)/$$program $(BIN)/race/real/ && ln -s $(BIN)/$$program $(BIN)/race/; done
	@printf '#!/bin/sh\nGOGC=$${GOGC:-400} GORACE="atexit_sleep_ms=20 log_path=%s/reports/xbot" exec %s/real/xbot "$$@"\n' $(BIN)/race $(BIN)/race >$(BIN)/race/xbot
	@chmod +x $(BIN)/race/xbot

# Never with the race detector: that would compile the Temporal server once more, for ten minutes, and look for races in
# other people's code.
.PHONY: test-temporal
test-temporal: temporal
	$(call install,$(GOTESTSUM))
	@cd cmd/xbot-temporal && $(call go_test,temporal,./...,-timeout 20m)

.PHONY: test-page
test-page: build
	@$(CURDIR)/scripts/stage page-unit scripts/once vitest web -- npm --prefix web test --silent
	@export REQUIRE_CHROMIUM=$(REQUIRE_CHROMIUM); \
	$(if $(BESIDE),said=$$($(if $(RACE),nice -n 5 )scripts/stage page scripts/test-page $(BIN) 2>&1); failed=$$?; echo "$$said"; test $$failed = 0 || touch $(BIN)/page-again,scripts/stage page scripts/test-page $(BIN))

.PHONY: screenshots
screenshots: build ## take the pictures of the documents anew; needs Chromium
	SCREENSHOTS=docs/images scripts/test-page $(BIN)

# "go run" keeps the linked tools in Go's cache, where the next clone finds them. Once a check has passed, scripts/once leaves it out until
# its files change: the caches of golangci-lint and tsc help only in the same folder.
GO_FILES := '*.go' '*go.mod' '*go.sum'
.PHONY: lint
lint: $(NODE_MODULES) ## check style, imports and determinism; FORCE=1 repeats checks whose files did not change
	@scripts/once golangci-lint $(GO_FILES) .golangci.yml -- go run $(GOLANGCI_LINT) run # it vets, too
	@scripts/once golangci-lint-temporal $(GO_FILES) .golangci.yml -- go -C cmd/xbot-temporal run $(GOLANGCI_LINT) run --config ../../.golangci.yml
	@scripts/once workflowcheck $(GO_FILES) -- go run $(WORKFLOWCHECK) ./workflows/...
	@scripts/once eslint web -- npm --prefix web run --silent lint
	@scripts/once tsc web -- npm --prefix web run --silent typecheck

.PHONY: check-compose
check-compose: ## check docker-compose.yml with compose's own parser; needs no engine
	@mkdir -p $(BIN)
	@if docker compose version >/dev/null 2>&1; then compose="docker compose"; else compose=docker-compose; fi; \
	command -v $${compose%% *} >/dev/null || { echo "Compose is missing: install Docker's compose plugin, or the package docker-compose." >&2; exit 1; }; \
	export SETTINGS_FILE=$(BIN)/compose.env; touch $$SETTINGS_FILE; \
	if $$compose --env-file deploy/example.env config --quiet 2>/dev/null; then echo "docker-compose.yml runs without secrets." >&2; exit 1; fi; \
	deploy/make-env >$$SETTINGS_FILE; \
	$$compose --env-file $$SETTINGS_FILE --profile runner config --quiet && \
	$$compose --env-file $$SETTINGS_FILE -f docker-compose.yml -f deploy/compose.secrets.yml --profile runner --profile proxy --profile backup config --quiet && \
	POSTGRES_HOST=db.internal $$compose --env-file $$SETTINGS_FILE -f docker-compose.yml -f deploy/compose.postgres.yml -f deploy/compose.secrets.yml --profile proxy --profile backup config --quiet && \
	DOCKER_GID=1 $$compose --env-file $$SETTINGS_FILE -f docker-compose.yml -f deploy/compose.containers.yml --profile proxy --profile backup config --quiet && echo "docker-compose.yml is well-formed and refuses to run without secrets."

.PHONY: bench
bench: build ## measure this build on this machine; BASE=<commit>: beside that one, turn by turn, with ratios
	scripts/bench $(BIN) $(BASE)
	@test -n "$(BASE)" || echo "What is known after four compressions, by how well the summaries are written:"
	@test -n "$(BASE)" || go test -count=1 -run TestRetention -v ./activities | sed -n 's/.*retention_test.go:[0-9]*: /  /p'

# --- release

.PHONY: dist
dist: page ## build a release into dist/: archives, Debian packages, checksums, SBOM, images; TARGETS="linux/amd64": only that
	$(call install,$(NFPM))
	scripts/make-dist $(TARGETS)

# --- generated files

# The plugin of the example, with the SDK that it uses.
bundle = web/node_modules/.bin/rolldown examples/plugins/guard/main.ts --platform node --format esm -o $(1) --log-level warn

.PHONY: gen
gen: $(NODE_MODULES) ## generate the queries, the API's client, document and types of the page, docs/reference and the bundle of examples/plugins/guard
	$(call install,$(SQLC))
	$(BIN)/sqlc generate
	$(call client,internal/client/apiclient/generated.go)
	go run ./cmd/xbot openapi >$(BIN)/openapi.json
	mv $(BIN)/openapi.json web/api/openapi.json
	cd web && npm run --silent types
	go run ./cmd/xbot reference . docs/reference
	$(call bundle,examples/plugins/guard/main.mjs)

.PHONY: check-gen
check-gen: $(NODE_MODULES) check-client ## fail if "make gen" would change anything
	$(call install,$(SQLC))
	$(BIN)/sqlc diff
	go run ./cmd/xbot openapi | diff -u web/api/openapi.json - || { echo 'web/api/openapi.json is stale: run "make gen".' >&2; exit 1; }
	cd web && npm run --silent types:check
	@rm -rf $(BIN)/reference && mkdir -p $(BIN)/reference
	go run ./cmd/xbot reference . $(BIN)/reference
	@for page in $(BIN)/reference/*; do diff -u docs/reference/$${page##*/} $$page || { echo 'docs/reference is stale: run "make gen".' >&2; exit 1; }; done
	$(call bundle,$(BIN)/guard.mjs)
	@diff -u examples/plugins/guard/main.mjs $(BIN)/guard.mjs || { echo 'examples/plugins/guard/main.mjs is stale: run "make gen".' >&2; exit 1; }

.PHONY: check-client
check-client:
	$(call client,$(BIN)/generated.go)
	@diff -u internal/client/apiclient/generated.go $(BIN)/generated.go || { echo 'internal/client/apiclient/generated.go is stale: run "make gen".' >&2; exit 1; }

# What prints the API's document with Go types; a test has another one. It is built without the client, which may not compile.
CLIENT_DOCUMENT ?= go run ./ingress/gotypes

# $(call client,file) writes the generated part of the API's Go client.
define client
	$(call install,$(OAPI_CODEGEN))
	$(CLIENT_DOCUMENT) >$(BIN)/gotypes.json
	$(BIN)/oapi-codegen -config internal/client/apiclient/oapi-codegen.yaml -o $(BIN)/client.go $(BIN)/gotypes.json
	mv $(BIN)/client.go $1
endef

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BIN) dist web/node_modules
	find web/dist -mindepth 1 ! -name .gitkeep -delete

# $(call install,module/command@version) installs a tool unless .bin has that version of it.
define install
	@tool=$(notdir $(firstword $(subst @, ,$1))); version=$(lastword $(subst @, ,$1)); \
	if ! go version -m $(BIN)/$$tool 2>/dev/null | grep -q "^[[:space:]]mod[[:space:]].*[[:space:]]$$version[[:space:]]"; then \
		echo "Installing $$tool $$version into .bin, once (a few minutes)."; GOBIN=$(BIN) go install $1; \
	fi
endef
