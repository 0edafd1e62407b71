package nudge

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// TestWhatACopyIsAboutNeverChanges: notices, verdicts and callers hold copies of a nudge while its record
// changes.
func TestWhatACopyIsAboutNeverChanges(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	rules := Rules{Expiry: time.Hour, Idle: true, Cadence: []time.Duration{0, time.Minute}, Supervisors: []Place{"ann"}}
	look := func(now time.Time) detect.Sighting {
		s := detect.Sighting{Whereabouts: detect.Whereabouts{Process: proc.ID{PID: 7}}, Since: now.Add(-time.Duration(r.IntN(3)) * time.Hour), At: now, By: []string{"poll", "hook"}[r.IntN(2)], LastTurn: detect.LastTurn{Worked: true}}
		s.State = []screen.State{screen.Permission, screen.Question, screen.Idle, screen.Silent, screen.Working, screen.Shell}[r.IntN(6)]
		if s.State.Asks() {
			s.Prompt = boxes([]string{"x ", " x", "xx"}[r.IntN(3)]).Prompt
			s.Prompt.Subject, s.Prompt.Partial = []string{"make", "make world"}[r.IntN(2)], r.IntN(2) == 0
		}
		s.Words = []string{"", "Done."}[r.IntN(2)]
		return s
	}
	changed := 0
	for range 300 {
		now := noon
		var n *Nudge
		for n == nil {
			if s := look(now); aboutOf(s, rules) != nil {
				n = Open("k3f", aboutOf(s, rules), s, nil, rules, now)
			}
		}
		if r.IntN(4) == 0 {
			n = OpenQuestion("k3f", ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: time.Hour}, rules, now)
		}
		for range 8 {
			now = now.Add(time.Minute)
			kept := *n
			before := aboutOnly(t, &kept)
			switch r.IntN(5) {
			case 0:
				n.Observe(Look{Sighting: look(now), Misses: r.IntN(3)}, rules, now)
			case 1:
				n.Attend(r.IntN(2) == 0, now)
			case 2:
				n.Shift(time.Hour)
			case 3:
				n.Decide(Answer{Said: Said{Decision: screen.Send, Ticks: n.Prompt().Ticks(), Unseen: true}, Way: ByCommand, Read: now}, now)
			case 4:
				n.Finish(deliver.Result{Outcome: deliver.Refused, Reason: deliver.Changed, After: boxes("xx").Prompt}, now)
			}
			if aboutOnly(t, n) != before {
				changed++
			}
			if after := aboutOnly(t, &kept); after != before {
				t.Fatalf("seed %d: a copy of a %s was\n%s\nand became\n%s", seed, kept.Kind(), before, after)
			}
		}
	}
	if changed < 100 {
		t.Errorf("seed %d: only %d changes were made", seed, changed)
	}
}

func aboutOnly(t *testing.T, n *Nudge) string { return recordOf(t, &Nudge{ID: n.ID, About: n.About}) }

func recordOf(t *testing.T, n *Nudge) string {
	t.Helper()
	data, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestARecordOfNoKnownKindIsUnreadable: a nudge that nod can't name is shown to nobody, and nothing is typed
// for it.
func TestARecordOfNoKnownKindIsUnreadable(t *testing.T) {
	for _, kind := range []string{"", "working", "overlay", "PERMISSION"} {
		record := strings.Replace(recordOf(t, in(Pending)), `"Kind":"permission"`, `"Kind":"`+kind+`"`, 1)
		if err := json.Unmarshal([]byte(record), new(Nudge)); err == nil || !strings.Contains(err.Error(), "k3f") {
			t.Errorf("a nudge of kind %q is read: %v", kind, err)
		}
	}
	record := recordOf(t, &Nudge{ID: "k3f", About: Program{About: TurnEnded{}}})
	if err := json.Unmarshal([]byte(record), new(Nudge)); err == nil {
		t.Error("a program whose turn ended is read")
	}
}
