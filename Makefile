# What people type. `make help` lists it; `make check` is what CI runs.

GO      ?= go
TOOLS   := $(CURDIR)/bin/tools
export CGO_ENABLED := 0
# What was compiled in one clone is not compiled again in another, and a busy machine takes longer for the tests of a
# package than go test allows. -p tests one more package than there are processors, so that a package whose tests wait
# leaves no processor idle. The linter vets. The tag is that of releases: without what it leaves out, the linker can drop
# methods that nothing calls. The linker loads debug information even if it leaves it out, as it does for tests: without
# it, linking the 130 binaries of tests takes an eighth less time.
TAGS := grpcnotrace
PROCESSORS := $(shell getconf _NPROCESSORS_ONLN || echo 1)
export GOFLAGS := $(GOFLAGS) -trimpath -timeout=30m -vet=off -tags=$(TAGS) -gcflags=all=-dwarf=false -p=$(shell expr $(PROCESSORS) + 1)

GOFUMPT_VERSION  := v0.12.0
GOLANGCI_VERSION := v2.15.0
TOOLS_VERSION    := v0.52.0
GRPCURL_VERSION  := v1.9.4
NFPM_VERSION     := v2.45.2
CYCLONEDX_VERSION := v1.10.0
ACTIONLINT_VERSION := v1.7.12
include proto/tools.mk

# Compilers of tools and the linter may take memory for time; tests may not: they measure memory.
FEWER_COLLECTIONS := GOGC=400
INSTALL_TOOL := GOBIN=$(TOOLS) $(FEWER_COLLECTIONS) $(GO) install

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-26s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: build ## build bin/canisterd and start it with the two example canisters, one of which calls the other (FLAGS are those of canisterd start)
	@bin/canisterd start --ephemeral --seed 00 --deploy examples/motoko --call 'relay pass ("$${greeter}", "world")' $(FLAGS)

# The flags are those of the tests, so that nothing is compiled twice. The first build takes a minute
# or two: -v names each package when it is compiled.
.PHONY: build
build: ## the static binary, bin/canisterd
	@test -x bin/canisterd || echo 'building bin/canisterd; the first time it takes a minute or two'
	$(GO) build -v -o bin/canisterd ./cmd/canisterd

# Tests run make, which must test all packages again.
MAKEOVERRIDES =
unexport PACKAGES

# They begin first, so that no processor is idle at the end.
LONGEST_PACKAGES := ./cmd/canisterd ./replica ./daemon ./canister/internal/rewrite ./canister/internal/wasm ./api/control ./test/torture

.PHONY: test
test: ## all tests that need nothing but Go and the module proxy (PACKAGES for some of them)
	$(GO) test $(or $(PACKAGES),$(LONGEST_PACKAGES) ./...)

# Packages whose code runs in several goroutines. make check runs their tests under the race detector and all other
# tests without it, so that each test runs once; make check-long runs those others under it, too. A test of
# internal/architecture finds packages that start goroutines and are not listed. The longest are first.
RACE_PACKAGES := ./api/pocketic ./internal/explore/campaign . ./api/... ./archive ./canister/internal/checkpoint ./canister/internal/stable ./canister/internal/wasm \
  ./daemon ./instance/... ./internal/journal/... ./daemon/internal/metrics ./daemon/internal/otlp/... \
  ./internal/explore/workqueue ./internal/budget ./internal/callbudget ./internal/mcp ./replica/driver ./cmd/canisterd/internal/watch ./internal/snapshotdir ./internal/clone ./component

.PHONY: test-race
test-race: ## the tests of packages with goroutines, under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race $(RACE_PACKAGES)

# The tests of these do less under the race detector, so they also run without it.
REDUCED_PACKAGES := ./internal/journal ./canister/internal/checkpoint ./canister/internal/stable ./canister/internal/wasm

OTHER_PACKAGES = $$($(GO) list ./... | grep -vxF "$$($(GO) list $(RACE_PACKAGES))" | tr '\n' ' ')

.PHONY: test-others
test-others: ## the tests of all other packages, and of those that do less under the race detector
	@$(MAKE) --no-print-directory test PACKAGES="$(OTHER_PACKAGES) $(REDUCED_PACKAGES)"

.PHONY: test-race-others
test-race-others: ## the same under the race detector, the longest of them shortened
	CGO_ENABLED=1 $(GO) test -race -short $(OTHER_PACKAGES)

# npm ci takes seconds, so it runs only where the lock file has changed.
%/node_modules/.package-lock.json: %/package-lock.json
	npm ci --prefix $* --no-audit --no-fund

.PHONY: test-clients
test-clients: $(TOOLS)/grpcurl $(patsubst %,%/node_modules/.package-lock.json,test/e2e/js test/e2e/pocketic test/e2e/icp test/e2e/mops examples/control/javascript) ## unmodified agents, modules and gRPC clients of others against the binary (needs Node.js and npm)
	npm run generate --prefix examples/control/javascript --silent
	PATH="$(TOOLS):$$PATH" $(GO) test -count=1 -tags "$(TAGS) clients" ./test/e2e/... ./cmd/dist

.PHONY: test-new-projects
test-new-projects: ## what canisterd init writes in Rust and in Go: build, deploy, test, explore (needs cargo 1.85 with the target wasm32-unknown-unknown, or Debian's rustc-web and rust-web-src beside it; the first build takes minutes)
	$(GO) test -count=1 -tags "$(TAGS) clients newproject" -timeout 60m ./test/e2e -run ANewProject

.PHONY: new-user
new-user: ## what a new user without Go does: install the npm package, canisterd init motoko, canisterd dev, change a line, run the tests; with the time of each step (needs Node.js and npm)
	$(GO) test -count=1 -v -tags "$(TAGS) clients" ./cmd/dist -run ANewUser

.PHONY: test-clients-rust
test-clients-rust: ## PocketIC's Rust client and canbench against the binary (needs cargo 1.85; the first build takes minutes)
	$(GO) test -count=1 -tags "$(TAGS) clients rustclient" -timeout 60m ./test/e2e -run 'TheRustClient|Canbench'

.PHONY: test-clients-rust-snippets
test-clients-rust-snippets: ## what docs/pocketic.md shows in Rust, with the newest client only (needs cargo 1.85; the first build takes two to three minutes)
	$(GO) test -count=1 -tags "$(TAGS) clients rustclient" -timeout 60m ./test/e2e -run TheRustSnippets

.PHONY: test-clients-python
test-clients-python: ## PocketIC's Python client against the binary (needs Python 3 with venv)
	python3 -m venv bin/python
	bin/python/bin/pip install --quiet --disable-pip-version-check -r test/e2e/pocketic/python/requirements.txt
	python3 -m venv bin/python-previous
	bin/python-previous/bin/pip install --quiet --disable-pip-version-check -r test/e2e/pocketic/python/requirements-previous.txt
	CANISTERD_PYTHON="$(CURDIR)/bin/python/bin/python" CANISTERD_PYTHON_PREVIOUS="$(CURDIR)/bin/python-previous/bin/python" $(GO) test -count=1 -tags "$(TAGS) clients pythonclient" ./test/e2e -run Python

.PHONY: wasm-tools
wasm-tools: bin/wasm-tools/bin/wasm-tools

bin/wasm-tools/bin/wasm-tools: component/testdata/requirements.txt
	python3 -m venv bin/wasm-tools
	bin/wasm-tools/bin/pip install --quiet --disable-pip-version-check -r component/testdata/requirements.txt
	touch $@

# A version that reads the option cancellable, for one script of the reference tests.
OLDER_WASM_TOOLS := bin/older-wasm-tools/bin/wasm-tools

$(OLDER_WASM_TOOLS):
	cargo install wasm-tools --version 1.257.0 --locked --no-default-features -F json-from-wast,parse --root bin/older-wasm-tools

PROGRAM_SOURCES := component/testdata/programs

bin/componentize-py/bin/componentize-py: $(PROGRAM_SOURCES)/requirements.txt
	python3 -m venv bin/componentize-py
	bin/componentize-py/bin/pip install --quiet --disable-pip-version-check -r $(PROGRAM_SOURCES)/requirements.txt
	touch $@

# Another host of components. Its package leaves out that the file is a program.
bin/wasmtime/wasmtime: internal/component/wave/testdata/requirements.txt
	python3 -m venv bin/wasmtime
	bin/wasmtime/bin/pip install --quiet --disable-pip-version-check -r $<
	install "$$(bin/wasmtime/bin/python -c 'import wasmtime_cli, pathlib; print(pathlib.Path(wasmtime_cli.__file__).parent)')/wasmtime" $@

.PHONY: test-components
test-components: wasm-tools $(OLDER_WASM_TOOLS) bin/wasmtime/wasmtime bin/componentize-py/bin/componentize-py $(PROGRAM_SOURCES)/node_modules/.package-lock.json ## the reference tests of the Component Model, as a table of what passes, values beside wasmtime, and components in JavaScript, Python, Go, Rust and C, also as canisters (needs Node.js, npm, Python 3 with venv, Rust's cargo, Debian 12's rustc, libstd-rust-dev-wasm32, clang, lld, wasi-libc and libclang-rt-14-dev-wasm32, and the tests in CANISTERD_DATA)
	CANISTERD_WASM_TOOLS="$(CURDIR)/bin/wasm-tools/bin/wasm-tools" CANISTERD_OLDER_WASM_TOOLS="$(CURDIR)/$(OLDER_WASM_TOOLS)" CANISTERD_COMPONENTIZE_PY="$(CURDIR)/bin/componentize-py/bin/componentize-py" CANISTERD_WASMTIME="$(CURDIR)/bin/wasmtime/wasmtime" \
	  $(GO) test -count=1 -v -tags "$(TAGS) components" ./component ./component/wasi ./internal/component/wit ./internal/component/wave ./canister -run 'TheReferenceTests|WasmTools|WasmtimeReturns|AComponentIn(C|Rust|JavaScript|Python)|AProgramInGo'

.PHONY: test-components-definitions
test-components-definitions: ## 10,000 programs of components, beside the definitions of the specification (needs Python 3, and DEFINITIONS=definitions.py of WebAssembly/component-model; PROGRAMS and FIRST select others)
	@test -f "$(DEFINITIONS)" || { echo "DEFINITIONS is not a file: set it to design/mvp/canonical-abi/definitions.py of WebAssembly/component-model at 6d28164" >&2; exit 1; }
	CANISTERD_DEFINITIONS="$(abspath $(DEFINITIONS))" $(GO) test -count=1 -v -timeout 3h -parallel 8 -tags "$(TAGS) definitions" ./component -run TracesOfTheDefinitions -programs $(or $(PROGRAMS),10000) -first $(or $(FIRST),0)

.PHONY: test-clients-browser
test-clients-browser: test/e2e/browser/node_modules/.package-lock.json ## Chromium against the HTTP gateway, and hostile pages in it against start and pocket-ic (needs Node.js, npm and Debian's chromium)
	$(GO) test -count=1 -tags "$(TAGS) clients browser" ./test/e2e -run 'ABrowserLoads|InABrowser'

.PHONY: test-inspect
test-inspect: test/e2e/inspect/node_modules/.package-lock.json ## the inspector in Chromium, as developers use it and as hostile pages attack it; screenshots in bin/inspect (needs Node.js, npm and Debian's chromium)
	test/e2e/inspect/node_modules/.bin/tsc --project test/e2e/inspect
	$(GO) test -count=1 -timeout 20m -tags "$(TAGS) clients inspect" ./test/e2e -run TheInspector

# The clone is always in the same folder: what the last run compiled there is not compiled again.
.PHONY: first-hour
first-hour: ## clone the repository and do there what the first two pages of the book say, with the 18 points of the first hour
	$(GO) test -count=1 -tags "$(TAGS) firsthour" -run TheFirstHourGoesFromAClone ./cmd/canisterd

.PHONY: dist
dist: $(TOOLS)/nfpm $(TOOLS)/cyclonedx-gomod ## the packages of the commit, in bin/dist: archives, deb, rpm, apk, npm, wheels, an OCI image, manifests
	$(GO) run ./cmd/dist

# The second time nothing that was compiled before is used.
.PHONY: test-dist
test-dist: dist-before ## make the packages again, compare them, and install each from its file as users do (after make dist and make install-emulators, as root on Debian for amd64; needs Node.js, npm and Python)
	rm -rf bin/dist-cache && GOCACHE=$(CURDIR)/bin/dist-cache $(GO) run ./cmd/dist -out bin/dist-again; code=$$?; rm -rf bin/dist-cache; exit $$code
	$(GO) test -count=1 -v -tags "$(TAGS) dist" ./cmd/dist -packages $(CURDIR)/bin/dist -before $(CURDIR)/bin/dist-before

.PHONY: dist-before
dist-before: checkout-before $(TOOLS)/nfpm $(TOOLS)/cyclonedx-gomod ## the packages of the version before, in bin/dist-before (BEFORE=COMMIT, by default the last tag before the commit, or its parent)
	cd bin/before && $(GO) run ./cmd/dist -out ../dist-before -tools $(TOOLS); code=$$?; cd ../.. && git worktree remove --force bin/before; exit $$code

.PHONY: checkout-before
checkout-before:
	git worktree remove --force bin/before 2>/dev/null || true
	git worktree add --force --detach bin/before "$(or $(BEFORE),$$(git describe --tags --abbrev=0 HEAD^ 2>/dev/null || git rev-parse HEAD^))"

# Tools and modules are there, so nothing is downloaded. Daemons listen on the loopback interface.
.PHONY: test-dist-offline
test-dist-offline: checkout-before $(TOOLS)/nfpm $(TOOLS)/cyclonedx-gomod ## make dist and make test-dist where no network can be reached (BEFORE=COMMIT)
	$(GO) mod download
	cd bin/before && $(GO) mod download
	unshare --net sh -c 'ip link set lo up && exec $(MAKE) dist test-dist BEFORE=$(BEFORE)'

.PHONY: install-emulators
install-emulators: ## what make test-dist runs and installs the packages of other platforms with (as root, on Debian)
	apt-get install -qy --no-install-recommends wine64 gcc-mingw-w64-x86-64 qemu-user-static unzip rpm cpio

.PHONY: size
size: ## which modules make the released binary large; fails above the limit, and if docs/internals/size.md has other sizes (FLAGS=-write)
	$(GO) run ./test/size $(FLAGS)

.PHONY: check-workflows
check-workflows: $(TOOLS)/actionlint ## the workflows and the action of GitHub are well-formed
	$(TOOLS)/actionlint -shellcheck= -pyflakes= .github/workflows/*.yml

.PHONY: bench
bench: ## ratios to floors measured in the same run, as a table and bench.json; fails if a row misses its limit twice (FLAGS="-only NAME" for some rows)
	$(GO) run ./test/bench -json bench.json $(FLAGS)

.PHONY: bench-keep
bench-keep: ## keep the table of the last make bench in docs/internals/speed.md (NAME=v1.2.3, at a release)
	@test -n "$(NAME)" || { echo 'under which name? make bench-keep NAME=v1.2.3'; exit 1; }
	cp bench.json test/bench/history/$(NAME).json
	$(GO) test ./test/bench -run History -rewrite

# The other commit is checked out beside what is built, and compiled there.
.PHONY: bench-against
bench-against: ## the same rows in turns at another commit and here, as a table of changes (BASE=COMMIT, FLAGS such as -count 3 -only Fork)
	@test -n "$(BASE)" || { echo 'which commit? make bench-against BASE=COMMIT'; exit 1; }
	git worktree add --force --detach bin/base $(BASE)
	$(GO) run ./test/bench -base bin/base $(FLAGS); code=$$?; git worktree remove --force bin/base; exit $$code

.PHONY: scale
scale: ## how memory and processor time of a daemon grow with canisters (up to 100,000, or CANISTERD_SCALE) and with clients (Linux)
	$(GO) test ./cmd/canisterd -run '^$$' -bench '^BenchmarkScaleOf' -benchtime 1x -timeout 3h

.PHONY: bench-first-reply
bench-first-reply: ## the ratio of the time of make run until its first reply to that of go build alone, both with empty build caches
	$(GO) run ./test/bench -tags $(TAGS),firsthour -only FirstReply -count 1 -benchtime 1x ./cmd/canisterd

.PHONY: bench-clients
bench-clients: test/e2e/pocketic/node_modules/.package-lock.json ## the ratio of an update through @dfinity/pic to a request of the same client that does nothing (needs Node.js and npm)
	$(GO) run ./test/bench -tags $(TAGS),clients -only ThroughPic -count 3 -benchtime 3s ./test/e2e

.PHONY: bench-inspect
bench-inspect: test/e2e/inspect/node_modules/.package-lock.json ## the time of a frame of the inspector that scrolls 16,384 events, beside a page of as many plain rows (needs Node.js, npm and Debian's chromium)
	$(GO) run ./test/bench -tags $(TAGS),clients,inspect -only FrameOfTheInspector -count 3 -benchtime 1x ./test/e2e

.PHONY: clone-large
clone-large: ## clone 2 GiB of stable memory between two daemons: time against an export and import, and memory (Linux; 8 GiB of disk below TMPDIR)
	$(GO) run ./test/largeclone

.PHONY: torture
torture: ## kill a daemon with a state directory while clients write, let the power of simulated disks fail, and count what is lost
	$(GO) run ./test/torture

.PHONY: soak
soak: ## an hour of mixed load on a daemon with a state directory: memory, goroutines, descriptors and disk stay what they were (Linux)
	$(GO) run ./test/soak

.PHONY: check-soak
check-soak: ## the same for a minute
	$(GO) run ./test/soak -warm 20s -length 40s

.PHONY: hostile
hostile: ## attacks on the binary: what innocent canisters notice, memory and pauses (Linux)
	$(GO) run ./test/hostile -json hostile.json

.PHONY: check-hostile
check-hostile: ## the attacks that need no long time, briefly
	$(GO) run ./test/hostile -check

# Tests that run scripts of real canisters again, in another way. Without the tag slow they leave out the slow scripts.
IN_EACH_WAY := 'AProfileHasEveryInstruction|ACoverageOfANetworkChangesNoTrace|RealCanistersGiveTheirTracesIn'

.PHONY: check-slow-scripts
check-slow-scripts: ## all scripts of real canisters with profiles and coverage, and in imported and recovered networks: no trace changes
	$(GO) test -count=1 -tags "$(TAGS) slow" ./replica -run $(IN_EACH_WAY)

.PHONY: explore-corpus
explore-corpus: ## explore the bugs of examples/asyncbugs and their twins, as the tables of docs/explorer-corpus.md (some minutes; FLAGS such as -seeds 0 -only 17b)
	$(GO) run ./examples/asyncbugs/measure $(FLAGS)

.PHONY: explore-real
explore-real: ## explore the canisters of examples/realbugs, made by compilers and libraries with published bugs, as the table of docs/explorer-corpus.md (FLAGS such as -runs 10000)
	$(GO) run ./examples/realbugs $(FLAGS)

.PHONY: explore-peers
explore-peers: ## compare the explorer with TraceForge and Shuttle on native models of two banks: numbers of classes, and time (needs cargo 1.85; the first build takes minutes)
	$(GO) test -count=1 -tags "$(TAGS) peers" ./internal/explore/campaign -run TraceForge
	$(GO) run ./test/bench -tags $(TAGS),peers -only ExploreBeside -count 3 ./internal/explore/campaign

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (10s), from an empty cache
	$(GO) run ./test/fuzz -time $(or $(FUZZTIME),10s)

.PHONY: mutants
mutants: ## change each limit and the listed comparisons one at a time; the tests must notice (hours, and goes on where it was interrupted; SAMPLE=N for N of them)
	@mkdir -p bin
	$(GO) run ./test/mutants -sample $(or $(SAMPLE),0) -results bin/mutants.txt

.PHONY: fixtures
fixtures: ## compile the system canisters and those of tests, generate the control API, and record of what (Motoko: Node.js and npm; Rust and C: compilers of Debian 12; components: Python 3 with venv; ONLY=motoko, asyncbugs, realbugs, template, native, rust, components, rust-components, component-canisters, rust-component-canisters, known or proto for one group)
	$(GO) run ./test/fixtures -make -only '$(ONLY)'

.PHONY: archive-fixture
archive-fixture: ## keep a network as a file of the present version of the format, before a change of the format
	$(GO) test ./replica -run TestFilesOfOlderVersionsAreRead -archive

.PHONY: proto
proto: ## the Go code of the control API from its .proto files, and what reflection serves
	$(GO) run ./test/fixtures -make -only proto

.PHONY: proto-tools
proto-tools: $(TOOLS)/buf $(TOOLS)/protoc-gen-go $(TOOLS)/protoc-gen-go-grpc

.PHONY: proto-released
proto-released: $(TOOLS)/buf ## make today's control API the one that must not break (at a release)
	cd proto && $(TOOLS)/buf build --exclude-source-info --path control -o released.binpb

.PHONY: fmt
fmt: $(TOOLS)/gofumpt ## format all Go code
	$(TOOLS)/gofumpt -w $(shell git ls-files '*.go' ':!*.pb.go')

.PHONY: lint
lint: $(TOOLS)/golangci-lint $(TOOLS)/deadcode ## static checks
	$(FEWER_COLLECTIONS) $(TOOLS)/golangci-lint run ./...
	@dead="$$($(TOOLS)/deadcode -test ./...)"; test -z "$$dead" || { echo "$$dead"; exit 1; }

# What is formatted, generated and linted is cheap to check, so it is checked first.
CHECKED_FIRST := check-fix
# Independent of each other: make check runs them two at a time, and a CI service side by side. The longest is first, and
# the clients of others beside it: they wait for packages to arrive, and at the end nothing else would run meanwhile.
CHECKED := test-race test-clients test-others check-cross check-mutants test-clients-python
# One after the other: some need a quiet machine.
CHECKED_LONG := check-hostile check-soak clone-large test-race-others check-torture check-damage check-mutants-sample check-fixtures check-slow-scripts size first-hour \
  test-clients-browser test-inspect test-clients-rust-snippets test-new-projects

.PHONY: check
check: ## everything CI runs; bin/checked has the commit that passed
	$(GO) run ./test/gate run -first $(CHECKED_FIRST) -jobs 2 -record bin/checked -report bin/check.txt $(CHECKED)

.PHONY: check-long
check-long: ## the rest, before an issue is resolved and before a release; bin/check-long.txt has the result
	$(GO) run ./test/gate run -jobs 1 -record bin/checked-long -report bin/check-long.txt $(CHECKED_LONG)

.PHONY: check-fast
check-fast: check-fix ## the first step of make check, then vet and tests of what the change since BASE=COMMIT reaches (where this branch left origin/main)
	@base="$(or $(BASE),$$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD^))"; \
	  packages="$$($(GO) run ./test/gate affected -since "$$base")"; \
	  test -n "$$packages" || { echo "no package is affected by the change since $$base"; exit 0; }; \
	  echo $$packages | wc -w | xargs printf '%s packages are affected\n'; \
	  $(GO) vet $$packages && $(GO) test $$packages

.PHONY: fix
fix: fmt fixtures $(TOOLS)/golangci-lint ## format, generate and lint everything, also pages of the docs
	$(FEWER_COLLECTIONS) $(TOOLS)/golangci-lint run --fix ./...
	$(GO) test ./internal/architecture -run Interface -rewrite
	$(GO) test ./api/control -run Page -rewrite
	$(GO) test ./cmd/canisterd -run Pages -rewrite

.PHONY: check-fix
check-fix: check-format check-generated lint ## what make fix mends

.PHONY: check-fixtures
check-fixtures: ## compile all fixtures again, and compare
	@$(MAKE) --no-print-directory check-generated FORCE=1

.PHONY: check-torture
check-torture: ## a sample of make torture
	$(GO) run ./test/torture -kills 20 -cuts 20

# FLAGS=-damage-all adds a start after a flip of each byte of small files, each header of a record and each page, which
# takes about 20 minutes of a processor; -damage-skip N goes on after N runs, and FLAGS='-damage-seed N' draws others.
.PHONY: check-damage
check-damage: ## damage every kind of file of a state directory in 2,000 ways: nothing may panic, and other instances go on
	$(GO) test -count=1 -timeout 60m ./instance -run TestDamageIsAnErrorOfItsInstance -args -damage-runs 2000 $(FLAGS)

.PHONY: test-names
test-names: ## compare the names of tests, scripts, seeds and golden files with those at BASE (runs make test twice, and check-slow-scripts)
	@test -n "$(BASE)" || { echo 'which commit? make test-names BASE=COMMIT'; exit 1; }
	@mkdir -p bin/names
	git worktree add --force --detach bin/base $(BASE)
	-cd bin/base && $(GO) test -json ./... >$(CURDIR)/bin/names/before.json
	git worktree remove --force bin/base
	-$(GO) test -json ./... >bin/names/after.json
	-$(GO) test -json -tags "$(TAGS) slow" ./replica -run $(IN_EACH_WAY) >>bin/names/after.json
	$(GO) run ./test/gate names -since $(BASE) -renamed test/gate/renamed.txt bin/names/before.json bin/names/after.json

.PHONY: lines
lines: ## lines of code that are linked into the command or promised by the package at the root, by package
	$(GO) run ./test/gate lines ./cmd/canisterd . ./explore ./candid/... ./api/client

.PHONY: check-format
check-format: $(TOOLS)/gofumpt
	@out=$$($(TOOLS)/gofumpt -l $$(git ls-files '*.go' ':!*.pb.go')); \
	  if [ -n "$$out" ]; then echo "not formatted (make fmt):"; echo "$$out"; exit 1; fi

.PHONY: check-proto
check-proto: ## the .proto files are formatted, break no client, and what is committed is made of them
	$(GO) run ./test/fixtures -force -only proto

.PHONY: check-generated
check-generated: ## fixtures and the control API are what their sources make; compiles those whose sources changed since make fixtures (FORCE=1 for all)
	$(GO) run ./test/fixtures $(if $(FORCE),-force)

.PHONY: check-mutants
check-mutants: ## some of the mutants in the files changed since BASE=COMMIT (where this branch left main; on main, the last commit)
	$(GO) run ./test/mutants -since '$(or $(BASE),branch)' -sample 6

.PHONY: check-mutants-sample
check-mutants-sample: ## a sample of all mutants
	$(GO) run ./test/mutants -sample 6

.PHONY: check-cross
check-cross: ## vet the other systems' builds
	$(GO) run ./test/crossvet darwin/arm64 windows/amd64

.PHONY: clean
clean: ## remove what make made
	rm -rf bin bench.json hostile.json

$(TOOLS)/gofumpt:
	$(INSTALL_TOOL) mvdan.cc/gofumpt@$(GOFUMPT_VERSION)

$(TOOLS)/golangci-lint:
	$(INSTALL_TOOL) github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

$(TOOLS)/nfpm:
	$(INSTALL_TOOL) github.com/goreleaser/nfpm/v2/cmd/nfpm@$(NFPM_VERSION)

$(TOOLS)/cyclonedx-gomod:
	$(INSTALL_TOOL) github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(CYCLONEDX_VERSION)

$(TOOLS)/actionlint:
	$(INSTALL_TOOL) github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION)

$(TOOLS)/deadcode:
	$(INSTALL_TOOL) golang.org/x/tools/cmd/deadcode@$(TOOLS_VERSION)

$(TOOLS)/buf:
	$(INSTALL_TOOL) github.com/bufbuild/buf/cmd/buf@$(BUF_VERSION)

$(TOOLS)/protoc-gen-go:
	$(INSTALL_TOOL) google.golang.org/protobuf/cmd/protoc-gen-go@$(GEN_GO_VERSION)

$(TOOLS)/protoc-gen-go-grpc:
	$(INSTALL_TOOL) google.golang.org/grpc/cmd/protoc-gen-go-grpc@$(GEN_GRPC_VERSION)

$(TOOLS)/grpcurl:
	$(INSTALL_TOOL) github.com/fullstorydev/grpcurl/cmd/grpcurl@$(GRPCURL_VERSION)
