package agents

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostFixes is how many functions of its own may read an agent's dialogs, beside the values that say what they look like.
const mostFixes = 3

// code are the agents of which no table says enough, and how many such functions they have. docs/architecture.md says why.
var code = map[string]int{"claude": 10, "codex": 7, "copilot": 6, "gemini": 5, "kimi": 5, "cline": 5, "opencode": 5}

// fixing are the fields of an asking, a shape and a cover that take a function.
var fixing = []string{"list", "part", "popup", "below", "lit", "fits", "fix", "by", "opened"}

// TestAnAgentIsValues counts the functions that each agent's files give for its dialogs and what lies over them, and those that make a
// dialog: those that it declares itself, and those without a name. One fewer is to be said here too, so that the next one is a fault.
func TestAnAgentIsValues(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set, found := token.NewFileSet(), 0
	its := map[string][]*ast.File{}
	for _, path := range paths {
		name := strings.TrimRight(strings.Split(strings.TrimSuffix(path, ".go"), "_")[0], "0123456789")
		if strings.HasSuffix(path, "_test.go") || name == "shape" || name == "sign" || name == "catalogue" {
			continue
		}
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		its[name] = append(its[name], f)
	}
	for agent, files := range its {
		of := functionsIn(set, files)
		if found += len(of); len(of) > max(mostFixes, code[agent]) || len(of) < code[agent] {
			t.Errorf("%s has %d functions for its dialogs, want %d at most: %q", agent, len(of), max(mostFixes, code[agent]), of)
		}
	}
	if found < 40 {
		t.Errorf("%d such functions are found: the test proves little", found)
	}
	said, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for agent, n := range code {
		if row := fmt.Sprintf("| %s | %d |", agent, n); its[agent] == nil || !strings.Contains(string(said), row) {
			t.Errorf("docs/architecture.md lacks %q", row)
		}
	}
}

// functionsIn are the functions that files give for such a field, or as an argument that is one: each by its name or, where it has none, by
// where it stands.
func functionsIn(set *token.FileSet, files []*ast.File) (found []string) {
	var own []string
	for _, f := range files {
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			own = append(own, fn.Name.Name)
			if of := fn.Type.Results; of != nil && types.ExprString(of.List[0].Type) == "*screen.Dialog" && fn.Recv == nil {
				found = append(found, fn.Name.Name)
			}
		}
	}
	var add func(e ast.Expr)
	add = func(e ast.Expr) {
		name := ""
		switch e := e.(type) {
		case *ast.Ident:
			if slices.Contains(own, e.Name) {
				name = e.Name
			}
		case *ast.CallExpr:
			for _, arg := range append(e.Args, e.Fun) {
				add(arg)
			}
		case *ast.FuncLit:
			name = fmt.Sprint("one at ", set.Position(e.Pos()))
		}
		if name != "" && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(fixing, key.Name) {
					add(n.Value)
				}
			case *ast.CompositeLit:
				if len(n.Elts) == 3 && n.Type == nil { // a cover: what it is, by what, and what is opened
					if _, named := n.Elts[0].(*ast.BasicLit); named {
						add(n.Elts[1])
						add(n.Elts[2])
					}
				}
			}
			return true
		})
	}
	return found
}
