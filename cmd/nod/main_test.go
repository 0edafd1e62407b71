package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"nod/internal/settings"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"nod": main, "claude": playClaude})
}

// quickExit keeps each of the scripts' many programs from waiting a second at its end for races that
// are still to be reported.
const quickExit = "atexit_sleep_ms=0"

// TestCommands runs the scripts that need no bot.
func TestCommands(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/alone",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GORACE", quickExit)
			env.Setenv("XDG_RUNTIME_DIR", env.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": exitCode},
	})
}

// exitCode runs a command that must exit with just this code.
func exitCode(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && strconv.Itoa(exit.ExitCode()) == args[0] {
		return
	}
	ts.Fatalf("%v: got %v, want exit code %s", args[1:], err, args[0])
}

// TestReference keeps docs/reference.md equal to what the commands and settings say of themselves.
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

// TestEveryCommandSaysWhatItDoes: help that is missing is found here, not by a user.
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

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
