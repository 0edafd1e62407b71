package metrics

import (
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
	"nod/store"
)

// counting returns Metrics on a real store with one earlier event, and a function that returns Prometheus's
// view.
func counting(t *testing.T) (*Metrics, *store.Store, func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nod.db")
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	note(t, s, nudge.Event{Kind: nudge.PromptDetected, Involved: nudge.Involved{Nudge: "old", Agent: "claude"}, Act: nudge.Act{By: "poll"}})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = store.Open(path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	m := New(Config{
		Store: s,
		Panes: func() []detect.Sighting { return []detect.Sighting{{State: screen.Working}, {State: screen.Working}} },
		Queue: func() ([]nudge.Nudge, error) {
			return []nudge.Nudge{{About: nudge.Permission{}}, {About: nudge.TurnEnded{}}}, nil
		},
		Problems: func() []string { return []string{"one"} },
		Version:  "v1.2.3",
		Log:      slog.New(slog.DiscardHandler),
	})
	return m, s, func() string {
		t.Helper()
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		body, _ := io.ReadAll(w.Body)
		if w.Code != 200 {
			t.Fatalf("%d: %s", w.Code, body)
		}
		return string(body)
	}
}

func note(t *testing.T, s *store.Store, events ...nudge.Event) {
	t.Helper()
	err := s.Update(func(tx *store.Tx) error {
		for _, e := range events {
			tx.Note(e)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, told string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(told, "\n"+line+"\n") {
			t.Errorf("%q is not told", line)
		}
	}
}

func TestCounts(t *testing.T) {
	m, s, tell := counting(t)
	want(t, tell(), `nod_panes{state="working"} 2`, `nod_nudges_waiting{urgent="yes"} 1`, `nod_nudges_waiting{urgent="no"} 1`,
		"nod_problems 1", `nod_build_info{version="v1.2.3"} 1`, "nod_messages_sent_total 0")
	if strings.Contains(tell(), "nod_detections_total{") {
		t.Error("what an earlier nod did was counted")
	}
	at := time.Now()
	note(t, s,
		nudge.Event{At: at, Kind: nudge.PromptDetected, Involved: nudge.Involved{Nudge: "k3f", Agent: "claude"}, Act: nudge.Act{By: "hook"}},
		nudge.Event{At: at, Kind: nudge.NudgeSent, Involved: nudge.Involved{Nudge: "k3f"}, SentTo: nudge.SentTo{Reminder: 1}},
		nudge.Event{At: at, Kind: nudge.NudgeSent, Involved: nudge.Involved{Nudge: "k3f"}, SentTo: nudge.SentTo{Reminder: 2}},
		nudge.Event{At: at, Kind: nudge.AnswerReceived, Involved: nudge.Involved{Nudge: "k3f"}, Act: nudge.Act{Way: "button"}},
		nudge.Event{At: at, Kind: nudge.AnswerRefused, Involved: nudge.Involved{Nudge: "k3f"}, Act: nudge.Act{Reason: "changed"}},
		nudge.Event{At: at, Kind: nudge.KeyTyped, Involved: nudge.Involved{Nudge: "k3f"}, Act: nudge.Act{Keys: []string{"1"}}},
		nudge.Event{At: at, Kind: nudge.NudgeEnded, Involved: nudge.Involved{Nudge: "k3f"}, State: "delivered", After: "1m5s"},
		nudge.Event{At: at, Kind: nudge.AgentIdle, Involved: nudge.Involved{Nudge: "i2d", Agent: "codex"}, Act: nudge.Act{By: "poll"}},
	)
	m.Called("sendMessage", "", 200*time.Millisecond)
	m.Called("sendMessage", "later", 10*time.Millisecond)
	for range 2 { // no event may be counted twice
		want(t, tell(),
			`nod_detections_total{agent="claude",by="hook",kind="prompt"} 1`, `nod_detections_total{agent="codex",by="poll",kind="idle"} 1`,
			"nod_messages_sent_total 2", "nod_first_message_seconds_count 1", `nod_answers_total{way="button"} 1`,
			`nod_refusals_total{reason="changed"} 1`, "nod_keys_typed_total 1", "nod_typing_seconds_count 1",
			`nod_nudges_ended_total{outcome="delivered"} 1`, `nod_nudge_life_seconds_sum{outcome="delivered"} 65`,
			`nod_telegram_call_seconds_count{method="sendMessage"} 2`, `nod_telegram_errors_total{class="later"} 1`)
	}
	more := make([]nudge.Event, 1200) // more than one page
	for i := range more {
		more[i].Kind = nudge.KeyTyped
	}
	note(t, s, more...)
	want(t, tell(), "nod_keys_typed_total 1201", "nod_typing_seconds_count 1")
}

// TestNothingThatSomebodyWroteIsInALabel: for any content of an event.
func TestNothingThatSomebodyWroteIsInALabel(t *testing.T) {
	_, s, tell := counting(t)
	const evil = "sk-Evil rm -rf"
	for _, kind := range []string{
		nudge.PromptDetected, nudge.AgentIdle, nudge.AgentSilent, nudge.NudgeSent, nudge.AnswerReceived,
		nudge.KeyTyped, nudge.AnswerRefused, nudge.NudgeEnded, nudge.ToolEnded, evil,
	} {
		note(t, s, nudge.Event{
			Kind:     kind,
			Involved: nudge.Involved{Nudge: evil, Pane: evil, Server: evil, Agent: evil, Shape: evil, Subject: evil},
			Act:      nudge.Act{By: evil, Way: evil, Decision: evil, Text: evil, Keys: []string{evil}, Reason: evil},
			State:    evil,
			After:    evil,
			SentTo:   nudge.SentTo{Chat: evil},
		}, nudge.Event{Kind: kind, Involved: nudge.Involved{Agent: "evil"}})
	}
	told := tell()
	if found := regexp.MustCompile(`(?i).*(evil|rm -rf).*`).FindString(told); found != "" {
		t.Error(found)
	}
	want(t, told, `nod_detections_total{agent="other",by="other",kind="prompt"} 2`, `nod_refusals_total{reason="other"} 2`)
}

func TestNamesAreAsPrometheusHasThem(t *testing.T) {
	m, s, tell := counting(t)
	m.Called("getMe", "offline", time.Second)
	note(t, s, nudge.Event{Kind: nudge.PromptDetected, Involved: nudge.Involved{Nudge: "k3f"}}, nudge.Event{Kind: nudge.AnswerReceived},
		nudge.Event{Kind: nudge.AnswerRefused}, nudge.Event{Kind: nudge.NudgeEnded, After: "1s"})
	suffixes := map[string]string{"counter": "_total", "histogram": "_seconds"}
	told := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^# HELP (nod_\w+) (.+)\n# TYPE (nod_\w+) (\w+)$`).FindAllStringSubmatch(tell(), -1) {
		name, help, kind := match[1], match[2], match[4]
		if told[name] || name != match[3] || help != families[name].help {
			t.Errorf("%q, where the family is %+v", match[0], families[name])
		}
		told[name] = true
		for of, suffix := range suffixes {
			if strings.HasSuffix(name, suffix) != (kind == of) {
				t.Errorf("%s is a %s", name, kind)
			}
		}
	}
	for name := range families {
		if !told[name] {
			t.Errorf("%s is not told", name)
		}
	}
}

// TestEveryMetricIsExplained in docs/metrics.md, and the page has no other metric.
func TestEveryMetricIsExplained(t *testing.T) {
	_, _, tell := counting(t)
	page, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	names := func(pattern, text string) map[string]bool {
		found := map[string]bool{}
		for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			found[match[1]] = true
		}
		return found
	}
	_, table, _ := strings.Cut(string(page), "| --- |")
	told, explained := map[string]bool{}, names("`(nod_\\w+)", table)
	for name := range families {
		told[name] = true
	}
	if !maps.Equal(told, explained) || len(told) < 15 {
		t.Errorf("nod tells %v,\nthe page explains %v\n%s", told, explained, tell())
	}
}

func TestAQueueThatCantBeReadIsNoZero(t *testing.T) {
	_, s, _ := counting(t)
	broken := New(Config{
		Store: s, Panes: func() []detect.Sighting { return nil }, Problems: func() []string { return nil },
		Queue: func() ([]nudge.Nudge, error) { return nil, errors.New("no") }, Log: slog.New(slog.DiscardHandler),
	})
	w := httptest.NewRecorder()
	broken.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code == 200 {
		t.Errorf("%s", w.Body.String())
	}
}
