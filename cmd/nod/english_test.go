package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// odd are turns of phrase that no native reader would write, with what they would. Each contains a text that
// is looked for first: the pattern takes a hundred times as long.
var odd = []struct{ contains, pattern, better string }{
	{"anew", `\banew\b`, "again, or re-"},
	{"none of both", `\bnone of both\b`, "neither"},
	{"what is due", `\bwhat is due\b`, "name it: the messages, the work whose time has come"},
	{" runs", `\b(no nod|no bot) runs\b`, "nod is not running"},
	{" is running", `\b(no nod|no bot) is running\b`, "nod is not running"},
	{"those that there are", `\bthose that there are\b`, "all of them"},
	{" no more", `\b(wait|waits|ask|asks) no more\b`, "no longer"},
	{"mind: ", `\bmind: `, "name the danger"},
	{"the arguments are not right", `\bthe arguments are not right\b`, "usage:"},
	{"does not run", `\b(nod|bot) does not run\b`, "nod is not running"},
	{" tell", `\btells? of\b`, "report, show, name"},
	{"stands ", `\bstands (there|at|above|below|behind|beside|before)\b`, "is"},
	{" goes by", `\bwhat (it|nod) goes by\b`, "its settings"},
}

// TestPlainEnglish reads comments, messages and pages: these words came back more than once.
func TestPlainEnglish(t *testing.T) {
	t.Parallel()
	var rules []*regexp.Regexp
	for _, o := range odd {
		rules = append(rules, regexp.MustCompile(o.pattern))
	}
	root, read := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && path != root):
			return filepath.SkipDir
		case entry.IsDir(), name == "english_test.go", name == "CHANGELOG.md", !slices.Contains([]string{".go", ".md", ".sh"}, filepath.Ext(name)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		text = bytes.ToLower(text) // a pattern that ignores case takes ten times as long
		for i, rule := range rules {
			if !bytes.Contains(text, []byte(odd[i].contains)) {
				continue
			}
			if at := rule.FindIndex(text); at != nil {
				t.Errorf("%s:%d: %q; better: %s", path, 1+strings.Count(string(text[:at[0]]), "\n"), text[at[0]:at[1]], odd[i].better)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 50 {
		t.Fatalf("only %d files were read: the walk went wrong", read)
	}
}
