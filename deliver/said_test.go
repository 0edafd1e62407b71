package deliver

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver/door"
	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// TestWordsAreSentOnlyWhereTheyStand: Enter follows only after a look that shows all of the words, or a long
// end of them, in their field. Each look of this test differs from such a look in at most one thing.
func TestWordsAreSentOnlyWhereTheyStand(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	for range 3000 {
		words := strings.Repeat("w", r.IntN(3)) + strings.Repeat("abcdefghij"[r.IntN(10):], 1+r.IntN(3))
		var p screen.Prompt
		p.Fingerprint, p.Shape, p.Highlighted, p.Typed = "f", "field", r.IntN(4), words
		j := &job{r: Request{Fingerprint: "f", Answer: Say(words)}}
		step, right := screen.Step{Takes: p.Highlighted + 1}, true
		if r.IntN(2) == 0 { // words of a denial, whose field may show only their end
			j.r.Answer, j.r.Because = Words{}, Say(words)
			step = screen.Step{Words: "field"}
			p.Fingerprint = "the field's own"
			p.Typed = words[r.IntN(len(words)):]
			right = p.Typed == words || len(p.Typed) >= enoughSeen
		}
		what := "nothing"
		switch r.IntN(8) {
		case 0:
			what, right = "other words", false
			p.Typed = "x" + p.Typed[:len(p.Typed)-1] + "x"
		case 1:
			what, right = "more words", false
			p.Typed += "!"
		case 2:
			what = "the light"
			p.Highlighted++
			right = right && step.Takes == 0
		case 3:
			what = "the prompt"
			p.Fingerprint += "!"
			right = right && step.Takes == 0
		case 4:
			what = "the dialog"
			p.Shape = "another"
			right = right && step.Takes > 0
		case 5:
			what, right = "the field is gone", false
		case 6:
			p.Typed = " " + p.Typed + "│" // as the field draws it
		}
		s := &look{reading: screen.Reading{Prompt: &p}}
		if what == "the field is gone" {
			s.reading.Prompt = nil
		}
		if _, no := j.said(s, step); (no == nil) != right {
			t.Fatalf("%+v, changed: %s; the field shows %q of %q: sent %t", step, what, p.Typed, words, no == nil)
		}
	}
}

// TestWordsThatMayStandInAFieldAreNamed: if the terminal failed during the typing, the words may be in the
// field.
func TestWordsThatMayStandInAFieldAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want Outcome
	}{"broke off": {errors.New("the server hangs"), Unknown}, "another screen": {tmux.ErrStale, Refused}} {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", "claude-question")
			p.sent = c.err
			j := &job{t: p.typist(), keyboard: p, begin: func() error { return nil }, r: Request{Pane: ref, Because: Say("no")}}
			s := &look{Look: p.look}
			_, res := j.say(t.Context(), stand{look: s, prompt: &screen.Prompt{}, steps: []screen.Step{{Words: "field"}}})
			if res == nil || res.Outcome != c.want || (len(res.Keys) > 0) != (c.want == Unknown) {
				t.Errorf("%s: %+v", name, res)
			}
		})
	}
}

// TestWordsFitTheirField: at most as many columns as it has; 0 means that the number is unknown.
func TestWordsFitTheirField(t *testing.T) {
	for room, want := range map[int]reason.Kind{0: reason.TakesNoWords, 3: reason.WordsTooLong, 4: reason.TakesNoWords, 5: reason.TakesNoWords} {
		j := &job{r: Request{Choice: &Choice{0, "Other"}, Answer: Say("four")}}
		p := &screen.Prompt{}
		p.Options, p.Room = []screen.Option{{Label: "Other"}}, room
		_, no := j.steps(p)
		if no == nil || no.why.Kind != want {
			t.Errorf("room for %d: %+v, want %s", room, no, want)
		}
	}
}

// TestAnOptionIsChosenBesideADraft: text that somebody typed into another option's field prevents words
// there, but not the choice.
func TestAnOptionIsChosenBesideADraft(t *testing.T) {
	p := &screen.Prompt{}
	p.Options, p.Typed = []screen.Option{{Label: "Yes"}, {Label: "Other"}}, "somebody's draft"
	for said, want := range map[string]reason.Kind{"": reason.NoKeyChooses, "words": reason.DraftInField} {
		j := &job{r: Request{Choice: &Choice{0, "Yes"}, Answer: Say(said)}}
		if _, no := j.steps(p); no == nil || no.why.Kind != want {
			t.Errorf("with %q: %+v", said, no)
		}
	}
}

// TestNoDoorWithoutALook: the hook gets no answer if the pane can't be read, or if it shows only a part of a
// call that no event reported. Nor does it get one after nod has stopped.
func TestNoDoorWithoutALook(t *testing.T) {
	for name, spoil := range map[string]func(*pane, *Request, context.CancelFunc){
		"unreadable": func(p *pane, _ *Request, _ context.CancelFunc) { p.lookErr = errors.New("the server hangs") },
		"stopping":   func(p *pane, _ *Request, stop context.CancelFunc) { p.onLook = func(*pane) { stop() } },
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			p := newPane(t, "claude", "claude-bash")
			doors := &door.Doors{}
			w := waits(t, doors, permission("touch a"), processes["claude"])
			r := request(t, "claude", "claude-bash", screen.Approve)
			w.shown(t, &r)
			var began begins
			j := &job{t: p.typistAt(doors), keyboard: p, begin: began.begin, r: r}
			spoil(p, &r, stop)
			if res, handed := j.throughDoor(ctx); handed {
				t.Errorf("%s: handed over: %+v", name, res)
			}
			time.Sleep(time.Second)
			select {
			case got := <-w.printed:
				if got != "" {
					t.Errorf("%s: printed %q", name, got)
				}
			default:
			}
			w.hangUp()
		})
	}
}
