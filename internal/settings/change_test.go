package settings

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/internal/testrun"
)

// TestTriedChangeIsTheOnlyChange writes random values that Try has accepted: the setting then has exactly
// that value, and no other setting has changed.
func TestTriedChangeIsTheOnlyChange(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	pieces := []string{
		"laptop", "-", " ", "\n", "\r", "NOD_AGENTS_MAY_ANSWER=others", "NOD_SUPERVISORS=666", "=", "#", "\"", "'", "export ", "\ufeff", "\x00", "ö",
		"\u2028", "\v",
	}
	path := filepath.Join(t.TempDir(), "nod.env")
	env := Environment{"NOD_CONFIG": path}
	taken := 0
	for range testrun.Rounds(60, 300) {
		if err := os.WriteFile(path, []byte("# mine\nNOD_SUPERVISORS=1\nNOD_HOST=old\nNOD_GRACE=5s\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var value strings.Builder
		for range 1 + r.IntN(4) {
			value.WriteString(pieces[r.IntN(len(pieces))])
		}
		changes := []Change{{"NOD_HOST", value.String()}}
		if Try(env, changes) != nil {
			continue
		}
		taken++
		if err := Save(path, changes); err != nil {
			t.Fatal(err)
		}
		s, err := Load(env)
		if err != nil {
			t.Fatalf("%q was passed: %v", value.String(), err)
		}
		if string(s.Host) != value.String() || s.Supervisors.String() != "1" || s.AgentsMayAnswer == AgentsOthers || s.Grace != 5*time.Second {
			t.Fatalf("%q: %+v", value.String(), s)
		}
	}
	if taken < testrun.Rounds(5, 20) {
		t.Errorf("only %d values were taken", taken)
	}
}

func TestTryNamesWhatIsWrongWithTheChangeAlone(t *testing.T) {
	env := Environment{"NOD_CONFIG": filepath.Join(t.TempDir(), "nod.env")}
	if err := os.WriteFile(env["NOD_CONFIG"], []byte("NOD_GRACE=soon\nNOD_NONE=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for change, want := range map[Change]string{
		{"NOD_IDLE", "on"}:             "",
		{"idle", "on"}:                 "idle is no setting of nod: did you mean NOD_IDLE?",
		{"NOD_IDEL", "on"}:             "NOD_IDEL is no setting of nod: did you mean NOD_IDLE?",
		{"NOD_GRACE", "6m"}:            "NOD_GRACE must be from 0s, which turns it off, to 5m",
		{"NOD_GRACE", "x"}:             "NOD_GRACE must be a time such as 20s, 5m or 8h",
		{"NOD_HOST", " a"}:             "NOD_HOST must be one line, without quotes or blanks around it",
		{"NOD_CHAT", "-1001234567890"}: "NOD_CHAT must be used with NOD_TOPICS=on",
	} {
		got := ""
		if err := Try(env, []Change{change}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%v: %q, want %q", change, got, want)
		}
	}
}

// TestTryRefusesWhatMakesAnotherSettingWrong, because with such a file no nod would start.
func TestTryRefusesWhatMakesAnotherSettingWrong(t *testing.T) {
	env := Environment{"NOD_CONFIG": filepath.Join(t.TempDir(), "nod.env")}
	file := "NOD_TOPICS=on\nNOD_CHAT=-1001234567890\nNOD_WEB=127.0.0.1:7777\nNOD_WEB_URL=https://nod.example.com\nNOD_GRACE=soon\n"
	if err := os.WriteFile(env["NOD_CONFIG"], []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		changes []Change
		want    string
	}{
		{[]Change{{"NOD_TOPICS", "off"}}, "NOD_CHAT must be used with NOD_TOPICS=on"},
		{[]Change{{"NOD_WEB", ""}}, "NOD_WEB_URL must be used with NOD_WEB"},
		{[]Change{{"NOD_WEB", "127.0.0.1:7778"}}, ""},
		{[]Change{{"NOD_TOPICS", "off"}, {"NOD_CHAT", ""}}, ""},
	} {
		got := ""
		if err := Try(env, c.changes); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.changes, got, c.want)
		}
	}
}
