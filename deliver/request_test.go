package deliver

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// TestEveryReasonHasASentence reads the constants themselves, so that a new one is not forgotten.
func TestEveryReasonHasASentence(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "request.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	reasons := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Reason" {
			return true
		}
		for _, value := range spec.Values {
			reason, err := strconv.Unquote(value.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			if reasons++; sentences[Reason(reason)] == "" {
				t.Errorf("%s has no sentence", reason)
			}
		}
		return true
	})
	if reasons < 18 {
		t.Errorf("only %d reasons were found", reasons)
	}
	if got := Reason("another").Sentence(); got == "" {
		t.Error("a reason of a later version has no sentence at all")
	}
}
