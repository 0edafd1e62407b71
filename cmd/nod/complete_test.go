package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nod/cmd/internal/control"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/testrun"
)

// namesBot is a nod whose panes, questions and monitors have hostile names.
type namesBot struct {
	socket string
	rand   *rand.Rand
	asked  atomic.Int32 // number of requests from a shell

	mu       sync.Mutex
	panes    []control.Pane
	nudges   []control.Nudge
	monitors []control.Monitor
}

func newNamesBot(t *testing.T) *namesBot {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("drawn with the seed %d", seed)
	b := &namesBot{socket: filepath.Join(shortTemp(t), "s"), rand: rand.New(rand.NewPCG(seed, 0))}
	listener, err := rpc.Listen(b.socket)
	if err != nil {
		t.Fatal(err)
	}
	serveMethods(t, listener, rpc.Methods{
		"pane.list":    rpc.Method(named(b, &b.panes)),
		"nudge.queue":  rpc.Method(named(b, &b.nudges)),
		"monitor.list": rpc.Method(named(b, &b.monitors)),
	})
	return b
}

func named[T any](b *namesBot, list *[]T) func(context.Context, control.MonitorsParams) ([]T, error) {
	return func(context.Context, control.MonitorsParams) ([]T, error) {
		b.asked.Add(1)
		b.mu.Lock()
		defer b.mu.Unlock()
		return slices.Clone(*list), nil
	}
}

// name generates a name that a shell could take for more than a word.
func (b *namesBot) name() string {
	commands := []string{"$(touch pwned)", "`touch pwned`", ";touch pwned;", "(touch pwned)", "<(touch pwned)", "|touch pwned|", "&touch pwned&", "$(touch${IFS}pwned)"}
	if b.rand.IntN(2) == 0 { // text beside it may keep it from being run
		return commands[b.rand.IntN(len(commands))]
	}
	pieces := append(commands,
		"'", `"`, `\`, "{a,b}", "*", "?", "[a]", "~", "!!", "#", "=ls", "^a^b", "$HOME", "%{", "\t", "\n", " ", "\x1b]0;x\a", "\x01", "-", "--json", "_activeHelp_ ",
		"api", "ä", "大", "\u202e", "\u200b", "x:y", "1", "@", "%5", "/", ".", "_", "+",
	)
	var name strings.Builder
	for range 1 + b.rand.IntN(4) {
		name.WriteString(pieces[b.rand.IntN(len(pieces))])
	}
	return name.String()
}

// draw generates all names. Two panes of a session have a common prefix, which a shell inserts without
// quoting.
func (b *namesBot) draw() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.panes, b.nudges, b.monitors = nil, nil, nil
	for i := range []int{1, 1, 3}[b.rand.IntN(3)] { // a single match is inserted into the line
		session := b.name()
		for pane := range 2 {
			b.panes = append(b.panes, control.Pane{Machine: []string{"", "gpu1"}[i%2], Pane: fmt.Sprintf("%%%d", 2*i+pane), Session: session, Where: fmt.Sprintf("%s:%d.%d", session, i, pane),
				Agent: b.name(), Name: b.name(), Project: b.name(), State: "idle"})
		}
		b.nudges = append(b.nudges, control.Nudge{ID: fmt.Sprintf("k%df", i), Agent: b.name(), Project: b.name(), Subject: b.name() + "\n" + b.name(), Lead: 1})
		b.monitors = append(b.monitors, control.Monitor{Name: b.name(), Status: b.name()}, control.Monitor{Name: fmt.Sprintf("build-%d", i), Status: "running"})
	}
}

// complete returns nod's completions of the last of words.
func (b *namesBot) complete(t *testing.T, words []string) []string {
	t.Helper()
	var out bytes.Buffer
	if code := run(t.Context(), settings.Environment{"NOD_SOCKET": b.socket}, append([]string{"__complete"}, words...), streams{nil, &out, io.Discard}); code != 0 {
		t.Fatalf("nod __complete %q: exit %d", words, code)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// completable are all command lines whose last word a shell may complete: arguments, flags, and values of
// flags.
func completable() (lines [][]string) {
	p := &program{env: settings.Environment{}}
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		line := func(more ...string) { lines = append(lines, append(slices.Clone(path), more...)) }
		line("")
		line("-")
		line("--")
		line("--", "")
		line("--", "-")
		c.Flags().VisitAll(func(f *pflag.Flag) { line("--"+f.Name, ""); line("--" + f.Name + "=") })
		for _, sub := range c.Commands() {
			walk(sub, append(slices.Clone(path), sub.Name()))
		}
	}
	root := p.root()
	walk(root, nil)
	return lines
}

var (
	safeOffer = regexp.MustCompile(`^[A-Za-z0-9_.:%@/+][A-Za-z0-9_.:%@/+-]*$`)
	flagOffer = regexp.MustCompile(`^--[a-z][a-z-]*$`)
	safeWords = regexp.MustCompile(`^([A-Za-z0-9_.:%@/+][A-Za-z0-9_.:%@/+ -]*)?$`)
	directive = regexp.MustCompile(`^:[0-9]+$`)
)

// TestCompletionOffersOnlySafeCharacters: a shell inserts a completion into the line, and evaluates that line
// again for further completions.
func TestCompletionOffersOnlySafeCharacters(t *testing.T) {
	b := newNamesBot(t)
	lines := completable()
	if len(lines) < 200 {
		t.Fatalf("there are only %d lines", len(lines))
	}
	for round := range len(lines) + testrun.Rounds(30, 300) {
		b.draw()
		line := []string{[]string{"send", "tell", "watch", "reply", "skip", "capture"}[b.rand.IntN(6)], ""}
		if round < len(lines) {
			line = lines[round]
		}
		offers := b.complete(t, line)
		if !directive.MatchString(offers[len(offers)-1]) {
			t.Fatalf("nod %q ends with %q, which is no directive", line, offers[len(offers)-1])
		}
		last := len(line) - 1
		flags := (line[last] == "-" || line[last] == "--") && !slices.Contains(line[:last], "--")
		if flags && len(offers) == 1 {
			t.Fatalf("nod %q offers no flag", line)
		}
		for _, offer := range offers[:len(offers)-1] {
			value, says, _ := strings.Cut(offer, "\t")
			if !safeOffer.MatchString(value) && !(flags && flagOffer.MatchString(value)) || !safeWords.MatchString(says) {
				t.Fatalf("nod %q offers %q, described as %q", line, value, says)
			}
		}
	}
}

// TestEveryPaneIsOffered: by its place, or by its id if its place has unsafe characters.
func TestEveryPaneIsOffered(t *testing.T) {
	b := newNamesBot(t)
	for range testrun.Rounds(30, 300) {
		b.draw()
		offers := b.complete(t, []string{"send", ""})
		for i, pane := range b.panes {
			want := placeOf(pane.Machine, pane.Where)
			if !safeOffer.MatchString(want) {
				want = placeOf(pane.Machine, pane.Pane)
			}
			if value, _, _ := strings.Cut(offers[i], "\t"); value != want {
				t.Fatalf("%q in %s is offered as %q, want %q", pane.Where, pane.Pane, value, want)
			}
		}
	}
}

// bashCompletion are the paths of bash's completion library.
var bashCompletion = []string{"/usr/share/bash-completion/bash_completion", "/opt/homebrew/etc/profile.d/bash_completion.sh", "/usr/local/etc/profile.d/bash_completion.sh"}

// TestCompletionRunsNothing types lines into real shells and completes them, while names and files contain
// commands.
func TestCompletionRunsNothing(t *testing.T) {
	testrun.InFull(t)
	t.Parallel()
	library := slices.IndexFunc(bashCompletion, func(path string) bool { _, err := os.Stat(path); return err == nil })
	if library < 0 {
		t.Fatal("bash-completion is not installed: .ci/need /usr/share/bash-completion/bash_completion=bash-completion")
	}
	for _, sh := range []struct{ name, start, load string }{
		{"bash", "bash --norc --noprofile -i", "bind 'set completion-query-items 0'; bind 'set page-completions off'; source " + bashCompletion[library] + "; source <(nod completion bash)"},
		{"zsh", "zsh -f -i", "LISTMAX=0; autoload -Uz compinit; compinit -u -D; source <(nod completion zsh)"},
		{"fish", "fish --no-config -i", "nod completion fish | source"},
	} {
		t.Run(sh.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(sh.name); err != nil {
				t.Fatalf("%s is not installed: .ci/need %s", sh.name, sh.name)
			}
			s := startShell(t, sh.start, sh.load)
			s.completes(t)
			for range testrun.Rounds(1, 8) {
				s.round(t)
			}
		})
	}
}

// TestCompletionIsInstalledAsTheHelpSays: by a user who has no completions yet, and may not write into the system's folders.
func TestCompletionIsInstalledAsTheHelpSays(t *testing.T) {
	home := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(self, filepath.Join(home, "nod")), // testscript.Main runs nod under this name
		os.MkdirAll(filepath.Join(home, ".config/fish/completions"), 0o700)); err != nil { // as fish does at its first start
		t.Fatal(err)
	}
	for line := range strings.Lines(completionCommand().Example) {
		cmd := exec.Command("sh", "-c", line)
		cmd.Env = []string{"HOME=" + home, "PATH=" + home + ":" + os.Getenv("PATH"), "GORACE=" + quickExit}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s%v: %s", line, err, out)
		}
	}
}

// shell is a real shell on a terminal, in a folder where a command in a name would create a file.
type shell struct {
	*namesBot
	tmux      *tmuxtest.Server
	pane, dir string
	prompts   int
}

func startShell(t *testing.T, start, load string) *shell {
	t.Helper()
	s := &shell{namesBot: newNamesBot(t), tmux: tmuxtest.New(t), dir: t.TempDir()}
	home := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(home, "nod")); err != nil { // testscript.Main runs nod under this name
		t.Fatal(err)
	}
	s.pane = s.tmux.Pane(fmt.Sprintf("cd '%s' && exec env -i GORACE="+quickExit+" HOME='%s' PATH='%s:%s' NOD_SOCKET='%s' TERM=xterm-256color LANG=C.UTF-8 %s",
		s.dir, home, home, os.Getenv("PATH"), s.socket, start), 200, 50)
	s.line(t, load)
	return s
}

// line runs a line, and returns when it has ended.
func (s *shell) line(t *testing.T, line string) {
	t.Helper()
	s.prompts++
	s.tmux.Run("send-keys", "-t", s.pane, "-l", "--", fmt.Sprintf(`%s; clear; echo "end"%d`, line, s.prompts))
	s.tmux.Type(s.pane, "Enter")
	s.tmux.UntilShows(s.pane, fmt.Sprintf("end%d", s.prompts))
}

// typed types the beginning of a line and completes it repeatedly.
func (s *shell) typed(line string) {
	s.tmux.Run("send-keys", "-t", s.pane, "-l", "--", line)
	for range 2 {
		s.tmux.Type(s.pane, "Tab", "Tab")
		s.tmux.Run("send-keys", "-t", s.pane, "-l", "--", " ")
	}
}

// drop empties the line.
func (s *shell) drop(t *testing.T) {
	t.Helper()
	s.tmux.Type(s.pane, "C-u")
	s.line(t, "true")
}

// completes proves that the shell calls nod at all: only one pane has that prefix.
func (s *shell) completes(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	s.panes = []control.Pane{{Pane: "%1", Where: "other:0.0"}, {Pane: "%2", Where: "only:3.1", State: "idle"}, {Pane: "%3", Where: "$(touch pwned):0.0"}}
	s.mu.Unlock()
	for typed, want := range map[string]string{"on": "only:3.1", "%": "%3"} {
		s.tmux.Run("send-keys", "-t", s.pane, "-l", "--", "nod send "+typed)
		s.tmux.Type(s.pane, "Tab")
		s.tmux.UntilShows(s.pane, "nod send "+want)
		s.drop(t)
	}
}

// round generates names and one file, and completes lines with them.
func (s *shell) round(t *testing.T) {
	t.Helper()
	s.draw()
	file := strings.NewReplacer("/", "_", "\x00", "_").Replace(s.name()) + "$(touch pwned)(touch pwned)"
	path := filepath.Join(s.dir, file)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before := s.asked.Load()
	for _, line := range []string{"nod send ", "nod reply ", "nod monitor stop ", "nod ask --file ", "nod teach --from "} {
		s.typed(line)
		s.drop(t)
		left, err := os.ReadDir(s.dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(left) != 1 {
			t.Fatalf("completing %q beside the file %q ran a command: there are now %v\npanes %+v\n%s", line, file, left, s.panes, s.tmux.Screen(s.pane))
		}
	}
	if s.asked.Load() == before {
		t.Errorf("the shell asked nod for nothing:\n%s", s.tmux.Screen(s.pane))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// TestHooksAreCompletedVerbFirst: `nod hooks claude` is no command.
func TestHooksAreCompletedVerbFirst(t *testing.T) {
	b := &namesBot{}
	for _, c := range []struct{ words, want, not []string }{
		{[]string{"hooks", ""}, []string{"install", "uninstall", "status"}, []string{"claude", "codex"}},
		{[]string{"hooks", "install", ""}, []string{"claude", "codex"}, []string{"status"}},
		{[]string{"hooks", "install", "claude", ""}, []string{"codex"}, []string{"claude", "status"}},
	} {
		got := b.complete(t, c.words)
		for _, word := range c.want {
			if !slices.Contains(got, word) {
				t.Errorf("%q is not completed with %s: %q", c.words, word, got)
			}
		}
		for _, word := range c.not {
			if slices.Contains(got, word) {
				t.Errorf("%q is completed with %s: %q", c.words, word, got)
			}
		}
	}
}
