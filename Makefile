# What is done with this repository, each by its one command.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
FUZZTIME ?= 30s

# npm writes these files last.
CLIENTS := e2e/clients/node_modules/.package-lock.json e2e/lint/node_modules/.package-lock.json
WEB := web/node_modules/.package-lock.json
# The page's build. Without npm the server still has a page, on which nothing runs.
PAGE := web/dist/manifest.json
# A module of its own: the server needs neither Grafana's SDK nor Prometheus.
GRAFANA := deploy/grafana
# Not below node_modules: packages bring Go files of their own.
SOURCES = find . -name node_modules -prune -o -name '*.go' -print

.PHONY: run build page release release-check test soak lint fuzz bench fmt clean

run: $(if $(shell command -v npm),$(PAGE))
	go run ./cmd/sluice serve

build: $(PAGE)
	CGO_ENABLED=0 go build -trimpath -ldflags '-X main.version=$(VERSION)' -o bin/sluice ./cmd/sluice

page: $(PAGE)

release: $(PAGE)
	go run ./release -out dist -version $(VERSION)

# Twice, from nothing, and compared.
release-check: $(PAGE)
	go run ./release -out dist -version $(VERSION) -check

test: lint $(CLIENTS) $(PAGE)
	npm run --prefix web --silent check
	go test -race -shuffle=on $$(go list ./... | grep -v '^sluice/e2e')
	go test -shuffle=on -timeout 15m ./e2e/...
	cd $(GRAFANA) && go test -count=1 ./...

soak:
	SOAK_ROUNDS=50 CROWD_FULL=1 NAMES_FULL=1 TUS_FULL=1 LOAD_FULL=1 PAGE_FULL=1 go test -v -count=1 -timeout 1h -run 'Page|UnderLoad|Crowd|NamesDoNotMix|IdleConnections|TusCutOften|TusLeaks|LoadInLittleMemory|TLSTestssl' ./e2e
	PROXIES_FULL=1 go test -v -count=1 -timeout 2h -run BehindProxies ./e2e

lint:
	go vet ./...
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...
	go tool staticcheck ./...
	staticcheck=$$(go tool -n staticcheck) && cd $(GRAFANA) && go vet ./... && $$staticcheck ./...
	@unformatted=$$($(SOURCES) | xargs gofmt -l) && [ -z "$$unformatted" ] || { echo "make fmt would change: $$unformatted"; exit 1; }

fuzz:
	@set -e; for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 50x $$package; \
		done; \
	done

bench:
	go run ./bench

fmt:
	$(SOURCES) | xargs gofmt -w

clean:
	rm -rf bin dist e2e/*/node_modules web/node_modules
	find web/dist -type f ! -name README -delete

$(CLIENTS) $(WEB): %/node_modules/.package-lock.json: %/package-lock.json
	npm ci --prefix $* --no-audit --no-fund
	@touch $@

$(PAGE): $(WEB) web/build.mjs $(wildcard web/src/*)
	npm run --prefix web --silent build
