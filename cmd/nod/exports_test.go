package main

import (
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nod/detect/agents"
)

// TestNoExportServesOnlyOneAgent: what the packages that read screens export is of use to more than one agent. What one agent alone draws is
// read in that agent's file, or said there as a value that any agent could set.
func TestNoExportServesOnlyOneAgent(t *testing.T) {
	readers := []string{"nod/detect/screen", "nod/detect/taught"}
	exported := map[string]string{}           // functions and methods by their names, and the files that they are in
	users := map[string]map[string]struct{}{} // by name, the agents and other files that call it
	eachSource(t, func(pkg, path string, file *ast.File) {
		if under(pkg, readers) {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Name.IsExported() {
					exported[f.Name.Name] = path
				}
			}
			return
		}
		if !slices.ContainsFunc(importsOf(t, file), func(imported string) bool { return under(imported, readers) }) {
			return
		}
		user := path
		if pkg == "nod/detect/agents" { // an agent has a file of its name, and may have more: codex.go, codex_edit.go
			user, _, _ = strings.Cut(strings.TrimSuffix(filepath.Base(path), ".go"), "_")
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if used, ok := n.(*ast.SelectorExpr); ok {
				if users[used.Sel.Name] == nil {
					users[used.Sel.Name] = map[string]struct{}{}
				}
				users[used.Sel.Name][user] = struct{}{}
			}
			return true
		})
	})
	for name, path := range exported {
		by := slices.Collect(maps.Keys(users[name]))
		if len(by) == 1 && slices.Contains(agents.Names(), by[0]) {
			t.Errorf("%s: %s serves %s alone", path, name, by[0])
		}
	}
	if len(exported) < 100 || len(users["Doubt"]) < 5 {
		t.Errorf("%d functions and %d agents that doubt were found: the test looks in the wrong place", len(exported), len(users["Doubt"]))
	}
}
