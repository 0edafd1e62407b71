package agents

import (
	"regexp"
	"strings"
	"testing"

	"nod/detect/screen"
)

// spoken is what the rigs' models say at the end of a turn, and nothing else that is on a recorded screen. Copilot draws notices of
// its own as it draws what the model says.
var spoken = regexp.MustCompile(`^(RIGDONE|RIGERR |Scenario [\w-]+ (is )?finished|thought enough|Here is what|Noted: |Operation cancelled|No copilot-instr|Request failed due)`)

// unheard are versions that are too old to be heard: their marks stand elsewhere, or before everything.
var unheard = regexp.MustCompile(`^(auggie/0\.16\.1|cline/2\.18\.0)-`)

// aside is the time that is drawn beside a message, or a scrollbar.
var (
	aside  = regexp.MustCompile(` {2,}\d+:\d\d [AP]M.*|\s+[█▄▀]$`)
	blanks = regexp.MustCompile(`\s+`)
)

// TestLastWordsAreTheAgentsProse reads every recorded screen of an idle agent: what is given is what the model said last since a
// human did, and never a footer, a spinner, an input box or a tool's.
func TestLastWordsAreTheAgentsProse(t *testing.T) {
	given := map[string]int{}
	for _, l := range labels(t) {
		if l.State != screen.Idle {
			continue
		}
		s := screen.Parse(capture(t, l.coloured()))
		r := asRead(t, l.Agent, l.coloured())
		words := LastWords(l.Agent, s, r)
		want, goesOn := "", false
		for i, row := range s.Rows {
			text := strings.Trim(aside.ReplaceAllString(row.Text, ""), " ●⏺•✦◆*\ufe0e┃│─")
			switch {
			case r.Composer == nil || i >= r.Composer.Row:
			case strings.HasPrefix(strings.Trim(text, "❯>›✨ "), "SCENARIO "):
				want, goesOn = "", false
			case spoken.MatchString(text):
				want, goesOn = text, true
			case text == "", strings.HasPrefix(text, "Worked for"):
				goesOn = false
			case goesOn:
				want += text
			}
		}
		same := blanks.ReplaceAllString(words, "") == blanks.ReplaceAllString(want, "") || strings.HasPrefix(words, "Here is what") && strings.HasPrefix(words, want)
		switch {
		case words == "" && unheard.MatchString(l.File):
		case !same:
			t.Errorf("%s: the last words are %q, want %q", l.File, words, want)
		case words != "":
			given[l.Agent]++
		}
	}
	for _, a := range catalogue {
		if a.composer != nil && a.voice.Col+len(a.voice.Mark) > 0 && given[a.name] < 5 {
			t.Errorf("%s is heard on %d screens", a.name, given[a.name])
		}
	}
}

// TestACallIsNotTheAgentsProse, even where no colour says that it was denied or has run: as the last thing of a turn it would be told as done.
func TestACallIsNotTheAgentsProse(t *testing.T) {
	colours := regexp.MustCompile(`\x1b\[[0-9;:]*m`)
	for _, call := range []string{"$ touch made.txt && rm -rf build", "→ Read notes.md", "← Edit notes.md", "% WebFetch http://127.0.0.1/page", "⚙ rigmcp_rig_touch [path=a]"} {
		shown := strings.Replace(colours.ReplaceAllString(capture(t, "opencode/1.18.33-bash+deny-80x24.ansi"), ""), "$ touch made.txt && rm -rf build", call, 1)
		s := screen.Parse(shown)
		if words := LastWords("opencode", s, Read("opencode", s)); words != "" || !strings.Contains(shown, "     "+call) {
			t.Errorf("%q is told as said: %q", call, words)
		}
	}
}
