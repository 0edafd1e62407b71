package main

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"nod/cmd/internal/control"
	"nod/cmd/internal/fleet/join"
	"nod/internal/settings"
	"nod/internal/testrun"
)

// hubProgram is the real nod-hub, built once for all scripts.
var hubProgram = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "nod-hub-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "nod-hub")
	if err := testrun.Build("nod/cmd/nod-hub", path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// putHub puts nod-hub into PATH, and a free address into HUB.
func putHub(ts *testscript.TestScript, _ bool, _ []string) {
	program, err := hubProgram()
	ts.Check(err)
	bin := ts.MkAbs("hub-bin")
	ts.Check(os.MkdirAll(bin, 0o700))
	ts.Check(os.WriteFile(filepath.Join(bin, "nod-hub"), program, 0o700)) //nolint:gosec // it is a program
	ts.Setenv("PATH", bin+":"+ts.Getenv("PATH"))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv("HUB", l.Addr().String())
	ts.Check(l.Close())
}

// goThere and goHere run the following commands on the other machine, or on the bot's.
func goThere(ts *testscript.TestScript, _ bool, _ []string) {
	for name, value := range map[string]string{
		"HOME": "there", "XDG_RUNTIME_DIR": "there", "NOD_TMUX_SOCKET": "t", "NOD_SOCKET": "there/n", "NOD_STATE_DIR": "there/state",
	} {
		ts.Setenv(name, ts.MkAbs(value))
	}
	ts.Setenv("NOD_HUB", "")
	ts.Check(os.MkdirAll(ts.MkAbs("there"), 0o700))
}

func goHere(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Setenv("HOME", ts.MkAbs("."))
	ts.Setenv("XDG_RUNTIME_DIR", ts.MkAbs("."))
	ts.Setenv("NOD_TMUX_SOCKET", ts.MkAbs("s"))
	ts.Setenv("NOD_SOCKET", "")
	ts.Setenv("NOD_STATE_DIR", "")
	ts.Setenv("NOD_HUB", ts.Getenv("HUB"))
}

// TestAJoinedMachineListensToOneHub: another hub's code is refused, and a code of its own renews its keys.
func TestAJoinedMachineListensToOneHub(t *testing.T) {
	p := &program{env: settings.Environment{"HOME": t.TempDir()}}
	own := join.NewKeys().Public().Signer
	joined := join.Joined{Name: "gpu1", Keys: join.NewKeys(), Hub: own, Address: "hub:7443"}
	if err := joined.Write(join.File(settings.File(p.env))); err != nil {
		t.Fatal(err)
	}
	if before, err := p.joinedBefore(join.NewCode("hub:7443", join.Pin(own))); err != nil || before.Name != "gpu1" {
		t.Errorf("its own hub: %v", err)
	}
	other := join.Pin(join.NewKeys().Public().Signer)
	if _, err := p.joinedBefore(join.NewCode("hub:7443", other)); err == nil || !strings.Contains(err.Error(), "listens to one alone") {
		t.Errorf("another hub: %v", err)
	}
}

var codeShape = regexp.MustCompile(`nod1-[a-z2-7]+`)

// saveCode puts the code printed by the last command into CODE.
func saveCode(ts *testscript.TestScript, _ bool, _ []string) {
	code := codeShape.FindString(ts.ReadFile("stdout"))
	if code == "" {
		ts.Fatalf("no code was printed")
	}
	ts.Setenv("CODE", code)
}

// untilJoins waits until a machine asks to join, and puts the question's id into ID.
func untilJoins(ts *testscript.TestScript, _ bool, args []string) {
	untilListed(ts, args[0]+" asking to join", func(n control.Nudge) bool { return strings.HasPrefix(n.Subject, args[0]+" wants to join (") })
}
