# make demo    the whole loop on this machine, without a Telegram account
# make test    everything that is checked before a change goes in
# make build   ./bin/nod
# make test-systemd   nod as a service under a real systemd in a container; takes root, three minutes
# make test-tmux TMUX_DIRS="DIR…"   the tests with the tmux of each folder first in PATH
# make release       static programs and Debian packages with checksums, in dist/
# make test-release  the same twice, compared, and the package unpacked and run
# make capture FILE=x.ansi    a test of a screen that nod record wrote
# make taught NAME=x  a dialog that you taught nod, as a commit on a branch that everybody can have
# make rules          gitleaks' rules for secrets, as its release of GITLEAKS has them
# make proofs FUZZTIME=1m     the proofs of docs/reliability.md in full, two hours, which go on where they were stopped; then each fuzz
#                             target for that long, with inputs that nobody chose; an hour with 2m
# make test-browser   the page in Debian's chromium; make proofs runs it too
# make pictures       the messages of docs/messages.md as a phone shows them, the page and the inbox, drawn again in chromium
# make bench          what nod costs, against the goals and the naive way, into docs/performance.md; PART=cpu, latency or startup runs a part
# make test-agents    the real agents from npm, driven without an account; ONLY=codex runs a part

GO ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEADCODE ?= golang.org/x/tools/cmd/deadcode@v0.52.0
GITLEAKS ?= v8.30.1

.PHONY: build demo bench pictures test needed capture taught rules test-agents test-browser proofs fmt vet staticcheck deadcode vuln unit unit-computing unit-waiting unit-races tmux test-systemd test-tmux release test-release

build:
	@GO="$(GO)" deploy/build bin/nod

release:
	@.ci/need git dpkg-deb=dpkg
	@GO="$(GO)" deploy/release

test-release:
	@.ci/need git dpkg-deb=dpkg
	@GO="$(GO)" deploy/test-release

# make demo ARGS=--auto plays the person too.
demo: tmux build
	./bin/nod demo $(ARGS)

# Seven minutes in all, and true only where the machine has nothing else to do. A part that was measured stays on the page until it is
# measured again. BENCHFLAGS=-short tries whether it works.
bench: tmux build
	$(GO) test ./cmd/internal/bench -run '^$$' -bench '^BenchmarkNod$$' -benchtime 1x -timeout 30m -v $(BENCHFLAGS) -nod "$(CURDIR)/bin/nod" -part "$(PART)"

test: tmux needed fmt vet staticcheck deadcode vuln unit

fmt:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then printf 'gofmt would change:\n%s\n' "$$bad"; exit 1; fi

# With every tag at once: no file is left out by one.
vet:
	$(GO) vet -tags agents,systemd,browser ./...

staticcheck:
	$(GO) run $(STATICCHECK) -tags agents ./...

TAUGHT = $${XDG_CONFIG_HOME:-$$HOME/.config}/nod/taught
taught:
	@test -n "$(NAME)" || { echo "name the dialog: make taught NAME=deploy-prompt"; exit 2; }
	install -m 644 "$(TAUGHT)/$(NAME).toml" "$(TAUGHT)/$(NAME).ansi" detect/taught/shared/
	$(GO) test ./detect/taught
	git switch -c "taught-$(NAME)" && git add detect/taught/shared && git commit -m "taught: $(NAME)"

# Try the tests afterwards: a new rule may find something in what agents draw.
rules:
	dir=$$($(GO) mod download -json github.com/zricethezav/gitleaks/v8@$(GITLEAKS) | sed -n 's/^\t"Dir": "\(.*\)",$$/\1/p') && \
	install -m 644 "$$dir/config/gitleaks.toml" "$$dir/LICENSE" internal/text/redact/gitleaks/

# What nothing calls, in the program or in its tests, those that drive real agents included.
deadcode:
	@dead=$$($(GO) run $(DEADCODE) -tags agents -test ./...); if [ -n "$$dead" ]; then printf 'nothing calls:\n%s\n' "$$dead"; exit 1; fi

vuln:
	@.ci/vuln

# Everything runs with -race, which takes a C compiler and five times as long, with as many rounds of random tests as `go test ./...`
# makes; where FULL_TESTS asks for more rounds, they run once more without it. Packages that only compute, on one goroutine a test, run
# without it alone, but for the recorded screens of detect/agents. -short leaves the rig's real agents out.
# They run below a TMPDIR that is this user's alone, as pam_tmpdir makes one; always the same, by which Go knows what it ran before.
# What go test vets, `make vet` does, and more; with -race it would vet all that they import once more.
unit:
	@dir="/tmp/nod-$$(id -u)" && { mkdir -m 700 "$$dir" 2>/dev/null || test -O "$$dir"; } && export TMPDIR="$$dir" && \
	$(MAKE) --no-print-directory -j2 unit-computing unit-waiting && $(MAKE) --no-print-directory unit-races

# Tests of cmd/nod that start many short programs, or read sources: -race would find nothing there that TestBot does not drive, too.
APART = ^Test(CommandsWithoutABot|CompletionRunsNothing|PlainEnglish)$$

WAITING = ^Test(CrashPoint|EverybodyAnswersAtOnce|KilledBetweenClaimAndReply(OverNATS)?|Demo|Setup(FromNothingToTheFirstAnswer|Interrupted)|CompletionOffersOnlySafeCharacters|EveryPaneIsOffered|NameMeansItsOnlyPane)$$

# Packages that take longest, those that need least compiled first: so none of them runs alone at the end.
LONGEST = ./internal/rpc ./cmd/internal/jobs/monitor ./internal/host/tmux ./nudge/keeper ./cmd/internal/fleet ./cmd/internal/control ./bot ./cmd/nod ./deliver ./detect

# Those in full that mostly compute or have to be compiled, and beside them those that mostly wait for programs and terminals.
unit-computing:
	FULL_TESTS=1 $(GO) test -vet=off -timeout 30m ./nudge/... ./detect/agents ./store ./bot/message ./bot/attach ./bot/picture ./internal/text/redact
	FULL_TESTS=1 CGO_ENABLED=1 $(GO) test -vet=off -race ./cmd/nod-hub ./cmd/internal/fleet/carrier

# bot runs each time, since its month fills the disk only where go test keeps no log of it.
unit-waiting:
	FULL_TESTS=1 $(GO) test -vet=off ./deliver ./internal/host/tmux
	FULL_TESTS=1 $(GO) test -vet=off ./cmd/nod ./cmd/internal/control -run '$(WAITING)|$(APART)|^TestBot$$/^(join|machines)$$'
	FULL_TESTS=1 $(GO) test -vet=off -count=1 ./bot

# Three packages at a time: many wait more than they compute.
unit-races:
	CGO_ENABLED=1 $(GO) test -vet=off -race -run 'Captures|Readings' ./detect/agents
	CGO_ENABLED=1 $(GO) test -vet=off -race -p 3 -timeout 30m -skip '$(APART)' $(LONGEST) $$($(GO) list ./... | grep -vE '/(detect/agents|bot/message|text/redact|nod-hub|carrier)$$')
	CGO_ENABLED=1 $(GO) test -vet=off -race -tags agents -short ./cmd/internal/agentrig/...

FUZZTIME ?= 1m
proofs: tmux needed test-browser
	@.ci/proofs
	@.ci/fuzz $(FUZZTIME)

# The rules of axe-core come from npm; without it the page is tried all the same.
test-browser:
	@.ci/need chromium
	$(GO) test -tags browser -count=1 ./cmd/internal/desk/web -run '^TestThePageInABrowser$$'

# Files a recorded screen with its label, and says what nod makes of it now; git diff shows all of it.
capture:
	$(GO) test ./detect/agents -count=1 -run '^TestFileCapture$$' -v -capture "$(abspath $(FILE))"
	$(GO) test ./detect/agents -count=1 -run '^TestReadings$$' -update
	$(GO) test ./detect/agents -count=1 -run '^Test(Captures|AgentFromScreen)$$'

pictures:
	@.ci/need chromium /usr/share/fonts/truetype/noto/NotoColorEmoji.ttf=fonts-noto-color-emoji
	mkdir -p docs/messages
	TZ=UTC $(GO) test -count=1 ./bot/message -pictures
	$(GO) test -tags browser -count=1 ./cmd/internal/desk/web -run '^TestThePageInABrowser$$/^pictures$$' -pictures "$(CURDIR)/docs"
	$(GO) test -count=1 ./cmd/internal/desk/inbox -run '^TestPicture$$' -picture "$(CURDIR)/docs/inbox.png"

tmux:
	@.ci/need tmux

# What the tests take besides Go and tmux: a C compiler for -race, and real programs that nod is tried with.
needed:
	@.ci/need gcc zsh fish
	@test "$$(uname)" != Linux || .ci/need /usr/share/bash-completion/bash_completion=bash-completion /usr/sbin/sshd=openssh-server

test-tmux:
	@for dir in $(TMUX_DIRS); do \
		"$$dir/tmux" -V || exit 1; \
		PATH="$$dir:$$PATH" $(GO) test -count=1 ./... || exit 1; \
	done

# Debian and Ubuntu only. The container has nothing of the network and changes nothing of this machine.
test-systemd: tmux
	@.ci/need systemctl=systemd /usr/lib/systemd/user/dbus.socket=dbus-user-session /usr/share/pam-configs/systemd=libpam-systemd
	$(GO) test -tags systemd -count=1 -timeout 20m -v ./cmd/nod -run '^TestUnderSystemd$$'

# Half an hour and 3 GB in all. Writes docs/agents.md, also when something was not proven.
test-agents: tmux
	@status=0; \
	$(GO) test -tags agents -count=1 -timeout 2h -v ./cmd/internal/agentrig -run '^Test(Agents|Hooks|Questions|Disguises|Denials|Headless|SDK|Doors|ShellModes|Guards|Forms|Reviews|Servers|ServersOutside|ServersReviewed|Failures|FailuresOnTheScreen|SettingsErrors|UncheckedCalls|Modes|SmallPanes)/^$(ONLY)' || status=$$?; \
	$(GO) test -tags agents -count=1 ./cmd/internal/agentrig -run Docs -docs || status=$$?; \
	exit $$status
