package nudge

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// questionOf is a pending question with these options, changed.
func questionOf(change func(*screen.Prompt), options ...screen.Option) *Nudge {
	p := &screen.Prompt{Content: screen.Content{Options: options}}
	if change != nil {
		change(p)
	}
	return nudgeWith(Pending, func(n *Nudge) { n.About = Question{p} })
}

// programCall is a program's question whether a call may be made.
func programCall(change func(*ProgramQuestion)) *Nudge {
	return programAsks(func(q *ProgramQuestion) {
		q.Call = &Call{Subject: "make"}
		if change != nil {
			change(q)
		}
	})
}

// TestWhatALookOpens: a nudge about what it shows, if it can be read.
func TestWhatALookOpens(t *testing.T) {
	for state, want := range map[screen.State]string{screen.Permission: "Permission", screen.Question: "Question", screen.Idle: "<nil>", screen.Working: "<nil>"} {
		if got := strings.TrimPrefix(fmt.Sprintf("%T", aboutOf(sight(state, "fp"), Rules{})), "nudge."); got != want {
			t.Errorf("%s: %s", state, got)
		}
		unread, unseen := sight(state, ""), sight(state, "fp")
		unseen.Unseen = true
		if aboutOf(unread, Rules{}) != nil || aboutOf(unseen, Rules{}) != nil {
			t.Errorf("%s: it opens a nudge, though it was not read or seen", state)
		}
	}
	n := programCall(nil)
	if n.ask(screen.Prompt{Content: screen.Content{Subject: "go"}}); n.Prompt().Subject != "go" || n.Program() == nil {
		t.Errorf("a program asks about %q", n.Prompt().Subject)
	}
}

// TestAnAnswerToWhatIsOverIsToldHowItEnded, and how long ago.
func TestAnAnswerToWhatIsOverIsToldHowItEnded(t *testing.T) {
	door := func(n *Nudge) { n.Door = true }
	fallen := func(n *Nudge) { n.Standing = false }
	about := func(a About) func(*Nudge) { return func(n *Nudge) { n.About = a } }
	ask := Permission{new(screen.Prompt)}
	for _, c := range []struct {
		state  State
		change func(*Nudge)
		code   deliver.Reason
		want   reason.Kind
	}{
		{Claimed, nil, deliver.Answered, reason.BeingAnswered},
		{Typing, nil, deliver.Answered, reason.BeingAnswered},
		{Delivered, nil, deliver.Answered, reason.OverAnswered},
		{Unknown, nil, deliver.Answered, reason.OverUnsure},
		{Unknown, door, deliver.Answered, reason.OverUnheard},
		{Refused, nil, deliver.Answered, reason.OverRefused},
		{Expired, nil, deliver.Expired, reason.ExpiredStanding},
		{Expired, fallen, deliver.Expired, reason.OverExpired},
		{Gone, nil, deliver.Gone, reason.PaneLost},
		{Gone, about(Program{About: ask}), deliver.Gone, reason.QuestionWithdrawn},
		{Gone, about(Program{About: ask, Door: true}), deliver.Gone, reason.HookLeft},
		{Recovered, nil, deliver.Answered, reason.LeftScreen},
		{Recovered, about(TurnEnded{}), deliver.Answered, reason.WentOn},
		{Recovered, about(Program{About: ask}), deliver.Answered, reason.ClosedElsewhere},
	} {
		n := nudgeWith(c.state, c.change)
		n.Ended = noon
		if v := n.admit(Answer{Read: second(60)}); v.Kind != Rejected || v.Reason != c.code || v.Detail.Kind != c.want || v.Detail.Ago != time.Minute {
			t.Errorf("%s: %s %q, %q %s ago; want %q", c.state, v.Kind, v.Reason, v.Detail.Kind, v.Detail.Ago, c.want)
		} else if says := v.Detail.Because; n.Claim != nil && c.state != Refused && (says == nil || says.Kind != reason.Approved || says.By != "Ann") {
			t.Errorf("%s: answered by %+v", c.state, says)
		}
	}
}

// TestWhatAnAnswerChanges: a claim, a timeout, or a message that nod did not know.
func TestWhatAnAnswerChanges(t *testing.T) {
	tapped := Answer{Way: ByButton, Ref: Ref{Place: "42", Message: 5}, Shown: []Shown{{Nudge: "k3f", Own: true}}, Said: Said{Decision: screen.Approve}}
	for name, c := range map[string]struct {
		n       *Nudge
		a       Answer
		now     time.Time
		state   State
		changed bool
	}{
		"a program":                      {programCall(nil), Answer{Said: Said{Decision: screen.Approve}}, asked, Delivered, true},
		"a hook that waits":              {programCall(func(q *ProgramQuestion) { q.Door = true }), Answer{Said: Said{Decision: screen.Approve}}, asked, Claimed, true},
		"a program, too late":            {programCall(nil), Answer{Said: Said{Decision: screen.Approve}}, asked.Add(time.Hour), Expired, true},
		"a program that is over":         {nudgeWith(Gone, func(n *Nudge) { n.About = Program{About: n.About} }), Answer{Said: Said{Decision: screen.Approve}}, asked, Gone, false},
		"an unknown message of that one": {nudgeWith(Gone, func(n *Nudge) { n.About = Program{About: n.About} }), tapped, asked, Gone, true},
		"neither yes nor no":             {in(Pending), Answer{}, noon, Pending, false},
		"an option that is none":         {questionOf(nil, screen.Option{Label: "A"}), Answer{Said: Said{Choice: &deliver.Choice{Index: -1, Label: "A"}}}, noon, Pending, false},
	} {
		if _, changed := c.n.Decide(c.a, c.now); changed != c.changed || c.n.State != c.state {
			t.Errorf("%s: changed %t, %s", name, changed, c.n.State)
		}
	}
}

// TestWhyNoKeyAnswers: an approval that the prompt itself rules out says why; a denial needs a key that denies.
func TestWhyNoKeyAnswers(t *testing.T) {
	why := reason.Why{Kind: reason.DenialCut}
	for name, c := range map[string]struct {
		approve, deny []string
		why           reason.Why
		decision      screen.Decision
		want          reason.Kind // empty: it is taken
	}{
		"yes":                    {[]string{"1"}, nil, why, screen.Approve, ""},
		"no":                     {nil, []string{"2"}, why, screen.Deny, ""},
		"no key for yes":         {nil, []string{"2"}, reason.Why{}, screen.Approve, reason.NoKeyApproves},
		"no key for yes, named":  {nil, []string{"2"}, why, screen.Approve, reason.DenialCut},
		"no key for no":          {[]string{"1"}, nil, reason.Why{}, screen.Deny, reason.NoKeyDenies},
		"no key for no, another": {[]string{"1"}, nil, why, screen.Deny, reason.NoKeyDenies},
	} {
		n := in(Pending)
		n.Prompt().Approve, n.Prompt().Deny, n.Prompt().Why = c.approve, c.deny, c.why
		if v := n.admit(Answer{Way: ByCommand, Said: Said{Decision: c.decision}}); v.Detail.Kind != c.want || (v.Kind == Taken) != (c.want == "") {
			t.Errorf("%s: %s, %q", name, v.Kind, v.Detail.Kind)
		}
	}
	text := screen.Option{Label: "Other", Scope: screen.Text}
	if got := questionOf(nil, text).howToAnswer(); got != reason.AnswerThere {
		t.Errorf("an option for words alone: %q", got)
	}
	program := nudgeWith(Pending, func(n *Nudge) { n.About = Program{About: questionOf(nil, text).About} })
	if got := program.howToAnswer(); got != reason.ChooseOne {
		t.Errorf("a program's option for words: %q", got)
	}
}

// TestWhatAReplyNames: send and leave where a key is known, an option by its number, and else words.
func TestWhatAReplyNames(t *testing.T) {
	option := screen.Option{Label: "A"}
	sends := func(p *screen.Prompt) { p.Send, p.Dismiss = []string{"Tab"}, []string{"Escape"} }
	list := listWith("  ")
	list.Prompt().Send = nil
	reply := func(n *Nudge, text string) (Answer, Verdict) {
		a := Answer{Way: ByReply, Said: Said{Text: text}}
		a.Decision, _, _ = ParseWord(text, ByReply)
		return n.Read(a)
	}
	for name, c := range map[string]struct {
		n    *Nudge
		text string
		want string // the decision and the words
	}{
		"send":                   {questionOf(sends, option), "Send", "send "},
		"send of a list":         {list, "send", "send "},
		"send of nothing":        {questionOf(nil, option), "send", " send"},
		"dismiss":                {questionOf(sends, option), "Dismiss", "dismiss "},
		"dismiss without a key":  {questionOf(nil, option), "dismiss", " dismiss"},
		"a program's permission": {programCall(nil), "y", "approve "},
	} {
		a, v := reply(c.n, c.text)
		if got := fmt.Sprint(string(a.Decision), " ", a.Text); got != c.want || v.Kind != "" {
			t.Errorf("%s: %q, %s", name, got, v.Kind)
		}
	}
	if _, v := reply(in(Gone), "perhaps"); v.Kind != NoAnswer {
		t.Errorf("words to a permission that is over: %q", v.Kind)
	}
	choice := &deliver.Choice{Index: 2, Label: "later"}
	if a, v := programAsks(nil).Read(Answer{Way: ByButton, Said: Said{Choice: choice}}); a.Choice != choice || v.Kind != "" {
		t.Errorf("a tapped option: %v, %s", a.Choice, v.Kind)
	}
	for index, taken := range map[int]bool{-1: false, 0: true, 1: false} {
		if _, v := questionOf(nil, option).choose(Answer{}, index); (v.Kind == "") != taken {
			t.Errorf("option %d: %s", index, v.Kind)
		}
	}
	for keys, want := range map[string]string{"2 4": "2 4", "0 9": "0 9", "2 10": "1 2", "2 r": "1 2", "2 /": "1 2", "2 :": "1 2", "2 ": "1 2"} {
		first, last, _ := strings.Cut(keys, " ")
		n := questionOf(nil, screen.Option{Key: first}, screen.Option{Key: last})
		if got := n.OptionNumber(0) + " " + n.OptionNumber(1); got != want {
			t.Errorf("keys %q: numbers %q", keys, got)
		}
	}
}

// TestTheReasonOfADenial: words are, a bare no has none, and a yes is refused.
func TestTheReasonOfADenial(t *testing.T) {
	long := strings.Repeat("x", maxInstruction)
	for text, c := range map[string]struct {
		decision screen.Decision
		want     string // decision, reason
		refused  reason.Kind
	}{
		"not now":  {"", "deny not now", ""},
		"n":        {screen.Deny, "deny ", ""},
		"y":        {screen.Approve, "", reason.AsksTheReason},
		" ":        {"", "", reason.OnlyText},
		long:       {"", "deny " + long, ""},
		long + "x": {"", "", reason.TextTooLong},
	} {
		a, v := in(Pending).readReason(Answer{Nudge: "m4g", Said: Said{Text: text, Decision: c.decision}})
		if got := string(a.Decision) + " " + a.Because.Said(); c.refused == "" && got != c.want || v.Detail.Kind != c.refused || a.Text != "" || a.Nudge != "" {
			t.Errorf("%.9q: %.20q, %q, words %q for %q", text, got, v.Detail.Kind, a.Text, a.Nudge)
		}
	}
}

// TestALineAtTheMachine names what its card shows, and nothing that only the terminal can choose.
func TestALineAtTheMachine(t *testing.T) {
	once, no, other := screen.Option{Label: "Yes", Scope: screen.Once}, screen.Option{Label: "No", Scope: screen.No}, screen.Option{Label: "Other", Scope: screen.Other}
	text := screen.Option{Label: "Write", Scope: screen.Text}
	there := func(p *screen.Prompt) { p.AtTerminal, p.Approve, p.Deny = true, []string{"1"}, []string{"2"} }
	permission := func(change func(*screen.Prompt), options ...screen.Option) *Nudge {
		n := questionOf(change, options...)
		n.About = Permission{n.Prompt()}
		return n
	}
	list := listWith("  ")
	list.Prompt().Send = nil
	for name, c := range map[string]struct {
		n    *Nudge
		line string
		want string // the decision or the option, or why not
	}{
		"yes":                       {permission(there, once, no), "1", "approve"},
		"no":                        {permission(there, once, no), "no", "deny"},
		"no key denies":             {permission(func(p *screen.Prompt) { p.Approve = []string{"1"} }, once, no), "2", string(reason.NotOffered)},
		"yes, at the terminal":      {questionOf(there, once, no), "1", string(reason.OnlyThere)},
		"no, at the terminal":       {questionOf(there, once, no), "2", string(reason.OnlyThere)},
		"words behind an option":    {questionOf(func(p *screen.Prompt) { p.TextField = true }, text), "1", string(reason.OptionTakesWords)},
		"an option beside words":    {questionOf(func(p *screen.Prompt) { there(p); p.TextField = true }, other), "1", string(reason.OnlyThere)},
		"send":                      {questionOf(func(p *screen.Prompt) { p.Send = []string{"Tab"} }, other), "send", "send"},
		"send of a list":            {list, "send", "send"},
		"leave":                     {questionOf(func(p *screen.Prompt) { p.Dismiss = []string{"Escape"} }, other), "leave", "dismiss"},
		"leave without a key":       {questionOf(nil, other), "leave", string(reason.NoWordsHere)},
		"a program's permission":    {programCall(nil), "y", "approve"},
		"an option":                 {questionOf(nil, other), "1", "Other"},
		"a wider one, if none once": {permission(nil, screen.Option{Label: "Always", Scope: screen.Always}), "1", "Always"},
		"once, if no key approves":  {permission(nil, once), "1", "Yes"},
	} {
		a, v := c.n.Read(Answer{Way: ByInbox, Line: c.line})
		got := string(a.Decision)
		switch {
		case v.Kind != "":
			got = string(v.Detail.Kind)
		case a.Choice != nil:
			got = a.Choice.Label
		}
		if got != c.want || a.Line != "" {
			t.Errorf("%s: %q, line %q; want %q", name, got, a.Line, c.want)
		}
	}
	boxed := func(tickable bool, scope screen.Scope) bool {
		return questionOf(func(p *screen.Prompt) { p.Tickable = tickable }, screen.Option{Label: "A", Scope: scope, Tick: screen.On}).Offers(0)
	}
	if !boxed(true, screen.Other) || boxed(false, screen.Other) || boxed(true, screen.Text) {
		t.Error("a box is offered that nobody can tick, or none that somebody can")
	}
	for _, c := range []struct {
		scope screen.Scope
		why   reason.Kind
		there bool
		want  bool
	}{
		{screen.Once, reason.TwoYes, false, true}, {screen.Once, reason.TypedAnswer, true, false}, {screen.Once, reason.YesUnreached, false, false},
		{screen.Once, reason.MarkUnseen, false, false}, {screen.Always, reason.YesUnreached, false, true}, {screen.Always, reason.NoYes, true, false},
	} {
		n := permission(func(p *screen.Prompt) { p.AtTerminal, p.Why.Kind = c.there, c.why }, screen.Option{Label: "Yes", Scope: c.scope})
		if n.Offers(0) != c.want {
			t.Errorf("a yes %s, %s, at the terminal %t: not offered %t", c.scope, c.why, c.there, c.want)
		}
	}
	words := nudgeWith(Pending, func(n *Nudge) { n.About = Program{About: questionOf(nil, text).About} })
	if !words.Offers(0) || questionOf(nil, text).Offers(0) {
		t.Error("an option for words is offered at a pane, or not by a program")
	}
	n := in(Pending)
	n.Prompt().Fingerprint = "fp"
	if v := n.DrawnAs(Answer{Drawn: "fp"}); v.Kind != "" {
		t.Errorf("its own fingerprint: %s", v.Kind)
	}
	if v := n.Would(Answer{Way: ByCommand, Said: Said{Decision: screen.Approve}}, noon); v.Kind != Taken || n.State != Pending {
		t.Errorf("it would be %q, and is %s", v.Kind, n.State)
	}
	if v := n.Would(Answer{Way: ByInbox, Line: "9"}, noon); v.Kind != NoAnswer {
		t.Errorf("no option: it would be %q", v.Kind)
	}
}

// TestHowAnAnswerIsNamed in a sentence, briefly.
func TestHowAnAnswerIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		said Said
		want reason.Kind
		what string
	}{
		"yes":       {Said{Decision: screen.Approve}, reason.Approved, ""},
		"no":        {Said{Decision: screen.Deny}, reason.Denied, ""},
		"send":      {Said{Decision: screen.Send}, reason.ListSent, ""},
		"leave":     {Said{Decision: screen.Dismiss}, reason.Dismissed, ""},
		"a box":     {Said{Choice: &deliver.Choice{Index: 1, Label: "B"}}, reason.Ticked, "B"},
		"an option": {Said{Choice: &deliver.Choice{Index: 2, Label: "Chat"}}, reason.Chosen, "Chat"},
		"words":     {Said{Text: "a \n b"}, reason.Told, "a b"},
		"forty":     {Said{Text: strings.Repeat("ü", 40)}, reason.Told, strings.Repeat("ü", 40)},
		"more":      {Said{Text: strings.Repeat("ü", 41)}, reason.Told, strings.Repeat("ü", 39) + "…"},
	} {
		n := lists(Delivered, nil, ByReply)
		n.Claim.Said, n.Claim.By = c.said, Person{Name: "Ann"}
		if got := n.decided(); got.Kind != c.want || got.What != c.what || got.By != "Ann" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := in(Gone).decided(); got.Kind != reason.Answered {
		t.Errorf("nobody answered: %+v", got)
	}
}

// TestWhichWordsMayBeQueued: an instruction that its agent could not take yet.
func TestWhichWordsMayBeQueued(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Nudge)
		want   bool
	}{
		"at work":         {func(*Nudge) {}, true},
		"asking":          {func(n *Nudge) { n.Reason = deliver.AwaitingDecision }, true},
		"its notice open": {func(n *Nudge) { n.State = Pending }, true},
		"another reason":  {func(n *Nudge) { n.Reason = deliver.Changed }, false},
		"typed":           {func(n *Nudge) { n.State = Delivered }, false},
		"a decision":      {func(n *Nudge) { n.Claim.Text = "" }, false},
		"a later answer":  {func(n *Nudge) { n.Claim.At = second(1) }, false},
		"no answer":       {func(n *Nudge) { n.Claim = nil }, false},
		"to a question":   {func(n *Nudge) { n.About = Question{new(screen.Prompt)} }, false},
	} {
		n := nudgeWith(Refused, func(n *Nudge) { n.About, n.Claim.Text, n.Reason = TurnEnded{}, "go on", deliver.Working })
		stamp := n.Claim.Stamp()
		if c.change(n); n.RefusedWords(stamp) != c.want {
			t.Errorf("%s: %t", name, !c.want)
		}
	}
	n := in(Typing)
	if n.Finish(deliver.Result{Outcome: deliver.Unknown, Reason: deliver.CopyMode}, noon); n.State != Unknown {
		t.Errorf("what may have been typed is %s", n.State)
	}
	s := noPrompt(screen.Idle, thisTurn, true, "")
	s.Words = "All done?"
	words := OpenInstruction("k3f", s, in(Delivered), noon)
	if turn := words.About.(TurnEnded); turn.Words != "" || words.Cadence != nil || words.Reminder != 0 || !words.Raised.IsZero() || words.Number != 2 {
		t.Errorf("words that no notice asked for: %+v, reminder %d of %v", turn, words.Reminder, words.Cadence)
	}
}

// TestAMachineThatIsAway pauses what is open there, once; when it is back, what waits for an answer is sent again.
func TestAMachineThatIsAway(t *testing.T) {
	for _, state := range states {
		n := in(state)
		n.Due = second(60)
		if left := n.Leave(noon); left == state.Over() || left != (!n.Away.IsZero() && n.Due.IsZero()) {
			t.Errorf("%s: left %t, away since %s, due %s", state, left, n.Away, n.Due)
		}
		if n.Leave(second(5)) || n.Away.Equal(second(5)) {
			t.Errorf("%s: it left twice", state)
		}
		if n = in(state); n.MachineForgotten(noon) != (state == Pending) || state == Pending && n.Detail.Kind != reason.MachineForgotten {
			t.Errorf("%s: its machine is forgotten: %s, %q", state, n.State, n.Detail.Kind)
		}
		learnt := in(state)
		r := deliver.Result{Outcome: deliver.Refused, Reason: deliver.Changed, Keys: []string{"1"}, Door: true, Detail: reason.Why{Kind: reason.DenialCut}}
		if learnt.Learn(r, noon) != (state == Unknown) || state == Unknown && (learnt.State != Refused || learnt.Reason != deliver.Changed || !learnt.Door || learnt.Detail != r.Detail || !slices.Equal(learnt.Keys, r.Keys) || learnt.Edition != 1) {
			t.Errorf("%s: learnt that it was refused: %s %q, edition %d", state, learnt.State, learnt.Reason, learnt.Edition)
		}
		if learnt = in(state); learnt.Learn(deliver.Result{Outcome: deliver.Unknown}, noon) {
			t.Errorf("%s: nothing was learnt, and it changed", state)
		}
	}
	n := in(Unknown)
	if n.Learn(deliver.Result{Outcome: deliver.Delivered}, noon); n.State != Delivered || n.Reason != "" {
		t.Errorf("learnt that it was typed: %s %q", n.State, n.Reason)
	}
	for name, about := range map[string]About{"asks": Permission{new(screen.Prompt)}, "is idle": TurnEnded{}} {
		n := nudgeWith(Pending, func(n *Nudge) { n.About, n.Away, n.Cadence = about, noon, nil }, message(5))
		asks := name == "asks"
		if n.Return(second(60)); n.Raised.Equal(second(60)) != asks || (n.Again.Kind == reason.MachineBack) != asks {
			t.Errorf("what %s: raised %s, again for %q", name, n.Raised, n.Again.Kind)
		}
	}
}

// TestARecordKeepsWhatANudgeIsAbout, but no file and no edits once it is over.
func TestARecordKeepsWhatANudgeIsAbout(t *testing.T) {
	again := func(n *Nudge) *Nudge {
		var read Nudge
		if err := json.Unmarshal([]byte(recordOf(t, n)), &read); err != nil {
			t.Fatal(err)
		}
		return &read
	}
	p := &screen.Prompt{Content: screen.Content{Subject: "make\nits file", Lead: 1}}
	turn := TurnEnded{Words: "done", Blocked: reason.Why{Kind: reason.LimitReached}, Edits: []detect.Edit{{}}, Did: &Did{"i", "go"}, Since: noon, Resend: "go on"}
	over := turn
	over.Edits = nil
	short := *p
	short.Subject = "make"
	silence := Silence{Blocked: reason.Why{Kind: reason.LimitReached}, Exited: true, Since: noon}
	for name, c := range map[string]struct {
		state State
		about About
		want  About
	}{
		"a permission":           {Pending, Permission{p}, Permission{p}},
		"a permission, over":     {Gone, Permission{p}, Permission{p}},
		"a question":             {Gone, Question{p}, Question{p}},
		"a program's":            {Pending, Program{About: Question{p}, Default: "no"}, Program{About: Question{p}, Default: "no"}},
		"a program's, over":      {Gone, Program{About: Question{p}, Default: "no"}, Program{About: Question{&short}, Default: "no"}},
		"a turn":                 {Pending, turn, turn},
		"a turn, over":           {Gone, turn, over},
		"a silence":              {Pending, silence, silence},
		"a silence without more": {Gone, Silence{}, Silence{}},
	} {
		if got := again(nudgeWith(c.state, func(n *Nudge) { n.About = c.about })).About; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v; want %+v", name, got, c.want)
		}
	}
	if p.Subject != "make\nits file" {
		t.Errorf("writing a record made the subject %q", p.Subject)
	}
}

// TestTheTrailNotesASubjectInShort: a program's question without its file, and no more than fits.
func TestTheTrailNotesASubjectInShort(t *testing.T) {
	long := strings.Repeat("x", maxNoted)
	of := func(subject string) *screen.Prompt {
		return &screen.Prompt{Content: screen.Content{Subject: subject, Lead: 1}}
	}
	for name, c := range map[string]struct {
		about About
		want  string
	}{
		"a permission":   {Permission{of("make\nit")}, "make\nit"},
		"a question":     {Question{of("make\nit")}, "make\nit"},
		"a program's":    {Program{About: Question{of("make\nit")}}, "make"},
		"a program call": {Program{About: Permission{of("make\nit")}}, "make\nit"},
		"a long one":     {Permission{of(long)}, long},
		"a longer one":   {Permission{of(long + "x")}, long + "…"},
		"half a letter":  {Permission{of(long[1:] + "ü")}, long[1:] + "…"},
	} {
		if got := (&Nudge{About: c.about}).noted(); got != c.want {
			t.Errorf("%s: %.20q of %d bytes", name, got, len(got))
		}
	}
}

// TestWhoMayAnswerWhere: supervisors in their places, or all of them in a common one; watchers only watch.
func TestWhoMayAnswerWhere(t *testing.T) {
	chat := team
	chat.Chat = "c"
	both := Rules{Supervisors: []Place{"42"}, Watchers: []Place{"42", "7"}}
	for name, is := range map[string][2]bool{
		"a supervisor":                {team.Reaches("42"), true},
		"a watcher":                   {team.Reaches("7"), false},
		"a common chat":               {chat.Reaches("c"), true},
		"a supervisor beside it":      {chat.Reaches("42"), true},
		"another beside it":           {chat.Reaches("7"), false},
		"no place":                    {team.Reaches(""), false},
		"a watcher watches":           {team.Watches("7"), true},
		"a stranger does not":         {team.Watches("9"), false},
		"a supervisor does not":       {team.Watches("42"), false},
		"nor one who watches as well": {both.Watches("42"), false},
	} {
		if is[0] != is[1] {
			t.Errorf("%s: %t", name, is[0])
		}
	}
	for want, r := range map[string]Rules{"[42 7]": both, "[c]": chat} {
		if got := fmt.Sprint(r.audience()); got != want {
			t.Errorf("sent to %s; want %s", got, want)
		}
	}
}
