//go:build agents

package agentrig

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/agentrig/model"
	"nod/internal/host/tmux/tmuxtest"
)

// Options is how an agent is started. The zero value is a trusted project in a pane of 100x40.
type Options struct {
	Width, Height int
	// Plan starts in plan mode, where an agent has one.
	Plan bool
	// Auto starts in auto mode, in which a guard decides in the place of a person.
	Auto bool
	// Elicits are the parameters of an elicitation that its MCP server's tool asks for, unasked itself; empty: the tool does something.
	Elicits string
	// Server is the address of a server of the agent's own, where one is to run its session: ws:// or unix://; Daemon: the one that the agent
	// starts for all of its sessions; empty: none.
	Server string
	// Denies has the agent's settings deny all that it would ask a person, where it has such a setting.
	Denies bool
	// Fails has it give up at the first error of the model's server, where it has such a setting.
	Fails bool
	// Misspelt has its settings name an event for hooks that no version knows.
	Misspelt bool
	// Untrusted leaves the question whether the project is trusted to be answered.
	Untrusted bool
	// Nod is nod's program. Its hooks are installed before the agent starts; empty: none are.
	Nod string
	// Args are more arguments.
	Args []string
	// Outside starts it without the variables that name its pane: to nod it runs in none.
	Outside bool
	// OtherHook is a command that an agent with hooks calls besides when it asks for permission; empty: none.
	OtherHook string
}

// Daemon stands for the address of the server that an agent starts for all of its sessions.
const Daemon = "daemon"

// Run is one agent that runs in a pane.
type Run struct {
	Agent   Agent
	Tmux    *tmuxtest.Server
	Pane    string
	Model   *model.Model
	Project model.Project
	Home    string // the agent's HOME
	Runtime string // its XDG_RUNTIME_DIR, where a nod that is to hear of its hooks listens
	// HooksBefore is the file that nod's hooks went into, as it was before; nil where there was none.
	HooksBefore []byte

	t    testing.TB
	env  []string // the agent's
	argv []string // what starts it
}

// Patience is how long an agent may take to start, or to draw what is waited for.
const Patience = 60 * time.Second

// Main is a TestMain for tests that use Start: agents start the test's own program again as their
// MCP server.
func Main(m *testing.M) {
	if len(os.Args) >= 2 && os.Args[1] == mcpWord {
		var asks json.RawMessage
		if len(os.Args) > 2 {
			asks = json.RawMessage(os.Args[2])
		}
		if err := model.ServeMCP(os.Stdin, os.Stdout, asks); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

const mcpWord = "mcp-server"

// Start starts a, which Install has put into the folder install, and returns when it takes an
// instruction (or, if Untrusted, when it asks for trust). Everything ends with the test: the pane,
// the model, what the agent left running, and its home.
func Start(t testing.TB, a Agent, install string, o Options) *Run {
	t.Helper()
	r, script := prepare(t, a, install, &o)
	r.Pane = r.Tmux.Pane("", o.Width, o.Height)
	r.Tmux.Type(r.Pane, script, "Enter")
	if !o.Untrusted {
		r.greeted()
		r.Until("takes an instruction", a.ready.MatchString)
	}
	r.Settle()
	return r
}

// prepare makes all that a runs in, and the script that starts it in a pane.
func prepare(t testing.TB, a Agent, install string, o *Options) (r *Run, script string) {
	t.Helper()
	if o.Width == 0 {
		o.Width, o.Height = 100, 40
	}
	root, err := os.MkdirTemp("", "nodrig")
	must(t, err)
	t.Cleanup(func() { cleanUp(t, root) })
	h, err := newHome(root)
	must(t, err)
	h.install, h.version, h.options = install, a.Version, *o

	server := httptest.NewUnstartedServer(nil)
	h.url = "http://" + server.Listener.Addr().String()
	h.project.Page = h.url + "/page"
	m := model.New(h.project)
	server.Config.Handler = m
	server.Start()
	t.Cleanup(server.Close)

	self, err := os.Executable()
	must(t, err)
	h.mcp = []string{self, mcpWord}
	if o.Elicits != "" {
		h.mcp = append(h.mcp, o.Elicits)
	}
	s, err := a.setup(h)
	must(t, err)
	s.argv = append(s.argv, o.Args...)
	env, err := h.environment(s)
	must(t, err)
	script, err = h.script(s, env)
	must(t, err)

	r = &Run{
		Agent: a, Tmux: tmuxtest.New(t), Model: m, Project: h.project, Home: h.dir, Runtime: h.runtime,
		t: t, env: env, argv: s.argv,
	}
	if o.Nod != "" {
		r.installHooks(o.Nod)
	}
	return r, script
}

// greeted leaves what the agent shows on a first start.
func (r *Run) greeted() {
	r.t.Helper()
	g := r.Agent.greets
	if g.says == "" {
		return
	}
	greets := func(screen string) bool { return strings.Contains(screen, g.says) }
	r.Until("starts", func(screen string) bool { return greets(screen) || r.Agent.ready.MatchString(screen) })
	r.Settle()
	if greets(r.Screen()) {
		r.Tmux.Type(r.Pane, g.key)
		r.Until("goes on", func(screen string) bool { return !greets(screen) })
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// environment is what the agent's shell would give it, and what its setup wants.
func (h *home) environment(s start) ([]string, error) {
	node, err := h.node()
	if err != nil {
		return nil, err
	}
	return append([]string{
		"HOME=" + h.dir, "PATH=" + h.bin() + ":" + filepath.Dir(node) + ":/usr/local/bin:/usr/bin:/bin",
		"TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/bash", "XDG_RUNTIME_DIR=" + h.runtime,
		mark + "=" + h.root,
	}, s.env...), nil
}

// script writes what starts the agent: a fresh environment, the project, and then the program in
// the place of the script, so that a shell owns the pane and the agent runs in its foreground.
func (h *home) script(s start, env []string) (string, error) {
	line := []string{"exec", "env", "-i"}
	if !h.options.Outside {
		line = append(line, `TMUX="$TMUX"`, `TMUX_PANE="$TMUX_PANE"`)
	}
	line = append(append(line, quoteAll(env)...), quoteAll(s.argv)...)
	text := "#!/bin/sh\ncd " + quote(h.project.Dir) + " || exit 1\nclear\n" + strings.Join(line, " ") + "\n"
	path := filepath.Join(h.root, "start")
	return path, os.WriteFile(path, []byte(text), 0o755)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func quoteAll(words []string) []string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return quoted
}

// Ask types the instruction that starts scenario, and returns when the model has heard of it.
// What the agent then shows is to be waited for.
func (r *Run) Ask(scenario string) {
	r.t.Helper()
	before := r.Model.Asked(scenario)
	text := "SCENARIO " + scenario
	r.Tmux.Run("send-keys", "-t", r.Pane, "-l", "--", text)
	r.Until("shows "+text, func(screen string) bool { return strings.Contains(screen, text) })
	// Agents take an Enter that comes at once for a part of pasted text, and make a new line of it. The
	// next one comes late, because it would answer a prompt that has come up meanwhile.
	for range 3 {
		r.Settle()
		r.Tmux.Type(r.Pane, "Enter")
		// OpenCode takes up to forty seconds on a machine that is busy.
		for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			if r.Model.Asked(scenario) > before {
				return
			}
		}
	}
	r.Fatalf("the scenario %s never reached the model", scenario)
}

// Screen is what the pane shows, without the blank rows at its end.
func (r *Run) Screen() string { return r.Tmux.Screen(r.Pane) }

// Until waits until the screen satisfies seen.
func (r *Run) Until(what string, seen func(screen string) bool) {
	r.t.Helper()
	for end := time.Now().Add(Patience); !seen(r.Screen()); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			r.Fatalf("%s never %s", r.Agent, what)
		}
	}
}

// Settle waits until the screen has stayed the same for a second, spinners and blinking marks
// aside, or for five seconds in all: some agents never stop moving.
func (r *Run) Settle() {
	last, since := "", time.Now()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		now := withoutSpinners.Replace(r.Screen())
		if now != last {
			last, since = now, time.Now()
		} else if time.Since(since) > time.Second {
			return
		}
	}
}

// withoutSpinners takes away what blinks and spins while nothing happens.
var withoutSpinners = strings.NewReplacer(func() []string {
	var pairs []string
	for _, r := range "●⏺•◦✻✽✶✳✢✺·*◐◓◑◒⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏⬝■" {
		pairs = append(pairs, string(r), "")
	}
	return pairs
}()...)

// Fatalf fails the test, and says what the pane shows and what the model was asked.
func (r *Run) Fatalf(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("%s\nthe pane shows:\n%s\nthe model's journal:\n%s", fmt.Sprintf(format, args...), r.Screen(), r.Model.Journal())
}
