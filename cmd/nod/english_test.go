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

// odd are turns of phrase that no native reader would write, with what they would.
var odd = map[string]string{
	`\banew\b`:                              "again, or re-",
	`\bnone of both\b`:                      "neither",
	`\bwhat is due\b`:                       "name it: the messages, the work whose time has come",
	`\b(no nod|no bot) (is running|runs)\b`: "nod is not running",
	`\bthose that there are\b`:              "all of them",
	`\b(wait|waits|ask|asks) no more\b`:     "no longer",
	`\bMind: `:                              "name the danger",
	`\bthe arguments are not right\b`:       "usage:",
	`\bwhat (it|nod) goes by\b`:             "its settings",
}

// TestPlainEnglish reads comments, messages and pages: these words came back more than once.
func TestPlainEnglish(t *testing.T) {
	t.Parallel()
	rules := map[*regexp.Regexp]string{}
	for pattern, better := range odd {
		rules[regexp.MustCompile(strings.ToLower(pattern))] = better
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
		for rule, better := range rules {
			if at := rule.FindIndex(text); at != nil {
				t.Errorf("%s:%d: %q; better: %s", path, 1+strings.Count(string(text[:at[0]]), "\n"), text[at[0]:at[1]], better)
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
