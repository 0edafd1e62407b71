package nudge

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// TestALookShowsTheTurnThatWasTold: one that began at the same time and ended with the same words, as far as they
// are known.
func TestALookShowsTheTurnThatWasTold(t *testing.T) {
	for name, c := range map[string]struct {
		told, words, said string
		since             time.Time
		worked, want      bool
	}{
		"no words":            {"", "", "", thisTurn, true, true},
		"words come later":    {"", "done", "", thisTurn, true, true},
		"words come at once":  {"", "done", "done", thisTurn, true, true},
		"words are missing":   {"done", "", "", thisTurn, true, true},
		"the same words":      {"done", "done", "", thisTurn, true, true},
		"words said late":     {"done", "more", "done", thisTurn, true, true},
		"other words":         {"done", "more", "", thisTurn, true, false},
		"another turn":        {"done", "done", "", nextTurn, true, false},
		"another, no words":   {"", "", "", nextTurn, true, false},
		"no work was seen":    {"done", "more", "", nextTurn, false, true},
		"words only by a bit": {"done", "more", "more", thisTurn, true, false},
	} {
		s := noPrompt(screen.Idle, c.since, c.worked, "")
		s.Words, s.Said = c.words, c.said
		n := noPromptIn(Pending, noPrompt(screen.Idle, thisTurn, true, ""))
		if got := (TurnEnded{Words: c.told, Since: thisTurn}).shows(n, s); got != c.want {
			t.Errorf("%s: shown %t", name, got)
		}
	}
}

// TestALookShowsTheSilenceThatWasTold: in the same process, and blocked if it was; after its end, since the same
// time.
func TestALookShowsTheSilenceThatWasTold(t *testing.T) {
	limit := reason.Why{Kind: reason.LimitReached}
	look := func(state screen.State, change func(*detect.Sighting)) detect.Sighting {
		s := noPrompt(state, thisTurn, true, "")
		if change != nil {
			change(&s)
		}
		return s
	}
	later := func(s *detect.Sighting) { s.Since = nextTurn }
	for name, c := range map[string]struct {
		about Silence
		state State
		s     detect.Sighting
		want  bool
	}{
		"silent":                    {Silence{}, Pending, look(screen.Silent, nil), true},
		"silent, another process":   {Silence{}, Pending, look(screen.Silent, func(s *detect.Sighting) { s.Process.PID++ }), false},
		"silent, and blocked now":   {Silence{}, Pending, look(screen.Silent, func(s *detect.Sighting) { s.Blocked = limit }), false},
		"silent, blocked as it was": {Silence{Blocked: limit}, Pending, look(screen.Silent, func(s *detect.Sighting) { s.Blocked = limit }), true},
		"silent, later":             {Silence{}, Pending, look(screen.Silent, later), true},
		"over, silent":              {Silence{}, Gone, look(screen.Silent, nil), true},
		"over, silent later":        {Silence{}, Gone, look(screen.Silent, later), false},
		"over, exited":              {Silence{Exited: true}, Gone, look(screen.Shell, nil), true},
		"over, exited later":        {Silence{Exited: true}, Gone, look(screen.Shell, later), false},
		"exited, silent":            {Silence{Exited: true}, Pending, look(screen.Silent, nil), false},
	} {
		n := noPromptIn(c.state, noPrompt(screen.Silent, thisTurn, false, ""))
		c.about.Since = thisTurn
		if got := c.about.shows(n, c.s); got != c.want {
			t.Errorf("%s: shown %t", name, got)
		}
	}
}

// TestALaterLookMayKnowMoreOfATurn: its last words and its edits, as long as its notice is open.
func TestALaterLookMayKnowMoreOfATurn(t *testing.T) {
	one, two := []detect.Edit{{}}, []detect.Edit{{}, {}}
	for name, c := range map[string]struct {
		state   State
		words   string
		edits   []detect.Edit
		seen    string
		more    []detect.Edit
		changed bool
		want    string
	}{
		"its words":           {Pending, "", nil, "done", nil, true, "done 0"},
		"its edits":           {Pending, "done", one, "", two, true, "done 2"},
		"both":                {Pending, "", nil, "done", two, true, "done 2"},
		"nothing":             {Pending, "done", two, "done", two, false, "done 2"},
		"less":                {Pending, "done", two, "", one, false, "done 2"},
		"nothing at all":      {Pending, "", nil, "", nil, false, " 0"},
		"its words, too late": {Gone, "", nil, "done", two, false, " 0"},
	} {
		s := noPrompt(screen.Idle, thisTurn, true, "")
		n := noPromptIn(c.state, s)
		n.About = TurnEnded{Words: c.words, Edits: c.edits, Since: thisTurn}
		s.Words, s.Edits = c.seen, c.more
		got := n.Observe(Look{Sighting: s}, Rules{Idle: true}, noon)
		turn := n.About.(TurnEnded)
		if is := fmt.Sprint(turn.Words, " ", len(turn.Edits)); is != c.want || got.Changed != c.changed || got.Open != nil || n.State != c.state {
			t.Errorf("%s: %s, %+v, %s; want %s", name, is, got, n.State, c.want)
		}
	}
	n, next := noPromptIn(Pending, noPrompt(screen.Idle, thisTurn, true, "")), noPrompt(screen.Idle, nextTurn, true, "")
	next.Words = "of the next turn"
	if got := n.Observe(Look{Sighting: next}, Rules{Idle: true}, noon); n.State != Recovered || got.Open == nil || n.About.(TurnEnded).Words != "" {
		t.Errorf("the next turn: %+v, %s, %+v", got, n.State, n.About)
	}
}

// TestANoticeReplacesTheOneBefore: an idle agent's last notice, if Telegram still deletes it, and if it said nothing
// but that the turn had ended.
func TestANoticeReplacesTheOneBefore(t *testing.T) {
	idle := func(id string, change func(*Nudge)) *Nudge {
		n := noPromptIn(Gone, noPrompt(screen.Idle, thisTurn, true, ""))
		n.ID, n.Detected = id, noon
		if change != nil {
			change(n)
		}
		return n
	}
	prompt := in(Delivered)
	prompt.Detected = noon
	asks := func(n *Nudge) { n.About = TurnEnded{Words: "Go on?"} }
	at := noon.Add(takenBack)
	for name, c := range map[string]struct {
		pane []*Nudge
		now  time.Time
		want int // of pane; -1: none
		took bool
	}{
		"the one before":                  {[]*Nudge{idle("a", nil)}, at, 0, false},
		"one that asked something":        {[]*Nudge{idle("a", asks)}, at, 0, true},
		"none before":                     {nil, at, -1, false},
		"itself":                          {[]*Nudge{idle("new", nil)}, at, -1, false},
		"before itself":                   {[]*Nudge{idle("new", nil), idle("a", nil)}, at, 1, false},
		"too old":                         {[]*Nudge{idle("a", nil)}, at.Add(1), -1, false},
		"replaced":                        {[]*Nudge{idle("a", func(n *Nudge) { n.Replaced = true }), idle("b", nil)}, at, -1, false},
		"behind a prompt":                 {[]*Nudge{prompt, idle("a", nil)}, at, 1, false},
		"behind somebody's words":         {[]*Nudge{idle("a", func(n *Nudge) { n.By = byTell }), idle("b", nil)}, at, 1, false},
		"behind an instruction's outcome": {[]*Nudge{idle("a", func(n *Nudge) { n.About = TurnEnded{Did: &Did{}} }), idle("b", nil)}, at, 1, false},
	} {
		n := idle("new", func(n *Nudge) { n.Detected = c.now })
		got := n.Replace(slices.Values(c.pane), c.now)
		if c.want < 0 && got != nil || c.want >= 0 && (got != c.pane[c.want] || !got.Replaced || got.Edition != 1) || n.TookBack != c.took {
			t.Errorf("%s: %+v, took back %t", name, got, n.TookBack)
		}
	}

	offer := but(message(7), func(c *Copy) { c.Offer, c.Closed = OfferWords, true })
	opened := but(offer, func(c *Copy) { c.Message, c.Closed = 8, false })
	earlier := idle("a", func(n *Nudge) { n.Copies = []Copy{but(message(5), closed), message(6), offer, opened} })
	idle("new", nil).Replace(slices.Values([]*Nudge{earlier}), noon)
	if got := needs(earlier.Notices(team, false)); got != "clear 42/5, clear 42/6, close 42/8 newest" {
		t.Errorf("deleted: %s", got)
	}
}

// TestWhatBeganATurn: the words that nod typed for the last notice of that very process.
func TestWhatBeganATurn(t *testing.T) {
	idle := func(state State, pid int) *Nudge {
		n := noPromptIn(state, noPrompt(screen.Idle, thisTurn, true, ""))
		n.Process.PID = pid
		return n
	}
	prompt := in(Delivered)
	prompt.Claim.Text = "to a question"
	for name, c := range map[string]struct {
		pane []*Nudge
		want string
	}{
		"typed":           {[]*Nudge{idle(Delivered, 7)}, "run the tests"},
		"before a prompt": {[]*Nudge{prompt, idle(Delivered, 7)}, "run the tests"},
		"not typed":       {[]*Nudge{idle(Refused, 7)}, ""},
		"not known":       {[]*Nudge{idle(Unknown, 7)}, ""},
		"not answered":    {[]*Nudge{idle(Recovered, 7), idle(Delivered, 7)}, ""},
		"another process": {[]*Nudge{idle(Delivered, 8)}, ""},
		"behind another":  {[]*Nudge{idle(Recovered, 8), idle(Delivered, 7)}, ""},
		"none":            {[]*Nudge{prompt}, ""},
	} {
		if got := Began(slices.Values(c.pane), proc.ID{PID: 7}); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, c := range map[string]struct {
		state State
		about About
		want  bool
	}{
		"a failed turn":     {Pending, TurnEnded{Resend: "go on"}, true},
		"one that did well": {Pending, TurnEnded{}, false},
		"sent again":        {Delivered, TurnEnded{Resend: "go on"}, false},
		"a silent agent":    {Pending, Silence{}, false},
	} {
		n := nudgeWith(c.state, func(n *Nudge) { n.About = c.about })
		if n.CanResend() != c.want {
			t.Errorf("%s can be sent again: %t", name, !c.want)
		}
	}
}

// TestAnEndIsToldOnceMore: the newest message in each place is edited again; other buttons and what was deleted stay
// as they are.
func TestAnEndIsToldOnceMore(t *testing.T) {
	copies := []Copy{but(message(5), closed), but(message(6), closed), but(seven(7), closed), but(message(4), func(c *Copy) { closed(c); grouped(c); c.Offer = OfferList })}
	for replaced, want := range map[bool]string{false: "6 7", true: ""} {
		n := nudgeWith(Gone, func(n *Nudge) { n.Replaced = replaced }, slices.Clone(copies)...)
		n.retell()
		var open []string
		for _, c := range n.Copies {
			if !c.Closed {
				open = append(open, fmt.Sprint(c.Message))
			}
		}
		if got := fmt.Sprint(open); got != "["+want+"]" || (n.Edition == 1) == replaced {
			t.Errorf("replaced %t: told again %s, edition %d", replaced, got, n.Edition)
		}
	}
}

// TestWhichCallRan: the newest answered prompt that looks like it, unless an older one may still run too.
func TestWhichCallRan(t *testing.T) {
	made := func(state State, change func(*Nudge)) *Nudge { return nudgeWith(state, change) }
	ran := func(n *Nudge) { n.Effect = new(Effect) }
	denied := func(n *Nudge) { n.Claim = &Claim{Said: Said{Decision: screen.Deny}, Told: true} }
	proven := func(how string) func(*Nudge) { return func(n *Nudge) { n.Proof = how } }
	now := noon.Add(2 * time.Hour)
	old := func(n *Nudge) { n.Ended = now.Add(-effectsKept) }
	young := func(n *Nudge) { n.Ended = now.Add(-effectsKept + 1) }
	call := func(name string) func(*Nudge) { return func(n *Nudge) { n.Prompt().Call = name } }
	for name, c := range map[string]struct {
		pane  []*Nudge
		want  int // of pane; -1: none
		proof string
	}{
		"answered":                          {[]*Nudge{made(Delivered, nil)}, 0, ""},
		"being answered":                    {[]*Nudge{made(Typing, nil)}, 0, ""},
		"perhaps answered":                  {[]*Nudge{made(Unknown, nil)}, 0, ""},
		"answered at the terminal":          {[]*Nudge{made(Recovered, nil)}, 0, "approved"},
		"proven to be answered":             {[]*Nudge{made(Recovered, proven("answered"))}, 0, "approved"},
		"proven to be approved":             {[]*Nudge{made(Recovered, proven("approved"))}, 0, "approved"},
		"proven to be denied":               {[]*Nudge{made(Recovered, proven("denied"))}, -1, "denied"},
		"answered by nod, proven":           {[]*Nudge{made(Delivered, proven("answered"))}, 0, "answered"},
		"waits":                             {[]*Nudge{made(Pending, nil)}, -1, ""},
		"claimed":                           {[]*Nudge{made(Claimed, nil)}, -1, ""},
		"refused":                           {[]*Nudge{made(Refused, nil)}, -1, ""},
		"gone":                              {[]*Nudge{made(Gone, nil)}, -1, ""},
		"denied":                            {[]*Nudge{made(Delivered, denied)}, -1, ""},
		"denied, but approved at the pane":  {[]*Nudge{made(Recovered, denied)}, 0, "approved"},
		"it ran":                            {[]*Nudge{made(Delivered, ran)}, -1, ""},
		"behind what waits":                 {[]*Nudge{made(Pending, nil), made(Delivered, nil)}, 1, ""},
		"a day ago":                         {[]*Nudge{made(Delivered, old)}, -1, ""},
		"almost a day ago":                  {[]*Nudge{made(Delivered, young)}, 0, ""},
		"being answered, after one":         {[]*Nudge{made(Typing, nil), made(Delivered, nil)}, -1, ""},
		"being answered, after one an old":  {[]*Nudge{made(Typing, nil), made(Delivered, old)}, 0, ""},
		"being answered, after one ran":     {[]*Nudge{made(Typing, nil), made(Delivered, ran)}, 0, ""},
		"being answered, after more":        {[]*Nudge{made(Typing, nil), made(Delivered, ran), made(Delivered, nil)}, 0, ""},
		"answered, after one":               {[]*Nudge{made(Delivered, nil), made(Delivered, nil)}, 0, ""},
		"it ran, after one":                 {[]*Nudge{made(Delivered, ran), made(Delivered, nil)}, -1, ""},
		"another prompt":                    {[]*Nudge{made(Delivered, func(n *Nudge) { n.Prompt().Fingerprint = "other" })}, -1, ""},
		"another call":                      {[]*Nudge{made(Delivered, call("c2"))}, -1, ""},
		"the call":                          {[]*Nudge{made(Delivered, call("c1"))}, 0, ""},
		"nothing":                           {nil, -1, ""},
		"behind another call":               {[]*Nudge{made(Delivered, call("c2")), made(Delivered, call("c1"))}, 1, ""},
		"being answered, after another one": {[]*Nudge{made(Typing, nil), made(Delivered, call("c2"))}, 0, ""},
	} {
		got := Ran(slices.Values(c.pane), detect.Effect{Fingerprint: "fp", Call: "c1", Failed: true, Took: time.Second}, now)
		if c.want < 0 && got != nil || c.want >= 0 && (got != c.pane[c.want] || *got.Effect != Effect{true, time.Second} || got.Edition != 1) {
			t.Errorf("%s: %+v", name, got)
		}
		if len(c.pane) == 1 && c.pane[0].Proof != c.proof {
			t.Errorf("%s: proof %q", name, c.pane[0].Proof)
		}
	}
	for want, e := range map[string]Effect{"ran 1.5s": {Took: 1500 * time.Millisecond}, "failed 1ms": {Failed: true, Took: time.Millisecond + 1}, "ran ": {}} {
		n := in(Delivered)
		n.Effect = &e
		if got := n.EffectEvent(); fmt.Sprint(got.State, " ", got.After) != want || got.Kind != ToolEnded {
			t.Errorf("%+v; want %s", got, want)
		}
	}
}

// TestAQuestionThatComesAgainSaysWhy: it stands after its time, or came back after an end.
func TestAQuestionThatComesAgainSaysWhy(t *testing.T) {
	for state, want := range map[State]reason.Kind{
		Delivered: reason.OnceMore, Unknown: reason.MayNotHaveReached, Refused: reason.AnswerNotTyped, Recovered: reason.LeftAndBack, Gone: "", Expired: "",
	} {
		if got := again(maker(state), made(nil).Sighting); got.Kind != want {
			t.Errorf("%s: %q; want %q", state, got.Kind, want)
		}
	}
	for name, change := range map[string]func(*detect.Sighting){
		"another prompt": func(s *detect.Sighting) { s.Prompt.Fingerprint = "other" },
		"no prompt":      func(s *detect.Sighting) { s.Prompt = nil },
		"another agent":  func(s *detect.Sighting) { s.Process.PID++ },
	} {
		if got := again(maker(Delivered), made(change).Sighting); !got.IsZero() {
			t.Errorf("%s: %q", name, got.Kind)
		}
	}
	if got := again(maker(Delivered), made(func(s *detect.Sighting) { s.Prompt.Rows = []string{"ma", "ke"} }).Sighting); got.Kind != reason.LooksLike {
		t.Errorf("in other rows: %q", got.Kind)
	}
	for _, state := range states {
		n := in(state)
		next, err := n.AskAgain("m4g", Rules{Expiry: time.Hour}, noon)
		if stands := state == Expired; (err == nil) != stands || n.Standing || stands && (next.State != Pending || next.Again.Kind != reason.HadExpired || next.Prompt().Fingerprint != "fp" || n.Edition != 1) {
			t.Errorf("%s: %+v, %v", state, next, err)
		}
	}
}
