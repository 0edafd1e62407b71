package nudge

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// made is a look at a permission to run "make", drawn in one row, whose call an event named; each changed.
func made(change func(*detect.Sighting)) Look {
	s := sight(screen.Permission, "fp")
	s.Prompt.Subject, s.Prompt.Rows, s.Prompt.Width, s.Prompt.Call, s.Prompt.Exact = "make", []string{"make"}, 80, "c1", "e1"
	if change != nil {
		change(&s)
	}
	return Look{Sighting: s}
}

// maker is a nudge for that permission, in a state, with one message.
func maker(state State) *Nudge {
	n := nudgeWith(state, nil, message(5))
	n.ask(*made(nil).Prompt)
	return n
}

// TestWhatALookSaysOfAPrompt: only a prompt that asks the same, in the same process and, as wide, in the same rows,
// is the one that was told.
func TestWhatALookSaysOfAPrompt(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*detect.Sighting)
		want   screened
	}{
		"the same":               {nil, promptShown},
		"of an unknown call":     {func(s *detect.Sighting) { s.Prompt.Call = "" }, promptShown},
		"at another width":       {func(s *detect.Sighting) { s.Prompt.Rows, s.Prompt.Width = []string{"ma", "ke"}, 40 }, promptShown},
		"whose rows are unknown": {func(s *detect.Sighting) { s.Prompt.Rows = nil }, promptShown},
		"in other rows":          {func(s *detect.Sighting) { s.Prompt.Rows = []string{"ma", "ke"} }, promptOther},
		"another prompt":         {func(s *detect.Sighting) { s.Prompt.Fingerprint = "other" }, promptOther},
		"another call":           {func(s *detect.Sighting) { s.Prompt.Call = "c2" }, promptOther},
		"another process":        {func(s *detect.Sighting) { s.Process.PID++ }, promptOther},
		"half drawn":             {func(s *detect.Sighting) { s.Prompt = nil }, promptCovered},
		"not seen":               {func(s *detect.Sighting) { s.Unseen = true }, promptAbsent},
		"working":                {func(s *detect.Sighting) { s.State, s.Prompt = screen.Working, nil }, promptAbsent},
		"gone":                   {func(s *detect.Sighting) { s.State, s.Prompt = screen.Gone, nil }, paneGone},
	} {
		if got := maker(Pending).compare(made(c.change).Sighting); got != c.want {
			t.Errorf("%s: %d; want %d", name, got, c.want)
		}
	}
	n := maker(Pending)
	n.Prompt().Rows = nil
	if got := n.compare(made(nil).Sighting); got != promptShown {
		t.Errorf("a prompt whose rows were unknown: %d", got)
	}
}

// TestAClaimedAnswerIsForOneCall: if the prompt turns out to be about another one that looks the same, the answer
// no longer counts, unless it is being typed, which looks for itself.
func TestAClaimedAnswerIsForOneCall(t *testing.T) {
	other := func(s *detect.Sighting) { s.Prompt.Call, s.Prompt.Subject = "c2", "make clean" }
	for name, c := range map[string]struct {
		state  State
		change func(*detect.Sighting)
		again  bool
	}{
		"the same":                    {Claimed, nil, false},
		"another call":                {Claimed, other, true},
		"another call, the same text": {Claimed, func(s *detect.Sighting) { s.Prompt.Call = "c2" }, true},
		"another text":                {Claimed, func(s *detect.Sighting) { s.Prompt.Subject = "make clean" }, true},
		"another text, not whole":     {Claimed, func(s *detect.Sighting) { s.Prompt.Call, s.Prompt.Partial, s.Prompt.Subject = "", true, "mak" }, false},
		"in other rows":               {Claimed, func(s *detect.Sighting) { other(s); s.Prompt.Rows = []string{"clean"} }, false},
		"another prompt":              {Claimed, func(s *detect.Sighting) { other(s); s.Prompt.Fingerprint = "other" }, false},
		"another process":             {Claimed, func(s *detect.Sighting) { other(s); s.Process.PID++ }, false},
		"half drawn":                  {Claimed, func(s *detect.Sighting) { s.Prompt = nil }, false},
		"being typed":                 {Typing, other, false},
	} {
		n, look := maker(c.state), made(c.change)
		got := n.Observe(look, Rules{}, noon)
		if got.Changed != c.again || (n.State == Pending) != c.again || (n.Again.Kind == reason.AskedAboutOther) != c.again {
			t.Errorf("%s: changed %t, %s, again for %q", name, got.Changed, n.State, n.Again.Kind)
		}
		if want := map[bool]*screen.Prompt{true: look.Prompt, false: made(nil).Prompt}[c.again]; n.Prompt().Subject != want.Subject || n.Prompt().Call != want.Call {
			t.Errorf("%s: it asks about %q, call %s", name, n.Prompt().Subject, n.Prompt().Call)
		}
	}
	n := noPromptIn(Claimed, noPrompt(screen.Idle, thisTurn, true, ""))
	n.Asked = noon
	if n.Observe(Look{Sighting: sight(screen.Working, "")}, Rules{}, noon).Changed {
		t.Error("a look changes the words for an agent")
	}
}

// TestWhatEndsAQuestion: another prompt, the end of its pane, an event, or its absence in two looks in a row.
func TestWhatEndsAQuestion(t *testing.T) {
	working := func(s *detect.Sighting) { s.State, s.Prompt = screen.Working, nil }
	for name, c := range map[string]struct {
		change  func(*detect.Sighting)
		misses  int
		state   State
		changed bool
		again   bool
	}{
		"shown":                      {nil, 0, Pending, false, false},
		"shown, missed before":       {nil, 2, Pending, false, false},
		"covered":                    {func(s *detect.Sighting) { s.Prompt = nil }, 2, Pending, false, false},
		"covered, with an event":     {func(s *detect.Sighting) { s.Prompt, s.Proof = nil, "approved" }, 0, Pending, false, false},
		"absent once":                {working, 1, Pending, false, true},
		"absent twice":               {working, 2, Recovered, true, false},
		"absent after an event":      {func(s *detect.Sighting) { working(s); s.Proof = "approved" }, 1, Recovered, true, false},
		"another":                    {func(s *detect.Sighting) { s.Prompt.Fingerprint = "other" }, 0, Recovered, true, false},
		"gone":                       {func(s *detect.Sighting) { working(s); s.State = screen.Gone }, 0, Gone, true, false},
		"shown, with another reason": {func(s *detect.Sighting) { s.Prompt.Partial = true }, 0, Pending, true, false},
	} {
		n, look := maker(Pending), made(c.change)
		look.Misses = c.misses
		got := n.Observe(look, Rules{}, noon)
		if n.State != c.state || got.Changed != c.changed || got.Again != c.again || n.State == Recovered && n.Proof != look.Proof {
			t.Errorf("%s: %s, proof %q, %+v", name, n.State, n.Proof, got)
		}
	}
}

// TestAQuestionWhoseAgentExitedWasNotAnswered: it says so, and nothing else that left its screen does.
func TestAQuestionWhoseAgentExitedWasNotAnswered(t *testing.T) {
	for state, want := range map[screen.State]reason.Kind{screen.Shell: reason.AgentExited, screen.Working: "", screen.Idle: ""} {
		n, look := maker(Pending), made(func(s *detect.Sighting) { s.State, s.Prompt = state, nil })
		look.Misses = 2
		n.Observe(look, Rules{}, noon)
		if n.State != Recovered || n.Detail.Kind != want || want != "" && n.Detail.Agent != n.Agent {
			t.Errorf("%s: %s, %+v", state, n.State, n.Detail)
		}
	}
}

// TestAnEarlierRefusalIsNotHowAQuestionEnded: a question that waited on after one ends as it does without.
func TestAnEarlierRefusalIsNotHowAQuestionEnded(t *testing.T) {
	for state, ends := range map[State]func(n *Nudge){
		Recovered: func(n *Nudge) {
			n.Observe(Look{Sighting: sight(screen.Working, ""), Misses: 2}, Rules{}, noon)
		},
		Gone:    func(n *Nudge) { n.Observe(Look{Sighting: sight(screen.Gone, "")}, Rules{}, noon) },
		Expired: func(n *Nudge) { n.Tick(true, Rules{}, n.Expires.Add(time.Hour)) },
	} {
		n := maker(Claimed)
		n.Finish(deliver.Result{Outcome: deliver.Refused, Reason: deliver.CopyMode, Detail: reason.Why{Kind: reason.NoKeyApproves}}, noon)
		if n.State != Pending || n.Reason != deliver.CopyMode || n.Detail.IsZero() {
			t.Fatalf("it is %s, refused for %q", n.State, n.Reason)
		}
		ends(n)
		if n.State != state || !n.Detail.IsZero() || n.EndedEvent(noon).Reason != "" {
			t.Errorf("%s: it ended as %s for %q, %+v", state, n.State, n.EndedEvent(noon).Reason, n.Detail)
		}
	}
}

// TestConsentLastsAsLongAsItsDialogIsShown: it ends with one look that lacks it, a lost look, or an event after it
// with which the agent asks once more.
func TestConsentLastsAsLongAsItsDialogIsShown(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Look)
		asked  time.Time
		ends   bool
	}{
		"shown":                   {nil, noon, false},
		"none was asked for":      {func(o *Look) { o.Prompt = nil }, time.Time{}, false},
		"not read":                {func(o *Look) { o.Prompt = nil }, noon, true},
		"absent":                  {func(o *Look) { o.State, o.Prompt = screen.Working, nil }, noon, true},
		"a look was lost":         {func(o *Look) { o.Lost = true }, noon, true},
		"asked for once more":     {func(o *Look) { o.By, o.At = "hook", second(1) }, noon, true},
		"asked for before":        {func(o *Look) { o.By, o.At = "hook", noon }, noon, false},
		"looked at after it":      {func(o *Look) { o.At = second(1) }, noon, false},
		"a lost look, none asked": {func(o *Look) { o.Lost = true }, time.Time{}, false},
	} {
		for _, state := range []State{Pending, Claimed} {
			n, look := maker(state), made(nil)
			if n.Asked = c.asked; c.change != nil {
				c.change(&look)
			}
			if got := n.Observe(look, Rules{}, second(2)); got.Changed != c.ends || n.Asked.IsZero() != (c.ends || c.asked.IsZero()) {
				t.Errorf("%s, %s: changed %t, asked %s", name, state, got.Changed, n.Asked)
			}
		}
	}
}

// TestASubjectThatWasNotShownIsSentAgain: one that grew or changed. Its end may be missing in a later look, and its
// lines may be broken elsewhere.
func TestASubjectThatWasNotShownIsSentAgain(t *testing.T) {
	cut := reason.Why{Kind: reason.DenialCut}
	doubt := func(p *screen.Prompt) { p.Partial, p.Doubts = true, []reason.Why{{Kind: reason.PartUnseen}, cut} }
	for name, c := range map[string]struct {
		told    func(*screen.Prompt)
		shown   func(*screen.Prompt)
		subject string // afterwards
		partial bool
		changed bool
		again   reason.Kind
	}{
		"the same":                         {nil, nil, "make\ntest", false, false, ""},
		"in one line":                      {nil, func(p *screen.Prompt) { p.Subject = "make test" }, "make\ntest", false, false, ""},
		"broken in a word":                 {nil, func(p *screen.Prompt) { p.Subject = "maketest" }, "make\ntest", false, false, ""},
		"with blanks around":               {nil, func(p *screen.Prompt) { p.Subject = " make\n\ntest \n" }, "make\ntest", false, false, ""},
		"another":                          {nil, func(p *screen.Prompt) { p.Subject = "rm" }, "rm", false, true, reason.AboutOther},
		"longer":                           {nil, func(p *screen.Prompt) { p.Subject = "make\ntest\nrm" }, "make\ntest\nrm", false, true, reason.AboutOther},
		"its first line":                   {nil, func(p *screen.Prompt) { p.Subject = "make" }, "make\ntest", false, false, ""},
		"a part of its first line":         {nil, func(p *screen.Prompt) { p.Subject = "mak" }, "mak", false, true, reason.AboutOther},
		"another, in part":                 {nil, func(p *screen.Prompt) { p.Subject, p.Partial, p.Call = "rm", true, "" }, "make\ntest", true, true, ""},
		"another, in part, by an event":    {nil, func(p *screen.Prompt) { p.Subject, p.Partial = "rm", true }, "rm", true, true, reason.AboutOther},
		"another, in part, in doubt":       {nil, func(p *screen.Prompt) { doubt(p); p.Subject = "rm" }, "rm", true, true, reason.DenialCut},
		"another, whole, with a doubt":     {nil, func(p *screen.Prompt) { doubt(p); p.Subject, p.Partial = "rm", false }, "rm", false, true, reason.AboutOther},
		"known in part, and longer now":    {doubt, func(p *screen.Prompt) { p.Subject = "make\ntest\nrm" }, "make\ntest\nrm", false, true, reason.KnownWhole},
		"known in part, and whole now":     {doubt, nil, "make\ntest", false, true, ""},
		"known in part, and less now":      {doubt, func(p *screen.Prompt) { p.Subject = "make" }, "make\ntest", true, false, ""},
		"known in part, and so still":      {doubt, doubt, "make\ntest", true, false, ""},
		"known in part, and in doubt":      {doubt, func(p *screen.Prompt) { doubt(p); p.Doubts = p.Doubts[:1] }, "make\ntest", true, true, ""},
		"of an unknown call":               {nil, func(p *screen.Prompt) { p.Call, p.Exact = "", "" }, "make\ntest", false, false, ""},
		"of a call that was unknown":       {func(p *screen.Prompt) { p.Call, p.Exact = "", "" }, nil, "make\ntest", false, true, ""},
		"of a call that is known exactly":  {func(p *screen.Prompt) { p.Exact = "" }, nil, "make\ntest", false, true, ""},
		"of a call whose name was unknown": {func(p *screen.Prompt) { p.Call = "" }, nil, "make\ntest", false, true, ""},
	} {
		n, look := maker(Pending), made(nil)
		for p, change := range map[*screen.Prompt]func(*screen.Prompt){n.Prompt(): c.told, look.Prompt: c.shown} {
			if p.Subject = "make\ntest"; change != nil {
				change(p)
			}
		}
		n.Asked = noon
		got := n.Observe(look, Rules{}, second(1))
		if p := n.Prompt(); p.Subject != c.subject || p.Partial != c.partial || p.Call != "c1" || p.Exact != "e1" || got.Changed != c.changed {
			t.Errorf("%s: %q, partial %t, call %s %s, changed %t", name, p.Subject, p.Partial, p.Call, p.Exact, got.Changed)
		}
		told := c.again != ""
		if n.Again.Kind != c.again || (n.Round == 1) != told || n.Copies[0].Hidden != told || n.Asked.IsZero() != told {
			t.Errorf("%s: again for %q, round %d, asked %s, %s", name, n.Again.Kind, n.Round, n.Asked, recorded(n))
		}
	}
}

// TestWhatWasNeverSentIsNotSentAgain, nor what waits to be sent again already; but no message of it shows all.
func TestWhatWasNeverSentIsNotSentAgain(t *testing.T) {
	why := reason.Why{Kind: reason.AboutOther}
	for name, c := range map[string]struct {
		rounds []int
		want   int
	}{"never sent": {nil, 1}, "sent": {[]int{0, 1}, 2}, "sent first": {[]int{1, 0}, 2}, "in an earlier round": {[]int{0, 0}, 1}} {
		n := nudgeWith(Pending, func(n *Nudge) { n.Round = 1 })
		for i, round := range c.rounds {
			n.Copies = append(n.Copies, but(message(i), func(c *Copy) { c.Round = round }))
		}
		n.tellAgain(why)
		if n.Round != c.want || (n.Again == why) != (c.want == 2) || slices.ContainsFunc(n.Copies, func(c Copy) bool { return !c.Hidden }) {
			t.Errorf("%s: round %d, again for %q, %s", name, n.Round, n.Again.Kind, recorded(n))
		}
	}
}

// TestAnExpiredQuestionStandsWhileItIsShown: it opens nothing as long as it may be on the screen.
func TestAnExpiredQuestionStandsWhileItIsShown(t *testing.T) {
	working := func(s *detect.Sighting) { s.State, s.Prompt = screen.Working, nil }
	for name, c := range map[string]struct {
		change func(*detect.Sighting)
		misses int
		want   string // stands, changed, again, opens
	}{
		"shown":        {nil, 0, "true false false false"},
		"half drawn":   {func(s *detect.Sighting) { s.Prompt = nil }, 0, "true false false false"},
		"absent once":  {working, 1, "true false true false"},
		"absent twice": {working, 2, "false true true false"},
		"another":      {func(s *detect.Sighting) { s.Prompt.Fingerprint = "other" }, 0, "false true false true"},
		"gone":         {func(s *detect.Sighting) { s.State, s.Prompt = screen.Gone, nil }, 0, "false true false false"},
	} {
		n, look := maker(Expired), made(c.change)
		look.Misses = c.misses
		got := n.Observe(look, Rules{}, noon.Add(2*time.Hour))
		if is := fmt.Sprint(n.Standing, got.Changed, got.Again, got.Open != nil); is != c.want || (n.Edition == 1) != got.Changed {
			t.Errorf("%s: %s, edition %d; want %s", name, is, n.Edition, c.want)
		}
	}
}

// TestALateEventProvesHowAQuestionEnded, within a minute, if nothing proved it yet and it is not shown again.
func TestALateEventProvesHowAQuestionEnded(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Nudge, *Look)
		after  time.Duration
		want   bool
	}{
		"an event":        {nil, time.Minute - 1, true},
		"too late":        {nil, time.Minute, false},
		"no event":        {func(_ *Nudge, o *Look) { o.Proof = "" }, 0, false},
		"proven already":  {func(n *Nudge, _ *Look) { n.Proof = "denied" }, 0, false},
		"answered by nod": {func(n *Nudge, _ *Look) { *n = *maker(Delivered) }, 0, false},
		"shown again":     {func(_ *Nudge, o *Look) { *o = made(nil); o.Proof = "approved" }, 0, false},
	} {
		n, look := maker(Recovered), made(func(s *detect.Sighting) { s.State, s.Prompt, s.Proof = screen.Working, nil, "approved" })
		if c.change != nil {
			c.change(n, &look)
		}
		got := n.Observe(look, Rules{}, n.Ended.Add(c.after))
		if (n.Proof == "approved") != c.want || got.Changed != c.want || (n.Edition == 1) != c.want {
			t.Errorf("%s: proof %q, changed %t, edition %d", name, n.Proof, got.Changed, n.Edition)
		}
	}
}

// TestAnEarlierLookOpensNothing: it shows the question that was answered; a clock that was set back makes no look
// an earlier one.
func TestAnEarlierLookOpensNothing(t *testing.T) {
	for before, opens := range map[time.Duration]bool{-1: true, 0: false, 1: false, time.Minute - 1: false, time.Minute: true} {
		n := maker(Delivered)
		look := made(func(s *detect.Sighting) { s.At = n.Ended.Add(-before) })
		if got := n.Observe(look, Rules{}, n.Ended); (got.Open != nil) != opens || got.Again == opens {
			t.Errorf("%s before: %+v", before, got)
		}
		look.State, look.Prompt = screen.Working, nil
		if got := n.Observe(look, Rules{}, n.Ended); got.Open != nil || got.Again {
			t.Errorf("%s before, working: %+v", before, got)
		}
	}
}
