package screen

import (
	"testing"

	"nod/internal/reason"
)

func list(ticks string, names ...string) *Prompt {
	p := &Prompt{Content: Content{Agent: "a", Shape: "a.ask", Question: "Which?", Subject: "Which?\n☐ Sizes"}, Fingerprint: ticks}
	for i, name := range names {
		tick, box := Off, "[ ] "
		if ticks[i] == 'x' {
			tick, box = On, "[✔] "
		}
		p.Options = append(p.Options, Option{Label: box + name, Scope: Other, Tick: tick})
	}
	return p
}

// TestOneTickIsOneBox: what proves that a box was ticked is that box changed, and nothing else.
func TestOneTickIsOneBox(t *testing.T) {
	from := list("   ", "A", "B", "C")
	for name, c := range map[string]struct {
		to   *Prompt
		want bool
	}{
		"that box":          {list(" x ", "A", "B", "C"), true},
		"another box":       {list("x  ", "A", "B", "C"), false},
		"two boxes":         {list("xx ", "A", "B", "C"), false},
		"none":              {list("   ", "A", "B", "C"), false},
		"another list":      {list(" x ", "A", "B", "D"), false},
		"one option less":   {list(" x", "A", "B"), false},
		"no list":           {&Prompt{Content: Content{Agent: "a", Shape: "a.ask", Question: "Which?"}}, false},
		"nothing":           {nil, false},
		"another question":  {func() *Prompt { p := list(" x ", "A", "B", "C"); p.Question = "What?"; return p }(), false},
		"another call":      {func() *Prompt { p := list(" x ", "A", "B", "C"); p.Call = "2"; return p }(), false},
		"a heading that is": {func() *Prompt { p := list(" x ", "A", "B", "C"); p.Subject = "Which?\n☒ Sizes"; return p }(), true},
	} {
		from.Call = "1"
		if got := from.OneTick(c.to, 1); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestAListIsAnotherWhereMoreThanItsTicksDiffers: a message that shows one must not answer the other.
func TestAListIsAnotherWhereMoreThanItsTicksDiffers(t *testing.T) {
	for name, change := range map[string]func(p *Prompt){
		"what explains an answer": func(p *Prompt) { p.Notes = []string{"deletes all", "", ""} },
		"a sign in its text":      func(p *Prompt) { p.Subject, p.Fingerprint = "Which?\n☒ Sizes", "other" },
		"a row as it is drawn":    func(p *Prompt) { p.Rows = []string{"Which?"} },
		"a label":                 func(p *Prompt) { p.Options[0].Label = "[ ] D" },
		"the doubts":              func(p *Prompt) { p.Doubts = []reason.Why{{Kind: reason.HeadGuessed}} },
		"the page":                func(p *Prompt) { p.Page = 2 },
	} {
		from, to := list(" x ", "A", "B", "C"), list(" x ", "A", "B", "C")
		if !from.SameList(to) {
			t.Fatal("it is not the same as itself")
		}
		if change(to); from.SameList(to) {
			t.Errorf("%s differs, and it is the same list", name)
		}
	}
}

func TestTicksNameWhatIsTicked(t *testing.T) {
	seen := map[string]string{}
	for _, ticks := range []string{"   ", "x  ", " x ", "  x", "xx ", "x x", " xx", "xxx"} {
		name := list(ticks, "A", "B", "C").Ticks()
		if seen[name] != "" || name == "" {
			t.Errorf("%q and %q are both %q", ticks, seen[name], name)
		}
		seen[name] = ticks
	}
	if name := (&Prompt{Content: Content{Options: []Option{{Label: "Yes"}}}}).Ticks(); name != "" {
		t.Errorf("a question without boxes is %q", name)
	}
}

func TestNameIsTheLabelWithoutItsBox(t *testing.T) {
	for label, want := range map[string]string{
		"[ ] Small": "Small", "[✔] Small": "Small", "[x] a]b": "a]b", "Small": "Small", "[draft] Small": "[draft] Small", "[": "[", "[]": "[]",
	} {
		if got := (Option{Label: label, Tick: On}).Name(); got != want {
			t.Errorf("%q is named %q", label, got)
		}
	}
	if got := (Option{Label: "[x] Small"}).Name(); got != "[x] Small" {
		t.Errorf("without a box %q", got)
	}
}

// TestReviewListsNothingElse: what is sent is what was ticked, each once, in whatever order.
func TestReviewListsNothingElse(t *testing.T) {
	for name, c := range map[string]struct {
		answers, ticked []string
		want            bool
	}{
		"the same":            {[]string{"A"}, []string{"A"}, true},
		"another order":       {[]string{"B, A, C"}, []string{"A", "B", "C"}, true},
		"one more":            {[]string{"A, B"}, []string{"A"}, false},
		"one less":            {[]string{"A"}, []string{"A", "B"}, false},
		"one twice":           {[]string{"A, A"}, []string{"A", "B"}, false},
		"a comma in a name":   {[]string{"A, B, C"}, []string{"C", "A, B"}, true},
		"a name in a name":    {[]string{"Go, Golang"}, []string{"Golang", "Go"}, true},
		"something behind it": {[]string{"A, B…"}, []string{"A", "B"}, false},
		"nothing ticked":      {[]string{""}, nil, false},
		"two questions":       {[]string{"A", "B"}, []string{"A"}, false},
		"no review":           {nil, []string{"A"}, false},
	} {
		if got := (&Prompt{InSet: InSet{answers: c.answers}}).Lists(c.ticked); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
