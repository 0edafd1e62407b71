package settings

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/internal/testrun"
)

// values are valid and invalid values of each variable. An invalid one contains a text that no message may
// repeat.
var values = map[string]struct{ right, wrong string }{
	"NOD_TELEGRAM_API": {"http://127.0.0.1:1", "ftp://" + leak}, "NOD_SUPERVISORS": {"1,2", "1,@" + leak}, "NOD_WATCHERS": {"3", leak},
	"NOD_TOPICS": {"on", leak}, "NOD_TMUX_SOCKET": {"work", "a/" + leak}, "NOD_POLL_INTERVAL": {"1s", "1h"}, "NOD_STABLE_POLLS": {"3", "3" + leak},
	"NOD_CADENCE": {"0s,1m", "1m,0s," + leak}, "NOD_EXPIRY": {"1h", leak}, "NOD_PRESENCE": {"0", "2h"}, "NOD_GRACE": {"1s", leak},
	"NOD_IDLE": {"off", leak}, "NOD_QUIET": {"22:00-07:00 UTC", "22:00-07:00 " + leak}, "NOD_DIGEST": {"@daily", leak}, "NOD_REDACT": {"off", leak},
	"NOD_PREVIEW": {"minimal", leak}, "NOD_DOORS": {"off", leak}, "NOD_GUARD_WAIT": {"30s", leak}, "NOD_AGENTS_MAY_ANSWER": {"others", leak}, "NOD_LAUNCH": {"/src", leak}, "NOD_RING": {"risky", leak}, "NOD_PIN": {"on", leak},
	"NOD_HOST": {"dev", "a\x00" + leak}, "NOD_STATE_DIR": {"/state", leak}, "NOD_SOCKET": {"/s", leak}, "NOD_LOG_LEVEL": {"warn", leak}, "NOD_LOG_FORMAT": {"json", leak},
}

// TestEveryWrongValueIsNamedOnce with random settings in the environment and in the file; the environment
// wins.
func TestEveryWrongValueIsNamedOnce(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("drawn with the seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range testrun.Rounds(60, 300) {
		var file strings.Builder
		var pairs, want []string
		texts := map[string]Row{}
		for _, v := range Variables() {
			value, drawn := values[v.Name]
			if !drawn {
				continue
			}
			row := Row{Value: v.Default, Source: FromDefault}
			for _, source := range []Source{FromFile, FromEnvironment} {
				text := []string{"", "", "", value.right, value.right, value.wrong}[r.IntN(6)]
				if text == "" {
					continue
				}
				row = Row{Value: text, Source: source}
				if source == FromFile {
					fmt.Fprintf(&file, "%s=%s\n", v.Name, text)
				} else {
					pairs = append(pairs, v.Name, text)
				}
			}
			if texts[v.Name] = row; row.Value == value.wrong {
				want = append(want, v.Name)
			}
		}
		s, err := Load(environment(t, file.String(), pairs...))
		all := &Error{}
		if errors.As(err, &all); err != nil && strings.Contains(fmt.Sprintf("%v %+v", err, all), leak) {
			t.Fatalf("a value is shown: %v", err)
		}
		var got []string
		for _, p := range all.Problems {
			got = append(got, p.Variable)
			if !strings.HasPrefix(p.Should, "must ") {
				t.Errorf("%s", p)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("named %v, want %v: %v", got, want, err)
		}
		for _, row := range s.Rows() {
			if drawn, ok := texts[row.Variable]; err == nil && ok && drawn.Source != FromDefault && (row.Value != drawn.Value || row.Source != drawn.Source) {
				t.Fatalf("%s is %q from the %s, want %q from the %s", row.Variable, row.Value, row.Source, drawn.Value, drawn.Source)
			}
		}
	}
}

// TestLoadingLeavesTheEnvironmentAlone: a daemon reloads its settings while other goroutines start children.
func TestLoadingLeavesTheEnvironmentAlone(t *testing.T) {
	t.Setenv("NOD_IDLE", "on") // Load must not remove it
	before := os.Environ()
	env := environment(t, "NOD_EXPIRY=1h\nNOD_GRACE=3s\n", "NOD_PRESENCE", "7s", "NOD_HOST", "dev")
	stop, same := make(chan struct{}), make(chan bool)
	go func() {
		unchanged := true
		for {
			select {
			case <-stop:
				same <- unchanged
				return
			default:
				unchanged = unchanged && slices.Equal(os.Environ(), before)
			}
		}
	}()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				if s, err := Load(env); err != nil || s.Expiry != time.Hour || s.Presence != 7*time.Second || s.Host != "dev" || s.Redact != true {
					t.Errorf("got %v, %v", s, err)
					return
				}
			}
		})
	}
	all.Wait()
	close(stop)
	if !<-same {
		t.Error("the process's environment was changed")
	}
}

// TestTheProcessOwnEnvironmentIsRead: variables that are still in it count like those that were taken out.
func TestTheProcessOwnEnvironmentIsRead(t *testing.T) {
	t.Setenv("NOD_IDLE", "off")
	if s, err := Load(environment(t, "")); err != nil || s.Idle != IdleOff {
		t.Errorf("idle %q, %v", s.Idle, err)
	}
	if s, err := Load(environment(t, "NOD_IDLE=on\n")); err != nil || s.Idle != IdleOff || s.Source("NOD_IDLE") != FromEnvironment {
		t.Errorf("idle %q, %v", s.Idle, err)
	}
	t.Setenv("NOD_EXPIRY", leak)
	all := &Error{}
	if _, err := Load(environment(t, "")); !errors.As(err, &all) || len(all.Problems) != 1 || all.Problems[0].String() != "NOD_EXPIRY must be a time such as 20s, 5m or 8h" {
		t.Errorf("got %v", err)
	}
	if s, err := Load(environment(t, "", "NOD_EXPIRY", "1h")); err != nil || s.Expiry != time.Hour || s.Redact != true {
		t.Errorf("expiry %v, %v", s.Expiry, err)
	}
}
