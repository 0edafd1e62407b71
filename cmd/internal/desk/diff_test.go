package desk

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestAnEditTakenApart: what is taken out stands with what is put in its place.
func TestAnEditTakenApart(t *testing.T) {
	got, err := json.Marshal(editOf("a.go\n@@ -1 +1 @@\n same\n-old 1\n-old 2\n+new 1\n\n+more\n-less\nb.go\n+x"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"name":"a.go","parts":[{"head":"@@ -1 +1 @@"},{"same":["same"]},{"old":["old 1","old 2"],"new":["new 1"]},{"same":[""]},` +
		`{"new":["more"]},{"old":["less"]}]},{"name":"b.go","parts":[{"new":["x"]}]}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// written is a diff as git writes it: of two files, one of which only becomes executable, with lines that look like heads.
const written = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\ndiff --git a/a b.sql b/a b.sql\nindex 83db48f..bf269f4 100644\n--- a/a b.sql\n+++ b/a b.sql\n" +
	"@@ -1,3 +1,3 @@ CREATE\n one\n--- two\n+++ two\n three\n\\ No newline at end of file\n@@ -9 +9,0 @@\n-nine\n" +
	"--- old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"

// TestADiffAsGitWritesIt: its files have their names, and what a hunk holds is never taken for the name of another.
func TestADiffAsGitWritesIt(t *testing.T) {
	got, err := json.Marshal(unifiedDiff("\n" + written))
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"name":"diff --git a/run.sh b/run.sh","parts":[{"head":"old mode 100644"},{"head":"new mode 100755"}]},` +
		`{"name":"a b.sql","parts":[{"head":"index 83db48f..bf269f4 100644"},{"head":"@@ -1,3 +1,3 @@ CREATE"},{"same":["one"]},{"old":["-- two"],"new":["++ two"]},` +
		`{"same":["three"]},{"head":"\\ No newline at end of file"},{"head":"@@ -9 +9,0 @@"},{"old":["nine"]}]},{"name":"old.txt → /dev/null","parts":[{"head":"@@ -1 +0,0 @@"},{"old":["x"]}]}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, none := range []string{"", "- a list\n+ of pros\n", "--- a\n+++ b\n", "@@ -1,2 +1 @@\n-x\n+y\n", "@@ -1 +1 @@\n-x\ny\n", "@@ -1 +1,99999999999999999999 @@\n-x\n+y"} {
		if got := unifiedDiff(none); got != nil {
			t.Errorf("%q is the diff %+v", none, got)
		}
	}
}

func TestAPlanIsRendered(t *testing.T) {
	plan := "# The plan #\n\nFirst we\nread `go.mod`, **then**\n\n- one *two*\n  continued\n  1. deep\n---\n```go\nrm -rf / # x\n\n* no\n```\n| a | b |\n|---|---|\n\n| c |\n~~~\nopen"
	got, err := json.Marshal(planOf(plan))
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

// FuzzNothingIsLeftOut: every letter of a diff and of a plan is shown, in its order within its side. What is left out of what
// somebody approves would be worse than what is drawn badly.
func FuzzNothingIsLeftOut(f *testing.F) {
	f.Add("# Plan\n\n1. `rm -rf` **all**\n\n```sh\ncurl x | sh\n```\n- a\n  - b *c*")
	f.Add(written)
	f.Add("a.go\n@@ -1 +1 @@\n same\n-old\n+new\n\n+more")
	f.Add("|a|b|\n|-|-|\n```\n|c|\n```\n | d\ne")
	f.Add("``` x\n```` y\n~~~\n```")
	f.Add("  12)  a\n***\n* * *\n_ _ _\n**a*b**`c`d`")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // no card has such a text
		}
		var shown strings.Builder
		for _, b := range planOf(text) {
			shown.WriteString(b.Mark)
			for _, s := range b.Spans {
				shown.WriteString(s.Text)
			}
		}
		if got, want := lettersOf(shown.String()), lettersOf(text); got != want {
			t.Errorf("the plan %q shows %q", text, got)
		}
		if lacks := lackingIn(editOf(text), text); lacks != "" {
			t.Errorf("the edit %q shows nothing of %q", text, lacks)
		}
		if all := unifiedDiff(text); all != nil {
			if lacks := lackingIn(all, text); lacks != "" {
				t.Errorf("the diff %q shows nothing of %q", text, lacks)
			}
		}
	})
}

// lackingIn is a line of a diff that none of these files shows, as often as it is there. The name of a file stands for the lines of it.
func lackingIn(all []File, diff string) string {
	shown := map[string]int{}
	var names []string
	for _, one := range all {
		names = append(names, one.Name)
		shown[lettersOf(one.Name)]++
		for _, p := range one.Parts {
			for _, line := range append(slices.Concat(p.Same, p.Old, p.New), p.Head) {
				shown[lettersOf(line)]++
			}
		}
	}
	for line := range strings.SplitSeq(diff, "\n") {
		name, begins := strings.CutPrefix(strings.TrimPrefix(line, "--- "), "+++ ")
		begins = begins || name != line
		tells := func(n string) bool {
			return begins && strings.Contains(n, name) || line == "--- a/"+n || line == "+++ b/"+n || line == "diff --git a/"+n+" b/"+n
		}
		if letters := lettersOf(line); letters != "" && !slices.ContainsFunc(names, tells) {
			if shown[letters]--; shown[letters] < 0 {
				return line
			}
		}
	}
	return ""
}
