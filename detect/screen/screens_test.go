package screen

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/screens.txt again")

// screensFile holds small screens, each with the role of every row beside it and, behind "=>", what is made of it by structure alone: the
// state, the keys that approve and deny, the scope of each option, the doubts. \e is an escape.
const screensFile = "testdata/screens.txt"

// TestScreens reads each screen of the table as nobody's. With -update it writes what is read: look at the difference.
func TestScreens(t *testing.T) {
	table, err := os.ReadFile(screensFile)
	if err != nil {
		t.Fatal(err)
	}
	var read strings.Builder
	for part := range strings.SplitSeq(string(table), "\n== ") {
		name, body, _ := strings.Cut(part, "\n")
		body, _, _ = strings.Cut(body, "\n=> ")
		var rows []string
		for line := range strings.SplitSeq(body, "\n") {
			_, row, _ := strings.Cut(line, "|")
			rows = append(rows, strings.TrimPrefix(row, " "))
		}
		now := filed(strings.TrimPrefix(name, "== "), rows)
		read.WriteString(now)
		if want := "== " + strings.TrimPrefix(strings.TrimRight(part, "\n"), "== ") + "\n"; now != want && !*update {
			t.Errorf("it is read as\n%s\nwant\n%s", now, want)
		}
	}
	if *update {
		if err := os.WriteFile(screensFile, []byte(read.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// filed is a screen as it is in the table.
func filed(name string, rows []string) string {
	s := Parse(strings.ReplaceAll(strings.Join(rows, "\n"), `\e`, "\x1b"))
	roles, made := make([]Role, len(s.Rows)), "no dialog"
	for i := range roles {
		roles[i] = Outside
	}
	if d := Lay(s).AnyDialog(); d != nil && !d.InInput(AnyInput.In(Lay(s))) {
		r := Reading{}.Asking(d)
		for i, drawn := range s.Drawn(r.Rows) {
			roles[i] = drawn.Role
		}
		made = string(r.State)
		if p := r.Prompt; p != nil {
			made += said("; y", p.Approve) + said("; n", p.Deny)
			for _, o := range p.Options {
				made += fmt.Sprintf("; %s is %s", o.Label, o.Scope)
			}
			for _, doubt := range p.Doubts {
				made += "; " + string(doubt.Kind)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "== %s\n", name)
	for i, row := range rows {
		role := ""
		if i < len(roles) {
			role = roles[i].String()
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-8s | %s", role, row), " ") + "\n")
	}
	return b.String() + "=> " + made + "\n"
}

func said(what string, keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return what + " " + strings.Join(keys, " ")
}
