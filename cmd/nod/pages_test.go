package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var namedTest = regexp.MustCompile("`(Test\\w+)`")

// declaredTests are all tests by name, with the folders that have them.
func declaredTests(t *testing.T) map[string][]string {
	t.Helper()
	tests := map[string][]string{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range declared.FindAllStringSubmatch(string(text), -1) {
			tests[found[1]] = append(tests[found[1]], filepath.Dir(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

// TestReadmeNamesTestsThatExist: README and docs/performance.md name only existing tests as proofs.
func TestReadmeNamesTestsThatExist(t *testing.T) {
	tests := declaredTests(t)
	for _, file := range []string{"../../README.md", "../../docs/performance.md"} {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names := namedTest.FindAllStringSubmatch(string(page), -1)
		for _, name := range names {
			if len(tests[name[1]]) == 0 {
				t.Errorf("%s names %s, which does not exist", file, name[1])
			}
		}
		if len(names) == 0 {
			t.Errorf("%s names no test", file)
		}
	}
}

// TestPromisesNameTheirTests: each promise of docs/security.md and docs/reliability.md names a test, and each test that they name exists.
func TestPromisesNameTheirTests(t *testing.T) {
	for name, least := range map[string]int{"security.md": 20, "reliability.md": 2} {
		t.Run(name, func(t *testing.T) { promisesNameTheirTests(t, name, least) })
	}
}

func promisesNameTheirTests(t *testing.T, name string, least int) {
	tests := declaredTests(t)
	page, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	promises, promising := 0, false
	for line := range strings.Lines(string(page)) {
		names := namedTest.FindAllStringSubmatch(line, -1)
		for _, name := range names {
			if len(tests[name[1]]) == 0 {
				t.Errorf("%s does not exist: %s", name[1], line)
			}
		}
		switch {
		case strings.HasPrefix(line, "| promise |"):
			promising = true
			continue
		case !strings.HasPrefix(line, "|"):
			promising = false
		}
		row := promising && !strings.HasPrefix(line, "| ---")
		if row && len(names) == 0 {
			t.Errorf("no test proves it: %s", line)
		}
		if row {
			promises++
		}
	}
	if promises < least {
		t.Errorf("only %d promises were found: the page is read wrongly", promises)
	}
}

// TestProofsAreThoseOfThePage: make proofs runs each test by which docs/reliability.md proves a promise, in the package that has it, and
// no other.
func TestProofsAreThoseOfThePage(t *testing.T) {
	tests := declaredTests(t)
	page, err := os.ReadFile("../../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	promised := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "|") {
			for _, name := range namedTest.FindAllStringSubmatch(line, -1) {
				promised[name[1]] = true
			}
		}
	}
	script, err := os.ReadFile("../../.ci/proofs")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(script), "<<'LIST'\n")
	for line := range strings.Lines(list) {
		folder, name, is := strings.Cut(strings.TrimSpace(line), " ")
		if !is {
			break
		}
		if !promised[name] {
			t.Errorf("make proofs runs %s, which proves no promise of the page", name)
		}
		delete(promised, name)
		if !slices.Contains(tests[name], filepath.Join("../..", folder)) {
			t.Errorf("%s has no %s", folder, name)
		}
	}
	for name := range promised {
		t.Errorf("make proofs does not run %s", name)
	}
}

// TestPagesLeadSomewhere: every link from a page to a file of nod works.
func TestPagesLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), found[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

// TestAgentSDKPageShowsTheProgramThatIsRun: make test-agents runs the file that the page shows.
func TestAgentSDKPageShowsTheProgramThatIsRun(t *testing.T) {
	page, err := os.ReadFile("../../docs/agent-sdk.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("../../docs/agent-sdk.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```js\n"+string(program)+"```\n") {
		t.Error("docs/agent-sdk.md does not show docs/agent-sdk.mjs as it is")
	}
}
