package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nod/detect/agents"
)

// walls says which of nod's packages each package may import: straight down, never up or sideways.
// What is not named here may import none of them.
var walls = map[string][]string{
	"nod/detect/screen": {"nod/internal/reason", "nod/internal/host/ansi", "nod/internal/text/visible"},
	"nod/detect/agents": {"nod/internal/reason", "nod/detect/screen", "nod/internal/host/ordinary", "nod/internal/host/proc", "nod/internal/text/lazy"},
	"nod/detect/taught": {"nod/detect/agents", "nod/detect/screen", "nod/internal/host/ordinary", "nod/internal/host/replace", "nod/internal/text/lazy"},
	"nod/detect":        {"nod/internal/reason", "nod/detect/agents", "nod/detect/screen", "nod/internal/host/tmux", "nod/internal/host/ordinary", "nod/internal/host/proc", "nod/internal/text/agentname", "nod/internal/text/visible", "nod/internal/text/lazy"},
	"nod/deliver/door":  {"nod/detect", "nod/detect/agents", "nod/detect/screen", "nod/internal/host/proc"},
	"nod/deliver":       {"nod/internal/reason", "nod/deliver/door", "nod/detect", "nod/detect/agents", "nod/detect/screen", "nod/internal/host/ansi", "nod/internal/host/tmux", "nod/internal/host/proc"},
	"nod/nudge":         {"nod/nudge/grant", "nod/internal/reason", "nod/deliver", "nod/detect", "nod/detect/screen", "nod/internal/host/proc", "nod/internal/settings/quiet", "nod/internal/text/redact", "nod/internal/text/lazy"},
	"nod/nudge/keeper":  {"nod/nudge/grant", "nod/internal/reason", "nod/store", "nod/nudge", "nod/deliver", "nod/detect", "nod/detect/screen"},
	"nod/deploy":        {"nod/internal/reason", "nod/detect/agents", "nod/internal/host/ordinary", "nod/internal/host/proc", "nod/internal/host/replace", "nod/internal/text/lazy"},
	"nod/store":         {"nod/nudge", "nod/detect", "nod/internal/host/replace"},
	"nod/bot": {"nod/internal/words", "nod/internal/reason", "nod/bot/message", "nod/bot/picture", "nod/bot/attach", "nod/nudge/keeper", "nod/store", "nod/nudge", "nod/deliver", "nod/detect", "nod/detect/screen",
		"nod/internal/text/elapsed", "nod/internal/text/plural", "nod/internal/settings/quiet", "nod/internal/text/lazy"},
	"nod/bot/message": {"nod/nudge/grant", "nod/internal/reason", "nod/internal/words", "nod/nudge", "nod/deliver", "nod/detect/screen", "nod/internal/text/elapsed", "nod/internal/text/plural", "nod/internal/text/risk", "nod/internal/text/visible", "nod/internal/text/lazy"},
	"nod/bot/attach":  {"nod/internal/host/ansi", "nod/internal/text/lazy"},
	"nod/bot/picture": {"nod/detect/screen", "nod/internal/text/visible"},

	"nod/cmd/internal/control": {
		"nod/internal/reason", "nod/internal/words",
		"nod/nudge/keeper", "nod/nudge/grant", "nod/store", "nod/nudge", "nod/deliver", "nod/deliver/door", "nod/detect", "nod/detect/agents", "nod/detect/screen", "nod/internal/host/tmux", "nod/internal/host/proc",
		"nod/internal/rpc", "nod/internal/settings", "nod/internal/text/agentname", "nod/internal/text/redact", "nod/cmd/internal/jobs/monitor", "nod/cmd/internal/desk",
		"nod/cmd/internal/jobs/launch",
	},
	"nod/cmd/nod-hub":                {"nod/cmd/internal/fleet/carrier", "nod/cmd/internal/fleet/join", "nod/cmd/internal/fleet/pipe"},
	"nod/cmd/internal/fleet/carrier": {"nod/cmd/internal/fleet/join", "nod/cmd/internal/fleet/pipe"},
	"nod/cmd/internal/fleet/join":    {"nod/internal/host/replace"},
	"nod/cmd/internal/desk": {"nod/bot/message", "nod/nudge/keeper", "nod/nudge", "nod/detect", "nod/detect/screen", "nod/internal/reason", "nod/internal/words",
		"nod/internal/text/plural", "nod/internal/text/lazy"},
	"nod/cmd/internal/desk/inbox":        {"nod/cmd/internal/desk", "nod/detect/screen", "nod/internal/host/proc", "nod/internal/host/tmux", "nod/internal/rpc", "nod/internal/text/elapsed", "nod/internal/text/plural", "nod/internal/text/visible"},
	"nod/cmd/internal/desk/web":          {"nod/cmd/internal/desk", "nod/internal/host/proc", "nod/internal/rpc"},
	"nod/cmd/internal/control/habits":    {"nod/nudge", "nod/detect/agents", "nod/detect/screen", "nod/internal/reason", "nod/internal/text/lazy", "nod/internal/text/redact", "nod/internal/text/risk", "nod/internal/text/visible"},
	"nod/cmd/internal/control/share":     {"nod/internal/text/redact"},
	"nod/cmd/internal/control/caller":    {"nod/detect/agents", "nod/internal/host/proc", "nod/internal/host/tmux"},
	"nod/cmd/internal/console/await":     {"nod/cmd/internal/control", "nod/nudge", "nod/detect", "nod/internal/host/proc", "nod/internal/rpc"},
	"nod/cmd/internal/console/mcpserver": {"nod/cmd/internal/console/await", "nod/cmd/internal/control", "nod/nudge"},
	"nod/cmd/internal/jobs/monitor":      {"nod/nudge", "nod/detect", "nod/internal/host/ansi", "nod/internal/host/proc", "nod/internal/text/lazy"},
	"nod/cmd/internal/metrics":           {"nod/store", "nod/nudge", "nod/detect", "nod/detect/agents", "nod/internal/host/tmux", "nod/internal/text/lazy"},
	"nod/cmd/internal/console/doctor": {
		"nod/cmd/internal/fleet/carrier", "nod/cmd/internal/fleet/join",
		"nod/bot", "nod/cmd/internal/control", "nod/store", "nod/deploy", "nod/detect", "nod/detect/agents", "nod/detect/screen", "nod/internal/host/ansi",
		"nod/internal/text/elapsed", "nod/internal/text/plural", "nod/internal/host/proc", "nod/internal/rpc", "nod/internal/settings", "nod/internal/host/tmux",
		"nod/internal/words",
	},
	"nod/cmd/internal/fleet/dial":     {"nod/cmd/internal/fleet/pipe", "nod/internal/settings"},
	"nod/cmd/internal/fleet":          {"nod/cmd/internal/jobs/launch", "nod/store", "nod/deliver", "nod/detect", "nod/detect/screen", "nod/internal/reason", "nod/internal/text/agentname", "nod/internal/text/visible", "nod/internal/text/lazy"},
	"nod/cmd/internal/jobs/launch":    {"nod/internal/text/plural", "nod/nudge", "nod/detect", "nod/detect/agents", "nod/detect/screen", "nod/internal/host/tmux"},
	"nod/cmd/internal/console":        {"nod/internal/host/ansi", "nod/internal/text/wrap"},
	"nod/cmd/internal/console/record": {"nod/cmd/internal/control", "nod/detect", "nod/detect/agents", "nod/detect/screen", "nod/internal/host/ansi", "nod/internal/text/redact", "nod/internal/host/tmux"},
	"nod/internal/text/redact":        {"nod/internal/host/ansi", "nod/internal/text/lazy"},
	"nod/internal/text/risk":          {"nod/internal/text/lazy"},
	"nod/internal/settings":           {"nod/internal/settings/quiet", "nod/internal/host/ordinary", "nod/internal/host/replace", "nod/internal/text/near", "nod/internal/text/lazy"},
	"nod/cmd/internal/console/setup": {
		"nod/cmd/internal/fleet/join",
		"nod/bot", "nod/cmd/internal/control", "nod/deploy", "nod/nudge", "nod/cmd/internal/console", "nod/internal/rpc", "nod/internal/settings", "nod/internal/host/tmux",
		"nod/cmd/internal/demo", // it plays the agent of the test question
	},
	"nod/cmd/internal/console/teach": {"nod/internal/words", "nod/detect/taught", "nod/detect/agents", "nod/detect/screen", "nod/internal/host/ansi", "nod/cmd/internal/console"},
	"nod/internal/host/systemd":      {"nod/internal/settings"},
	"nod/internal/host/tmux":         {"nod/internal/host/ansi"},
	"nod/internal/rpc":               {"nod/internal/text/agentname"},
	"nod/internal/text/agentname":    {"nod/internal/text/lazy"},
	"nod/internal/words":             {"nod/internal/reason", "nod/internal/text/elapsed"},
}

// only says who alone may import what touches the outside.
var only = map[string][]string{
	"go.etcd.io/bbolt":                                   {"nod/store"},
	"charm.land/bubbletea/v2":                            {"nod/cmd/internal/desk/inbox"},
	"charm.land/lipgloss/v2":                             {"nod/cmd/internal/desk/inbox"},
	"charm.land/bubbles/v2/textarea":                     {"nod/cmd/internal/desk/inbox"},
	"github.com/go-telegram-bot-api/telegram-bot-api/v5": {"nod/bot"},
	"github.com/BurntSushi/toml":                         {"nod/detect/agents", "nod/detect/taught", "nod/internal/text/redact"},
	"github.com/kelseyhightower/envconfig":               {"nod/internal/settings"},
	"github.com/VictoriaMetrics/metrics":                 {"nod/cmd/internal/metrics"},
	"github.com/coreos/go-systemd/v22/daemon":            {"nod/internal/host/systemd"},
	"github.com/modelcontextprotocol/go-sdk/mcp":         {"nod/cmd/internal/console/mcpserver"},
}

// helpers are packages for the demo, tests and tools: no room may import them, and they may look anywhere down.
var helpers = []string{"nod/internal/host/proc/proctest", "nod/internal/host/tmux/tmuxtest", "nod/internal/testrun", "nod/cmd/internal/agentrig", "nod/cmd/internal/bench", "nod/internal/actor", "nod/internal/botapi", "nod/cmd/internal/demo"}

// TestImportsKeepTheWalls reads the files themselves: `go list` in a child process would be answered
// from the test cache when only a file that it reads has changed.
func TestImportsKeepTheWalls(t *testing.T) {
	used := map[[2]string]bool{}
	eachSource(t, func(pkg, path string, file *ast.File) {
		if pkg == "nod/cmd/nod" || under(pkg, helpers) {
			return
		}
		for _, imported := range importsOf(t, file) {
			used[[2]string{pkg, imported}] = true
			ours := strings.HasPrefix(imported, "nod/")
			if ours && !slices.Contains(walls[pkg], imported) && !within(imported, pkg) {
				t.Errorf("%s: %s may not import %s", path, pkg, imported)
			}
			if who, ok := only[imported]; ok && !slices.Contains(who, pkg) {
				t.Errorf("%s: only %v may import %s", path, who, imported)
			}
		}
	})
	for pkg, open := range walls {
		for _, imported := range open {
			if !used[[2]string{pkg, imported}] {
				t.Errorf("%s need not import %s any more: take it out of walls", pkg, imported)
			}
		}
	}
}

// TestNothingIsLeftAtTheTop: what is left behind by a measurement or an editor goes into a commit with the rest, unseen.
func TestNothingIsLeftAtTheTop(t *testing.T) {
	known := []string{".ci", ".git", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "go.mod", "go.sum",
		"bot", "cmd", "deliver", "deploy", "detect", "docs", "internal", "nudge", "store"}
	ignored := []string{"bin", "dist", "nod", ".cache", "*.test", "*.prof"} // as .gitignore has them
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left := func(pattern string) bool { ok, _ := filepath.Match(pattern, e.Name()); return ok }
		if !slices.Contains(known, e.Name()) && !slices.ContainsFunc(ignored, left) {
			t.Errorf("%s is none of the house's: take it away, or name it here", e.Name())
		}
	}
}

// TestNodCarriesNoNATS: what speaks NATS is twice as heavy as the rest of nod, and serves who joins machines alone. So it is a program
// of its own, which nothing imports.
func TestNodCarriesNoNATS(t *testing.T) {
	found := false
	eachSource(t, func(pkg, path string, file *ast.File) {
		for _, imported := range importsOf(t, file) {
			nats := strings.Contains(imported, "/nats-io/")
			found = found || nats
			if nats && pkg != "nod/cmd/nod-hub" {
				t.Errorf("%s imports %s: only cmd/nod-hub may", path, imported)
			}
		}
	})
	if !found {
		t.Error("cmd/nod-hub imports nothing of NATS: what is this test for?")
	}
}

// TestNothingIsWrittenByATemplate: a template calls methods by names that the linker can't know. Where one can be executed, nod keeps
// every exported method of every type, and weighs two megabytes more.
func TestNothingIsWrittenByATemplate(t *testing.T) {
	cobras := []string{"SetVersionTemplate", "SetHelpTemplate", "SetUsageTemplate"}
	eachSource(t, func(_, path string, file *ast.File) {
		for _, imported := range importsOf(t, file) {
			switch {
			case imported == "text/template" || imported == "html/template":
				t.Errorf("%s imports %s: fill in places with a strings.Replacer, or write it in Go", path, imported)
			case strings.HasPrefix(imported, "google.golang.org/protobuf/") || strings.HasPrefix(imported, "github.com/prometheus/"):
				t.Errorf("%s imports %s, and protobuf calls methods by name, too", path, imported)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if f, ok := n.(*ast.SelectorExpr); ok && slices.Contains(cobras, f.Sel.Name) {
				t.Errorf("%s calls %s: give cobra a func instead", path, f.Sel.Name)
			}
			return true
		})
	})
}

// TestTheTableOfPackages: CONTRIBUTING.md names each package once, and every import goes down its table or stays in a row.
func TestTheTableOfPackages(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| package | its one job |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := map[string]int{}
	for n, line := range strings.Split(table, "\n") {
		names, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, quoted := range regexp.MustCompile("`[^`]+`").FindAllString(names, -1) {
			rows["nod/"+strings.Trim(quoted, "`")] = n
		}
	}
	eachSource(t, func(pkg, path string, file *ast.File) {
		row, ok := rows[pkg]
		if !ok && !under(pkg, helpers) {
			t.Errorf("%s: CONTRIBUTING.md does not say what %s is for", path, pkg)
		}
		for _, imported := range importsOf(t, file) {
			if below, ok := rows[imported]; ok && below < row && !under(pkg, helpers) {
				t.Errorf("%s imports %s, which is above it in CONTRIBUTING.md", path, imported)
			}
		}
	})
}

// TestOnlyOneRoomRunsTmux: nothing else may type into a pane behind the guarded door.
func TestOnlyOneRoomRunsTmux(t *testing.T) {
	eachSource(t, func(pkg, path string, file *ast.File) {
		if pkg == "nod/internal/host/tmux" || under(pkg, helpers) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "Command" && f.Sel.Name != "CommandContext" {
				return true
			}
			for _, arg := range call.Args {
				if text, ok := arg.(*ast.BasicLit); ok && text.Value == `"tmux"` {
					t.Errorf("%s runs tmux: internal/host/tmux does", path)
				}
			}
			return true
		})
	})
}

// TestTextIsTypedInOnePlace: one function gives text to a keyboard, and text becomes somebody's instruction only where a
// person's own line is taken for one. Everywhere else it is words, which never begin an input box.
func TestTextIsTypedInOnePlace(t *testing.T) {
	pastes, makes := map[string]int{}, map[string]int{}
	eachSource(t, func(pkg, path string, file *ast.File) {
		if pkg == "nod/internal/host/tmux" || under(pkg, helpers) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if name, plain := call.Fun.(*ast.Ident); plain && pkg == "nod/deliver" && name.Name == "Instruction" {
				makes[filepath.Base(path)]++
			}
			if !ok {
				return true
			}
			if from, ok := f.X.(*ast.Ident); ok && from.Name == "deliver" && f.Sel.Name == "Instruction" {
				makes[pkg+"/"+filepath.Base(path)]++
			}
			if f.Sel.Name == "Paste" {
				pastes[pkg+"/"+filepath.Base(path)]++
			}
			return true
		})
	})
	if want := map[string]int{"nod/deliver/text.go": 1}; !maps.Equal(pastes, want) {
		t.Errorf("text is pasted in %v, want %v", pastes, want)
	}
	if want := map[string]int{"nod/nudge/task.go": 1, "nod/nudge/instruction.go": 1}; !maps.Equal(makes, want) {
		t.Errorf("text becomes an instruction in %v, want %v", makes, want)
	}
}

// importsOf are the paths that a file imports.
func importsOf(t *testing.T, file *ast.File) (paths []string) {
	t.Helper()
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// eachSource gives every Go file that goes into nod: no tests, no testdata.
func eachSource(t *testing.T, see func(pkg, path string, file *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if name == "testdata" || strings.HasPrefix(name, ".") && path != root {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		seen++
		see("nod/"+filepath.ToSlash(dir), path, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Fatalf("only %d files were read: the walk went wrong", seen)
	}
}

func under(pkg string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return within(pkg, root) })
}

func within(pkg, root string) bool { return pkg == root || strings.HasPrefix(pkg, root+"/") }

// mostFields is how many fields a struct may have: one with more is several ideas under one name.
const mostFields = 17

// wide are the structs that may have more, and why.
var wide = map[string]string{
	"nod/internal/settings.Settings":  "the settings, a field each",
	"nod/cmd/internal/control.Nudge":  "what the socket answers",
	"nod/bot.incoming":                "a message as Telegram sends it",
	"nod/internal/botapi.Message":     "a message as Telegram sends it",
	"nod/internal/botapi.pageMessage": "what the chat page is sent",
	"nod/internal/actor.view":         "what the drawings of an agent's screen may name",
}

// TestStructsKeepTheWalls: none has many fields. It counts those that a struct names itself, and an embedded one as one.
func TestStructsKeepTheWalls(t *testing.T) {
	found := map[string]bool{}
	eachSource(t, func(pkg, path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			s, ok := spec.Type.(*ast.StructType)
			if !ok || s.Fields.NumFields() <= mostFields {
				return true
			}
			name := pkg + "." + spec.Name.Name
			if found[name] = true; wide[name] == "" {
				t.Errorf("%s: %s has %d fields, and %d at most can be taken in: which of them are one thing?", path, name, s.Fields.NumFields(), mostFields)
			}
			return true
		})
	})
	for name := range wide {
		if !found[name] {
			t.Errorf("%s has few fields now: take it out of wide", name)
		}
	}
}

// TestAnAgentIsKnownInOnePlace: no package of nod but the catalogue names one. What plays agents, or drives real ones, has to.
func TestAnAgentIsKnownInOnePlace(t *testing.T) {
	names := slices.DeleteFunc(agents.Names(), func(name string) bool { return name == "continue" }) // a word of answers too
	eachSource(t, func(pkg, path string, file *ast.File) {
		if pkg == "nod/detect/agents" || under(pkg, helpers) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(lit.Value); err == nil && slices.Contains(names, text) {
				t.Errorf("%s names %s: what is known of an agent is in its file", path, text)
			}
			return true
		})
	})
}
