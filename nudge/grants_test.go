package nudge

import (
	"fmt"
	"slices"
	"testing"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge/grant"
)

// deniedIn is a message about calls of a turn, as a transcript or a screen told of them.
func deniedIn(turn string, calls ...detect.DeniedCall) *Denials {
	d := NewDenials("k3f", look(), noonToday)
	d.Turn = turn
	for _, c := range calls {
		d.Deny(BlockedBy(look(), c), noonToday)
	}
	return d
}

func call(text string) detect.DeniedCall { return detect.DeniedCall{Text: text} }

// TestOnlyItsOwnDialogTakesAGrant: the grant of a call answers the dialog that asks about exactly that call, known
// whole from an event, with one yes for once and one no. It answers no other one, and none twice.
func TestOnlyItsOwnDialogTakesAGrant(t *testing.T) {
	once, no, always := screen.Option{Scope: screen.Once}, screen.Option{Scope: screen.No}, screen.Option{Scope: screen.Always}
	options := func(o ...screen.Option) func(*Denials, *Nudge, *screen.Prompt) {
		return func(_ *Denials, _ *Nudge, p *screen.Prompt) { p.Options = o }
	}
	for name, c := range map[string]struct {
		change func(d *Denials, n *Nudge, p *screen.Prompt)
		want   bool
	}{
		"its dialog":                {nil, true},
		"no before yes":             {options(no, once), true},
		"a question":                {func(_ *Denials, n *Nudge, p *screen.Prompt) { n.About = Question{p} }, false},
		"being answered":            {func(_ *Denials, n *Nudge, _ *screen.Prompt) { n.State = Claimed }, false},
		"its message is over":       {func(d *Denials, _ *Nudge, _ *screen.Prompt) { d.Ended = noonToday }, false},
		"outside tmux":              {func(d *Denials, n *Nudge, _ *screen.Prompt) { d.Pane.ID, n.Pane.ID = "", "" }, false},
		"another agent's":           {func(_ *Denials, n *Nudge, _ *screen.Prompt) { n.Process.PID++ }, false},
		"another pane's":            {func(_ *Denials, n *Nudge, _ *screen.Prompt) { n.Pane.ID = "%2" }, false},
		"about another call":        {func(_ *Denials, _ *Nudge, p *screen.Prompt) { p.Exact = "other" }, false},
		"about an unknown call":     {func(d *Denials, _ *Nudge, p *screen.Prompt) { p.Exact, d.Calls[0].Asks = "", "" }, false},
		"read from the screen":      {func(_ *Denials, _ *Nudge, p *screen.Prompt) { p.Source = "" }, false},
		"known in part":             {func(_ *Denials, _ *Nudge, p *screen.Prompt) { p.Partial = true }, false},
		"with more options":         {func(_ *Denials, _ *Nudge, p *screen.Prompt) { p.More = true }, false},
		"with a third option":       {options(once, no, always), false},
		"a yes alone":               {options(once), false},
		"with two yes":              {options(once, once), false},
		"with two no":               {options(no, no), false},
		"always or no":              {options(always, no), false},
		"no or always":              {options(no, always), false},
		"once or always":            {options(once, always), false},
		"always or once":            {options(always, once), false},
		"the agent does not ask":    {func(d *Denials, _ *Nudge, _ *screen.Prompt) { d.Calls[0].Grant.State = grant.Taken }, false},
		"nobody has allowed it":     {func(d *Denials, _ *Nudge, _ *screen.Prompt) { d.Calls[0].Grant = grant.Grant{} }, false},
		"it was answered by itself": {func(d *Denials, _ *Nudge, _ *screen.Prompt) { d.Calls[0].Grant.State = grant.Used }, false},
	} {
		d := allowed(blocked("a"))
		d.Calls[0].Grant.Take(noonToday)
		d.Said(0, "exactly a")
		p := &screen.Prompt{Content: screen.Content{Source: screen.FromEvent, Options: []screen.Option{once, no}}, Exact: "exactly a"}
		n := Open("m4g", Permission{p}, look(), nil, Rules{}, noonToday)
		if c.change != nil {
			c.change(d, n, p)
		}
		drawn := d.Drawn
		a, ok := d.Answers(n, noonToday)
		if ok != c.want || ok && (a.Decision != screen.Approve || a.Way != ByGrant || a.Nudge != "m4g" || a.By.Name != "Ann" || d.Drawn == drawn) {
			t.Errorf("%s: answered: %t, %+v", name, ok, a)
		}
		if _, twice := d.Answers(n, noonToday); twice {
			t.Errorf("%s: answered twice", name)
		}
	}
}

// TestALookTellsWhichTurnItIsOf: another input of a human, or fewer denied calls after the same one, begin another
// turn, and end that of the earlier messages.
func TestALookTellsWhichTurnItIsOf(t *testing.T) {
	a, b := call("a"), call("b")
	over := func(d *Denials) { d.TurnOver = true }
	left := func(d *Denials) { over(d); d.Calls[0].Left = true }
	for name, c := range map[string]struct {
		turn   string
		change func(*Denials)
		seen   detect.DeniedCalls
		want   string // whether the message is of the turn, and whether it changed
	}{
		"the same":                {"t1", nil, detect.DeniedCalls{Turn: "t1", All: true, Calls: []detect.DeniedCall{a}}, "true false"},
		"one more":                {"t1", nil, detect.DeniedCalls{Turn: "t1", All: true, Calls: []detect.DeniedCall{a, b}}, "true false"},
		"once more":               {"t1", nil, detect.DeniedCalls{Turn: "t1", All: true, Calls: []detect.DeniedCall{a, a}}, "true false"},
		"another input":           {"t1", nil, detect.DeniedCalls{Turn: "t2", All: true, Calls: []detect.DeniedCall{a}}, "false true"},
		"the same input again":    {"t1", nil, detect.DeniedCalls{Turn: "t1", All: true, Calls: []detect.DeniedCall{b}}, "false true"},
		"not all are seen":        {"t1", nil, detect.DeniedCalls{Turn: "t1", Calls: []detect.DeniedCall{b}}, "true false"},
		"its beginning is unseen": {"t1", nil, detect.DeniedCalls{Calls: []detect.DeniedCall{b}}, "true false"},
		"nothing is seen":         {"t1", nil, detect.DeniedCalls{All: true}, "false false"},
		"over":                    {"t1", over, detect.DeniedCalls{Turn: "t1", Calls: []detect.DeniedCall{a}}, "false false"},
		"over and settled":        {"t1", left, detect.DeniedCalls{Turn: "t2"}, "false false"},
	} {
		d := deniedIn(c.turn, a)
		if c.change != nil {
			c.change(d)
		}
		was := d.TurnOver
		turn, changed := ThisTurn([]*Denials{d}, c.seen, noonToday)
		if got := fmt.Sprint(slices.Contains(turn, d), slices.Contains(changed, d)); got != c.want || d.TurnOver != (was || len(changed) > 0) {
			t.Errorf("%s: %s; want %s; its turn is over: %t", name, got, c.want, d.TurnOver)
		}
	}
	first, second := deniedIn("t1", a), deniedIn("t2", b)
	turn, changed := ThisTurn([]*Denials{first, second}, detect.DeniedCalls{Turn: "t2", All: true, Calls: []detect.DeniedCall{b}}, noonToday)
	if !slices.Equal(turn, []*Denials{second}) || !slices.Equal(changed, []*Denials{first}) {
		t.Errorf("of two turns: %d of the turn, %d changed", len(turn), len(changed))
	}
}

// TestAScreenTellsNoTranscriptsCallsAgain: a screen names turns in the human's words, a transcript by a name
// without blanks. After nod has started, a screen may show no more than the transcript told.
func TestAScreenTellsNoTranscriptsCallsAgain(t *testing.T) {
	a, b := call("a"), call("b")
	for name, c := range map[string]struct {
		turn   string
		change func(*Denials)
		seen   detect.DeniedCalls
		want   bool
	}{
		"a screen with as many":     {"abc", nil, detect.DeniedCalls{Turn: "do it", Calls: []detect.DeniedCall{a}}, true},
		"a screen with none":        {"abc", nil, detect.DeniedCalls{Turn: "do it"}, true},
		"without its beginning":     {"abc", nil, detect.DeniedCalls{Calls: []detect.DeniedCall{b}}, true},
		"a screen with more":        {"abc", nil, detect.DeniedCalls{Turn: "do it", Calls: []detect.DeniedCall{a, b}}, false},
		"a transcript":              {"abc", nil, detect.DeniedCalls{Turn: "abd", Calls: []detect.DeniedCall{a}}, false},
		"told by a screen":          {"do it", nil, detect.DeniedCalls{Turn: "do it", Calls: []detect.DeniedCall{a}}, false},
		"told by events":            {"", nil, detect.DeniedCalls{Turn: "do it", Calls: []detect.DeniedCall{a}}, false},
		"its turn is over":          {"abc", func(d *Denials) { d.TurnOver = true }, detect.DeniedCalls{Turn: "do it", Calls: []detect.DeniedCall{a}}, false},
		"nothing is told or seen":   {"abc", func(d *Denials) { d.Calls = nil }, detect.DeniedCalls{Turn: "do it"}, false},
		"denied twice, shown twice": {"abc", func(d *Denials) { d.Calls[0].Count = 2 }, detect.DeniedCalls{Turn: "do it", Calls: []detect.DeniedCall{a, a}}, true},
	} {
		d := deniedIn(c.turn, a)
		if c.change != nil {
			c.change(d)
		}
		if got := StillTold([]*Denials{d}, c.seen); got != c.want {
			t.Errorf("%s: told already: %t", name, got)
		}
	}
}

// TestACutCallIsKnownFromItsServer: the whole call takes the place of what the screen shows of it, if it can be
// one call only.
func TestACutCallIsKnownFromItsServer(t *testing.T) {
	whole := func(text, folder string) detect.DeniedCall {
		return detect.DeniedCall{Text: text, Folder: folder, Review: "review " + text}
	}
	shown := call("make te...")
	for name, c := range map[string]struct {
		list []*Denials
		want string
	}{
		"told by its server":   {[]*Denials{deniedIn("t1", whole("make test", "/p"))}, "make test"},
		"told twice":           {[]*Denials{deniedIn("t1", whole("make test", "/p")), deniedIn("t1", whole("make test", "/p"))}, "make test"},
		"one of two":           {[]*Denials{deniedIn("t1", whole("make test", "/p"), whole("make tea", "/p"))}, "make te..."},
		"in one of two places": {[]*Denials{deniedIn("t1", whole("make test", "/p"), whole("make test", "/q"))}, "make te..."},
		"beside another":       {[]*Denials{deniedIn("t1", whole("go vet", "/p"), whole("make test", "/p"))}, "make test"},
		"not told":             {nil, "make te..."},
		"told by a screen":     {[]*Denials{deniedIn("t1", call("make test"))}, "make te..."},
		"of an earlier turn":   {[]*Denials{func() *Denials { d := deniedIn("t1", whole("make test", "/p")); d.TurnOver = true; return d }()}, "make te..."},
		"longer than is kept":  {[]*Denials{deniedIn("t1", whole("make test"+string(make([]byte, maxDenied)), "/p"))}, "make te..."},
	} {
		seen := detect.DeniedCalls{Turn: "t1", Calls: []detect.DeniedCall{shown}}
		if got := Known(c.list, seen).Calls[0].Text; got != c.want || seen.Calls[0] != shown {
			t.Errorf("%s: %q; want %q; the look has %q", name, got, c.want, seen.Calls[0].Text)
		}
	}
	again := detect.DeniedCall{Text: "make te...", Review: "now"}
	if got := Known([]*Denials{deniedIn("t1", whole("make test", "/p"))}, detect.DeniedCalls{Calls: []detect.DeniedCall{again}}); got.Calls[0] != again {
		t.Errorf("what the server reports now became %+v", got.Calls[0])
	}
}

// TestAGrantIsTypedOrToldOnce: the result of the keys, or of the message to the server, ends a grant that was
// taken for them, or gives it back if no key was typed.
func TestAGrantIsTypedOrToldOnce(t *testing.T) {
	refused := reason.Why{Kind: reason.DenialChanged}
	for name, c := range map[string]struct {
		taking Taking
		state  grant.State
		r      deliver.Result
		want   grant.State
		flaw   bool
	}{
		"typed":                       {OnList, grant.Taken, deliver.Result{Outcome: deliver.Delivered}, grant.Used, false},
		"told":                        {ByServer, grant.Taken, deliver.Result{Outcome: deliver.Delivered}, grant.Used, false},
		"refused":                     {OnList, grant.Taken, deliver.Result{Outcome: deliver.Refused, Detail: refused}, grant.Open, false},
		"refused after a key":         {OnList, grant.Taken, deliver.Result{Outcome: deliver.Refused, Keys: []string{"Down"}, Detail: refused}, "", true},
		"refused by the server":       {ByServer, grant.Taken, deliver.Result{Outcome: deliver.Refused, Detail: refused}, "", true},
		"nobody knows":                {OnList, grant.Taken, deliver.Result{Outcome: deliver.Unknown, Keys: []string{"Enter"}}, grant.Unknown, false},
		"the server may have heard":   {ByServer, grant.Taken, deliver.Result{Outcome: deliver.Unknown}, grant.Unknown, false},
		"somebody decided meanwhile":  {OnList, grant.Unknown, deliver.Result{Outcome: deliver.Refused}, grant.Unknown, false},
		"it was never begun":          {OnList, grant.Open, deliver.Result{Outcome: deliver.Delivered}, grant.Open, false},
		"it was never begun, unknown": {OnList, grant.Open, deliver.Result{Outcome: deliver.Unknown}, grant.Open, false},
	} {
		d := allowed(blocked("a"))
		d.Calls[0].Taking, d.Calls[0].Grant.State = c.taking, c.state
		drawn := d.Drawn
		d.Finish(0, c.r, noonToday)
		if got := d.Calls[0]; got.Grant.State != c.want || got.Flaw.IsZero() == c.flaw || (d.Drawn > drawn) != (c.state == grant.Taken) {
			t.Errorf("%s: %q, flaw %v, drawn %d times; want %q", name, got.Grant.State, got.Flaw, d.Drawn-drawn, c.want)
		}
	}
}

// TestAReviewIsAskedForOnce: for an open grant of a call that the agent's own server must hear of.
func TestAReviewIsAskedForOnce(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Denials)
		want   bool
	}{
		"allowed":     {func(*Denials) {}, true},
		"by its list": {func(d *Denials) { d.Calls[0].Taking = OnList }, false},
		"over":        {func(d *Denials) { d.Ended = noonToday }, false},
		"not allowed": {func(d *Denials) { d.Calls[0].Grant = grant.Grant{} }, false},
		"too late":    {func(d *Denials) { d.Calls[0].Grant.Until = noonToday }, false},
	} {
		d := allowed(blocked("a"))
		d.Calls[0].Taking, d.Calls[0].Review = ByServer, "review a"
		c.change(d)
		open, drawn := d.Promises(0), d.Drawn
		if want := d.Ended.IsZero() && d.Calls[0].Grant.State == grant.Open; open != want {
			t.Errorf("%s: it may be taken: %t", name, open)
		}
		call, review, ok := d.TakeReview(noonToday)
		if ok != c.want || ok && (call != 0 || review != "review a" || d.Drawn == drawn || d.Promises(0)) {
			t.Errorf("%s: %t, %q", name, ok, review)
		}
		if _, _, twice := d.TakeReview(noonToday); twice {
			t.Errorf("%s: twice", name)
		}
	}
	d := allowed(blocked("a"), blocked("b"))
	d.Allow(1, d.Fingerprint(1), Person{Name: "Ann"}, noonToday)
	d.Calls[1].Taking = ByServer
	if call, _, ok := d.TakeReview(noonToday); !ok || call != 1 {
		t.Errorf("of two calls, number %d is reviewed: %t", call, ok)
	}
}

// TestADecisionThatCantBePassedOnIsNone: the call may be decided about again, and its message says so.
func TestADecisionThatCantBePassedOnIsNone(t *testing.T) {
	d := allowed(blocked("a"))
	d.Calls[0].Told = true
	drawn := d.Drawn
	d.Withdraw(0)
	if got := d.Calls[0].Word; got != (Word{}) || !d.Open(0) || d.Drawn == drawn {
		t.Errorf("left: %+v", got)
	}
	d = allowed(blocked("a"))
	if drawn = d.Drawn; !d.Begin(0, noonToday) || d.Drawn == drawn {
		t.Error("a grant that begins is not drawn")
	}
}
