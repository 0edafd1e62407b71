package tmux

import (
	"errors"
	"strings"
	"testing"
	"time"

	"nod/internal/host/tmux/tmuxtest"
)

// Each row is what breaks one of the parsers that a text passes.
var hostile = []string{
	"", "plain", `'`, `'' a'b`, `"$HOME"`, `$(id)`, `~`, `\`, `a\`, `\\'`, `;`, `a;`, `a ; b`, `{`, `}`, `#`, `##`,
	`#{pid}`, `#{`, `#[x]`, `##[x]`, `###[`, `#{l:x}`, `#,`, `#}`, `a,b`, `%1`, `%if 1`, `[`, `]`, `[]`, `[^a]`, `^`, `^^a`, `a$`, `.*`, `a|b`, `(a)`, `a{2}`,
	`[[:space:]]`, `\d\n\.`, `日本語`, `│─╭`, "\u00a0", `👩‍👩‍👧`, `--`, `-p`, strings.Repeat(`}#{,`, 500),
}

func TestQuotedTextStandsForItself(t *testing.T) {
	real := tmuxtest.New(t)
	s := New(real.Socket)
	for _, text := range hostile {
		if text == "" {
			continue // no buffer is empty
		}
		// A buffer, since tmux 3.4 prints an option with a backslash before each `$`.
		r, err := s.script(t.Context(), "set-buffer -b text -- "+quote(text), "save-buffer -b text -")
		if err != nil {
			t.Fatal(err)
		}
		if r.out != text {
			t.Errorf("%q came back as %q (%s)", text, r.out, r.complaint)
		}
	}
}

func TestPatternMatchesItsTextAlone(t *testing.T) {
	real := tmuxtest.New(t)
	s := New(real.Socket)
	for _, text := range hostile {
		// `m/r` matches a regular expression with a text that is given, here by an option.
		find := func(in string) string {
			t.Helper()
			r, err := s.script(t.Context(),
				"set-option -s @text "+quote(in),
				"if-shell -F "+quote("#{m/r:^"+pattern.Replace(text)+"$,#{@text}}")+" 'display-message -p YES' 'display-message -p NO'",
			)
			if err != nil || r.complaint != "" {
				t.Fatal(err, r.complaint)
			}
			return strings.TrimSpace(r.out)
		}
		if got := find(text); got != "YES" {
			t.Errorf("pattern of %q does not match it", text)
		}
		if got := find(text + "x"); got != "NO" {
			t.Errorf("pattern of %q matches more than it", text)
		}
	}
}

func TestGuardEndsWithItsDeadline(t *testing.T) {
	real := tmuxtest.New(t)
	s := New(real.Socket)
	pane := real.Pane("cat", 40, 10)
	look, err := s.Look(t.Context(), pane)
	if err != nil {
		t.Fatal(err)
	}
	g := Guard{Life: look.Life, Pane: pane, PanePID: look.Pane.PID, Width: 40, Height: 10}
	for after, want := range map[time.Duration]string{-2 * time.Second: "LATE", 5 * time.Second: "IN TIME"} {
		r, err := s.script(t.Context(),
			"if-shell -F -t "+pane+" "+quote(g.condition(time.Now().Add(after)))+" 'display-message -p \"IN TIME\"' 'display-message -p LATE'")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(r.out); got != want {
			t.Errorf("with a deadline in %v: %s, want %s", after, got, want)
		}
	}
}

func TestNoSecretReachesATmuxProcess(t *testing.T) {
	t.Setenv("NOD_TELEGRAM_TOKEN", "123:secret")
	t.Setenv("TMUX", "/tmp/elsewhere,1,0")
	for _, entry := range environment() {
		if strings.HasPrefix(entry, "NOD_") || strings.HasPrefix(entry, "TMUX") {
			t.Errorf("the environment has %s", entry)
		}
	}
}

func TestFaultIsReadFromTheComplaint(t *testing.T) {
	tests := map[string]error{
		"": nil,
		"error connecting to /tmp/x (No such file or directory)": ErrNoServer,
		"error connecting to /tmp/x (Connection refused)":        ErrNoServer,
		"no server running on /tmp/x":                            ErrNoServer,
		"error connecting to /tmp/x (Permission denied)":         ErrDenied,
		"access not allowed":                                     ErrDenied,
		"server exited unexpectedly":                             errLost,
		"protocol version mismatch (client 8, server 7)":         ErrProtocol,
		"tmux: unknown option -- N\nusage: tmux [-2CDluv]":       ErrProtocol,
		"can't find pane: %99":                                   nil,
	}
	for complaint, want := range tests {
		got := fault(complaint)
		if want == nil && got != nil || want != nil && !errors.Is(got, want) {
			t.Errorf("%q: %v, want %v", complaint, got, want)
		}
	}
}

func FuzzRecordsAreReadOrRefused(f *testing.F) {
	m := records{marker: "MARK"}
	f.Add("MARKS123 456 owner\nMARKP%0 7 00000011000 80 24 @0 0 0 9 /dev/pts/1MARKTmainMARKTshMARKTtitleMARKT/tmpMARKTMARKT\nMARKX0\nscreen\n\n")
	f.Add("MARKS1 2 \nMARKC0 5 @0 %0 attached,focused /dev/pts/3\n")
	f.Add("MARKS")
	f.Fuzz(func(t *testing.T, out string) {
		l, err := m.read("/tmp/s", out)
		if err == nil && l.Life.PID == 0 {
			t.Error("a listing of nobody")
		}
		for _, p := range l.Panes {
			if !validPane(p.ID) {
				t.Errorf("pane id %q", p.ID)
			}
		}
	})
}
