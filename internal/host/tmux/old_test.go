package tmux

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod/internal/testrun"
)

// TestAnOldTmuxIsRefused with a sentence, be it the program or a server that a newer program reaches. What the program
// says is tmux 3.1c's answer to -N.
func TestAnOldTmuxIsRefused(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	play := func(script string) {
		t.Helper()
		if err := testrun.WriteProgram(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\n"+script)); err != nil {
			t.Fatal(err)
		}
	}
	s := New(filepath.Join(dir, "s"))
	play(`echo 'tmux: unknown option -- N
usage: tmux [-2CluvV] [-c shell-command] [-f file] [-L socket-name]
            [-S socket-path] [command [flags]]' >&2; exit 1`)
	if _, err := s.List(t.Context()); !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), "nod needs tmux 3.2 or later") {
		t.Errorf("an old program: %v", err)
	}
	for version, want := range map[string]string{"3.1c": "it is tmux 3.1c, and nod needs 3.2 or later", "2.9a": "it is tmux 2.9a", "3.2-rc2": "", "next-3.8": "", "": ""} {
		// The first line of a listing is its server's.
		play("VERSION=" + version + "\n" + `marker=$(sed -n "s/.*'-p' '\([A-Z0-9]*\)S#{pid}.*/\1/p"); echo "${marker}S7 1700000000 v$VERSION "`)
		switch _, err := s.List(t.Context()); {
		case want == "" && err != nil:
			t.Errorf("a server of version %q: %v", version, err)
		case want != "" && (!errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), want)):
			t.Errorf("a server of version %q: %v", version, err)
		}
	}
}
