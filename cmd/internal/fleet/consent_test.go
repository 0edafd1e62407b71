package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/testrun"
)

// word is a human's yes at a machine: for which nudge, at which asking of which prompt, what they were shown.
type word struct {
	asking int
	prompt string
	choice int
	at     time.Time
}

// reached counts the approvals that an edge lets through to its typist, which is not always able to type.
type reached struct {
	*ground
	*rand.Rand
	approvals int
}

func (t *reached) Type(ctx context.Context, r deliver.Request, begin func() error) deliver.Result {
	t.approvals++
	if t.IntN(3) == 0 {
		return deliver.Result{Outcome: deliver.Refused, Reason: deliver.CopyMode}
	}
	return t.ground.Type(ctx, r, begin)
}

// TestAnApprovalNeedsTheWordOfAHumanThere: where NOD_EDGE is ask-here, every key of an approval has one word of a human there behind it, who was
// shown that very asking under that id before they gave it, at most ten minutes ago, and no word counts twice. Hub and agents do what they like:
// other ids, other prompts, other decisions, replays, and what the hub says to the human is a lie.
func TestAnApprovalNeedsTheWordOfAHumanThere(t *testing.T) {
	landed := 0
	for seed := range testrun.Rounds(40, 1000) {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		synctest.Test(t, func(t *testing.T) { landed += attackConsent(t, r) })
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
	if landed == 0 {
		t.Error("no approval ever came through")
	}
}

// attackConsent does things by chance at an edge, and gives how many approvals came through.
func attackConsent(t *testing.T, r *rand.Rand) (landed int) {
	g := newGround(t)
	g.slow = 0
	claims := g.open(t)
	defer claims.Close()
	e := g.asking(claims, func() string { return AskHere })
	typist := &reached{ground: g, Rand: r}
	e.cfg.Typist = typist
	w := newWire(nil)
	asking, prompt := 1, "make a"
	seen, given := map[string]word{}, map[string]word{}
	var sent []request
	for step := range 60 {
		id := fmt.Sprint("k", r.IntN(2))
		switch r.IntN(9) {
		case 0: // the agent asks something else, or the same once more
			asking, prompt = asking+1, []string{"make a", "make b"}[r.IntN(2)]
			g.panes["%1"].prompt = ""
			g.look()
			g.ask("%1", prompt)
			g.look()
		case 1, 2, 3: // a human there says yes to what is there
			shown, yes, ok := e.Consent(id, true)
			if !ok {
				delete(seen, id)
				continue
			}
			if !strings.Contains(shown, "Run "+prompt+"?") {
				t.Errorf("the human is shown %q while %q is there", shown, prompt)
			}
			now := word{asking: asking, prompt: prompt, at: time.Now()}
			if strings.Contains(shown, "choose") {
				now.choice = 1
			}
			before := seen[id]
			if seen[id] = now; yes {
				if before.asking != asking || before.choice != now.choice {
					t.Errorf("a yes counted that was given before asking %d was shown, after %+v", asking, before)
				}
				given[id] = now
			}
		case 4:
			_, _, _ = e.Consent(id, false)
			delete(given, id)
			delete(seen, id)
		case 5:
			time.Sleep(time.Duration(r.Int64N(int64(6 * time.Minute))))
		default:
			q := request{ID: fmt.Sprint("r", step), Budget: typeBudget, Type: deliver.Request{
				Nudge: id, Pane: g.panes["%1"].ref, Fingerprint: "f-" + []string{prompt, "make a", "make b"}[r.IntN(3)], Decision: screen.Approve,
			}}
			q.Type.Rows = []string{"Run " + strings.TrimPrefix(q.Type.Fingerprint, "f-") + "?", "1. Yes", "2. No"}
			if r.IntN(4) == 0 {
				q.Type.Decision, q.Type.Choice = "", &deliver.Choice{Index: 0, Label: "Yes"}
			}
			if r.IntN(4) == 0 && len(sent) > 0 {
				q = sent[r.IntN(len(sent))] // a replay, under its own id or another
				if r.IntN(2) == 0 {
					q.ID = fmt.Sprint("r", step)
				}
			}
			sent = append(sent, q)
			q.Seq = e.out.last()
			q.Saw = time.Since(e.began)
			before := typist.approvals
			if err := e.request(t.Context(), w.edge, e.boot, q); err != nil {
				t.Fatal(err)
			}
			e.work.Wait()
			for len(w.hub.in) > 0 {
				<-w.hub.in
			}
			if typist.approvals == before {
				continue
			}
			landed++
			behind, ok := given[q.Type.Nudge]
			if !ok || behind.asking != asking || time.Since(behind.at) > consentKept || (behind.choice == 1) != (q.Type.Choice != nil) {
				t.Errorf("step %d: %+v came through at asking %d (%s) with the word %+v behind it", step, q.Type, asking, prompt, behind)
			}
			delete(given, q.Type.Nudge)
			if g.panes["%1"].prompt == "" {
				asking++
			}
			g.look()
		}
	}
	return landed
}

// TestNobodyIsAskedThereAboutWhatTheyCantBeShown: instructions, keys by hand, words to an idle agent and what no nudge is behind are refused where
// NOD_EDGE is ask-here, and a denial is typed.
func TestNobodyIsAskedThereAboutWhatTheyCantBeShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGround(t)
		claims := g.open(t)
		defer claims.Close()
		e := g.asking(claims, func() string { return AskHere })
		s := g.pane("%1").sighting()
		ask := func(name string, r deliver.Request) deliver.Reason {
			w := newWire(nil)
			r.Pane = s.Pane
			seq := e.out.last()
			if err := e.request(t.Context(), w.edge, e.boot, request{ID: name, Seq: seq, Saw: time.Since(e.began), Budget: typeBudget, Type: r}); err != nil {
				t.Fatal(err)
			}
			e.work.Wait()
			for {
				f, err := decode(<-w.hub.in)
				if err != nil {
					t.Fatal(err)
				}
				if f.Result != nil {
					return f.Result.Result.Reason
				}
			}
		}
		f, rows := s.Prompt.Fingerprint, s.Prompt.Rows
		for name, r := range map[string]deliver.Request{
			"instruction":    {Nudge: "k1", Fingerprint: f, Rows: rows, Decision: screen.Approve, Instruction: "go on"},
			"keys":           {Nudge: "k1", Fingerprint: f, Decision: screen.Approve, Keys: []string{"y"}},
			"no nudge":       {Fingerprint: f, Rows: rows, Decision: screen.Approve},
			"no prompt":      {Nudge: "k1", Decision: screen.Approve},
			"another prompt": {Nudge: "k1", Fingerprint: "f-other", Rows: rows, Decision: screen.Approve},
			"a reason alone": {Nudge: "k1", Fingerprint: f, Rows: rows, Because: deliver.Say("no")},
			"nothing":        {Nudge: "k1", Fingerprint: f, Rows: rows},
		} {
			if got := ask(name, r); got != deliver.NotOwner {
				t.Errorf("%s: %q", name, got)
			}
			if _, _, ok := e.Consent("k1", true); ok {
				t.Errorf("%s: somebody may allow it", name)
			}
		}
		for i := range mostConsents + 5 {
			if got := ask(fmt.Sprint("many", i), deliver.Request{Nudge: fmt.Sprint("m", i), Fingerprint: f, Rows: rows, Decision: screen.Approve}); got != deliver.NeedsConfirmation {
				t.Fatalf("%q", got)
			}
		}
		if len(e.consents.all) > mostConsents {
			t.Errorf("%d requests wait for a word", len(e.consents.all))
		}
		if got := ask("deny", deliver.Request{Nudge: "k1", Fingerprint: f, Rows: rows, Decision: screen.Deny}); got != "" || len(g.typedInto("%1", "make a")) != 1 {
			t.Errorf("a denial was refused: %q", got)
		}
	})
}

// TestWhatAHumanThereIsShownHidesNothing: characters that show nothing are written out, and what can't be seen is said.
func TestWhatAHumanThereIsShownHidesNothing(t *testing.T) {
	prompt := screen.Prompt{OnScreen: screen.OnScreen{Rows: []string{"Run ma\u200bke?", "1. Yes", "2. No"}}}
	for _, partial := range []bool{false, true} {
		prompt.Partial = partial
		shown := describe(deliver.Request{Decision: screen.Approve}, &told{own: detect.Sighting{Prompt: &prompt}})
		if !strings.Contains(shown, "ma<U+200B>ke") {
			t.Errorf("a character is hidden in %q", shown)
		}
		if strings.Contains(shown, "Only a part") != partial {
			t.Errorf("with a part of it unseen: %v, it shows %q", partial, shown)
		}
	}
}
