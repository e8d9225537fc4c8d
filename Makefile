# GNU make 3.81 or newer. `make help` lists the targets.

GO ?= go

# The one place that holds the version is the library.
VERSION := $(shell sed -n 's/^_registry_lock_version=//p' lib/registry-lock.sh 2>/dev/null)
VERSION := $(or $(strip $(VERSION)),0.0.0)

PROCID_SOURCES := $(filter-out %_test.go,$(wildcard go.mod go.sum cmd/procid/*.go))
BUILD := $(VERSION) $(GOOS)/$(GOARCH)

.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
.PHONY: build test lint mutation demo fmt clean help go-is-there FORCE

build: bin/procid ## Build bin/procid (the default)

bin/procid: $(PROCID_SOURCES) bin/.procid-build | go-is-there
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false \
	  -ldflags "-s -w -X main.version=$(VERSION)" -o $@ ./cmd/procid

# Holds what the binary was built for; its time changes only when that does.
bin/.procid-build: FORCE
	@mkdir -p bin
	@[ "$$(cat $@ 2>/dev/null)" = "$(BUILD)" ] || printf '%s\n' "$(BUILD)" >$@

go-is-there:
	@command -v $(GO) >/dev/null 2>&1 || { \
	  printf '%s\n' "procid is built with Go, which is not installed here." \
	    "Install Go $$(sed -n 's/^go //p' go.mod) or newer (https://go.dev/doc/install," \
	    "or: brew install go), then run make again." >&2; exit 1; }

test: bin/procid ## Run all tests; ARGS="-f REGEX tests/NAME.bats" runs some
	@tests/run-tests.sh $(ARGS)

lint: ## Run every linter; ARGS="shellcheck shfmt" runs some
	@tests/lint.sh $(ARGS)

mutation: bin/procid ## Break the code on purpose and see a test fail each time
	@tests/mutation.sh $(ARGS)

demo: bin/procid ## Watch the lock at work on real processes
	@tests/demo.sh

fmt: ## Format the shell and Go sources
	@tests/lint.sh --fix

clean: ## Remove what make built and fetched
	rm -rf bin/procid bin/procid.exe bin/.procid-build tests/node_modules tests/.bash-under-test

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile
