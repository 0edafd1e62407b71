package agents

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// mostFixes is how many functions of an agent may finish its dialogs, beside the values that say what they look like. An agent that needs more
// is written as code.
const mostFixes = 3

// TestAnAgentIsValues counts the functions that each agent's files give as a shape's fix, as a field or to what makes a shape.
func TestAnAgentIsValues(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	var agents []string
	takes := map[string]int{} // which argument of a function is a fix
	set := token.NewFileSet()
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		agent, _, _ := strings.Cut(strings.TrimSuffix(path, ".go"), "_")
		files, agents = append(files, f), append(agents, agent)
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				if at := parameter(fn, "fix"); at >= 0 {
					takes[fn.Name.Name] = at
				}
			}
		}
	}
	fixes := map[string]map[string]bool{}
	for i, f := range files {
		of := fixes[agents[i]]
		if of == nil {
			of = map[string]bool{}
			fixes[agents[i]] = of
		}
		for name := range fixesIn(f, takes) {
			of[name] = true
		}
	}
	found := 0
	for agent, of := range fixes {
		if found += len(of); len(of) > mostFixes {
			t.Errorf("%s has %d functions that fix its dialogs, want %d at most: %v", agent, len(of), mostFixes, of)
		}
	}
	if found < 10 {
		t.Errorf("%d such functions are found: the test proves little", found)
	}
}

// parameter is which parameter of a function has that name; -1: none.
func parameter(fn *ast.FuncDecl, name string) int {
	at := 0
	for _, field := range fn.Type.Params.List {
		for _, n := range field.Names {
			if n.Name == name {
				return at
			}
			at++
		}
	}
	return -1
}

// fixesIn are the functions that a file gives as a fix, each by its name or, where it has none, by where it stands.
func fixesIn(f *ast.File, takes map[string]int) map[string]bool {
	found := map[string]bool{}
	add := func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.Ident:
			if e.Name != "nil" && e.Name != "fix" {
				found[e.Name] = true
			}
		default:
			found[fmt.Sprint("function at ", e.Pos())] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "fix" {
				add(n.Value)
			}
		case *ast.CallExpr:
			if fn, ok := n.Fun.(*ast.Ident); ok {
				if at, ok := takes[fn.Name]; ok {
					add(n.Args[at])
				}
			}
		}
		return true
	})
	return found
}
