package nudge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/reason"
)

// team is a supervisor, 42, and somebody who only watches, 7.
var team = Rules{Supervisors: []Place{"42"}, Watchers: []Place{"7"}}

// needs lists notices: kind, place, message, and what else the sender is told.
func needs(list []Notice) string {
	var all []string
	for _, n := range list {
		what := fmt.Sprintf("%s %s", n.Kind, n.Place)
		if n.Copy.Message != 0 {
			what += fmt.Sprintf("/%d", n.Copy.Message)
		}
		of, _ := n.Of.(OfNudge)
		if of.ReplyTo != 0 {
			what += fmt.Sprintf(" re %d", of.ReplyTo)
		}
		if of.Under.Message != 0 {
			what += fmt.Sprintf(" under %d", of.Under.Message)
		}
		for i, is := range []bool{n.Newest, n.Silent, n.Watch} {
			if is {
				what += []string{" newest", " silent", " watch"}[i]
			}
		}
		all = append(all, what)
	}
	return strings.Join(all, ", ")
}

// message is the first reminder in place 42; seven is the one that a watcher has.
func message(id int) Copy {
	return Copy{Ref: Ref{Place: "42", Message: id}, Reminder: 1, Sent: noon}
}

func seven(id int) Copy {
	c := message(id)
	c.Place, c.Watched = "7", true
	return c
}

// but changes a copy.
func but(c Copy, change func(*Copy)) Copy { change(&c); return c }

func unseen(c *Copy)  { c.Unseen = true }
func closed(c *Copy)  { c.Closed = true }
func grouped(c *Copy) { c.Group = []string{"k3f", "m4g"} }

// nudgeWith is a nudge in that state with these copies, each changed by the last argument.
func nudgeWith(state State, change func(*Nudge), copies ...Copy) *Nudge {
	n := in(state)
	n.Copies = copies
	if n.Claim != nil {
		n.Claim.Told = true
	}
	if change != nil {
		change(n)
	}
	return n
}

// TestWhatPlacesNeedOfANudge: a reminder goes to each place that lacks it, once; dead buttons are removed, and
// the newest message in each place says how it ended.
func TestWhatPlacesNeedOfANudge(t *testing.T) {
	second := func(n *Nudge) { n.Reminder = 2 }
	round := func(n *Nudge) { n.Round = 1 }
	away := func(n *Nudge) { n.Away = noon }
	consent := func(n *Nudge) { n.Asked = noon }
	untold := func(n *Nudge) { n.Claim.Place, n.Claim.Told = "42", false }
	nine := but(message(9), func(c *Copy) { c.Place = "9" })
	for name, c := range map[string]struct {
		n    *Nudge
		want string
	}{
		"new":                           {nudgeWith(Pending, nil), "send 42, send 7 watch"},
		"sent to one":                   {nudgeWith(Pending, nil, message(5)), "send 7 watch"},
		"sent to the other":             {nudgeWith(Pending, nil, seven(6)), "send 42"},
		"sent":                          {nudgeWith(Pending, nil, message(5), seven(6)), ""},
		"only consent was asked for":    {nudgeWith(Pending, consent, but(message(5), unseen), seven(6)), "send 42"},
		"its message was closed":        {nudgeWith(Pending, nil, but(message(5), closed), seven(6)), "send 42 re 5"},
		"the next reminder":             {nudgeWith(Pending, second, message(5), message(8), seven(6)), "send 42 re 5, send 7 re 6 watch"},
		"the next reminder was sent":    {nudgeWith(Pending, second, but(message(8), func(c *Copy) { c.Reminder = 2 }), message(5), but(seven(6), func(c *Copy) { c.Reminder = 2 })), ""},
		"after a question for consent":  {nudgeWith(Pending, func(n *Nudge) { second(n); consent(n) }, but(message(4), unseen), message(5), seven(6)), "send 42 re 5, send 7 re 6 watch"},
		"another round":                 {nudgeWith(Pending, round, message(5), seven(6)), "send 42 re 5, send 7 re 6 watch"},
		"the next of a set":             {nudgeWith(Pending, func(n *Nudge) { n.Thread = []Ref{{Place: "7", Message: 3}, {Place: "42", Message: 2}} }), "send 42 under 2, send 7 under 3 watch"},
		"being answered":                {nudgeWith(Claimed, nil), ""},
		"answered":                      {nudgeWith(Delivered, nil), ""},
		"away before it was sent":       {nudgeWith(Pending, away), ""},
		"away":                          {nudgeWith(Pending, away, message(5), seven(6)), "refresh 42/5, refresh 7/6"},
		"away, and shown so":            {nudgeWith(Pending, away, but(message(5), func(c *Copy) { c.Away = true })), ""},
		"back, and not shown so":        {nudgeWith(Pending, nil, but(message(5), func(c *Copy) { c.Away = true }), seven(6)), "refresh 42/5"},
		"away, of several":              {nudgeWith(Pending, away, but(message(5), grouped)), ""},
		"away, being answered":          {nudgeWith(Claimed, away, message(5)), ""},
		"away, a question for consent":  {nudgeWith(Pending, func(n *Nudge) { away(n); consent(n) }, but(message(5), unseen)), ""},
		"away, a closed message":        {nudgeWith(Pending, away, but(message(5), closed)), ""},
		"away, a list":                  {nudgeWith(Pending, away, but(message(5), func(c *Copy) { c.Offer = OfferOne })), ""},
		"away, a place that left":       {nudgeWith(Pending, away, nine), "close 9/9"},
		"a place that left":             {nudgeWith(Pending, nil, nine, message(5), seven(6)), "close 9/9"},
		"away, a watcher left":          {nudgeWith(Pending, away, but(nine, func(c *Copy) { c.Watched = true })), "close 9/9"},
		"a watcher left":                {nudgeWith(Pending, nil, but(nine, func(c *Copy) { c.Watched = true }), message(5), seven(6)), "close 9/9"},
		"a supervisor only watches now": {nudgeWith(Pending, nil, message(5), but(seven(6), func(c *Copy) { c.Watched = false })), "close 7/6"},
		"away, only watches now":        {nudgeWith(Pending, away, but(seven(6), func(c *Copy) { c.Watched = false })), "close 7/6"},
		"over":                          {nudgeWith(Gone, nil, message(5), message(8), seven(6)), "close 42/5, close 42/8 newest, close 7/6 newest"},
		"over, consent was asked last":  {nudgeWith(Gone, nil, message(5), but(message(8), unseen)), "close 42/5 newest, close 42/8"},
		"over, in another order":        {nudgeWith(Gone, nil, message(8), message(5)), "close 42/8 newest, close 42/5"},
		"over, and closed":              {nudgeWith(Gone, nil, but(message(5), closed), message(8)), "close 42/8 newest"},
		"over, of several":              {nudgeWith(Gone, nil, but(message(5), grouped), message(8)), "close 42/5 newest, close 42/8 newest"},
		"over by the older button":      {nudgeWith(Delivered, func(n *Nudge) { n.Claim.Ref = Ref{Place: "42", Message: 5} }, message(5), message(8)), "close 42/5 newest, close 42/8 newest"},
		"over by a reply":               {nudgeWith(Delivered, func(n *Nudge) { n.Claim.Ref = Ref{Place: "42", Message: 9} }, message(5), message(8)), "close 42/5, close 42/8 newest"},
		"consent is asked for":          {nudgeWith(Pending, consent, message(5), seven(6), but(message(8), unseen)), ""},
		"consent has lapsed":            {nudgeWith(Pending, nil, message(5), seven(6), but(message(8), unseen)), "close 42/8"},
		"consent, being answered":       {nudgeWith(Claimed, nil, but(message(8), unseen)), ""},
		"the reason is asked for":       {nudgeWith(Pending, nil, message(5), seven(6), but(message(8), func(c *Copy) { c.Unseen, c.Reason = true, true })), ""},
		"the outcome":                   {nudgeWith(Delivered, untold), "reply 42"},
		"no outcome yet":                {nudgeWith(Claimed, untold), ""},
		"no outcome yet, typing":        {nudgeWith(Typing, untold), ""},
		"a refusal":                     {nudgeWith(Pending, func(n *Nudge) { n.Claim = &Claim{Ref: Ref{Place: "42"}} }, message(5), seven(6)), "reply 42"},
		"replaced":                      {nudgeWith(Recovered, func(n *Nudge) { n.Replaced = true }, message(5), but(message(8), closed)), "clear 42/5"},
	} {
		if got := needs(c.n.Notices(team, false)); got != c.want {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
	}
}

// TestWhatMakesASound: quiet hours silence all, and an agent that is done with its work is silent unless the
// settings want it loud.
func TestWhatMakesASound(t *testing.T) {
	stopped := TurnEnded{Blocked: reason.Why{Said: "The usage limit is reached."}}
	for name, c := range map[string]struct {
		about         About
		loud, quietly bool
		want          string
	}{
		"a question":             {Permission{new(screen.Prompt)}, false, false, "send 42"},
		"a question, quietly":    {Permission{new(screen.Prompt)}, true, true, "send 42 silent"},
		"done":                   {TurnEnded{}, false, false, "send 42 silent"},
		"done, loud":             {TurnEnded{}, true, false, "send 42"},
		"stopped":                {stopped, false, false, "send 42"},
		"silent, perhaps stuck":  {Silence{}, false, false, "send 42"},
		"done, loud, but not at": {TurnEnded{}, true, true, "send 42 silent"},
	} {
		n := in(Pending)
		n.About = c.about
		if got := needs(n.Notices(Rules{Supervisors: []Place{"42"}, Loud: c.loud}, c.quietly)); got != c.want {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
	}
}

// TestTheOrderOfSending: outcomes first, then new questions, dead buttons, reminders, and what asks nothing; the
// older nudge first.
func TestTheOrderOfSending(t *testing.T) {
	of := func(name string, about About, at, replyTo int) Of {
		return OfNudge{Nudge{ID: name, About: about, Telling: Telling{Detected: second(at)}}, replyTo, Ref{}}
	}
	ask, done := Permission{new(screen.Prompt)}, TurnEnded{}
	list := []Notice{
		{Kind: Clear, Of: of("cleared", done, 0, 0)},
		{Kind: Send, Of: of("done", done, 1, 0)},
		{Kind: Pin, Of: of("pinned", ask, 3, 0)},
		{Kind: Send, Of: of("reminded", ask, 2, 5)},
		{Kind: Refresh, Of: of("ticked", ask, 6, 0)},
		{Kind: Close, Of: of("closed", ask, 5, 0)},
		{Kind: Send, Of: of("newer", ask, 8, 0)},
		{Kind: Send, Of: of("older", ask, 7, 0)},
		{Kind: Reply, Of: of("answered", ask, 9, 0)},
	}
	SortNotices(list)
	var got []string
	for _, n := range list {
		got = append(got, n.Nudge().ID)
	}
	if want := "answered older newer closed ticked reminded pinned done cleared"; strings.Join(got, " ") != want {
		t.Errorf("%s; want %s", strings.Join(got, " "), want)
	}
}

// TestWhichMessagesShowANudge: its own messages do, others with buttons about it do not.
func TestWhichMessagesShowANudge(t *testing.T) {
	list := but(message(7), func(c *Copy) { c.Unseen, c.Offer = true, OfferList })
	n := nudgeWith(Pending, nil, message(5), but(message(6), grouped), list, but(message(8), func(c *Copy) { c.Unseen, c.Offer = true, OfferWhich }))
	closedList := nudgeWith(Pending, nil, but(list, closed))
	for name, is := range map[string][2]bool{
		"a message shows it":           {n.Shows(Ref{Place: "42", Message: 5}), true},
		"another place's does not":     {n.Shows(Ref{Place: "7", Message: 5}), false},
		"a list does not":              {n.Shows(Ref{Place: "42", Message: 7}), false},
		"alone":                        {n.GroupedIn(Ref{Place: "42", Message: 5}), false},
		"among others":                 {n.GroupedIn(Ref{Place: "42", Message: 6}), true},
		"an unknown message":           {n.GroupedIn(Ref{Place: "42", Message: 9}), false},
		"in a list":                    {n.ListedIn(Ref{Place: "42", Message: 7}), true},
		"in no list":                   {n.ListedIn(Ref{Place: "42", Message: 5}), false},
		"in a question which":          {n.ListedIn(Ref{Place: "42", Message: 8}), false},
		"in an unknown list":           {n.ListedIn(Ref{Place: "42", Message: 9}), false},
		"in a list without its button": {closedList.ListedIn(list.Ref), false},
		"shown in its place":           {n.ShownIn("42"), true},
		"shown in no other":            {n.ShownIn("7"), false},
		"no list shows it":             {closedList.ShownIn("42"), false},
		"shown alone":                  {n.ShownAlone("42"), true},
		"elsewhere":                    {n.ShownAlone("7"), false},
		"only among others":            {nudgeWith(Pending, nil, but(message(6), grouped)).ShownAlone("42"), false},
		"only by a list":               {closedList.ShownAlone("42"), false},
	} {
		if is[0] != is[1] {
			t.Errorf("%s: %t", name, is[0])
		}
	}
}

// TestTheReasonIsWhatItsQuestionAsksFor: words in reply to that question are the reason of a denial, whether nod
// knows the message or only its buttons.
func TestTheReasonIsWhatItsQuestionAsksFor(t *testing.T) {
	reply := func(shown ...Shown) Answer {
		return Answer{Way: ByReply, Ref: Ref{Place: "42", Message: 9}, ReplyTo: 5, Shown: shown}
	}
	asked := but(message(5), func(c *Copy) { c.Unseen, c.Reason = true, true })
	for name, c := range map[string]struct {
		n    *Nudge
		a    Answer
		want bool
	}{
		"the question":                {nudgeWith(Pending, nil, asked), reply(), true},
		"a reminder":                  {nudgeWith(Pending, nil, message(5)), reply(Shown{Nudge: "k3f", Reason: true}), false},
		"an unknown question":         {in(Pending), reply(Shown{Nudge: "k3f", Reason: true}), true},
		"an unknown message":          {in(Pending), reply(Shown{Nudge: "k3f", Own: true}), false},
		"the question about another":  {in(Pending), reply(Shown{Nudge: "m4g", Reason: true}), false},
		"a message without a button":  {in(Pending), reply(), false},
		"the question somewhere else": {nudgeWith(Pending, nil, but(asked, func(c *Copy) { c.Place = "7" })), reply(), false},
	} {
		if got := c.n.askedWhy(c.a); got != c.want {
			t.Errorf("%s: asks for the reason: %t", name, got)
		}
	}
}

// TestAMessageThatOnlyItsAnswerTellsOf is recorded by what its buttons say, and closed with the others.
func TestAMessageThatOnlyItsAnswerTellsOf(t *testing.T) {
	whole := in(Pending).SubjectHash()
	for name, c := range map[string]struct {
		way    Way
		shown  Shown
		copies []Copy
		want   string
	}{
		"a reminder that showed all":   {ByButton, Shown{Nudge: "k3f", Own: true, Subject: whole}, nil, "true false false false"},
		"a reminder that showed less":  {ByButton, Shown{Nudge: "k3f", Own: true}, nil, "true false false true"},
		"the question for the reason":  {ByButton, Shown{Nudge: "k3f", Reason: true, Subject: whole}, nil, "true true true true"},
		"a list":                       {ByButton, Shown{Nudge: "k3f", Subject: whole}, nil, "false"},
		"another nudge's":              {ByButton, Shown{Nudge: "m4g", Own: true}, nil, "false"},
		"a message that nod knows":     {ByButton, Shown{Nudge: "k3f", Own: true}, []Copy{message(5)}, "false"},
		"no message, the command line": {ByCommand, Shown{Nudge: "k3f", Own: true}, nil, "false"},
	} {
		n := nudgeWith(Pending, func(n *Nudge) { n.Round = 3 }, c.copies...)
		got := fmt.Sprint(n.adopt(Answer{Way: c.way, Ref: Ref{Place: "42", Message: 5}, Shown: []Shown{c.shown}}))
		if len(n.Copies) > len(c.copies) {
			made := n.Copies[0]
			got += fmt.Sprintf(" %t %t %t", made.Unseen, made.Reason, made.Hidden)
			if made.Round != 3 || made.Message != 5 {
				t.Errorf("%s: %+v", name, made)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
	}
}

// TestWhenNothingIsLeftToSay: a nudge stays in view as long as its prompt may be answered or stands, its answerer
// has to be told, or a message has a button or a pin.
func TestWhenNothingIsLeftToSay(t *testing.T) {
	for name, c := range map[string]struct {
		n    *Nudge
		want bool
	}{
		"pending":        {in(Pending), true},
		"being answered": {nudgeWith(Claimed, nil), true},
		"answered":       {nudgeWith(Delivered, nil), false},
		"not told yet":   {in(Delivered), true},
		"standing":       {in(Expired), true},
		"expired":        {nudgeWith(Expired, func(n *Nudge) { n.Standing = false }), false},
		"a button":       {nudgeWith(Delivered, nil, message(5)), true},
		"no button":      {nudgeWith(Delivered, nil, but(message(5), closed)), false},
		"a pin":          {nudgeWith(Delivered, nil, but(message(5), func(c *Copy) { c.Closed, c.Pin = true, Pinned })), true},
		"an asked pin":   {nudgeWith(Delivered, nil, but(message(5), func(c *Copy) { c.Closed, c.Pin = true, PinAsked })), true},
		"a refused pin":  {nudgeWith(Delivered, nil, but(message(5), func(c *Copy) { c.Closed, c.Pin = true, PinRefused })), false},
	} {
		if got := c.n.Live(); got != c.want {
			t.Errorf("%s: live: %t", name, got)
		}
	}
	n := in(Delivered)
	if lived := n.Lives(noon.Add(3 * time.Hour)); lived != time.Hour {
		t.Errorf("it lived %s", lived)
	}
	if lives := in(Pending).Lives(noon.Add(3 * time.Hour)); lives != 3*time.Hour {
		t.Errorf("it lives since %s", lives)
	}
}
