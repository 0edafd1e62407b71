# make demo    the whole loop on this machine, without a Telegram account
# make test    everything that is checked before a change goes in
# make build   ./bin/nod
# make test-agents    the real agents from npm, driven without an account; ONLY=codex runs a part

GO ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEADCODE ?= golang.org/x/tools/cmd/deadcode@v0.52.0

.PHONY: build demo test test-agents fmt vet staticcheck deadcode vuln unit tmux

build:
	$(GO) build -trimpath -o bin/nod ./cmd/nod

# make demo ARGS=--auto plays the person too.
demo: tmux build
	./bin/nod demo $(ARGS)

test: tmux fmt vet staticcheck deadcode vuln unit

fmt:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then printf 'gofmt would change:\n%s\n' "$$bad"; exit 1; fi

vet:
	$(GO) vet ./...
	$(GO) vet -tags agents ./internal/agentrig

staticcheck:
	$(GO) run $(STATICCHECK) ./...

# What nothing calls, in the program or in its tests, those that drive real agents included.
deadcode:
	@dead=$$($(GO) run $(DEADCODE) -tags agents -test ./...); if [ -n "$$dead" ]; then printf 'nothing calls:\n%s\n' "$$dead"; exit 1; fi

vuln:
	@.ci/vuln

# -race needs a C compiler.
unit:
	CGO_ENABLED=1 $(GO) test -race ./...

tmux:
	@.ci/need tmux

# Half an hour and 3 GB in all. Writes docs/agents.md, also when something was not proven.
test-agents: tmux
	@status=0; \
	$(GO) test -tags agents -count=1 -timeout 2h -v ./internal/agentrig -run '^Test(Agents|Hooks)/^$(ONLY)' || status=$$?; \
	$(GO) test -count=1 ./internal/agentrig -run Docs -docs || status=$$?; \
	exit $$status
