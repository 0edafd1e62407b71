package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"nod/internal/host/proc/proctest"
	"nod/internal/settings"
	"nod/internal/testrun"
	"nod/store"
)

// programs are the test program's functions under other names.
var programs = map[string]func(){"nod": main, "claude": playClaude, "window": proctest.Window, "alone": proctest.Alone, "send-wish": sendWish, "between": standBetween, "ashub": standAsHub, "again": runAgain}

func TestMain(m *testing.M) { testscript.Main(tidyMain{m}, programs) }

// tidyMain removes shared files of the tests at the end.
type tidyMain struct{ *testing.M }

func (m tidyMain) Run() int {
	testrun.AtOnce(8)
	code := m.M.Run()
	if builtProgram.dir != "" {
		_ = os.RemoveAll(builtProgram.dir)
	}
	return code
}

// quickExit keeps each of the scripts' many programs from waiting a second at its end for late race reports.
const quickExit = "atexit_sleep_ms=0"

// TestCommandsWithoutABot runs the scripts that need no bot.
func TestCommandsWithoutABot(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/alone",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GORACE", quickExit)
			env.Setenv("XDG_RUNTIME_DIR", env.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": exitCode, "person": asPerson, "release": makeRelease, "newer": makeNewer},
	})
}

// makeRelease lays out a folder like a release: install.sh, the programs for Linux and the list of their
// checksums. The program for this machine is this one or, with the word broken, one that fails, as that for
// the other kind of machine always does.
func makeRelease(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs("release")
	self, err := os.Executable()
	ts.Check(err)
	script, err := os.ReadFile("../../deploy/install.sh")
	ts.Check(err)
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(os.WriteFile(filepath.Join(dir, "install.sh"), script, 0o600))
	var sums strings.Builder
	for _, arch := range []string{"amd64", "arm64"} {
		name, program := "nod-linux-"+arch, []byte("#!/bin/sh\nexit 1\n")
		if len(args) == 0 && arch == runtime.GOARCH {
			program, err = os.ReadFile(self)
			ts.Check(err)
		}
		ts.Check(os.WriteFile(filepath.Join(dir, name), program, 0o700))
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(program), name)
		hub := "nod-hub-linux-" + arch
		ts.Check(os.WriteFile(filepath.Join(dir, hub), []byte("#!/bin/sh\n"), 0o700))
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte("#!/bin/sh\n")), hub)
	}
	if len(args) == 0 {
		ts.Check(os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o600))
	}
}

// asPerson runs a command in a person's own terminal.
func asPerson(ts *testscript.TestScript, neg bool, args []string) {
	if code := runsOutside(ts, "window", args); (code == 0) == neg {
		ts.Fatalf("%v: exit code %d", args, code)
	}
}

// runsOutside runs a command in a window or alone, and returns its exit code. Both are in sessions of their
// own: the tests' session may contain agents played by other tests.
func runsOutside(ts *testscript.TestScript, where string, args []string) int {
	done := ts.MkAbs(".done")
	_ = os.Remove(done) // of an earlier run
	ts.Setenv(proctest.Done, done)
	ts.Check(ts.Exec(where, args...))
	ts.Setenv(proctest.Done, "") // nobody waits for a window in the background
	code, err := proctest.Code(done)
	ts.Check(err)
	return code
}

// exitCode runs a command, perhaps as a person or alone, that must exit with exactly this code.
func exitCode(ts *testscript.TestScript, _ bool, args []string) {
	if where := map[string]string{"person": "window", "alone": "alone"}[args[1]]; where != "" {
		if code := runsOutside(ts, where, args[2:]); strconv.Itoa(code) != args[0] {
			ts.Fatalf("%v: got exit code %d, want %s", args[1:], code, args[0])
		}
		return
	}
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && strconv.Itoa(exit.ExitCode()) == args[0] {
		return
	}
	ts.Fatalf("%v: got %v, want exit code %s", args[1:], err, args[0])
}

// TestReference keeps docs/reference.md equal to the texts of the commands and settings.
func TestReference(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{env: settings.Environment{}}
	if string(page) != reference(p.root()) {
		t.Error("docs/reference.md is not what nod says of itself: run `go generate ./cmd/nod`")
	}
}

// TestEveryCommandSaysWhatItDoes: no command lacks help.
func TestEveryCommandSaysWhatItDoes(t *testing.T) {
	p := &program{env: settings.Environment{}}
	for _, c := range p.root().Commands() {
		if c.Short == "" || c.GroupID == "" && !c.Hidden && c.Name() != "help" {
			t.Errorf("nod %s: no description, or in no group", c.Name())
		}
		if code := run(context.Background(), settings.Environment{}, []string{c.Name(), "--help"}, streams{nil, discard{}, discard{}}); code != 0 {
			t.Errorf("nod %s --help: exit %d", c.Name(), code)
		}
	}
}

// TestHelpFitsEightyColumns: a terminal would break longer lines within words.
func TestHelpFitsEightyColumns(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		var out bytes.Buffer
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		if code := run(context.Background(), settings.Environment{}, args, streams{nil, &out, discard{}}); code != 0 {
			t.Errorf("nod %v: exit %d", args, code)
		}
		for line := range strings.Lines(out.String()) {
			if w := runewidth.StringWidth(strings.TrimRight(line, "\n")); w > 80 {
				t.Errorf("nod %v: %d columns: %s", args, w, line)
			}
		}
		for _, word := range strings.Fields(c.Long) {
			if !strings.Contains(out.String(), word) {
				t.Errorf("nod %v lacks %q", args, word)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk((&program{env: settings.Environment{}}).root())
}

// TestHelpFitsANarrowTerminal, but for usage lines and examples, which are copied.
func TestHelpFitsANarrowTerminal(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		copied := false
		for line := range strings.Lines(help(c, 40)) {
			line = strings.TrimRight(line, "\n")
			if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") {
				copied = line == "Usage:" || line == "Examples:"
			}
			if w := runewidth.StringWidth(line); w > 40 && !copied && !strings.HasPrefix(line, "  bind-key ") {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), w, line)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk((&program{env: settings.Environment{}}).root())
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// makeNewer changes the script's database at a path as if a newer nod had written it.
func makeNewer(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(newerDatabase(ts.MkAbs(args[0])))
}

// newerDatabase makes a database at path as of a nod with a hundred more schemas.
func newerDatabase(path string) error {
	records, err := store.Open(path)
	if err != nil {
		return err
	}
	if err := records.Close(); err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	key := append([]byte("schema"), make([]byte, 7)...) // a leaf holds a value right behind its key: eight bytes, of which the last tells
	for from := 0; ; {
		at := bytes.Index(data[from:], key)
		if at < 0 {
			return os.WriteFile(path, data, 0o600)
		}
		from += at + len(key)
		data[from] += 100
	}
}
