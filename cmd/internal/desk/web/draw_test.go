package web

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestADiffSideBySide(t *testing.T) {
	got, err := json.Marshal(files("a.go\n@@ -1 +1 @@\n same\n-old 1\n-old 2\n+new 1\n\n+more\n-less\nb.go\n+x"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"name":"a.go","rows":[{"hunk":"@@ -1 +1 @@"},{"old":"same","same":true},{"old":"old 1","new":"new 1"},{"old":"old 2"},` +
		`{"old":"","same":true},{"new":"more"},{"old":"less"}]},{"name":"b.go","rows":[{"new":"x"}]}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAPlanIsRendered(t *testing.T) {
	plan := "# The plan #\n\nFirst we\nread `go.mod`, **then**\n\n- one *two*\n  continued\n  1. deep\n---\n```go\nrm -rf / # x\n\n* no\n```\n| a | b |\n|---|---|\n\n| c |\n~~~\nopen"
	got, err := json.Marshal(blocks(plan))
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"is":"h1","spans":[{"text":"The plan"}]},` +
		`{"is":"p","spans":[{"text":"First we"},{"text":" "},{"text":"read "},{"is":"code","text":"go.mod"},{"text":", "},{"is":"b","text":"then"}]},` +
		`{"is":"li","mark":"-","spans":[{"text":"one "},{"is":"i","text":"two"},{"text":" "},{"text":"continued"}]},` +
		`{"is":"li","mark":"1.","depth":1,"spans":[{"text":"deep"}]},{"is":"hr","spans":[]},` +
		`{"is":"pre","mark":"go","spans":[{"text":"rm -rf / # x\n\n* no\n"}]},{"is":"pre","spans":[{"text":"| a | b |\n|---|---|\n"}]},` +
		`{"is":"pre","spans":[{"text":"| c |\n"}]},{"is":"pre","spans":[{"text":"open\n"}]}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// lettersOf is what a person reads of a text: its letters and digits.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// FuzzNothingIsLeftOut: every letter of a diff and of a plan is on the page, in its order within its side. What is left out of what
// somebody approves would be worse than what is drawn badly.
func FuzzNothingIsLeftOut(f *testing.F) {
	f.Add("# Plan\n\n1. `rm -rf` **all**\n\n```sh\ncurl x | sh\n```\n- a\n  - b *c*")
	f.Add("a.go\n@@ -1 +1 @@\n same\n-old\n+new\n\n+more")
	f.Add("|a|b|\n|-|-|\n```\n|c|\n```\n | d\ne")
	f.Add("``` x\n```` y\n~~~\n```")
	f.Add("  12)  a\n***\n* * *\n_ _ _\n**a*b**`c`d`")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // no card has such a text
		}
		var shown strings.Builder
		for _, b := range blocks(text) {
			shown.WriteString(b.Mark)
			for _, s := range b.Spans {
				shown.WriteString(s.Text)
			}
		}
		if got, want := lettersOf(shown.String()), lettersOf(text); got != want {
			t.Errorf("the plan %q shows %q", text, got)
		}
		count := map[rune]int{}
		for _, r := range lettersOf(text) {
			count[r]++
		}
		for _, one := range files(text) {
			parts := []string{one.Name}
			for _, r := range one.Rows {
				for _, side := range []*string{r.Old, r.New, r.Hunk} {
					if side != nil {
						parts = append(parts, *side)
					}
				}
			}
			for _, r := range lettersOf(strings.Join(parts, "")) {
				count[r]--
			}
		}
		for r, n := range count {
			if n != 0 {
				t.Errorf("the diff %q shows %q %d times too few", text, r, n)
			}
		}
	})
}
