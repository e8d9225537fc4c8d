# GNU make 3.81 or newer. `make help` lists the targets.

GO ?= go

# The one place that holds the version is the library.
VERSION := $(shell sed -n 's/^_registry_lock_version=//p' lib/registry-lock.sh 2>/dev/null)
VERSION := $(or $(strip $(VERSION)),0.0.0)

PROCID_SOURCES := $(filter-out %_test.go,$(wildcard go.mod go.sum cmd/procid/*.go))
BUILD := $(VERSION) $(GOOS)/$(GOARCH)
# Which procid is built and installed.
PROCID = bin/procid
PROCID_BUILD = $(dir $(PROCID)).procid-build

# Where install puts things. PREFIX is not taken from the environment; DESTDIR, before all, may be.
PREFIX = /usr/local
prefix = $(PREFIX)
exec_prefix = $(prefix)
bindir = $(exec_prefix)/bin
libdir = $(exec_prefix)/lib
datarootdir = $(prefix)/share
mandir = $(datarootdir)/man
bashcompdir = $(datarootdir)/bash-completion/completions
zshcompdir = $(datarootdir)/zsh/site-functions
fishcompdir = $(datarootdir)/fish/vendor_completions.d
INSTALL = install
PLACES = DESTDIR='$(DESTDIR)' bindir='$(bindir)' libdir='$(libdir)' mandir='$(mandir)' \
  bashcompdir='$(bashcompdir)' zshcompdir='$(zshcompdir)' fishcompdir='$(fishcompdir)' \
  INSTALL='$(INSTALL)' PROCID='$(PROCID)'

.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
.PHONY: build install uninstall bundle dist test test-bundle test-dist test-deb lint mutation \
  test-busybox test-old-bash test-filesystems test-foreign chaos bad-input mutants \
  mutants-go explore explore-deep explore-mutants bench demo fmt clean help FORCE

build: $(PROCID) ## Build bin/procid (the default)

define go_is_there
command -v $(GO) >/dev/null 2>&1 || { \
  printf '%s\n' "procid is built with Go, which is not installed here." \
    "Install Go $$(sed -n 's/^go //p' go.mod) or newer (https://go.dev/doc/install," \
    "or: brew install go), then run make again." >&2; exit 1; }
endef

$(PROCID): $(PROCID_SOURCES) $(PROCID_BUILD)
	@$(go_is_there)
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false \
	  -ldflags "-s -w -X main.version=$(VERSION)" -o $@ ./cmd/procid

# Holds what the binary was built for; its time changes only when that does.
$(PROCID_BUILD): FORCE
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = "$(BUILD)" ] || printf '%s\n' "$(BUILD)" >$@

install: $(PROCID) ## Install below PREFIX=/usr/local (DESTDIR= before it)
	@$(PLACES) .ci/install install

uninstall: ## Remove what install put there; with the same PREFIX and DESTDIR
	@$(PLACES) .ci/install uninstall

bundle: build/registry-lock.sh ## Write the library as one file, build/registry-lock.sh

build/registry-lock.sh: .ci/bundle LICENSE lib/registry-lock.sh $(wildcard lib/registry-lock/*.sh)
	@mkdir -p build
	.ci/bundle >$@

dist: ## Make archives and packages for every platform in build/dist
	@GO='$(GO)' MAKE='$(MAKE)' .ci/dist

test: bin/procid ## Run all tests; ARGS="-f REGEX tests/NAME.bats" runs some
	@tests/run-tests.sh $(ARGS)

test-bundle: bin/procid bundle ## Run the suites against the bundle
	@.ci/test-bundle

test-dist: ## Make dist twice, in two places: the same bytes?
	@GO='$(GO)' MAKE='$(MAKE)' .ci/test-dist

test-deb: ## Install, use and remove the .deb of build/dist (Debian, as root)
	@MAKE='$(MAKE)' .ci/test-deb

test-busybox: bin/procid ## Run the suites of the lock with the tools of busybox
	@USERLAND_UNDER_TEST=busybox tests/run-tests.sh \
	  tests/acquire.bats tests/release.bats tests/break.bats tests/wait.bats tests/queue.bats \
	  tests/leave.bats tests/legacy.bats tests/write.bats

test-old-bash: bin/procid ## Run five of them as if this bash were 3.2
	@tests/old-bash.sh

test-filesystems: bin/procid ## Run three of them on other file systems (Linux, as root)
	@tests/filesystems.sh $(ARGS)

test-foreign: ## Run procid's tests as built for other processors and Windows
	@tests/foreign.sh $(ARGS)

lint: ## Run every linter; ARGS="shellcheck shfmt" runs some
	@tests/lint.sh $(ARGS)

mutation: bin/procid ## Break the code on purpose and see a test fail each time
	@tests/mutation.sh $(ARGS)

chaos: SECONDS = 60
chaos: bin/procid ## Kill and stop many processes that share locks, for SECONDS=60
	@tests/chaos/run.sh $(SECONDS)

bad-input: bin/procid ## Try bad names, records, variables and answers by the thousand
	@tests/bad-input/run.sh $(ARGS)

mutants: bin/procid ## Break the code in bulk; ARGS="-only status.sh -sample 10" is a part
	@$(GO) -C tests/tools run ./mutate -root "$(CURDIR)" $(ARGS)

mutants-go: ## Break procid in bulk
	@$(go_is_there)
	@tests/mutants-go.sh $(ARGS)

explore: bin/procid ## Try every interleaving and every kill; SCHEDULE=... replays one
	@$(go_is_there)
	@$(GO) run ./tests/explore $(if $(SCHEDULE),-schedule $(SCHEDULE)) $(ARGS)

explore-deep: bin/procid ## The same within larger bounds, for hours
	@$(go_is_there)
	@$(GO) run ./tests/explore -deep $(ARGS)

explore-mutants: bin/procid ## Let it find a schedule for each mutant that concerns order
	@$(go_is_there)
	@$(GO) run ./tests/explore -mutants .

demo: bin/procid ## Watch the lock at work on real processes
	@tests/demo.sh

bench: bin/procid ## Measure the cost beside flock and mkdir (BENCH.md); ARGS="-q -t AC"
	@tests/bench/run.sh $(ARGS)

fmt: ## Format the shell and Go sources
	@tests/lint.sh --fix

clean: ## Remove what make built and fetched
	rm -rf build bin/procid bin/procid.exe bin/.procid-build tests/node_modules tests/.bash-under-test \
	  tests/.mutants

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile
