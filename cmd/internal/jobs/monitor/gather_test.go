package monitor

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestOneMessageADebounce(t *testing.T) {
	g := gather{debounce: time.Minute}
	if !g.due().IsZero() {
		t.Error("something is due")
	}
	g.add("a", noon)
	if got := g.due(); got != noon.Add(burst) {
		t.Errorf("the first is due at %s", got)
	}
	g.take(noon.Add(burst))
	for i := range 25 {
		g.add(strconv.Itoa(i), noon.Add(2*time.Second))
	}
	if got := g.due(); got != noon.Add(burst+time.Minute) {
		t.Errorf("the next are due at %s", got)
	}
	count, lines := g.take(g.due())
	if count != 25 || len(lines) != kept || lines[0] != "15" || lines[9] != "24" {
		t.Errorf("%d: %q", count, lines)
	}
	g.putBack(count, lines, noon.Add(2*time.Minute))
	g.add("new", noon.Add(3*time.Minute))
	if count, lines := g.take(noon); count != 26 || lines[9] != "new" || lines[0] != "16" {
		t.Errorf("what could not be stored: %d, %q", count, lines)
	}
}

func TestTheLastOfTheOutputIsKept(t *testing.T) {
	var r ring
	for i := range 3 * ringSize / 8 {
		r.write([]byte(strconv.Itoa(10_000_000+i) + "")[:8])
	}
	if len(r.data) > 2*ringSize+8 {
		t.Errorf("%d bytes are held", len(r.data))
	}
	all, end := r.last(0, 0)
	if len(all) != ringSize || end != 3*ringSize || !strings.HasSuffix(string(all), strconv.Itoa(10_000_000+3*ringSize/8-1)) {
		t.Errorf("%d bytes up to %d", len(all), end)
	}
	if some, _ := r.last(8, 0); len(some) != 8 {
		t.Errorf("%d bytes, want 8", len(some))
	}
	if none, _ := r.last(0, end); len(none) != 0 {
		t.Errorf("%d bytes came after the end", len(none))
	}
	r.write([]byte("more"))
	if more, _ := r.last(0, end); string(more) != "more" {
		t.Errorf("%q came after", more)
	}
}

func TestLinesOfAnyLength(t *testing.T) {
	text := "short\n" + strings.Repeat("x", longestLine+10) + "\n\xff\xfe\x1b[31mred\x1b[0m\nlast"
	var got []string
	err := readLines(t.Context(), strings.NewReader(text), func(line []byte) { got = append(got, plain(line)) })
	want := []string{"short", strings.Repeat("x", longestLine), strings.Repeat("x", 10), "\ufffd\ufffdred", "last"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d lines, %q, %v", len(got), got[len(got)-2:], err)
	}
}

func TestNewLinesOfAPane(t *testing.T) {
	for name, c := range map[string]struct{ before, now, want []string }{
		"nothing":        {[]string{"a", "b"}, []string{"a", "b"}, nil},
		"more":           {[]string{"a", "b"}, []string{"a", "b", "c"}, []string{"c"}},
		"scrolled":       {[]string{"a", "b", "c"}, []string{"b", "c", "d", "e"}, []string{"d", "e"}},
		"the same again": {[]string{"x", "x"}, []string{"x", "x", "x"}, []string{"x"}},
		"drawn again":    {[]string{"head", "one", "foot"}, []string{"head", "two", "foot"}, []string{"two"}},
		"cleared":        {[]string{"a", "b"}, []string{"c"}, []string{"c"}},
		"from nothing":   {nil, []string{"a"}, []string{"a"}},
		"blank":          {[]string{"a", ""}, []string{"", "b"}, []string{"b"}},
	} {
		if got := newLines(c.before, c.now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestChildrenGetNoTokenAndNoSettings(t *testing.T) {
	env := childEnv([]string{"PATH=/bin", "NOD_TELEGRAM_TOKEN=1:secret", "NOD_SOCKET=/x", "NOTIFY_SOCKET=/y", "HOME=/h"}, []string{"A=b"}, "m")
	if want := []string{"PATH=/bin", "HOME=/h", "A=b", "NOD_MONITOR=m"}; !slices.Equal(env, want) {
		t.Errorf("%q, want %q", env, want)
	}
}

func TestWrongSpecsAreSaidInASentence(t *testing.T) {
	dir := t.TempDir()
	good := Spec{Name: "ci", Match: "FAIL", Argv: []string{"sh"}, Cwd: dir}
	if _, err := good.check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Spec){
		"no name for a monitor":  func(s *Spec) { s.Name = "a b" },
		"can't be read":          func(s *Spec) { s.Match = "(" },
		"which lines":            func(s *Spec) { s.Match = "" },
		"between 30s":            func(s *Spec) { s.Debounce = time.Second },
		"no command \"nothere\"": func(s *Spec) { s.Argv = []string{"nothere"} },
		"no command \"./x\"":     func(s *Spec) { s.Argv = []string{"./x"} },
		"name the command":       func(s *Spec) { s.Argv = nil },
		"no folder":              func(s *Spec) { s.Cwd = "/none" },
		"no setting of":          func(s *Spec) { s.Env = []string{"1=b"} },
		"zero byte":              func(s *Spec) { s.Argv = []string{"sh", "\x00"} },
		"100 KB":                 func(s *Spec) { s.Argv = []string{"sh", strings.Repeat("x", 100<<10)} },
	} {
		s := good
		change(&s)
		if _, err := s.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestMonitorsThatHaveEndedFillNoMemory: the outputs of the last ones are kept whole, and those of earlier ones not at all.
func TestMonitorsThatHaveEndedFillNoMemory(t *testing.T) {
	m := New(Config{})
	for i := range maxKept {
		r := newMonitor(Spec{Name: fmt.Sprint(i)}, nil, 0)
		for range 3 * ringSize / longestLine / 2 {
			r.output.write(bytes.Repeat([]byte{'x'}, longestLine))
		}
		r.Ended = time.Unix(int64(i), 0)
		m.all[r.Name] = r
	}
	m.trim()
	kept := 0
	for i := range maxKept {
		r := m.all[fmt.Sprint(i)]
		kept += cap(r.output.data)
		if text, end := r.output.last(0, 0); end != 3*ringSize/2 || len(text) != 0 && len(text) != ringSize || len(text) == 0 && i >= maxKept-mostEnded/ringSize {
			t.Fatalf("of monitor %d there are %d bytes up to %d", i, len(text), end)
		}
	}
	if kept > mostEnded {
		t.Errorf("%d bytes are kept", kept)
	}
}
