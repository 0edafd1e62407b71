package detect

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
)

// heard is what a session knows after events, and the prompt that stands since the last of them.
func heard(now time.Time, shown *screen.Prompt, events ...HookEvent) (*session, *standingPrompt) {
	s := &session{id: "s"}
	for _, e := range events {
		s.hear(e, now)
	}
	p := &standingPrompt{fingerprint: shown.Fingerprint, since: now, session: "s"}
	return s, p
}

// TestTheScreensTextStandsUnlessTheCallIsCertain: the event's text takes the place of the screen's only of the one call that waits, if all of
// it is known and nothing has contradicted the events; the two are shown as in dispute only where they differ.
func TestTheScreensTextStandsUnlessTheCallIsCertain(t *testing.T) {
	now := time.Now()
	cut := event(Asks, tallCommand(), "")
	cut.InputCut = true
	tall := alone(screenOf(t, "claude/2.1.329-bash-tall-80x24.ansi"))
	ls := alone(ask(t, "ls"))
	undecidable := &screen.Prompt{Content: screen.Content{Verb: "use", Subject: "rig - echo(text: \"rig\")"}}
	for name, tt := range map[string]struct {
		shown  *screen.Prompt
		event  HookEvent
		change func(*standingPrompt)
		want   screen.Source
		doubts bool
	}{
		"the whole call":                         {tall, event(Asks, tallCommand(), ""), nil, screen.FromEvent, false},
		"a call that is cut":                     {tall, cut, nil, screen.FromScreen, false},
		"events that the screen contradicted":    {tall, event(Asks, tallCommand(), ""), func(p *standingPrompt) { p.contradicted = true }, screen.FromScreen, false},
		"another call":                           {ls, event(Asks, "pwd", ""), nil, screen.FromScreen, true},
		"a call that nothing can be compared to": {undecidable, event(Asks, "echo", ""), nil, screen.FromScreen, false},
		"a call without text":                    {ls, event(Asks, "", ""), nil, screen.FromScreen, false},
	} {
		s, p := heard(now, tt.shown, tt.event)
		if tt.change != nil {
			tt.change(p)
		}
		got := p.withCall(s, tt.shown)
		if disputed := slices.Contains(got.Doubts, otherCall); got.Source != tt.want || disputed != tt.doubts {
			t.Errorf("%s: from %q, disputed %v", name, got.Source, disputed)
		}
		if tt.want == screen.FromScreen && !strings.HasPrefix(got.Subject, tt.shown.Subject) || tt.shown.Partial && tt.want == screen.FromScreen && !got.Partial {
			t.Errorf("%s: partial %v\n%s", name, got.Partial, got.Subject)
		}
	}
}

// TestAPromptIsAboutOneCall, and stays about it, and of several that wait about none whose text is not all on the screen.
func TestAPromptIsAboutOneCall(t *testing.T) {
	now := time.Now()
	tall, ls := alone(screenOf(t, "claude/2.1.329-bash-tall-80x24.ansi")), alone(ask(t, "ls"))
	part := event(Asks, "pwd", "")
	part.Subagent = true
	s, _ := heard(now, tall, event(Asks, tallCommand(), ""), part)
	if c := s.about(tall, now); c != nil {
		t.Errorf("of two calls a prompt that is seen in part is about %q", c.input.command)
	}
	s, p := heard(now, ls, event(Asks, "ls", ""), part)
	c := s.about(ls, now)
	if c == nil || c.input.command != "ls" {
		t.Errorf("of two calls the prompt that renders one is about %+v", c)
	}
	for _, other := range []string{"rm x", "mv x y"} {
		if c := s.about(alone(ask(t, other)), now); c != nil {
			t.Errorf("a prompt that renders none of two calls is about %q", c.input.command)
		}
	}
	p.stillStands(s, ls, now)
	if p.call != c {
		t.Fatal("what it is about is not known")
	}
	s.calls = s.calls[1:] // only the other call waits by now
	p.stillStands(s, alone(ask(t, "pwd")), now)
	if p.call != c {
		t.Error("it is about another call by now")
	}
	p.call, p.contradicted = nil, true
	if p.stillStands(s, alone(ask(t, "pwd")), now); p.call != nil {
		t.Error("events that the screen has contradicted tell what it is about")
	}
}

// TestADenialAtTheTerminalIsBelievedForAMoment: while the prompt stands on, its hook was ended for another reason.
func TestADenialAtTheTerminalIsBelievedForAMoment(t *testing.T) {
	now := time.Now()
	ls := alone(ask(t, "ls"))
	s, p := heard(now, ls, event(Asks, "ls", ""))
	p.stillStands(s, ls, now)
	p.call.denied = now
	for after, believed := range map[time.Duration]bool{eventLag: true, eventLag + time.Millisecond: false} {
		p.call.denied = now
		if p.stillStands(s, ls, now.Add(after)); p.call.denied.IsZero() == believed {
			t.Errorf("%v after it: believed %v", after, !p.call.denied.IsZero())
		}
	}
}

// TestOnlyItsOwnCallRedrawsAPrompt: it is drawn again as long as its call waits, and another one takes its place only where the screen
// renders that one's call.
func TestOnlyItsOwnCallRedrawsAPrompt(t *testing.T) {
	now := time.Now()
	ls := alone(ask(t, "ls"))
	again := *ls
	again.Fingerprint = "drawn further"
	s, p := heard(now, ls, event(Asks, "ls", ""))
	p.stillStands(s, ls, now)
	if !p.redrawn(s, &again) {
		t.Error("a prompt whose call waits is not drawn again")
	}
	if other := *alone(ask(t, "rm x")); p.redrawn(s, &other) {
		t.Error("a prompt about something else is the same, drawn again")
	}
	p.call.denied = now
	if p.redrawn(s, &again) {
		t.Error("a prompt whose call was denied is drawn again")
	}
	p.call.denied = time.Time{}
	s.hear(event(Asks, "pwd", ""), now)
	if p.redrawn(s, &again) {
		t.Error("a prompt is drawn again though another call waits, too")
	}

	s, p = heard(now, ls, event(Asks, "ls", ""))
	p.stillStands(s, ls, now)
	s.hear(event(Ran, "ls", ""), now)
	s.hear(event(Asks, "pwd", ""), now)
	if p.replaced(s, ls, now) {
		t.Error("another prompt took its place that the screen does not show")
	}
	if !p.replaced(s, alone(ask(t, "pwd")), now) {
		t.Error("the prompt that took its place is not another")
	}
}

// TestAPlanIsShownOnlyWhereItIsCertain: of the one call that waits, not too long, and not after the screen has contradicted the events.
func TestAPlanIsShownOnlyWhereItIsCertain(t *testing.T) {
	now := time.Now()
	shown := alone(ask(t, "ls"))
	for name, tt := range map[string]struct {
		plan         string
		contradicted bool
		want         bool
	}{
		"a plan": {"first this", false, true}, "none": {"", false, false}, "one that is too long": {strings.Repeat("x", maxText+1), false, false},
		"the longest": {strings.Repeat("x", maxText), false, true}, "one of events that were contradicted": {"first this", true, false},
	} {
		e := event(Asks, "", "")
		e.Input = input(t, map[string]any{"plan": tt.plan})
		s, p := heard(now, shown, e)
		p.contradicted = tt.contradicted
		if got := p.withPlan(s, shown); (got.Plan == tt.plan && got != shown) != tt.want || !tt.want && got != shown {
			t.Errorf("%s: shown %v", name, got.Plan != "")
		}
	}
}

// TestTheEndOfATurnIsAboutItsOwnPrompt: of that very session, while it stands.
func TestTheEndOfATurnIsAboutItsOwnPrompt(t *testing.T) {
	now := time.Now()
	ls := alone(ask(t, "ls"))
	stopped, ended := ofSession(Stopped), ofSession(Ended)
	for name, tt := range map[string]struct {
		event  HookEvent
		change func(*standingPrompt)
		proof  string
	}{
		"its own":                             {stopped, func(*standingPrompt) {}, "answered"},
		"its session's end":                   {ended, func(*standingPrompt) {}, "answered"},
		"one that has left":                   {stopped, func(p *standingPrompt) { p.gone = true }, ""},
		"of a session that is not known":      {stopped, func(p *standingPrompt) { p.session = "" }, ""},
		"another session's":                   {stopped, func(p *standingPrompt) { p.session = "t" }, ""},
		"a sub-agent's prompt":                {stopped, func(p *standingPrompt) { p.call.subagent = true }, ""},
		"a sub-agent's, at the session's end": {ended, func(p *standingPrompt) { p.call.subagent = true }, "answered"},
		"of no call that is known":            {stopped, func(p *standingPrompt) { p.call = nil }, ""},
		"of none, at the session's end":       {ended, func(p *standingPrompt) { p.call = nil }, "answered"},
		"events that were contradicted":       {stopped, func(p *standingPrompt) { p.contradicted = true }, ""},
	} {
		s, p := heard(now, ls, event(Asks, "ls", ""))
		p.stillStands(s, ls, now)
		p.session = tt.event.Session
		tt.change(p)
		s.id = tt.event.Session
		p.turnEvent(tt.event, s, now)
		if got := p.proof(); got != tt.proof {
			t.Errorf("%s: %q, want %q", name, got, tt.proof)
		}
	}
}

// TestAnEffectTakesAsLongAsTheAgentSays, else from when its prompt was seen to leave until its end, if that came later.
func TestAnEffectTakesAsLongAsTheAgentSays(t *testing.T) {
	left := time.Now()
	for _, tt := range []struct{ said, after, want time.Duration }{
		{5 * time.Second, 2 * time.Second, 5 * time.Second}, {0, 2 * time.Second, 2 * time.Second}, {0, -2 * time.Second, 0}, {5 * time.Second, -2 * time.Second, 5 * time.Second},
	} {
		s := &serverWatcher{}
		s.noteEffect(&agentPane{}, &call{fingerprint: "f", promptLeft: left, ran: left.Add(tt.after), took: tt.said})
		if len(s.effects) != 1 || s.effects[0].Took != tt.want {
			t.Errorf("said %v, ended %v after it left: %+v", tt.said, tt.after, s.effects)
		}
	}
}

// TestAFormSaysWhyNobodyIsAskedForIt: the form of the message that was refused, and no dialog with options.
func TestAFormSaysWhyNobodyIsAskedForIt(t *testing.T) {
	refused := &Elicitation{Message: "Which API key?", Refused: otherCall}
	taken := &Elicitation{Message: "Which API key?"}
	form := screen.Prompt{Content: screen.Content{Subject: "Which API\nkey?"}}
	options := form
	options.Options = []screen.Option{{Key: "1", Label: "Yes"}}
	another := screen.Prompt{Content: screen.Content{Subject: "Which name?"}}
	for name, tt := range map[string]struct {
		elicits *Elicitation
		shown   screen.Prompt
		want    bool
	}{
		"its form": {refused, form, true}, "one that may be asked for": {taken, form, false}, "none": {nil, form, false},
		"options": {refused, options, false}, "another form": {refused, another, false},
	} {
		s := session{elicits: tt.elicits}
		if got := s.refusedForm(&tt.shown); (got != &tt.shown) != tt.want || tt.want && got.Why != otherCall {
			t.Errorf("%s: %+v", name, got.Why)
		}
	}
}
