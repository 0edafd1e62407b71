package message

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/text/visible"
	"nod/nudge"
)

const captures = "../../detect/agents/testdata"

// eachPrompt calls f with each captured screen of a real agent that asks something.
func eachPrompt(t *testing.T, f func(file string, r Renderer)) {
	t.Helper()
	all, err := readPrompts()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		about := nudge.About(nudge.Permission{Prompt: p.Prompt})
		if p.State == screen.Question {
			about = nudge.Question{Prompt: p.Prompt}
		}
		n := nudge.Nudge{ID: "k3f", About: about, Tail: slices.Clone(p.tail)}
		n.Detected, n.State = noon, nudge.Pending
		f(p.file, Of(n, NewStyle("", false, nil, nil)))
	}
}

// readPrompt is a captured screen that asks something, as it is read.
type readPrompt struct {
	file string
	screen.Reading
	tail []string
}

// readPrompts reads the captured screens once for all tests, which change nothing of them.
var readPrompts = sync.OnceValues(func() (all []readPrompt, err error) {
	labels, err := os.Open(filepath.Join(captures, "labels.jsonl"))
	if err != nil {
		return nil, err
	}
	defer labels.Close()
	lines := bufio.NewScanner(labels)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l struct{ File, Agent string }
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, err
		}
		data, err := os.ReadFile(filepath.Join(captures, l.File))
		if err != nil {
			return nil, err
		}
		shown := screen.Parse(strings.TrimRight(string(data), "\n"))
		if reading := agents.Read(l.Agent, shown); reading.Prompt != nil && reading.State.Asks() {
			all = append(all, readPrompt{l.File, reading, shown.Tail(agents.TailRows)})
		}
	}
	return all, lines.Err()
})

// explained are dialogs that say beside each option what it does. The message has no other place for that, so they stay.
var explained = []string{"codex/0.130.0-mcp", "codex/0.140.0-mcp", "codex/0.169.0-mcp", "codex/0.169.0-elicit", "copilot/1.0.47"}

// What the message offers as a button does not stand in its screen once more, in any of the dialogs of real agents: options
// one below the other or side by side, with their keys before or behind them, wrapped or not.
func TestNoButtonStandsInTheScreenToo(t *testing.T) {
	dialogs := 0
	eachPrompt(t, func(file string, r Renderer) {
		if r.Kind() != screen.Permission || slices.ContainsFunc(explained, func(p string) bool { return strings.HasPrefix(file, p) }) {
			return
		}
		dialogs++
		left := r.unsaid()
		for i, label := range r.labels {
			if !r.offers(i) {
				continue
			}
			for at := range left {
				if _, found := labelIn(left, at, visible.Unspaced(label)); found {
					t.Errorf("%s: %q is in\n%s", file, label, strings.Join(left, "\n"))
				}
			}
		}
	})
	if dialogs < 300 {
		t.Errorf("there are only %d dialogs", dialogs)
	}
}

// What is left out of the screen is elsewhere in the message: in what is asked, in an answer, or it is drawing or the
// footer below the answers.
func TestNothingElseIsLeftOutOfTheScreen(t *testing.T) {
	eachPrompt(t, func(file string, r Renderer) {
		said := plainWords(r.Prompt.Verb + r.Prompt.Subject + r.Prompt.Title + r.Prompt.Question + strings.Join(r.labels, "") + strings.Join(r.notes, ""))
		left := plainWords(strings.Join(r.unsaid(), "\n"))
		_, options := r.withoutOptions(r.tail(), r.offers)
		for i, row := range r.tail()[:min(options, len(r.tail()))] {
			words := plainWords(strings.TrimLeft(bare(row), signs))
			if ruledOff(row) || strings.Contains(left, plainWords(bare(row))) || strings.Contains(said, words) || endsInSaid(words, said, left) {
				continue
			}
			t.Errorf("%s: row %d is lost: %q; left is\n%s", file, i, row, strings.Join(r.unsaid(), "\n"))
		}
	})
}

func plainWords(text string) string { return strings.ToLower(buttonText(text)) }

// endsInSaid reports whether the words are some that are left, and behind them some that are said.
func endsInSaid(words, said, left string) bool {
	for i := range words {
		if strings.Contains(said, words[i:]) {
			return strings.Contains(left, words[:i])
		}
	}
	return false
}

// TestTheRowOfHeadingsIsNotShownBesideTheNumberOfItsPage, in any question of real agents, and nothing else of what they say goes
// with it. Where the message does not say which page it is, the row stays.
func TestTheRowOfHeadingsIsNotShownBesideTheNumberOfItsPage(t *testing.T) {
	pages, single := 0, 0
	eachPrompt(t, func(file string, r Renderer) {
		if r.Prompt.Tabs == "" || strings.Contains(strings.Join(r.tail(), ""), "█") { // a scroll bar beside the rows: they stay as they are
			return
		}
		out := r.Asking(goldenChat, goldenSeal, noon, false)
		said, tabs := visible.Unspaced(out.Page.Plain), visible.Unspaced(r.Prompt.Tabs)
		if r.page() == "" {
			if single++; strings.Contains(visible.Unspaced(r.extra), tabs) && !strings.Contains(said, tabs) {
				t.Errorf("%s: the headings are lost:\n%s", file, out.Page.Plain)
			}
			return
		}
		if pages++; strings.Contains(said, tabs) || !strings.Contains(out.Page.Plain, r.page()) {
			t.Errorf("%s: the headings are shown:\n%s", file, out.Page.Plain)
		}
		if slices.Contains(r.Told().Minds, r.page()) {
			t.Errorf("%s: the page is a warning beside a chat", file)
		}
		for line := range strings.SplitSeq(r.extra, "\n") {
			if words := visible.Unspaced(line); words != tabs && !strings.Contains(said, words) {
				t.Errorf("%s: %q is lost:\n%s", file, line, out.Page.Plain)
			}
		}
	})
	if pages < 4 || single == 0 {
		t.Errorf("there are %d pages of sets and %d questions alone", pages, single)
	}
}
