# make demo    the whole loop on this machine, without a Telegram account
# make test    everything that is checked before a change goes in
# make build   ./bin/nod

GO ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build demo test fmt vet staticcheck unit tmux

build:
	$(GO) build -trimpath -o bin/nod ./cmd/nod

# make demo ARGS=--auto plays the person too.
demo: tmux build
	./bin/nod demo $(ARGS)

test: tmux fmt vet staticcheck unit

fmt:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then printf 'gofmt would change:\n%s\n' "$$bad"; exit 1; fi

vet:
	$(GO) vet ./...

staticcheck:
	$(GO) run $(STATICCHECK) ./...

# -race needs a C compiler.
unit:
	CGO_ENABLED=1 $(GO) test -race ./...

tmux:
	@.ci/need tmux
