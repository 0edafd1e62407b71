package nudge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// wished is a wish in that state, made at noon by the agent of look; as ended a minute later.
func wished(as WishState, change func(*Wish)) *Wish {
	w := NewWish("w5h", look(), "run the tests", Wisher{Name: "the agent itself"}, time.Hour, noon)
	if w.State = as; as != Wished {
		w.Ended = second(60)
	}
	if change != nil {
		change(w)
	}
	return w
}

var wishStates = []WishState{Wished, WishSent, WishDropped, WishExpired, WishVoid}

// TestWhatIsNoWish: too many characters, too many wishes, and what could not be queued.
func TestWhatIsNoWish(t *testing.T) {
	shell := look()
	shell.State = screen.Shell
	long := strings.Repeat("ü", maxWish)
	for name, c := range map[string]struct {
		text    string
		s       detect.Sighting
		waiting int
		want    reason.Kind
	}{
		"a wish":     {"go on", look(), maxWishes - 1, ""},
		"long":       {long, look(), 0, ""},
		"too long":   {long + "ü", look(), 0, reason.TextTooLong},
		"too many":   {"go on", look(), maxWishes, reason.WishesFull},
		"blank":      {" ", look(), 0, reason.NoText},
		"to a shell": {"go on", shell, 0, reason.BackAtShell},
	} {
		if code, why := RefuseWish(c.text, c.s, c.waiting); why.Kind != c.want || (code == "") != (c.want == "") {
			t.Errorf("%s: %q, %q", name, code, why.Kind)
		}
	}
}

// TestAWishIsSentOrDroppedByAHumanOnce, under its full text.
func TestAWishIsSentOrDroppedByAHumanOnce(t *testing.T) {
	ann := Person{ID: "42", Name: "Ann"}
	for _, state := range wishStates {
		w := wished(state, nil)
		for shown, want := range map[string]deliver.Reason{w.Fingerprint(): "", "": deliver.NeedsConfirmation, "other": deliver.Changed} {
			if state != Wished {
				want = map[bool]deliver.Reason{true: deliver.Expired, false: deliver.Answered}[state == WishExpired]
			}
			if got, _ := w.RefuseSend(shown); got != want {
				t.Errorf("%s, shown as %q: %q; want %q", state, shown, got, want)
			}
		}
		spoken := wished(state, func(w *Wish) { w.From.Spoken = true })
		kinds := [2]reason.Kind{reason.WishTakesTap, reason.VoiceTakesTap}
		if state != Wished {
			kinds = [2]reason.Kind{reason.WishOver, reason.WishOver}
		}
		if got := [2]reason.Kind{w.RefuseAnswer().Detail.Kind, spoken.RefuseAnswer().Detail.Kind}; got != kinds || w.RefuseAnswer().Kind != Rejected {
			t.Errorf("%s: an answer in words is refused for %q", state, got)
		}
		over := w.Drop(ann, second(90))
		if over.IsZero() != (state == Wished) || state == Wished && (w.State != WishDropped || w.By != ann || !w.Ended.Equal(second(90))) || state != Wished && (w.State != state || w.By == ann) {
			t.Errorf("%s: dropped: %v, %s by %v", state, over, w.State, w.By)
		}
	}
	w := wished(Wished, nil)
	if w.Send(ann, second(90)); w.State != WishSent || w.By != ann || w.Detail.Kind != reason.WishSentBy {
		t.Errorf("sent: %+v", w)
	}
	if e := w.EndedEvent(); e.Kind != WishEnded || e.Instruction != "w5h" || e.Agent != "claude" || e.Pane != "%1" || e.By != "Ann" || e.State != "sent" || e.After != "1m30s" {
		t.Errorf("noted as %+v", e)
	}
}

// TestHowLongAWishLasts: hours, or minutes if somebody who spoke it waits, by a clock that may be set.
func TestHowLongAWishLasts(t *testing.T) {
	for spoken, lasts := range map[bool]time.Duration{false: wishLasts, true: spokenLasts} {
		w := NewWish("w5h", look(), "go on", Wisher{Spoken: spoken}, time.Hour, noon)
		w.Shift(time.Minute)
		end := noon.Add(lasts + time.Minute)
		if w.Expire(end.Add(-1)) || !w.Expire(end) || w.State != WishExpired || w.Expire(end) {
			t.Errorf("spoken %t: %s, due %s", spoken, w.State, w.Due)
		}
		if want := map[bool]string{false: "8 hours", true: "10 minutes"}[spoken]; w.Detail.What != want {
			t.Errorf("spoken %t: it lasted %s", spoken, w.Detail.What)
		}
	}
	for _, state := range wishStates {
		w := wished(state, nil)
		if w.Expire(noon.Add(24*time.Hour)) != (state == Wished) || state != Wished && w.State != state {
			t.Errorf("%s: then %s", state, w.State)
		}
	}
}

// TestAWishIsForOneAgent: it ends when that leaves its pane, and only then.
func TestAWishIsForOneAgent(t *testing.T) {
	gone, other, elsewhere := look(), look(), look()
	gone.State = screen.Gone
	other.Process.PID++
	elsewhere.Pane.ID, elsewhere.State = "%2", screen.Gone
	for name, c := range map[string]struct {
		state WishState
		s     detect.Sighting
		want  bool
	}{
		"it is there":   {Wished, look(), false},
		"it is gone":    {Wished, gone, true},
		"another one":   {Wished, other, true},
		"another pane":  {Wished, elsewhere, false},
		"sent already":  {WishSent, gone, false},
		"dropped, gone": {WishDropped, gone, false},
	} {
		w := wished(c.state, nil)
		if got := w.Leave(c.s, second(90)); got != c.want || got != (w.State == WishVoid) || got == w.Detail.IsZero() {
			t.Errorf("%s: ended %t, %s, %v", name, got, w.State, w.Detail)
		}
	}
}

// TestATakenBackWishKeepsItsPlaceForAWhile, so that a loop of wishes fills no chat.
func TestATakenBackWishKeepsItsPlaceForAWhile(t *testing.T) {
	itself := func(w *Wish) { w.By = Person{Name: w.From.Name} }
	end := second(60)
	for name, c := range map[string]struct {
		state  WishState
		change func(*Wish)
		now    time.Time
		want   bool
	}{
		"waits":                {Wished, nil, end.Add(time.Hour), true},
		"taken back":           {WishDropped, itself, end.Add(takenBackFor - 1), true},
		"taken back, long ago": {WishDropped, itself, end.Add(takenBackFor), false},
		"dropped by a human":   {WishDropped, func(w *Wish) { w.By = Person{ID: "42", Name: w.From.Name} }, end, false},
		"sent":                 {WishSent, nil, end, false},
		"sent by its namesake": {WishSent, itself, end, false},
		"expired":              {WishExpired, nil, end, false},
	} {
		if got := wished(c.state, c.change).Counts(c.now); got != c.want {
			t.Errorf("%s: it counts %t", name, got)
		}
	}
}

// TestWhatPlacesNeedOfAWish: one message while it waits, and no buttons afterwards.
func TestWhatPlacesNeedOfAWish(t *testing.T) {
	at := func(place Place, id int) Message { return Message{Ref: Ref{Place: place, Message: id}, Sent: noon} }
	asks := Message{Ref: Ref{Place: "42", Message: 6}, Asks: true}
	closed := Message{Ref: Ref{Place: "42", Message: 5}, Closed: true}
	for name, c := range map[string]struct {
		state  WishState
		copies Messages
		want   string
		live   bool
	}{
		"new":                    {Wished, nil, "wanted 42 silent", true},
		"sent":                   {Wished, Messages{at("42", 5)}, "", true},
		"closed":                 {Wished, Messages{closed}, "wanted 42 silent", true},
		"only the second tap":    {Wished, Messages{asks}, "wanted 42 silent", true},
		"sent to who left":       {Wished, Messages{at("9", 5)}, "close 9/5, wanted 42 silent", true},
		"over":                   {WishSent, Messages{at("42", 5), asks}, "close 42/5 newest, close 42/6", true},
		"over, sent to who left": {WishVoid, Messages{at("9", 5)}, "close 9/5 newest", true},
		"over and closed":        {WishSent, Messages{closed}, "", false},
		"over before it came":    {WishDropped, nil, "", false},
	} {
		w := wished(c.state, func(w *Wish) { w.Copies = c.copies })
		if got := needs(w.Notices(team, true)); got != c.want || w.Live() != c.live {
			t.Errorf("%s: %q, live %t; want %q", name, got, w.Live(), c.want)
		}
	}
	for _, state := range wishStates {
		for before, old := range map[time.Time]bool{second(60): false, second(61): state != Wished} {
			w := wished(state, func(w *Wish) { w.Copies = Messages{closed} })
			if got := w.Forget(before); got != old || (w.Copies == nil) != old {
				t.Errorf("%s, before %s: forgotten %t", state, before, got)
			}
		}
	}
}

// TestAYMayBeMeantForAWish that waits, or that somebody else has just ended.
func TestAYMayBeMeantForAWish(t *testing.T) {
	waited := wished(Wished, func(w *Wish) {
		w.Copies = Messages{{Ref: Ref{Place: "42", Message: 9}, Sent: second(9), Waited: 9 * time.Second}}
	})
	asks := Answer{Ref: Ref{Place: "42", Message: 5}, Written: second(1), Read: second(1)}
	if got := waited.Asking(asks); len(got) != 1 || got[0] != asks.JustBefore() || got[0].Message != 4 {
		t.Errorf("it may have come before: %+v", got)
	}
	for name, c := range map[string]struct {
		state WishState
		by    Place
		at    time.Time
		want  bool
	}{
		"waits":               {Wished, "", second(200), true},
		"just sent":           {WishSent, "42", second(60).Add(justOver - 1), true},
		"sent a while ago":    {WishSent, "42", second(60).Add(justOver), false},
		"sent by who answers": {WishSent, "43", second(61), false},
	} {
		w := wished(c.state, func(w *Wish) { w.By.ID, w.Copies = c.by, Messages{{Ref: Ref{Place: "42", Message: 5}, Sent: noon}} })
		got := w.Asking(Answer{By: Person{ID: "43"}, Written: c.at, Read: c.at})
		if (len(got) == 1 && got[0].Message == 5 && got[0].Sent.Equal(noon)) != c.want || len(got) > 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestWhatIsKnownOfAMessageWithButtons: its date, its state, and whether its buttons are gone.
func TestWhatIsKnownOfAMessageWithButtons(t *testing.T) {
	five := Message{Ref: Ref{Place: "42", Message: 5, Topic: 3}, Sent: noon, Drawn: 1}
	six := Message{Ref: Ref{Place: "42", Message: 6}, Sent: noon}
	of := func(kind NoticeKind, message, copy int) Receipt {
		return Receipt{Notice: Notice{Kind: kind, Place: "42", Copy: Copy{Ref: Ref{Place: "42", Message: copy}}}, Message: message, Topic: 3, Sent: second(9)}
	}
	type known = Messages
	for name, c := range map[string]struct {
		m    known
		r    Receipt
		want known
	}{
		"sent":                 {nil, of(Wanted, 5, 0), known{{Ref: five.Ref, Sent: second(9), Drawn: 2}}},
		"sent, after a tap":    {known{{Ref: five.Ref}}, of(Wanted, 5, 0), known{{Ref: five.Ref, Sent: second(9), Drawn: 2}}},
		"the second tap":       {nil, of(Consent, 5, 0), known{{Ref: five.Ref, Sent: second(9), Drawn: 2, Asks: true}}},
		"sent nowhere":         {nil, of(Wanted, 0, 0), nil},
		"closed":               {known{six, five}, of(Close, 0, 5), known{six, {Ref: five.Ref, Sent: noon, Drawn: 1, Closed: true}}},
		"closed twice":         {known{{Ref: six.Ref, Closed: true}, six}, of(Close, 0, 5), known{{Ref: six.Ref, Closed: true}, six}},
		"drawn":                {known{six, five}, of(Refresh, 0, 5), known{six, {Ref: five.Ref, Sent: noon, Drawn: 2}}},
		"drawn nowhere":        {known{six}, of(Refresh, 0, 0), known{six}},
		"another place's sent": {known{{Ref: Ref{Place: "7", Message: 5}}}, of(Wanted, 5, 0), known{{Ref: Ref{Place: "7", Message: 5}}, {Ref: five.Ref, Sent: second(9), Drawn: 2}}},
	} {
		m := append(known(nil), c.m...)
		m.told(c.r, noon, 2)
		if fmt.Sprint(m) != fmt.Sprint(c.want) {
			t.Errorf("%s: %+v; want %+v", name, m, c.want)
		}
	}
	if m := (known{five}); !m.Show(Ref{Place: "42", Message: 5}) || m.Show(six.Ref) || m.Show(Ref{Place: "7", Message: 5}) {
		t.Error("another message is shown")
	}
	w := wished(Wished, nil)
	if w.Told(of(Wanted, 5, 0)); !w.Shows(five.Ref) || w.Shows(six.Ref) {
		t.Errorf("its messages: %+v", w.Copies)
	}
}
