package proc

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const rest = " S 7 42 42 34816 57 4194304 1 0 0 0 0 0 0 0 20 0 1 0 123456 8192 1 18446744073709551615"
	for comm, want := range map[string]string{
		"(cat)": "cat", "(a b)": "a b", "(()": "(", "())": ")", "(a) S 1 (b)": "a) S 1 (b", "(x\ny) )": "x\ny) ", "()": "",
	} {
		e, err := parseStat("99 " + comm + rest)
		if err != nil || e != (entry{ID: ID{99, 123456}, parent: 7, group: 42, session: 42, terminal: "pts/0", foreground: 57, comm: want}) {
			t.Errorf("%q: %+v, %v", comm, e, err)
		}
	}
	for _, bad := range []string{"", "99", "99 (cat", "99 (cat) S", "99 cat) S" + rest, "x (cat)" + rest, "-1 (cat)" + rest, "99 (cat)" + strings.Replace(rest, "42", "x", 1)} {
		if e, err := parseStat(bad); err == nil {
			t.Errorf("%q was read as %+v", bad, e)
		}
	}
	if e, err := parseStat("99 (cat)" + strings.Replace(rest, "S", "Z", 1)); err != nil || !e.zombie {
		t.Errorf("a zombie: %+v, %v", e, err)
	}
}

func TestParsePS(t *testing.T) {
	at := func(text string) uint64 {
		when, err := time.ParseInLocation(time.DateTime, text, time.Local)
		if err != nil {
			t.Fatal(err)
		}
		return uint64(when.Unix())
	}
	// macOS's format: padded days, and the program's path as its name.
	table := parsePS(`    1     0     1    -1 ??       Ss   Thu Nov  5 09:00:01 2026     /sbin/launchd
  812   801   812   900 ttys001  Ss   Sat Nov 21 02:11:36 2026     -zsh
  900   812   900   900 ttys001  S+   Sat Nov 21 02:12:00 2026     /Applications/My Tools.app/node
  901   900   900   900 ttys001  Z+   Sat Nov 21 02:12:01 2026     (node)
nonsense
  x   900   900   900 ttys001  S+   Sat Nov 21 02:12:01 2026     /bin/x
`)
	want := map[int]entry{
		1:   {ID: ID{1, at("2026-11-05 09:00:01")}, group: 1, foreground: -1, comm: "/sbin/launchd"},
		812: {ID: ID{812, at("2026-11-21 02:11:36")}, parent: 801, group: 812, terminal: "ttys001", foreground: 900, comm: "-zsh"},
		900: {ID: ID{900, at("2026-11-21 02:12:00")}, parent: 812, group: 900, terminal: "ttys001", foreground: 900, comm: "/Applications/My Tools.app/node"},
		901: {ID: ID{901, at("2026-11-21 02:12:01")}, parent: 900, group: 900, terminal: "ttys001", foreground: 900, zombie: true, comm: "(node)"},
	}
	if len(table) != len(want) {
		t.Errorf("%d entries, want %d: %+v", len(table), len(want), table)
	}
	for pid, e := range want {
		if table[pid] != e {
			t.Errorf("%d is %+v, want %+v", pid, table[pid], e)
		}
	}
	args := parseArgs("  900 node /opt/claude --flag\n 901\n x y\n")
	if len(args) != 1 || !slices.Equal(args[900], []string{"node", "/opt/claude", "--flag"}) {
		t.Errorf("args %v", args)
	}
}

func TestTerminals(t *testing.T) {
	for device, want := range map[uint32]string{0: "", 34816: "pts/0", 34819: "pts/3", 137<<8 | 2: "pts/258", 136<<8 | 1<<20 | 44: "pts/300", 4<<8 | 1: "device 4:1"} {
		if got := terminalOf(device); got != want {
			t.Errorf("%d is %q, want %q", device, got, want)
		}
	}
}

func TestParseProcArgs(t *testing.T) {
	const data = "\x02\x00\x00\x00/bin/sh\x00\x00\x00\x00sh\x00A=1\x00CLAUDECODE=1\x00EMPTY=\x00\x00ptr_munge=\x00"
	if got := parseProcArgs([]byte(data)); !slices.Equal(got, []string{"CLAUDECODE=1", "EMPTY="}) {
		t.Errorf("%q", got)
	}
	for cut := range len(data) {
		parseProcArgs([]byte(data[:cut]))
	}
}

func TestParseFiles(t *testing.T) {
	got := parseFiles("p901\nfcwd\nn/Users/me\nftxt\nn/bin/cat\nf0\nn/dev/ttys001\nf1\nn->0x1234\nf12\nn/tmp/two words\nf13\n")
	if want := map[int]string{0: "/dev/ttys001", 1: "->0x1234", 12: "/tmp/two words"}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestParsePSReadsTheRealOne(t *testing.T) {
	cmd := exec.Command("ps", "-A", "-ww", "-o", psTable)
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	if err != nil {
		t.Skip("no ps here: ", err)
	}
	table := parsePS(string(out))
	if got, want := len(table), strings.Count(string(out), "\n"); got != want {
		t.Errorf("%d of %d processes were read", got, want)
	}
	if first := table[1]; first.PID != 1 || first.parent != 0 || first.comm == "" {
		t.Errorf("the first process is %+v", first)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("99 (cat) S 7 42 42 34816 57 4194304 1 0 0 0 0 0 0 0 20 0 1 0 123456 8192 1 18446744073709551615")
	f.Add("1 (a) (b\n) ) Z")
	f.Fuzz(func(t *testing.T, stat string) {
		e, err := parseStat(stat)
		if err == nil && (e.PID < 1 || !strings.Contains(stat, "("+e.comm+")")) {
			t.Errorf("%q was read as %+v", stat, e)
		}
	})
}

func FuzzParsePS(f *testing.F) {
	f.Add("  900   812   900   900 ttys001  S+   Sat Nov 21 02:12:00 2026     /Applications/My Tools.app/node\n")
	f.Fuzz(func(t *testing.T, output string) {
		for pid, e := range parsePS(output) {
			if pid != e.PID || pid < 1 || e.comm == "" {
				t.Errorf("%d is %+v", pid, e)
			}
		}
		parseArgs(output)
	})
}
