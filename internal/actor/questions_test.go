package actor

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	database = Question{Header: "Database", Text: "Which database should the rig use?", Choices: []Choice{{"SQLite", "One file"}, {"Postgres", "A server"}}}
	language = Question{Header: "Language", Text: "Which language should the rig use?", Choices: []Choice{{"Go", "Static binary"}, {"Python", "Scripts"}}}
	features = Question{Header: "Features", Text: "Which features should be enabled?", Several: true, Choices: []Choice{
		{"Logging", "Write a log"}, {"Metrics", "Count things"}, {"Tracing", "Follow requests"},
	}}
	one = Question{Header: "Database", Text: "Which database should the rig use?", Choices: []Choice{
		{"SQLite", "One file, no server"}, {"Postgres", "A server, more features"}, {"None", "Keep it in memory"},
	}}
)

// TestDrawsTheRecordedQuestions: every row of the open question equals the real program's.
func TestDrawsTheRecordedQuestions(t *testing.T) {
	for _, tt := range []struct {
		capture   string
		questions []Question
		keys      string
		from      string // the first row to compare
	}{
		{"claude-set-page", []Question{database, language}, "1", "←  "},
		{"claude-set-boxes", []Question{features}, "", "←  "},
		{"claude-set-ticked", []Question{features}, "1", "←  "},
		{"claude-set-review", []Question{features}, "1 Tab", "←  "},
		{"claude-set-lone", []Question{one}, "", "☐ "},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			a := newActor(t, "claude", "/tmp/rig-cc/c1/proj")
			a.begin(Step{Instruction: "SCENARIO", Questions: tt.questions})
			a.ask()
			for name := range strings.FieldsSeq(tt.keys) {
				a.answer(key{name: name, at: time.Now().Add(time.Minute)})
			}
			rows := a.page(80, 24)
			_, want, _ := strings.Cut(recorded(t, tt.capture), tt.from)
			_, got, _ := strings.Cut(text(rows), tt.from)
			// The recorded list is cut off at the end of the pane.
			if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), strings.Split(strings.TrimSpace(got), "\n")); diff != "" {
				t.Errorf("(-recorded +drawn):\n%s\ndrawn:\n%s", diff, text(rows))
			}
		})
	}
}

// TestQuestionsTakeTheirKeys: they react to keys as in Claude Code.
func TestQuestionsTakeTheirKeys(t *testing.T) {
	for _, tt := range []struct {
		questions []Question
		keys      string
		want      outcome
		said      string
	}{
		{[]Question{one}, "2", sent, "Database: Postgres"},
		{[]Question{one}, "Down Enter", sent, "Database: Postgres"},
		{[]Question{one}, "4", ignored, "Database: "},
		{[]Question{one}, "Tab", ignored, "Database: "},
		{[]Question{one}, "Escape", declined, "Database: "},
		{[]Question{features}, "1 3", changed, "Features: Logging, Tracing"},
		{[]Question{features}, "1 3 1", changed, "Features: Tracing"},
		{[]Question{features}, "Down Enter", changed, "Features: Metrics"},
		{[]Question{features}, "Down Down Down Down 1", ignored, "Features: "},
		{[]Question{features}, "3 1 Tab 1", sent, "Features: Tracing, Logging"},
		{[]Question{features}, "1 Down Down Down Down Enter", turned, "Features: Logging"},
		{[]Question{features}, "1 Tab 2", declined, "Features: Logging"},
		{[]Question{database, features, language}, "2 1 Tab 1 1", sent, "Database: Postgres; Features: Logging; Language: Go"},
		{[]Question{database, language}, "1 Left 2", turned, "Database: Postgres; Language: "},
		{[]Question{database, language}, "1 Escape", declined, "Database: SQLite; Language: "},
	} {
		s := newSet(tt.questions)
		var got outcome
		for name := range strings.FieldsSeq(tt.keys) {
			got = s.press(key{name: name, at: time.Now().Add(time.Minute)})
		}
		if got != tt.want || s.said() != tt.said {
			t.Errorf("%s: %d, %q, want %d, %q", tt.keys, got, s.said(), tt.want, tt.said)
		}
	}
	if got := newSet([]Question{one}).press(key{name: "1", at: time.Now()}); got != ignored {
		t.Error("a key that comes with the drawing is taken")
	}
}

// TestQuestionsInARealPane: keys answer them.
func TestQuestionsInARealPane(t *testing.T) {
	t.Parallel()
	st := play(t, "claude", Step{Instruction: "ask", Questions: []Question{database, features}, Done: "Thanks."})
	st.shown("Which database")
	st.tm.Type(st.pane, "2")
	st.tm.UntilShows(st.pane, "Which features")
	st.until("asks it", func(e Event) bool {
		return e.Kind == "asks" && e.Command == features.Text && time.Since(e.At) > 2*guard
	})
	st.tm.Type(st.pane, "3")
	st.tm.UntilShows(st.pane, "[✔] Tracing")
	st.tm.Type(st.pane, "Tab")
	st.tm.UntilShows(st.pane, "→ Tracing")
	st.until("reviews", func(e Event) bool {
		return e.Kind == "asks" && e.Command == "Review your answers" && time.Since(e.At) > 2*guard
	})
	st.tm.Type(st.pane, "1")
	if e := st.until("answered", kind("answered")); e.Text != "Database: Postgres; Features: Tracing" {
		t.Errorf("answered %q", e.Text)
	}
	st.tm.UntilShows(st.pane, "Thanks.")
}
