package dial

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/cmd/internal/fleet/pipe"
	"nod/internal/settings"
)

// TestTheLastWordIsHeard: the program at the other end notices the end of its input, and its last output
// still arrives.
func TestTheLastWordIsHeard(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nprintf '\\0\\0\\0\\013{\"frame\":1}'\ncat >/dev/null\nprintf '\\0\\0\\0\\013{\"frame\":2}'\n"
	if err := os.WriteFile(filepath.Join(dir, "ssh"), []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	ctx, stop := context.WithCancel(t.Context())
	var heard []string
	d := Dialer{Machine: settings.Machine{Name: "gpu1", Host: "gpu1"}, Folder: filepath.Join(dir, "ssh-sockets"), Attach: func(ctx context.Context, _ string, link *pipe.Link) error {
		for {
			frame, err := link.Receive(ctx)
			if err != nil {
				return nil
			}
			heard = append(heard, string(frame))
			stop()
			if err := link.Send(ctx, []byte("3")); err != nil {
				t.Errorf("a frame to one who hears no more: %v", err)
			}
		}
	}}
	if err := d.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if len(heard) != 2 {
		t.Errorf("heard %q", heard)
	}
}

// TestANameIsNeverAnOption of the program that reaches a machine.
func TestANameIsNeverAnOption(t *testing.T) {
	for _, m := range []settings.Machine{{Name: "x", Host: "-oProxyCommand=touch here"}, {Name: "x", Container: "--privileged"}} {
		argv := Command(m, "/tmp")
		name := m.Host + m.Container
		for i, word := range argv {
			if word == name && argv[i-1] != "--" {
				t.Errorf("%q", argv)
			}
		}
	}
}

// TestWhatSshSaysIsExplained: it says what a person has to do, with the names of that machine.
func TestWhatSshSaysIsExplained(t *testing.T) {
	m := settings.Machine{Name: "gpu1", Host: "me@gpu1.example.com"}
	for said, want := range map[string]string{
		"No ED25519 host key is known for gpu1 and you have requested strict checking.\r\nHost key verification failed.\r\n": "run `ssh me@gpu1.example.com` once",
		"me@gpu1: Permission denied (publickey).\r\n":                         "`ssh -o BatchMode=yes me@gpu1.example.com true`",
		"ssh: connect to host gpu1 port 22: Connection refused\r\n":           "is sshd running there?",
		"ssh: Could not resolve hostname gpu1: Name or service not known\r\n": "write gpu1=HOST in NOD_MACHINES",
		"bash: line 1: nod: command not found\n":                              "nod was not found there",
		"sh: 1: nod: not found\n":                                             "nod was not found there",
		"fish: Unknown command: nod\nfish: \nnod edge --stdio\n^~^\n":         "nod was not found there",
		"zsh:1: command not found: nod\n":                                     "nod was not found there",
		"nod: another nod runs on this machine\nhint: Stop that one.\n":       "another nod runs on this machine. Stop that one.",
		"nod: nod there (v9) is too new for this one\n":                       "nod there (v9) is too new",
		"something else\nand its last line\n":                                 "and its last line",
	} {
		if got := Explain(m, 255, said); !strings.Contains(got, want) || strings.ContainsAny(got, "{}%") || strings.HasPrefix(got, "nod: ") {
			t.Errorf("%q: %q", said, got)
		}
	}
}

// TestNobodyIsAskedBySSH: nobody is there to answer, and it gives up if the machine is out of reach.
func TestNobodyIsAskedBySSH(t *testing.T) {
	argv := Command(settings.Machine{Name: "gpu1", Host: "gpu1"}, "/tmp")
	for _, option := range []string{"BatchMode=yes", "ConnectTimeout=10", "ControlPath=/tmp/%C"} {
		if at := slices.Index(argv, option); at < 1 || argv[at-1] != "-o" {
			t.Errorf("%s is not in %q", option, argv)
		}
	}
}

// TestItDialsAgainWithinAMinute: soon at first, and later at least as often as `nod machines` says.
func TestItDialsAgainWithinAMinute(t *testing.T) {
	t.Setenv("PATH", "") // so that there is no ssh
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
		defer stop()
		var tries []time.Duration
		d := Dialer{Machine: settings.Machine{Name: "gpu1", Host: "gpu1"}, Folder: t.TempDir(), Trouble: func(_, why string) {
			if why != "" {
				tries = append(tries, time.Since(began))
			}
		}}
		if err := d.Run(ctx); err != nil {
			t.Fatal(err)
		}
		longest := time.Duration(0)
		for i := range tries[1:] {
			longest = max(longest, tries[i+1]-tries[i])
		}
		if tries[0] > time.Second || tries[1] > 10*time.Second || longest != pipe.MostWait || pipe.MostWait > time.Minute {
			t.Errorf("it is dialled at %v", tries)
		}
	})
}
