package nudge

import (
	"testing"
	"time"

	"nod/detect"
	"nod/nudge/grant"
)

// TestDenialsAreToldWhereSomebodyMayDecide: sent once to each place, redrawn while they show an older state, and closed where nobody
// may answer any more, or nothing is left to decide.
func TestDenialsAreToldWhereSomebodyMayDecide(t *testing.T) {
	const home, office = Place("1"), Place("2")
	message := func(place Place, change func(*Message)) Message {
		m := Message{Ref: Ref{Place: place, Message: 7}, Drawn: 1}
		if change != nil {
			change(&m)
		}
		return m
	}
	asks := func(m *Message) { m.Asks = true }
	old := func(m *Message) { m.Drawn = 0 }
	over := func(d *Denials) { d.Ended = noonToday }
	left := func(d *Denials) { d.Calls[0].Left = true }
	closes := func(place Place, newest bool) Notice { return Notice{Kind: Close, Place: place, Newest: newest} }
	wanted := func(place Place, silent bool) Notice { return Notice{Kind: Wanted, Place: place, Silent: silent} }
	for name, c := range map[string]struct {
		copies []Message
		change func(*Denials)
		silent bool
		want   []Notice
	}{
		"nobody was told":              {nil, nil, false, []Notice{wanted(home, true)}},
		"a hook waits":                 {nil, func(d *Denials) { d.Hold(0, noonToday.Add(time.Minute)) }, false, []Notice{wanted(home, false)}},
		"a hook waits in quiet hours":  {nil, func(d *Denials) { d.Hold(0, noonToday.Add(time.Minute)) }, true, []Notice{wanted(home, true)}},
		"over before anybody was told": {nil, over, false, nil},
		"told":                         {[]Message{message(home, nil)}, nil, false, nil},
		"told an older state":          {[]Message{message(home, old)}, nil, false, []Notice{{Kind: Refresh, Place: home}}},
		"over":                         {[]Message{message(home, nil)}, over, false, []Notice{closes(home, true)}},
		"over, in an older state":      {[]Message{message(home, old)}, over, false, []Notice{closes(home, true)}},
		"over, and closed":             {[]Message{message(home, func(m *Message) { m.Closed = true })}, over, false, nil},
		"closed by hand":               {[]Message{message(home, func(m *Message) { m.Closed = true })}, nil, false, []Notice{wanted(home, true)}},
		"asks for a second tap":        {[]Message{message(home, nil), message(home, asks)}, nil, false, nil},
		"asks, in an older state":      {[]Message{message(home, nil), message(home, func(m *Message) { m.Asks, m.Drawn = true, 0 })}, nil, false, nil},
		"asks for what was decided":    {[]Message{message(home, nil), message(home, asks)}, left, false, []Notice{closes(home, false)}},
		"asks once it is over":         {[]Message{message(home, nil), message(home, asks)}, over, false, []Notice{closes(home, true), closes(home, false)}},
		"told where nobody may answer": {[]Message{message(home, nil), message(office, nil)}, nil, false, []Notice{closes(office, false)}},
	} {
		d := NewDenials("k3f", look(), noonToday)
		d.Deny(blocked("ls"), noonToday)
		d.Copies, d.Drawn = c.copies, 1
		if c.change != nil {
			c.change(d)
		}
		got := d.Notices(Rules{Supervisors: []Place{home}}, c.silent, noonToday)
		same := len(got) == len(c.want)
		for i := 0; same && i < len(got); i++ {
			g, w := got[i], c.want[i]
			same = g.Kind == w.Kind && g.Place == w.Place && g.Silent == w.Silent && g.Newest == w.Newest && g.Of == Of(d) && (g.Kind == Wanted || g.Copy.Ref.Message == 7)
		}
		if !same {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestAnAnswerMayMeanDenials only while somebody may decide about one of their calls.
func TestAnAnswerMayMeanDenials(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Denials)
		want   bool
	}{
		"undecided":           {func(*Denials) {}, true},
		"left denied":         {func(d *Denials) { d.Leave(0, ann) }, false},
		"allowed":             {func(d *Denials) { d.Allow(0, d.Fingerprint(0), ann, noonToday) }, false},
		"the message is over": {func(d *Denials) { d.Ended = noonToday }, false},
	} {
		d := NewDenials("k3f", look(), noonToday)
		d.Deny(blocked("ls"), noonToday)
		d.Copies = Messages{{Ref: Ref{Place: "1", Message: 7}}}
		if c.change(d); d.Waits() != c.want || (len(d.Asking(Answer{})) == 1) != c.want || d.Open(0) != c.want {
			t.Errorf("%s: waits %t, asking %v, open %t", name, d.Waits(), d.Asking(Answer{}), d.Open(0))
		}
	}
}

// TestDenialsEndOnceWithTheirAgent: the first end counts, and an agent in a pane is not known by its process alone.
func TestDenialsEndOnceWithTheirAgent(t *testing.T) {
	shell, dead := look(), func(detect.Whereabouts) bool { return false }
	shell.Agent, shell.Process.PID, shell.State = "", 0, "shell"
	d := NewDenials("k3f", look(), noonToday)
	d.Deny(blocked("ls"), noonToday)
	if d.Orphan(dead, noonToday) || d.Depart(look(), noonToday) || !d.Ended.IsZero() {
		t.Error("it ended while its pane shows its agent")
	}
	if !d.Depart(shell, noonToday) || d.Depart(shell, noonToday.Add(time.Hour)) || !d.Ended.Equal(noonToday) {
		t.Errorf("its agent left the pane: ended %s", d.Ended)
	}
	d = allowed(blocked("ls"))
	d.Pane.ID = ""
	if d.Orphan(func(detect.Whereabouts) bool { return true }, noonToday) || !d.Orphan(dead, noonToday) || d.Orphan(dead, noonToday.Add(time.Hour)) {
		t.Error("outside tmux it ends with its process, once")
	}
	if d.Calls[0].Grant.State != grant.Void || !d.Ended.Equal(noonToday) {
		t.Errorf("%+v, ended %s", d.Calls[0].Grant, d.Ended)
	}
}

// TestATurnIsOverOnceNothingIsLeftToDecide, and each step is reported, so that it is stored.
func TestATurnIsOverOnceNothingIsLeftToDecide(t *testing.T) {
	d := NewDenials("k3f", look(), noonToday)
	d.Deny(blocked("ls"), noonToday)
	if !d.EndTurn(noonToday) || d.EndTurn(noonToday) || !d.Ended.IsZero() {
		t.Error("the turn ends, once, and the message stays")
	}
	passed := *d
	passed.Calls = append([]Denial(nil), d.Calls...)
	if d.Leave(0, ann); !d.EndTurn(noonToday) || d.Ended.IsZero() || d.EndTurn(noonToday) {
		t.Error("decided: the message is over, and stays so")
	}
	if passed.Leave(0, ann); !passed.Pass(noonToday) || passed.Ended.IsZero() || passed.Pass(noonToday) {
		t.Error("decided, as time passes: the message is over, and stays so")
	}
	late := allowed(blocked("ls"))
	if !late.Pass(late.Due) || late.Ended.IsZero() || late.Pass(late.Due.Add(time.Hour)) {
		t.Error("nobody has decided in time")
	}
}

// TestTimeEndsNoGrantThatKeysAreUsing: the result of the keys does, however late. Before them it ends like any other.
func TestTimeEndsNoGrantThatKeysAreUsing(t *testing.T) {
	b := blocked("ls")
	b.Taking = OnList
	d := allowed(b)
	d.Begin(0, noonToday)
	if d.Pass(noonToday.Add(time.Hour)); d.Calls[0].Grant.State != grant.Taken {
		t.Errorf("in use: %s", d.Calls[0].Grant.State)
	}
	d = allowed(b)
	if !d.Pass(noonToday.Add(grant.Lasts)) || d.Calls[0].Grant.State != grant.Expired {
		t.Errorf("not begun: %s", d.Calls[0].Grant.State)
	}
}

// TestOldMessagesAreForgotten, once they are over.
func TestOldMessagesAreForgotten(t *testing.T) {
	for name, c := range map[string]struct {
		ended time.Time
		want  bool
	}{"it lasts": {time.Time{}, false}, "over since": {noonToday, false}, "over before": {noonToday.Add(-1), true}} {
		d := NewDenials("k3f", look(), noonToday)
		d.Ended, d.Copies = c.ended, Messages{{Ref: Ref{Place: "1", Message: 7}}}
		if !d.Live() {
			t.Errorf("%s: it is not live while a message has buttons", name)
		}
		if got := d.Forget(noonToday); got != c.want || (len(d.Copies) == 0) != c.want || d.Live() == c.want {
			t.Errorf("%s: %t, %v", name, got, d.Copies)
		}
	}
}
