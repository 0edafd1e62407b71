package nudge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
)

// recorded lists what nod's records say of the messages of a nudge.
func recorded(n *Nudge) string {
	var all []string
	for _, c := range n.Copies {
		what := fmt.Sprintf("%s/%d reminder %d of round %d", c.Place, c.Message, c.Reminder, c.Round)
		for i, is := range []bool{c.Unseen, c.Reason, c.Hidden, c.Closed, c.Watched, c.Away, c.Sent.IsZero()} {
			if is {
				what += " " + []string{"unseen", "reason", "hidden", "closed", "watched", "away", "undated"}[i]
			}
		}
		for _, more := range []string{string(c.Pin), string(c.Offer), strings.Join(c.Group, "+")} {
			if more != "" {
				what += " " + more
			}
		}
		all = append(all, what)
	}
	return strings.Join(all, ", ")
}

// asShown is a nudge as a notice showed it: with this subject, as changed.
func asShown(subject string, change func(*Nudge)) Nudge {
	n := *in(Pending)
	n.Reminder, n.Round = 2, 1
	p := *n.Prompt()
	p.Subject = subject
	n.ask(p)
	if change != nil {
		change(&n)
	}
	return n
}

// TestWhatAReceiptRecords: each notice that was carried out leaves in the records what its message shows now.
func TestWhatAReceiptRecords(t *testing.T) {
	five := message(5)
	adopted := Copy{Ref: five.Ref}
	of := func(kind NoticeKind, c Copy, n Nudge) Receipt {
		return Receipt{Notice: Notice{Kind: kind, Place: "42", Of: OfNudge{Nudge: n}, Copy: c}, Message: 5, Sent: noon}
	}
	hidden := func(r Receipt) Receipt { r.Hidden = true; return r }
	pinned := func(r Receipt, as Pinning) Receipt { r.Pinned = as; return r }
	watch := func(r Receipt) Receipt { r.Notice.Watch = true; return r }
	offer := func(r Receipt, o Offer) Receipt { r.Offer = o; return r }
	same := asShown("make", nil)
	list := but(five, func(c *Copy) { c.Unseen, c.Offer = true, OfferList })
	for name, c := range map[string]struct {
		copies []Copy
		r      Receipt
		want   string
		event  bool
	}{
		"sent":                       {nil, of(Send, Copy{}, same), "42/5 reminder 2 of round 1", true},
		"sent to a watcher":          {nil, watch(of(Send, Copy{}, same)), "42/5 reminder 2 of round 1 watched", true},
		"sent in part":               {nil, hidden(of(Send, Copy{}, same)), "42/5 reminder 2 of round 1 hidden", true},
		"sent with another subject":  {nil, of(Send, Copy{}, asShown("mak", nil)), "42/5 reminder 2 of round 1 hidden", true},
		"consent was asked for":      {nil, of(Consent, Copy{}, same), "42/5 reminder 2 of round 1 unseen", false},
		"the reason was asked for":   {nil, of(Reason, Copy{}, same), "42/5 reminder 2 of round 1 unseen reason", false},
		"sent, after its answer":     {[]Copy{adopted}, of(Send, Copy{}, same), "42/5 reminder 2 of round 0", false},
		"sent, told twice":           {[]Copy{five}, hidden(of(Send, Copy{}, same)), "42/5 reminder 1 of round 0 hidden", false},
		"drawn again":                {[]Copy{five}, of(Refresh, five, same), "42/5 reminder 1 of round 0", false},
		"drawn again, away":          {[]Copy{five}, of(Refresh, five, asShown("make", func(n *Nudge) { n.Away = noon })), "42/5 reminder 1 of round 0 away", false},
		"drawn again in part":        {[]Copy{five}, hidden(of(Refresh, five, same)), "42/5 reminder 1 of round 0 hidden", false},
		"drawn with another subject": {[]Copy{five}, of(Refresh, five, asShown("mak", nil)), "42/5 reminder 1 of round 0 hidden", false},
		"drawn whole":                {[]Copy{but(five, func(c *Copy) { c.Hidden = true })}, of(Refresh, five, same), "42/5 reminder 1 of round 0", false},
		"an unknown one drawn":       {nil, of(Refresh, five, same), "", false},
		"pinned":                     {[]Copy{five}, pinned(of(Pin, five, same), Pinned), "42/5 reminder 1 of round 0 pinned", false},
		"unpinned":                   {[]Copy{but(five, func(c *Copy) { c.Pin = Pinned })}, of(Unpin, five, same), "42/5 reminder 1 of round 0", false},
		"an unknown one pinned":      {nil, pinned(of(Pin, five, same), Pinned), "", false},
		"closed":                     {[]Copy{five}, of(Close, five, same), "42/5 reminder 1 of round 0 closed", false},
		"cleared":                    {[]Copy{five}, of(Clear, five, same), "42/5 reminder 1 of round 0 closed", false},
		"closed, changed since":      {[]Copy{five}, of(Close, five, asShown("make", func(n *Nudge) { n.Edition = -1 })), "42/5 reminder 1 of round 0", false},
		"an unknown one closed":      {nil, of(Close, five, same), "", false},
		"a list closed":              {[]Copy{list}, of(Close, list, same), "", false},
		"an outcome":                 {nil, of(Reply, Copy{}, same), "", false},
		"an outcome with a button":   {nil, offer(of(Reply, Copy{}, same), OfferWords), "42/5 reminder 0 of round 0 unseen words", false},
	} {
		n := nudgeWith(Pending, func(n *Nudge) { *n = asShown("make", nil) })
		n.Copies = c.copies
		e, logged := n.Received(c.r)
		if got := recorded(n); got != c.want || logged != c.event {
			t.Errorf("%s: %q, logged: %t; want %q, %t", name, got, logged, c.want, c.event)
		}
		if want := (SentTo{"42", 5, 2}); logged && (e.SentTo != want || e.Kind != NudgeSent || e.Subject != "make") {
			t.Errorf("%s: logged as %+v", name, e)
		}
	}
}

// TestWhatAMessageOfSeveralRecords in each of its nudges: the whole group, and whether all of the nudge was shown.
func TestWhatAMessageOfSeveralRecords(t *testing.T) {
	other := asShown("go", func(n *Nudge) { n.ID = "m4g" })
	for name, c := range map[string]struct {
		told Part
		want string
	}{
		"whole":           {Part{Nudge: asShown("make", nil)}, "42/5 reminder 2 of round 1 watched k3f+m4g"},
		"in part":         {Part{Nudge: asShown("make", nil), Hidden: true}, "42/5 reminder 2 of round 1 hidden watched k3f+m4g"},
		"another subject": {Part{Nudge: asShown("mak", nil)}, "42/5 reminder 2 of round 1 hidden watched k3f+m4g"},
	} {
		n := asShown("make", nil)
		e := n.ReceivedTogether(Receipt{Notice: Notice{Kind: Together, Place: "42", Watch: true}, Message: 5, Sent: noon, Parts: []Part{c.told, {Nudge: other}}}, c.told)
		if got := recorded(&n); got != c.want || e.Kind != NudgeSent || e.SentTo != (SentTo{"42", 5, 2}) {
			t.Errorf("%s: %q, logged as %+v; want %q", name, got, e, c.want)
		}
	}
}

// TestWhoAnsweredIsToldOfTheirOwnAnswer: the outcome of an earlier answer is none of a later one.
func TestWhoAnsweredIsToldOfTheirOwnAnswer(t *testing.T) {
	at := func(when time.Time) *Claim { return &Claim{At: when, Ref: Ref{Place: "42"}} }
	for name, c := range map[string]struct {
		now, told *Claim
		want      bool
	}{
		"the answer":     {at(noon), at(noon.In(time.FixedZone("", 3600))), true},
		"a later answer": {at(second(1)), at(noon), false},
		"no outcome":     {at(noon), nil, false},
	} {
		n, told := in(Pending), *in(Pending)
		n.Claim, told.Claim = c.now, c.told
		n.Received(Receipt{Notice: Notice{Kind: Reply, Place: "42", Of: OfNudge{Nudge: told}}})
		if n.Claim.Told != c.want {
			t.Errorf("%s: told: %t", name, n.Claim.Told)
		}
	}
	n, told := in(Pending), *in(Delivered)
	if n.Received(Receipt{Notice: Notice{Kind: Reply, Place: "42", Of: OfNudge{Nudge: told}}}); n.Claim != nil {
		t.Error("an outcome made a claim")
	}
}

// TestAnOfferLastsAsLongAsItsButtonsWork: then they are removed; of lists, only the newest keeps its own.
func TestAnOfferLastsAsLongAsItsButtonsWork(t *testing.T) {
	at := func(id int, o Offer) Copy {
		return but(message(id), func(c *Copy) { c.Unseen, c.Offer, c.Reminder = true, o, 0 })
	}
	words := func(n *Nudge) { n.Claim.Text, n.Reason = "go on", deliver.CopyMode }
	overtaken := func(n *Nudge) { words(n); n.Overtaken = true }
	elsewhere := func(c *Copy) { c.Place = "9" }
	fallen := func(n *Nudge) { n.Standing = false }
	for name, c := range map[string]struct {
		n    *Nudge
		want string
	}{
		"one":                       {nudgeWith(Pending, nil, at(5, OfferOne)), ""},
		"two of one":                {nudgeWith(Pending, nil, at(5, OfferOne), at(6, OfferOne)), ""},
		"one, over":                 {nudgeWith(Delivered, nil, at(5, OfferOne)), "close 42/5 newest"},
		"one, over twice":           {nudgeWith(Delivered, nil, at(5, OfferOne), at(6, OfferOne)), "close 42/5, close 42/6 newest"},
		"one, over, closed":         {nudgeWith(Delivered, nil, but(at(5, OfferOne), closed)), ""},
		"one, where nobody answers": {nudgeWith(Pending, nil, but(at(5, OfferOne), elsewhere)), "close 9/5"},
		"one, of a watcher":         {nudgeWith(Pending, nil, but(at(5, OfferOne), func(c *Copy) { c.Place, c.Watched = "7", true })), ""},
		"one, of who may not watch": {nudgeWith(Pending, nil, but(at(5, OfferOne), func(c *Copy) { c.Place, c.Watched = "9", true })), "close 9/5"},
		"one, of a mere watcher":    {nudgeWith(Pending, nil, but(at(5, OfferOne), func(c *Copy) { c.Place = "7" })), "close 7/5"},
		"expired":                   {nudgeWith(Expired, nil, at(5, OfferExpired)), ""},
		"expired, gone":             {nudgeWith(Expired, fallen, at(5, OfferExpired)), "close 42/5 newest"},
		"words":                     {nudgeWith(Refused, words, at(5, OfferWords)), ""},
		"words, none":               {nudgeWith(Refused, nil, at(5, OfferWords)), "close 42/5 newest"},
		"words, a newer prompt":     {nudgeWith(Refused, overtaken, at(5, OfferWords)), "close 42/5 newest"},
		"words of nobody":           {nudgeWith(Gone, nil, at(5, OfferWords)), "close 42/5 newest"},
		"which":                     {nudgeWith(Pending, nil, at(5, OfferWhich)), ""},
		"which, older":              {nudgeWith(Pending, nil, at(5, OfferWhich), at(6, OfferWhich)), "close 42/5"},
		"which, over":               {nudgeWith(Expired, nil, at(5, OfferWhich)), "close 42/5 newest"},
		"a list":                    {nudgeWith(Pending, nil, at(5, OfferList)), ""},
		"a list and another kind":   {nudgeWith(Pending, nil, at(5, OfferList), at(6, OfferWhich)), ""},
		"a list, another place's":   {nudgeWith(Pending, nil, at(5, OfferList), but(at(6, OfferList), func(c *Copy) { c.Place, c.Watched = "7", true })), ""},
		"an older list":             {nudgeWith(Pending, nil, at(5, OfferList), at(6, OfferList)), "close 42/5"},
		"a list of what stands":     {nudgeWith(Expired, nil, at(5, OfferList)), ""},
		"a list of what is over":    {nudgeWith(Expired, fallen, at(5, OfferList)), "close 42/5 newest"},
		"replaced":                  {nudgeWith(Pending, func(n *Nudge) { n.Replaced = true }, at(5, OfferOne)), ""},
	} {
		if got := needs(c.n.closings(team)); got != c.want {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
	}
}

// TestAnOfferIsRecordedOnce, and a list that lost its buttons is forgotten.
func TestAnOfferIsRecordedOnce(t *testing.T) {
	n := nudgeWith(Pending, nil, message(4))
	parts := []Part{{Nudge: *in(Pending)}, {Nudge: Nudge{ID: "m4g"}}}
	got := func(id int, o Offer, parts ...Part) string {
		n.ReceivedOffer(Receipt{Notice: Notice{Kind: Listed, Place: "42", Watch: true}, Message: id, Sent: noon, Offer: o, Parts: parts})
		return strings.TrimPrefix(recorded(&Nudge{Telling: Telling{Copies: n.Copies[1:]}}), ", ")
	}
	for _, c := range []struct{ got, want string }{
		{got(5, OfferList, parts...), "42/5 reminder 0 of round 0 unseen watched list k3f+m4g"},
		{got(5, OfferList, parts[:1]...), "42/5 reminder 0 of round 0 unseen watched list k3f"},
		{got(6, OfferOne, parts...), "42/5 reminder 0 of round 0 unseen watched list k3f, 42/6 reminder 0 of round 0 unseen watched one"},
		{got(5, OfferWhich, parts...), "42/5 reminder 0 of round 0 unseen watched list k3f+m4g, 42/6 reminder 0 of round 0 unseen watched one"},
	} {
		if c.got != c.want {
			t.Errorf("%q; want %q", c.got, c.want)
		}
	}
	got(7, OfferWhich, parts...)
	for _, c := range []struct {
		message int
		forgets bool
	}{{4, false}, {6, false}, {8, false}, {5, true}, {5, false}, {7, true}} {
		if forgot := n.CloseOffer(Ref{Place: "42", Message: c.message}); forgot != c.forgets {
			t.Errorf("message %d is forgotten: %t", c.message, forgot)
		}
	}
	if got := recorded(n); got != "42/4 reminder 1 of round 0, 42/6 reminder 0 of round 0 unseen watched one" {
		t.Errorf("left: %s", got)
	}
}

// TestWordsAreOfferedWhileTheirButtonIsOpen, and no longer.
func TestWordsAreOfferedWhileTheirButtonIsOpen(t *testing.T) {
	words := but(message(5), func(c *Copy) { c.Offer = OfferWords })
	for name, c := range map[string]struct {
		c    Copy
		want bool
	}{"open": {words, true}, "closed": {but(words, closed), false}, "another": {message(5), false}} {
		if got := nudgeWith(Refused, nil, c.c).HasWords(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestWhatIsPinned: the first message of the newest round in each place that may answer, while the question waits,
// and one message of several once. What may be pinned is unpinned afterwards.
func TestWhatIsPinned(t *testing.T) {
	pin := func(p Pinning) func(*Copy) { return func(c *Copy) { c.Pin = p } }
	round := func(c *Copy) { c.Round = 1 }
	nine := but(message(9), func(c *Copy) { c.Place = "9" })
	none := func(*Nudge) {}
	for name, c := range map[string]struct {
		r    func(*Rules)
		n    []*Nudge
		want string
	}{
		"waits":                     {nil, []*Nudge{nudgeWith(Pending, none, message(5), message(8), seven(6))}, "pin 42/5 silent"},
		"waits, the next round":     {nil, []*Nudge{nudgeWith(Pending, none, message(5), but(message(8), round), but(message(9), round))}, "pin 42/8 silent"},
		"pinned":                    {nil, []*Nudge{nudgeWith(Pending, none, but(message(5), pin(Pinned)))}, ""},
		"refused":                   {nil, []*Nudge{nudgeWith(Pending, none, but(message(5), pin(PinRefused)))}, ""},
		"asked":                     {nil, []*Nudge{nudgeWith(Pending, none, but(message(5), pin(PinAsked)))}, "pin 42/5 silent"},
		"the next round, pinned":    {nil, []*Nudge{nudgeWith(Pending, none, but(message(5), pin(Pinned)), but(message(8), round))}, "unpin 42/5, pin 42/8 silent"},
		"over":                      {nil, []*Nudge{nudgeWith(Delivered, none, but(message(5), pin(Pinned)), but(message(8), pin(PinAsked)), but(message(9), pin(PinRefused)), message(10))}, "unpin 42/5, unpin 42/8"},
		"off":                       {func(r *Rules) { r.Pin = false }, []*Nudge{nudgeWith(Pending, none, message(5))}, ""},
		"off, pinned":               {func(r *Rules) { r.Pin = false }, []*Nudge{nudgeWith(Pending, none, but(message(5), pin(Pinned)))}, "unpin 42/5"},
		"asks nothing":              {nil, []*Nudge{nudgeWith(Pending, func(n *Nudge) { n.About = TurnEnded{} }, message(5))}, ""},
		"where nobody answers":      {nil, []*Nudge{nudgeWith(Pending, none, nine)}, ""},
		"closed":                    {nil, []*Nudge{nudgeWith(Pending, none, but(message(5), closed), message(8))}, "pin 42/8 silent"},
		"a question for consent":    {nil, []*Nudge{nudgeWith(Pending, none, but(message(5), unseen), message(8))}, "pin 42/8 silent"},
		"of several":                {nil, []*Nudge{nudgeWith(Pending, none, message(5)), nudgeWith(Pending, none, message(5))}, "pin 42/5 silent"},
		"of several, one is over":   {nil, []*Nudge{nudgeWith(Delivered, none, message(5)), nudgeWith(Pending, none, message(5))}, "pin 42/5 silent"},
		"of several, one knows":     {nil, []*Nudge{nudgeWith(Pending, none, but(message(5), pin(Pinned))), nudgeWith(Pending, none, message(5))}, ""},
		"of several, one waits":     {nil, []*Nudge{nudgeWith(Delivered, none, but(message(5), pin(Pinned))), nudgeWith(Pending, none, but(message(5), pin(Pinned)))}, ""},
		"of several, all are over":  {nil, []*Nudge{nudgeWith(Delivered, none, but(message(5), pin(Pinned))), nudgeWith(Gone, none, but(message(5), pin(Pinned)))}, "unpin 42/5"},
		"of several, in this order": {nil, []*Nudge{nudgeWith(Pending, none, but(message(5), pin(Pinned))), nudgeWith(Delivered, none, but(message(5), pin(Pinned)))}, ""},
		"two may answer":            {func(r *Rules) { r.Supervisors = []Place{"42", "9"} }, []*Nudge{nudgeWith(Pending, none, message(5), nine)}, "pin 42/5 silent, pin 9/9 silent"},
		"only consent is asked for": {nil, []*Nudge{nudgeWith(Pending, none, but(message(5), unseen))}, ""},
		"of several, in a topic":    {nil, []*Nudge{nudgeWith(Pending, none, but(message(5), func(c *Copy) { c.Topic, c.Pin = 3, Pinned })), nudgeWith(Pending, none, message(5))}, ""},
	} {
		r := team
		r.Pin = true
		if c.r != nil {
			c.r(&r)
		}
		list := Pins(c.n, r, func(*Nudge) bool { return true })
		if got := needs(list); got != c.want {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
		for _, n := range list {
			if n.Kind == Pin && n.Nudge().State != Pending {
				t.Errorf("%s: pinned for a nudge that is over", name)
			}
		}
	}
}

// TestWhatIsStuck: a prompt that waits after its last reminder.
func TestWhatIsStuck(t *testing.T) {
	for name, c := range map[string]struct {
		state  State
		change func(*Nudge)
		want   bool
	}{
		"after the last":     {Pending, nil, true},
		"before the last":    {Pending, func(n *Nudge) { n.Reminder = 1 }, false},
		"it stands":          {Expired, nil, true},
		"it left":            {Expired, func(n *Nudge) { n.Standing = false }, false},
		"answered":           {Delivered, nil, false},
		"answered, standing": {Delivered, func(n *Nudge) { n.Standing = true }, false},
		"without reminders":  {Pending, func(n *Nudge) { n.Cadence = nil }, false},
		"it asks nothing":    {Pending, func(n *Nudge) { n.About = TurnEnded{} }, false},
		"what stops at once": {Pending, func(n *Nudge) { n.Cadence = n.Cadence[:1] }, true},
	} {
		n := in(c.state)
		n.Cadence, n.Reminder = []time.Duration{0, time.Minute}, 2
		if c.change != nil {
			c.change(n)
		}
		if n.Stuck() != c.want {
			t.Errorf("%s: stuck: %t", name, !c.want)
		}
	}
}

// TestARecordThatNoStateCanHaveIsUnusable: one without the answer that its state shows, or in no known state.
func TestARecordThatNoStateCanHaveIsUnusable(t *testing.T) {
	for _, state := range append(states, "", "else") {
		n := Nudge{About: Permission{new(screen.Prompt)}, Answering: Answering{State: state}}
		answered := contains([]State{Claimed, Typing, Delivered, Unknown, Refused}, state)
		known := contains(states, state)
		if sound := n.Sound() == nil; sound != (known && !answered) {
			t.Errorf("%q without an answer is sound: %t", state, sound)
		}
		if n.Claim = new(Claim); (n.Sound() == nil) != known {
			t.Errorf("%q with an answer: %v", state, n.Sound())
		}
	}
}

// TestHowLongAMessageHadWaited is known by this machine's clock, if that tells both times.
func TestHowLongAMessageHadWaited(t *testing.T) {
	for name, c := range map[string]struct {
		recorded, since time.Time
		want            time.Duration
	}{
		"a while":         {second(9), noon, 9 * time.Second},
		"half a second":   {noon.Add(1500 * time.Millisecond), noon, time.Second},
		"a set clock":     {noon, second(9), 0},
		"not recorded":    {time.Time{}, noon, 0},
		"it never waited": {second(9), time.Time{}, 0},
	} {
		n, told := asShown("make", nil), asShown("make", func(n *Nudge) { n.Raised = c.since })
		n.Received(Receipt{Notice: Notice{Kind: Send, Place: "42", Of: OfNudge{Nudge: told}}, Message: 5, Sent: noon, Recorded: c.recorded})
		if got := n.Copies[0].Waited; got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
