package main

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"nod/deliver"
	"nod/detect/agents"
	"nod/internal/rpc"
	"nod/internal/settings"
)

// TestAMisspeltAgentIsRefused: a pane that is watched under a name that nod knows nothing of is read worse, for ever.
func TestAMisspeltAgentIsRefused(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("drawn with the seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	names := slices.DeleteFunc(agents.Names(), func(name string) bool { return len(name) < 4 })
	for range 300 {
		name := names[r.IntN(len(names))]
		at, letter := r.IntN(len(name)-1), string(rune('a'+r.IntN(26)))
		slip := []string{
			name[:at] + letter + name[at:], name[:at] + letter + name[at+1:], name[:at] + name[at+1:],
			name[:at] + name[at+1:at+2] + name[at:at+1] + name[at+2:],
		}[r.IntN(4)]
		if slices.Contains(agents.Names(), slip) {
			continue
		}
		args := [][]string{{"watch", "%1", "--agent", slip}, {"check", "--agent", slip}, {"teach", "%1", "--agent", slip}, {"new", "api", "--agent", slip}}[r.IntN(4)]
		var said strings.Builder
		code := run(context.Background(), settings.Environment{"HOME": t.TempDir(), "NOD_SOCKET": "/nonexistent"}, args, streams{strings.NewReader(""), io.Discard, &said})
		if code != exitUsage || !strings.Contains(said.String(), "nod knows no agent \""+slip+"\"") || !strings.Contains(said.String(), "hint: did you mean ") {
			t.Fatalf("nod %q: exit %d, said %q", args, code, &said)
		}
	}
}

// TestAnotherAgentsNameIsNoSlip: oh-my-pi is called omp, one letter away from amp.
func TestAnotherAgentsNameIsNoSlip(t *testing.T) {
	p := &program{env: settings.Environment{"HOME": t.TempDir()}}
	for _, name := range []string{"omp", "amp", "pi", "pip", "acme"} {
		if err := p.misspelt(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrongArgumentsShowTheUsage: of every command, too few or too many.
func TestWrongArgumentsShowTheUsage(t *testing.T) {
	p := &program{env: settings.Environment{}}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		path := strings.Fields(c.CommandPath())[1:]
		if len(path) == 0 || c.Hidden || c.Name() == "help" || c.Name() == "hook" {
			return
		}
		try := func(more ...string) {
			var said strings.Builder
			code := run(context.Background(), settings.Environment{"HOME": t.TempDir(), "NOD_SOCKET": "/nonexistent"}, append(slices.Clone(path), more...), streams{strings.NewReader(""), io.Discard, &said})
			lines := strings.Split(said.String(), "\n")
			if code != exitUsage || len(lines) != 4 || !strings.HasPrefix(lines[0], c.CommandPath()+": ") || !strings.HasPrefix(lines[1], "usage: "+c.CommandPath()) || !strings.HasPrefix(lines[2], "hint: ") {
				t.Errorf("%s %q: exit %d, said %q", c.CommandPath(), more, code, &said)
			}
		}
		if len(needed(c)) > 0 {
			try()
		}
		if c.Args(c, slices.Repeat([]string{"x"}, 40)) != nil {
			try(slices.Repeat([]string{"x"}, 40)...)
		}
		try("--no-such-flag")
	}
	walk(p.root())
}

// TestARefusalSaysWhatToDoAtATerminal, where its sentence names a button of the chat, or nothing.
func TestARefusalSaysWhatToDoAtATerminal(t *testing.T) {
	t.Parallel()
	for reason, want := range map[deliver.Reason]string{deliver.Expired: "nod inbox", deliver.Answered: "nod log", deliver.NoKey: "nod send", deliver.NotFound: "nod status"} {
		if f := explain(&rpc.Fault{Reason: string(reason)}); f.code != exitFailed || !strings.Contains(f.hint, want) {
			t.Errorf("%s: exit %d, %q", reason, f.code, f.hint)
		}
	}
}
