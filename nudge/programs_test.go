package nudge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// TestWhoAsksAPlainQuestion: a program's, which outlives its asker, is no hook's, no form's and no machine's.
func TestWhoAsksAPlainQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ProgramQuestion)
		plain  bool
		by     string // nod's name for the way
	}{
		"a program":     {nil, true, "ask"},
		"a hook":        {func(q *ProgramQuestion) { q.Door, q.Program = true, "claude" }, false, "hook"},
		"a server":      {func(q *ProgramQuestion) { q.Door, q.Program = true, "other" }, false, "server"},
		"a form":        {func(q *ProgramQuestion) { q.Form, q.Program = true, "claude" }, false, "hook"},
		"a new machine": {func(q *ProgramQuestion) { q.Join = true }, false, "ask"},
	} {
		q := ProgramQuestion{Text: "Deploy?", Options: []string{"yes"}, Timeout: time.Minute, Machine: "gpu1", Agent: proc.ID{PID: 9}}
		if c.change != nil {
			c.change(&q)
		}
		n := OpenQuestion("k3f", q, Rules{}, asked)
		if by, plain := n.Asker(); by != q.Asker() || by != (Asker{"gpu1", proc.ID{PID: 9}}) || plain != c.plain || n.By != c.by {
			t.Errorf("%s: %+v, plain %t, by %q", name, by, plain, n.By)
		}
		if n.Reminder != 1 || len(n.Cadence) != 1 {
			t.Errorf("%s: reminder %d of %v", name, n.Reminder, n.Cadence)
		}
	}
	if by, plain := in(Pending).Asker(); by != (Asker{}) || plain {
		t.Errorf("an agent's prompt is asked by %+v, plain %t", by, plain)
	}
	r := Rules{Cadence: []time.Duration{0, time.Minute}}
	if n := OpenQuestion("k3f", ProgramQuestion{Text: "?", Timeout: time.Hour}, r, asked); !slices.Equal(n.Cadence, r.Cadence) {
		t.Errorf("it has reminders after %v", n.Cadence)
	}
}

// TestWhatIsAskedAtTheLimits of a question.
func TestWhatIsAskedAtTheLimits(t *testing.T) {
	many := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint("option ", i))
		}
		return list
	}
	for name, c := range map[string]struct {
		change func(*ProgramQuestion)
		want   reason.Kind
	}{
		"a question":          {nil, ""},
		"no time":             {func(q *ProgramQuestion) { q.Timeout = 0 }, reason.AskTimeout},
		"the longest time":    {func(q *ProgramQuestion) { q.Timeout = maxTimeout }, ""},
		"more time":           {func(q *ProgramQuestion) { q.Timeout = maxTimeout + 1 }, reason.AskTimeout},
		"long":                {func(q *ProgramQuestion) { q.Text = strings.Repeat("ü", MaxQuestion) }, ""},
		"longer":              {func(q *ProgramQuestion) { q.Text = strings.Repeat("ü", MaxQuestion+1) }, reason.AskLong},
		"a control character": {func(q *ProgramQuestion) { q.Text = "a\x07" }, reason.AskLong},
		"lines and tabs":      {func(q *ProgramQuestion) { q.Text = "a\r\n\tb" }, ""},
		"no valid text":       {func(q *ProgramQuestion) { q.Text = "a\xff" }, reason.AskLong},
		"a file":              {func(q *ProgramQuestion) { q.File = strings.Repeat("x", maxFile) }, ""},
		"a larger file":       {func(q *ProgramQuestion) { q.File = strings.Repeat("x", maxFile+1) }, reason.AskFile},
		"words only":          {func(q *ProgramQuestion) { q.Options, q.Words = nil, true }, ""},
		"no answer":           {func(q *ProgramQuestion) { q.Options = nil }, reason.AskUnanswered},
		"many options":        {func(q *ProgramQuestion) { q.Options = many(maxOptions) }, ""},
		"more options":        {func(q *ProgramQuestion) { q.Options = many(maxOptions + 1) }, reason.AskManyOptions},
		"a long option":       {func(q *ProgramQuestion) { q.Options = []string{strings.Repeat("ü", maxOption)} }, ""},
		"a longer option":     {func(q *ProgramQuestion) { q.Options = []string{strings.Repeat("ü", maxOption+1)} }, reason.AskLongOption},
		"a blank option":      {func(q *ProgramQuestion) { q.Options = []string{" "} }, reason.AskLongOption},
		"an invalid option":   {func(q *ProgramQuestion) { q.Options = []string{"\xff"} }, reason.AskLongOption},
		"an option of lines":  {func(q *ProgramQuestion) { q.Options = []string{"a\nb"} }, reason.AskLongOption},
		"a default":           {func(q *ProgramQuestion) { q.Default = "no" }, ""},
		"another default":     {func(q *ProgramQuestion) { q.Default = "never" }, reason.AskDefault},
		"a default in words":  {func(q *ProgramQuestion) { q.Default, q.Words = "never", true }, ""},
		"a default of lines":  {func(q *ProgramQuestion) { q.Default, q.Words = "ne\nver", true }, reason.AskDefault},
		"a call":              {func(q *ProgramQuestion) { q.Call = &Call{Subject: strings.Repeat("x", maxFile)} }, ""},
		"a larger call":       {func(q *ProgramQuestion) { q.Call = &Call{Subject: strings.Repeat("x", maxFile+1)} }, reason.AskCall},
	} {
		q := ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: time.Minute}
		if c.change != nil {
			c.change(&q)
		}
		if got := q.Flaw(); got.Kind != c.want {
			t.Errorf("%s: %q; want %q", name, got.Kind, c.want)
		}
	}
}

// TestWhatAQuestionShows: its lines and its file, and which of its options is a no. Any other option may let a
// program act.
func TestWhatAQuestionShows(t *testing.T) {
	q := ProgramQuestion{Text: " Deploy\nnow? ", Options: []string{"yes", "no", "later", Decline, KeepOut, "n k3f"}}
	scopes := func(q ProgramQuestion) (no []string) {
		for _, o := range q.asks().prompt().Options {
			if o.Scope == screen.No {
				no = append(no, o.Label)
			} else if o.Scope != screen.Once {
				t.Errorf("%q is %v", o.Label, o.Scope)
			}
		}
		return no
	}
	formed, joins := q, q
	formed.Form, joins.Join = true, true
	for name, c := range map[string]struct {
		q    ProgramQuestion
		want []string
	}{"a question": {q, []string{"no"}}, "a form": {formed, []string{"no", Decline}}, "a machine": {joins, []string{"no", KeepOut}}} {
		if got := scopes(c.q); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q say no; want %q", name, got, c.want)
		}
	}
	if p := q.asks().prompt(); p.Subject != "Deploy\nnow?" || p.Lead != 2 {
		t.Errorf("%q, %d lines of it first", p.Subject, p.Lead)
	}
	q.File = "a diff\n\n"
	if p := q.asks().prompt(); p.Subject != "Deploy\nnow?\n\na diff" || p.Lead != 2 {
		t.Errorf("with a file: %q, %d lines of it first", p.Subject, p.Lead)
	}
	q.Call = &Call{Subject: "make"}
	if p := q.asks().prompt(); p.Fingerprint != hashOf("make") || p.Subject != "make" {
		t.Errorf("a call: %q as %q", p.Subject, p.Fingerprint)
	}
}

// TestWhatLetsAMachineIn: a tap, the inbox, the page, or the whole label on the command line.
func TestWhatLetsAMachineIn(t *testing.T) {
	tapped := Said{Choice: &deliver.Choice{}}
	for name, c := range map[string]struct {
		a    Answer
		want bool
	}{
		"a tap":              {Answer{Way: ByButton, Said: tapped}, true},
		"a tap on no option": {Answer{Way: ByButton}, false},
		"a reply":            {Answer{Way: ByReply, Said: tapped}, false},
		"a label in a reply": {Answer{Way: ByReply, Line: LetIn}, false},
		"the inbox":          {Answer{Way: ByInbox}, true},
		"the page":           {Answer{Way: ByPage}, true},
		"a label":            {Answer{Way: ByCommand, Line: " let it IN "}, true},
		"the other label":    {Answer{Way: ByCommand, Line: KeepOut}, true},
		"another word":       {Answer{Way: ByCommand, Line: "y"}, false},
		"a fresh label":      {Answer{Way: ByFresh, Line: LetIn}, false},
	} {
		if got := c.a.joinTakes(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestWhatSaysNothingChoosesNothing: no option, not even one without a label, and no words.
func TestWhatSaysNothingChoosesNothing(t *testing.T) {
	blank := programAsks(func(q *ProgramQuestion) { q.Options, q.Words = []string{" ", "other"}, true })
	if a, v := blank.readProgram(Answer{Way: ByReply, Said: Said{Text: " "}}); v.Kind != Rejected || a.Choice != nil {
		t.Errorf("nothing: %s, %v", v.Kind, a.Choice)
	}
	words := programAsks(func(q *ProgramQuestion) { q.Words = true })
	for _, way := range []Way{ByFresh, ByReply} {
		a, v := words.readProgram(Answer{Way: way, Said: Said{Text: "tomorrow"}})
		if rejected := v.Kind == Rejected; rejected != (way == ByFresh) || !rejected && a.Text != "tomorrow" {
			t.Errorf("words, by %s: %s, %q", way, v.Kind, a.Text)
		}
	}
	for answer, no := range map[string]bool{"no": true, "n": true, "n k3f": false, "no way": false, "yes": false, "d": false, "D": false} {
		if MeansNo(answer) != no {
			t.Errorf("%q means no: %t", answer, !no)
		}
	}
}

// TestALabelIsItselfBeforeItIsAnythingElse: of answers such as git's, "a" is no yes and "d" no no.
func TestALabelIsItselfBeforeItIsAnythingElse(t *testing.T) {
	n := programAsks(func(q *ProgramQuestion) { q.Options = []string{"y", "n", "a", "d"} })
	for i, label := range []string{"y", "n", "a", "d"} {
		for name, a := range map[string]Answer{
			"a reply": {Way: ByReply, Said: Said{Text: label}}, "at the terminal": {Way: ByCommand, Line: label},
		} {
			a.Decision, _, _ = ParseWord(label, ByReply)
			if got, v := n.Read(a); got.Choice == nil || got.Choice.Index != i {
				t.Errorf("%s of %q: %+v, %s", name, label, got.Choice, v.Kind)
			}
		}
	}
	if got := n.Prompt().Options[3].Scope; got != screen.Once {
		t.Errorf("d is of scope %s", got)
	}
	yesNo := programAsks(func(q *ProgramQuestion) { q.Options = []string{"yes", "no"} })
	if a, _ := yesNo.Read(Answer{Way: ByReply, Said: Said{Text: "d", Decision: screen.Deny}}); a.Choice == nil || a.Choice.Label != "no" {
		t.Errorf("d in reply to a yes or no: %+v", a.Choice)
	}
}

// TestWhichDenialHasAReason: one of a permission that has a key for it, if its asker hears the words.
func TestWhichDenialHasAReason(t *testing.T) {
	denied := func(p *screen.Prompt) { p.Deny = []string{"n"} }
	of := func(about func(*screen.Prompt) About, change func(*screen.Prompt)) *Nudge {
		p := new(screen.Prompt)
		if change != nil {
			change(p)
		}
		return &Nudge{About: about(p)}
	}
	permission := func(p *screen.Prompt) About { return Permission{p} }
	for name, c := range map[string]struct {
		n    *Nudge
		want bool
	}{
		"a permission":         {of(permission, denied), true},
		"without a key":        {of(permission, nil), false},
		"a question":           {of(func(p *screen.Prompt) About { return Question{p} }, denied), false},
		"a program that hears": {of(func(p *screen.Prompt) About { return Program{About: Permission{p}, Hears: true} }, denied), true},
		"one that does not":    {of(func(p *screen.Prompt) About { return Program{About: Permission{p}} }, denied), false},
	} {
		if got := c.n.TakesReason(); got != c.want {
			t.Errorf("%s: takes a reason %t", name, got)
		}
	}
	for because, want := range map[string]reason.Kind{"": reason.ProgramAnswered, "not now": reason.ProgramTold} {
		n := programAsks(nil)
		n.claim(Claim{Said: Said{Decision: screen.Deny, Because: deliver.Say(because)}})
		if n.settle(asked); n.State != Delivered || n.Detail.Kind != want {
			t.Errorf("denied for %q: %s, %q", because, n.State, n.Detail.Kind)
		}
	}
}

// TestOnlyAProgramsQuestionIsWithdrawn, attended, or out of time when it is answered.
func TestOnlyAProgramsQuestionIsWithdrawn(t *testing.T) {
	n := in(Pending)
	if v, _ := n.Decide(Answer{Way: ByCommand, Said: Said{Decision: screen.Approve}}, n.Expires); v.Kind != Taken {
		t.Errorf("an agent's prompt: %s, %v", v.Kind, v.Detail)
	}
	if n = in(Pending); n.Withdraw(noon) || n.Recover(reason.Why{}, noon) || n.Attend(true, noon) || n.Attend(false, noon) || n.State != Pending {
		t.Errorf("an agent's prompt is withdrawn: %s", n.State)
	}
	for _, state := range states {
		for _, waits := range []bool{true, false} {
			for _, waited := range []bool{true, false} {
				n := nudgeWith(state, func(n *Nudge) { n.About = Program{About: n.About} })
				if !waited {
					p := n.About.(Program)
					p.Left = noon
					n.About = p
				}
				changed := n.Attend(waits, second(5))
				left := n.Program().Left
				if want := state == Pending && waits != waited; changed != want || want && (left.IsZero() != waits || !waits && !left.Equal(second(5))) || !want && left.IsZero() != waited {
					t.Errorf("%s, waited %t, waits %t: changed %t, left %s", state, waited, waits, changed, left)
				}
			}
		}
	}
}

// TestWhatAProgramIsAnswered: the label or the words, or its own default when its time is up.
func TestWhatAProgramIsAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		state State
		said  Said
		want  string
	}{
		"yes":           {Delivered, Said{Decision: screen.Approve}, Allow},
		"no":            {Delivered, Said{Decision: screen.Deny}, Deny},
		"an option":     {Delivered, Said{Choice: &deliver.Choice{Label: "later"}}, "later"},
		"words":         {Delivered, Said{Text: "tomorrow"}, "tomorrow"},
		"out of time":   {Expired, Said{}, "never"},
		"withdrawn":     {Gone, Said{Text: "tomorrow"}, ""},
		"unknown":       {Unknown, Said{Decision: screen.Approve}, ""},
		"being given":   {Claimed, Said{Decision: screen.Approve}, ""},
		"still waiting": {Pending, Said{}, ""},
	} {
		n := nudgeWith(c.state, func(n *Nudge) { n.About, n.Claim = Program{About: n.About, Default: "never"}, &Claim{Said: c.said} })
		if got := n.Answered(); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
		n.About = n.About.(Program).About
		if got := n.Answered(); got != "" {
			t.Errorf("%s: an agent is answered %q", name, got)
		}
	}
}

// TestANumberThatIsALabelTooIsNoGuess: of "How many?" with 2, 3 and 4 to choose from, "2" may be the first option or the
// second. The inbox and the page name options by number alone, and so does whoever writes a dot.
func TestANumberThatIsALabelTooIsNoGuess(t *testing.T) {
	program := programAsks(func(q *ProgramQuestion) { q.Options = []string{"2", "3", "4"} })
	agent := questionOf(nil, screen.Option{Key: "1", Label: "2", Scope: screen.Other}, screen.Option{Key: "2", Label: "3", Scope: screen.Other}, screen.Option{Key: "3", Label: "4", Scope: screen.Other})
	words := questionOf(func(p *screen.Prompt) { p.TextField = true }, agent.Prompt().Options...)
	for name, n := range map[string]*Nudge{"a program": program, "an agent": agent, "an agent that takes words": words} {
		for i, number := range []string{"1", "2", "3"} {
			for _, a := range []Answer{{Way: ByInbox, Line: number}, {Way: ByPage, Line: number}, {Way: ByReply, Said: Said{Text: number + "."}}, {Way: ByCommand, Line: "#" + number}} {
				if got, v := n.Read(a); got.Choice == nil || got.Choice.Index != i {
					t.Errorf("%s: %s %q%q: %+v, %s", name, a.Way, a.Line, a.Text, got.Choice, v.Kind)
				}
			}
			if number == "1" {
				continue
			}
			for _, a := range []Answer{{Way: ByReply, Said: Said{Text: number}}, {Way: ByCommand, Line: number}} {
				if got, v := n.Read(a); v.Kind != Rejected || v.Detail.Kind != reason.OptionsAlike {
					t.Errorf("%s: %s %q: %+v, %s", name, a.Way, number, got.Choice, v.Kind)
				}
			}
		}
		for _, a := range []Answer{{Way: ByReply, Said: Said{Text: "4"}}, {Way: ByCommand, Line: "4"}} {
			if got, v := n.Read(a); got.Choice == nil || got.Choice.Index != 2 {
				t.Errorf("%s: %s 4: %+v, %s", name, a.Way, got.Choice, v.Kind)
			}
		}
	}
}

// TestALabelAnswersAsItsNumberDoes, in reply too, and though it is a yes or no.
func TestALabelAnswersAsItsNumberDoes(t *testing.T) {
	n := questionOf(nil, screen.Option{Key: "1", Label: "Yes", Scope: screen.Other}, screen.Option{Key: "2", Label: "Rather not", Scope: screen.Other})
	for label, want := range map[string]int{"yes": 0, "Rather not": 1, " rather not ": 1} {
		for _, a := range []Answer{{Way: ByReply, Said: Said{Text: label}}, {Way: ByCommand, Line: label}} {
			if a.Way == ByReply {
				a.Decision, _, _ = ParseWord(label, ByReply)
			}
			if got, v := n.Read(a); got.Choice == nil || got.Choice.Index != want || got.Decision != "" {
				t.Errorf("%s %q: %+v %s, %s", a.Way, label, got.Choice, got.Decision, v.Kind)
			}
		}
	}
	for _, a := range []Answer{{Way: ByReply, Said: Said{Text: "n", Decision: screen.Deny}}, {Way: ByCommand, Line: "n"}} {
		if got, _ := n.Read(a); got.Choice != nil || got.Decision != screen.Deny {
			t.Errorf("%s n: %+v %s", a.Way, got.Choice, got.Decision)
		}
	}
}
