package nudge

import (
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/words"
)

// turn began an hour after noon, and the next one half an hour later.
var (
	thisTurn = noon.Add(time.Hour)
	nextTurn = noon.Add(90 * time.Minute)
)

// noPrompt is a look without a prompt.
func noPrompt(state screen.State, since time.Time, worked bool, blocked string) detect.Sighting {
	s := sight(state, "")
	s.Since, s.Worked, s.Blocked.Said, s.Tail = since, worked, blocked, []string{"❯"}
	return s
}

// noPromptIn is a nudge without a prompt in that state.
func noPromptIn(state State, s detect.Sighting) *Nudge {
	r := Rules{Expiry: 8 * time.Hour, Idle: true}
	n := Open("k3f", aboutOf(s, r), s, nil, r, noon.Add(time.Hour))
	n.State = state
	if state != Pending && state != Recovered && state != Gone {
		n.Claim = &Claim{Said: Said{Text: "run the tests"}, By: Person{ID: "ann", Name: "Ann"}, At: noon}
	}
	if state.Over() {
		n.Ended = noon.Add(time.Hour)
	}
	return n
}

// TestEveryLookAtWhatIsNoPrompt tries all pairs of a nudge's subject and a look, and all states: which looks
// end the nudge, and after which of them the owner is told again.
func TestEveryLookAtWhatIsNoPrompt(t *testing.T) {
	idle := noPrompt(screen.Idle, thisTurn, true, "")
	limit := noPrompt(screen.Idle, thisTurn, true, "The usage limit is reached.")
	silent := noPrompt(screen.Silent, thisTurn, false, "")
	exited := noPrompt(screen.Shell, thisTurn, true, "The agent is gone in the middle of its work.")
	other := noPrompt(screen.Idle, thisTurn, true, "")
	other.Process.PID++
	elsewhere := noPrompt(screen.Working, nextTurn, false, "")
	elsewhere.Tail = []string{"…"}
	settling := elsewhere
	settling.Settling = true
	unseen := sight(screen.Permission, "fp")
	unseen.Unseen = true

	// What a look does to a pending nudge: nothing, end it, or end it and open the next. To one that is
	// over: open the next, or not. One row for each look, one word for each nudge (idle, limit, silent,
	// exited).
	looks := []struct {
		name string
		s    detect.Sighting
		want [4]string
	}{
		{"idle, the same turn", idle, [4]string{"", "", "end+", "end+"}},
		{"idle, the next turn", noPrompt(screen.Idle, nextTurn, true, ""), [4]string{"end+", "end+", "end+", "end+"}},
		{"idle, no work seen", noPrompt(screen.Idle, nextTurn, false, ""), [4]string{"", "", "end", "end"}},
		{"idle, at a dead end", limit, [4]string{"end+", "", "end+", "end+"}},
		{"idle after a restart, at a dead end", noPrompt(screen.Idle, nextTurn, false, "Usage limit."), [4]string{"end+", "", "end+", "end+"}},
		{"idle, another process", other, [4]string{"end+", "end+", "end+", "end+"}},
		{"after a restart, at the first look", settling, [4]string{"", "", "end", "end"}},
		{"working, the screen as it was", noPrompt(screen.Working, nextTurn, false, ""), [4]string{"end", "end", "", "end"}},
		{"working", elsewhere, [4]string{"end", "end", "end", "end"}},
		{"silent", silent, [4]string{"end+", "end+", "over+", "end+"}},
		{"silent, later", noPrompt(screen.Silent, nextTurn, false, ""), [4]string{"end+", "end+", "over+", "end+"}},
		{"a prompt", sight(screen.Permission, "fp"), [4]string{"end+", "end+", "end+", "end+"}},
		{"a question", sight(screen.Question, "fp"), [4]string{"end+", "end+", "end+", "end+"}},
		{"half a prompt", sight(screen.Permission, ""), [4]string{"end", "end", "end", "end"}},
		{"a prompt not seen", unseen, [4]string{"end", "end", "end", "end"}},
		{"a shell", noPrompt(screen.Shell, nextTurn, true, ""), [4]string{"end", "end", "end", ""}},
		{"a shell in the middle of its work", exited, [4]string{"end+", "end+", "end+", ""}},
		{"gone", sight(screen.Gone, ""), [4]string{"gone", "gone", "gone", "gone"}},
	}
	for i, seen := range []detect.Sighting{idle, limit, silent, exited} {
		for _, l := range looks {
			for _, state := range states {
				if state == Expired { // only prompts expire
					continue
				}
				n, s := noPromptIn(state, seen), l.s
				got := n.Observe(Look{Sighting: s, Misses: 1}, Rules{Idle: true}, noon.Add(3*time.Hour))
				end, opens := state, false
				switch want := l.want[i]; {
				case state == Claimed, state == Typing:
				case state.Over():
					opens = want == "end+" || want == "over+" && !s.Since.Equal(thisTurn)
				case want == "gone":
					end = Gone
				case want == "end", want == "end+":
					end, opens = Recovered, want == "end+"
				}
				if n.State != end || (got.Open != nil) != opens || got.Changed != (end != state) {
					t.Errorf("%s and %s, then %s: %s, opens %v, changed %t; want %s, %t", seen.State, words.Why(seen.Blocked), l.name, n.State, got.Open, got.Changed, end, opens)
				}
			}
		}
	}
}

func TestIdleNoticesCanBeTurnedOff(t *testing.T) {
	for _, c := range []struct {
		s    detect.Sighting
		on   bool
		want screen.State
	}{
		{noPrompt(screen.Idle, thisTurn, true, ""), true, screen.Idle},
		{noPrompt(screen.Idle, thisTurn, true, ""), false, ""},
		{noPrompt(screen.Idle, thisTurn, false, ""), true, ""},
		{noPrompt(screen.Idle, thisTurn, false, "Usage limit."), false, screen.Idle},
		{noPrompt(screen.Silent, thisTurn, false, ""), false, screen.Silent},
		{noPrompt(screen.Shell, thisTurn, true, ""), true, ""},
		{noPrompt(screen.Shell, thisTurn, true, "Gone."), false, screen.Silent},
		{noPrompt(screen.Working, thisTurn, true, "Usage limit."), true, ""},
	} {
		n := Nudge{About: aboutOf(c.s, Rules{Idle: c.on})}
		if got := n.Kind(); got != c.want {
			t.Errorf("%s, worked %t, blocked %q, notices %t: %q, want %q", c.s.State, c.s.Worked, words.Why(c.s.Blocked), c.on, got, c.want)
		}
	}
}

// TestWhatIsNoPromptHasNoCadence: it is sent once, and never gets stuck or expires.
func TestWhatIsNoPromptHasNoCadence(t *testing.T) {
	for _, s := range []detect.Sighting{noPrompt(screen.Idle, thisTurn, true, ""), noPrompt(screen.Silent, thisTurn, false, "")} {
		n := noPromptIn(Pending, s)
		n.raise(noon.Add(100 * time.Hour))
		if n.Reminder != 1 || n.Stuck() || !n.Due.IsZero() {
			t.Errorf("%s: reminder %d, stuck %t, due %s", s.State, n.Reminder, n.Stuck(), n.Due)
		}
		now := n.Expires
		if n.expire(true, Rules{Expiry: 8 * time.Hour}, now) || n.State != Pending || !n.Next().Equal(now.Add(8*time.Hour)) {
			t.Errorf("%s: %s, next %s", s.State, n.State, n.Next())
		}
		if !n.expire(false, Rules{Expiry: 8 * time.Hour}, now) || n.State != Gone {
			t.Errorf("%s: %s although its pane was not seen", s.State, n.State)
		}
	}
}

// TestTextGoesToWhoWaitsForWords: words for every kind of nudge.
func TestTextGoesToWhoWaitsForWords(t *testing.T) {
	idle := noPromptIn(Pending, noPrompt(screen.Idle, thisTurn, true, ""))
	silent := noPromptIn(Pending, noPrompt(screen.Silent, thisTurn, false, ""))
	exited := noPromptIn(Pending, noPrompt(screen.Shell, thisTurn, true, "Gone."))
	permission, question, field := in(Pending), in(Pending), in(Pending)
	question.About, field.About = Question{question.Prompt()}, Question{field.Prompt()}
	field.Prompt().TextField = true
	for _, c := range []struct {
		n    *Nudge
		text string
		want deliver.Reason // empty: the words are accepted
	}{
		{idle, "run\nthe tests", ""},
		{idle, " \n", deliver.NoKey},
		{field, "PostgreSQL", ""},
		{question, "PostgreSQL", deliver.AwaitingDecision},
		{permission, "run the tests", deliver.AwaitingDecision},
		{silent, "run the tests", deliver.Working},
		{exited, "run the tests", deliver.Shell},
	} {
		v := c.n.admit(Answer{Said: Said{Text: c.text}, Way: ByReply})
		if taken := v.Kind == Taken; taken != (c.want == "") || v.Reason != c.want || !taken && v.Detail.IsZero() {
			t.Errorf("%q to %s: %s, %s, %q", c.text, c.n.Kind(), v.Kind, v.Reason, words.Why(v.Detail))
		}
	}
	for _, n := range []*Nudge{idle, silent, question} {
		for _, d := range []screen.Decision{screen.Approve, screen.Deny} {
			if v := n.admit(Answer{Said: Said{Decision: d}, Way: ByReply}); v.Kind != Rejected || v.Reason != deliver.NoKey {
				t.Errorf("%s of %s: %s, %s", d, n.Kind(), v.Kind, v.Reason)
			}
		}
		if v := n.admit(Answer{Said: Said{Choice: &deliver.Choice{}}, Way: ByReply}); v.Kind != Rejected || v.Reason != deliver.Changed {
			t.Errorf("an option of %s: %s, %s", n.Kind(), v.Kind, v.Reason)
		}
	}
}

// TestWideOptionNeedsASecondTap tries every scope in both kinds of prompts.
func TestWideOptionNeedsASecondTap(t *testing.T) {
	sure := map[screen.State][]screen.Scope{
		screen.Permission: {screen.Session, screen.Always, screen.Mode, screen.Other, screen.Text},
		screen.Question:   {screen.Session, screen.Always, screen.Mode},
	}
	for kind, wide := range sure {
		for _, scope := range []screen.Scope{
			screen.Once, screen.Session, screen.Always, screen.Mode, screen.No, screen.NoAlways, screen.Text, screen.Other,
		} {
			n := in(Pending)
			if kind == screen.Question {
				n.About = Question{n.Prompt()}
			}
			n.Prompt().Options = []screen.Option{{Label: "Yes, and auto-accept edits", Scope: scope}}
			a := Answer{Said: Said{Choice: &deliver.Choice{Label: "Yes, and auto-accept edits"}}, Way: ByReply}
			want := Taken
			for _, w := range wide {
				if w == scope {
					want = AskSure
				}
			}
			if v := n.admit(a); v.Kind != want {
				t.Errorf("%s in a %s: %s, want %s", scope, kind, v.Kind, want)
			}
			a.Sure = true
			if v := n.admit(a); v.Kind != Taken {
				t.Errorf("%s in a %s, confirmed: %s", scope, kind, v.Kind)
			}
		}
	}
}

// TestRefusedWords: an idle notice can be replied to again. Words without a notice are over.
func TestRefusedWords(t *testing.T) {
	for _, c := range []struct {
		reason deliver.Reason
		want   State // the notice's state
	}{
		{deliver.Draft, Pending}, {deliver.Working, Pending}, {deliver.AwaitingDecision, Pending}, {deliver.Unreadable, Pending},
		{deliver.CopyMode, Pending}, {deliver.Changed, Pending}, {deliver.Shell, Refused}, {deliver.Gone, Refused},
	} {
		result := deliver.Result{Outcome: deliver.Refused, Reason: c.reason, Detail: reason.Why{Said: "because"}}
		notice := noPromptIn(Claimed, noPrompt(screen.Idle, thisTurn, true, ""))
		notice.Finish(result, noon)
		told := noPromptIn(Claimed, noPrompt(screen.Idle, thisTurn, true, ""))
		told.By = byTell
		told.Finish(result, noon)
		if notice.State != c.want || told.State != Refused || notice.Reason != c.reason || told.Reason != c.reason {
			t.Errorf("%s: the notice is %s, the words are %s", c.reason, notice.State, told.State)
		}
	}
}
