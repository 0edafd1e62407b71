package words

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"nod/internal/reason"
)

// TestEveryReasonHasItsSentence: a kind without a sentence would leave a person without a reason, and a
// sentence without a kind is dead.
func TestEveryReasonHasItsSentence(t *testing.T) {
	kinds := kindsByName(t)
	for name, kind := range kinds {
		if sentenceOf(kind) == "" {
			t.Errorf("reason.%s has no sentence", name)
		}
	}
	said := map[reason.Kind]bool{}
	for _, list := range sentences {
		for kind, sentence := range list {
			if !slices.Contains(slices.Collect(maps.Values(kinds)), kind) || said[kind] {
				t.Errorf("%q is the sentence of no kind, or has two", kind)
			}
			if said := Why(reason.Why{Kind: kind}); strings.ContainsAny(said, "{}") {
				t.Errorf("%s says %q, which is not all filled in: %q", kind, said, sentence)
			}
			said[kind] = true
		}
	}
}

// TestEveryRefusalHasItsSentence takes the words for programs from the source, so that a new one is not
// forgotten.
func TestEveryRefusalHasItsSentence(t *testing.T) {
	for name, code := range constants(t, filepath.Join("..", "..", "deliver", "request.go"), "Reason") {
		if codes[code] == "" {
			t.Errorf("deliver.%s has no sentence", name)
		}
	}
	if Refused("of_a_newer_nod") == "" {
		t.Error("a reason of a newer nod has no sentence at all")
	}
}

// TestAReasonBringsTheDataOfItsSentence: people must not see a sentence with a placeholder, and data that no
// sentence uses is lost.
func TestAReasonBringsTheDataOfItsSentence(t *testing.T) {
	kinds := kindsByName(t)
	checked, naming := 0, map[ast.Expr]bool{}
	check := func(path, name string, given []string) {
		checked++
		var want []string
		for _, hole := range regexp.MustCompile(`{(\w+)[ }]`).FindAllStringSubmatch(sentenceOf(kinds[name]), -1) {
			data := cmp.Or(map[string]string{"id": "pane", "at": "where"}[hole[1]], hole[1])
			if !slices.Contains(filledIn(path), data) && !slices.Contains(want, data) {
				want = append(want, data)
			}
		}
		given = slices.DeleteFunc(given, func(data string) bool { return slices.Contains(filledIn(path), data) })
		if slices.Contains(want, "pane") { // which is named by its place, if it has one
			given = slices.DeleteFunc(given, func(data string) bool { return data == "where" })
		}
		slices.Sort(want)
		slices.Sort(given)
		if !slices.Equal(want, given) {
			t.Errorf("%s: reason.%s is given %q, and its sentence names %q", path, name, given, want)
		}
	}
	eachFile(t, filepath.Join("..", ".."), func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if typ, ok := n.Type.(*ast.SelectorExpr); !ok || named(typ) != "Why" {
					return true
				}
				name, given := "", []string(nil)
				for _, e := range n.Elts {
					pair, ok := e.(*ast.KeyValueExpr)
					if !ok {
						continue
					}
					if key := pair.Key.(*ast.Ident).Name; key == "Kind" {
						name = named(pair.Value)
					} else {
						given = append(given, strings.ToLower(key))
					}
				}
				if name != "" {
					check(path, name, given)
				}
			case *ast.AssignStmt: // p.Why.Kind = reason.TwoYes
				for i, value := range n.Rhs {
					if to, ok := n.Lhs[i].(*ast.SelectorExpr); ok && (to.Sel.Name == "Why" || to.Sel.Name == "Kind" && isWhy(to.X)) && named(value) != "" {
						check(path, named(value), nil)
					}
				}
			case *ast.KeyValueExpr: // Why: reason.TwoYes
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Why" && named(n.Value) != "" {
					check(path, named(n.Value), nil)
				}
			case *ast.CallExpr:
				called, ok := n.Fun.(*ast.SelectorExpr)
				if ok && called.Sel.Name == "naming" {
					naming[called.X] = true
				}
				if f, plain := n.Fun.(*ast.Ident); plain && f.Name == "refuse" && len(n.Args) == 2 && named(n.Args[1]) != "" {
					check(path, named(n.Args[1]), slices.Repeat([]string{"what"}, map[bool]int{true: 1}[naming[n]]))
				}
				switch {
				case !ok || len(n.Args) == 0 || !slices.ContainsFunc(n.Args, func(e ast.Expr) bool { return named(e) != "" }):
				case called.Sel.Name == "Doubt":
					check(path, named(n.Args[0]), nil)
				case called.Sel.Name == "unknownAfter":
					check(path, named(n.Args[0]), []string{"because"})
				case strings.HasPrefix(called.Sel.Name, "why"):
					check(path, named(n.Args[0]), slices.Clone(brought[called.Sel.Name]))
				case called.Sel.Name == "DoubtOf":
					check(path, named(n.Args[1]), []string{"agent"})
				}
			}
			return true
		})
	})
	if checked < 100 {
		t.Fatalf("only %d reasons were found: the walk went wrong", checked)
	}
}

// TestAPaneIsNamedByItsPlace, which people know, where it is known; a command to copy has its id, which needs no quotes.
func TestAPaneIsNamedByItsPlace(t *testing.T) {
	for where, name := range map[string]string{"": "%3", "main:2.0": "main:2.0", "gpu1:läden_2-b:12.1": "gpu1:läden_2-b:12.1"} {
		said := Why(reason.Why{Kind: reason.InputOff, Pane: "%3", Where: where})
		if !strings.Contains(said, "pane "+name+" takes no keys") || !strings.Contains(said, "-t %3)") {
			t.Error(said)
		}
	}
}

// TestNoSessionsNameSpeaksForNod: an agent can rename its session, and what it writes there is no sentence of nod's.
func TestNoSessionsNameSpeaksForNod(t *testing.T) {
	forged := []string{
		"api was approved. Reply y to confirm:0.0", "a\u00a0b:0.0", "a\nb:0.0", "a\u202eb:0.0", "a\u200bb:0.0", "\x1b[2Ja:0.0", "“a”:0.0", "a,b:0.0", "a!:0.0",
		"https://x.example/y:0.0", "@ann:0.0", "/stop:0.0", "{because}:0.0", strings.Repeat("a", 60) + ":0.0",
	}
	for name, kind := range kindsByName(t) {
		if strings.Contains(sentenceOf(kind), "{at}") { // a socket, or a folder
			continue
		}
		honest := Why(reason.Why{Kind: kind, Pane: "%3"})
		for _, where := range forged {
			if said := Why(reason.Why{Kind: kind, Pane: "%3", Where: where}); said != honest {
				t.Errorf("%s, %q: %s", name, where, said)
			}
		}
	}
}

// TestAnOlderRecordIsStillSaid: before reasons had kinds, records stored the sentence instead.
func TestAnOlderRecordIsStillSaid(t *testing.T) {
	for stored, want := range map[string]string{
		`"12 lines are hidden."`:               "12 lines are hidden.",
		`""`:                                   "",
		`{}`:                                   "",
		`null`:                                 "",
		`{"Kind":"cuts_long","Agent":"Cline"}`: "Cline cuts off long text.",
		`{"Kind":"of_a_newer_nod"}`:            "nod has no words for the reason of_a_newer_nod: look at the pane.",
	} {
		var why reason.Why
		if err := json.Unmarshal([]byte(stored), &why); err != nil {
			t.Errorf("%s: %v", stored, err)
		}
		written, err := json.Marshal(why)
		if err != nil {
			t.Fatal(err)
		}
		var again reason.Why
		if err := json.Unmarshal(written, &again); err != nil || again != why {
			t.Errorf("%s: written as %s, read again as %+v (%v)", stored, written, again, err)
		}
		if said := Why(why); said != want {
			t.Errorf("%s says %q, want %q", stored, said, want)
		}
	}
}

// filledIn is the data that a package sets in all of its reasons.
func filledIn(path string) []string {
	switch {
	case strings.Contains(path, "/deliver/"):
		return []string{"pane", "agent", "door"}
	case strings.HasSuffix(path, "/nudge/wish.go"), strings.HasSuffix(path, "/nudge/addressee.go"), !strings.Contains(path, "/nudge/"):
		return nil
	}
	return []string{"nudge", "agent", "pane", "where", "ago"}
}

// brought is the additional data that a nudge's methods set in their reasons.
var brought = map[string][]string{"whyOf": {"what"}, "whyBut": {"because"}, "whySince": {"because"}}

// isWhy reports whether e is a field called Why.
func isWhy(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Why"
}

// named returns X of reason.X; empty for anything else.
func named(e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if from, ok := sel.X.(*ast.Ident); ok && from.Name == "reason" {
			return sel.Sel.Name
		}
	}
	return ""
}

// kindsByName returns the kinds that package reason declares.
func kindsByName(t *testing.T) map[string]reason.Kind {
	t.Helper()
	kinds := map[string]reason.Kind{}
	for name, kind := range constants(t, filepath.Join("..", "reason"), "Kind") {
		kinds[name] = reason.Kind(kind)
	}
	return kinds
}

// constants returns the constants of a type that a file or folder declares.
func constants(t *testing.T, root, typ string) map[string]string {
	t.Helper()
	found := map[string]string{}
	eachFile(t, root, func(_ string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if of, ok := spec.Type.(*ast.Ident); !ok || of.Name != typ {
				return true
			}
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			found[spec.Names[0].Name] = text
			return true
		})
	})
	if len(found) < 18 {
		t.Fatalf("only %d constants of type %s were found in %s", len(found), typ, root)
	}
	return found
}

// eachFile returns every Go file below a folder, except tests.
func eachFile(t *testing.T, root string, see func(path string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := filepath.Base(path); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && path != root):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			see(path, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestATroubleNamesTheCommandThatHelps, ready to be copied.
func TestATroubleNamesTheCommandThatHelps(t *testing.T) {
	for _, tt := range []struct {
		why  reason.Why
		want string
	}{
		{reason.Why{Kind: reason.MarkUnclear, Where: "/tmp/s", What: "77"}, "`tmux -S /tmp/s set-option -su @nod-owner`"},
		{reason.Why{Kind: reason.SocketSilent, Where: "/tmp/s", What: "77"}, "`kill -USR1 77`"},
		{reason.Why{Kind: reason.ScreenFault, Pane: "%1", What: "index out of range"}, "`nod bugreport %1`"},
		{reason.Why{Kind: reason.RecordAside, What: "#k3f"}, "`nod backup`"},
	} {
		if said := Why(tt.why); !strings.Contains(said, tt.want) {
			t.Errorf("%s says %q, and names no %s", tt.why.Kind, said, tt.want)
		}
	}
}

// TestOnlyWordsSpeaks: below the bot, a package that says something to people does so by a reason, so that each thing is said
// in one way and in one place.
func TestOnlyWordsSpeaks(t *testing.T) {
	own := []string{
		filepath.Join("nudge", "denials.go"), // what nod says to agents
		filepath.Join("nudge", "field.go"),   // the rules of a form's field are part of its question
	}
	read := 0
	for _, room := range []string{"nudge", "deliver", "detect", "store"} {
		eachFile(t, filepath.Join("..", "..", room), func(path string, file *ast.File) {
			read++
			if slices.ContainsFunc(own, func(name string) bool { return strings.HasSuffix(path, name) }) || strings.Contains(path, filepath.Join("detect", "agents")) {
				return
			}
			ast.Inspect(file, func(n ast.Node) bool {
				literal, ok := n.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				if first, _ := utf8.DecodeRuneInString(text); unicode.IsUpper(first) && len(strings.Fields(text)) > 4 {
					t.Errorf("%s says %q: make it a kind of package reason, with its sentence here", path, text)
				}
				return true
			})
		})
	}
	if read < 100 {
		t.Fatalf("only %d files were read: the walk went wrong", read)
	}
}
