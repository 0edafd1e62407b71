package control

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/words"
	"nod/nudge"
	"nod/store"
)

// faultOf returns the refusal or the complaint in an error; the zero Fault if there is none.
func faultOf(t *testing.T, err error) (f rpc.Fault) {
	t.Helper()
	if fault := (*rpc.Fault)(nil); errors.As(err, &fault) {
		return *fault
	} else if err != nil {
		t.Error(err)
	}
	return f
}

const wrongParams = -32602

// TestNoAgentLetsAMachineJoin, whatever agents may answer otherwise.
func TestNoAgentLetsAMachineJoin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, true)
	w.set(func() { w.settings.AgentsMayAnswer = settings.AgentsOthers })
	for _, join := range []bool{true, false} {
		n, err := w.cfg.Keeper.Ask(nudge.ProgramQuestion{Text: "Let it in?", Options: []string{"yes", "no"}, Timeout: time.Minute, Program: "nod", Join: join})
		if err != nil {
			t.Fatal(err)
		}
		err = w.call(t, "nudge.reply", ReplyParams{ID: n.ID, Answer: "yes"}, nil)
		if refused := faultOf(t, err).Reason == string(deliver.CallerIsAgent); refused != join {
			t.Errorf("to join %t: %v", join, err)
		}
	}
}

// TestWhatIsNoCallChangesNothing: an answer, keys, words or a time that are none.
func TestWhatIsNoCallChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, false)
	n := w.asks(t, screen.Prompt{Content: screen.Content{Subject: "make"}, Ways: screen.Ways{Approve: []string{"1"}}, Fingerprint: "make"})
	for name, c := range map[string]struct {
		method string
		params any
	}{
		"no answer":         {"nudge.reply", ReplyParams{ID: n.ID}},
		"no keys":           {"pane.send", SendParams{Pane: w.own.ID}},
		"a wrong key":       {"pane.send", SendParams{w.own.ID, []string{"Enter", "Entre"}}},
		"no text":           {"pane.tell", TellParams{Pane: w.own.ID}},
		"a time ago":        {"nudge.snooze", DeferParams{ID: n.ID, ForMS: -1, Fingerprint: n.Fingerprint}},
		"no agent":          {"pane.watch", WatchParams{w.own.ID, ""}},
		"two words":         {"pane.watch", WatchParams{w.own.ID, "my agent"}},
		"the word for none": {"pane.watch", WatchParams{w.own.ID, tmux.Unwatched}},
		"a relative path":   {"server.try", TryParams{"run/s"}},
	} {
		if f := faultOf(t, w.call(t, c.method, c.params, nil)); f.Code != wrongParams {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if left, _, err := w.cfg.Keeper.Find(n.ID); err != nil || left.State != nudge.Pending || !left.Snoozed.IsZero() {
		t.Errorf("it is %s, snoozed %s, %v", left.State, left.Snoozed, err)
	}
}

// TestWhatWasNotTypedIsNotCalledTyped, neither to the caller nor in the audit trail: this test's typist has no keyboard.
func TestWhatWasNotTypedIsNotCalledTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, false)
	var sent Sent
	if f := faultOf(t, w.call(t, "pane.send", SendParams{w.own.ID, []string{"Enter"}}, &sent)); f.Reason != string(deliver.NotOwner) || f.Message == "" || len(sent.Typed) > 0 {
		t.Errorf("keys by hand: %+v, %+v", f, sent)
	}
	if f := faultOf(t, w.call(t, "pane.tell", TellParams{w.own.ID, "run the tests"}, nil)); f.Reason != string(deliver.NotFound) {
		t.Errorf("words for a pane that nobody has seen: %+v", f)
	}
	var kinds []string
	for _, e := range w.log(t) {
		if kinds = append(kinds, e.Kind); e.Kind == nudge.AnswerRefused && (e.Reason != string(deliver.NotOwner) || e.By == "") {
			t.Errorf("noted: %+v", e)
		}
	}
	if got := strings.Join(kinds, " "); !strings.Contains(got, nudge.AnswerRefused) || strings.Contains(got, nudge.KeyTyped) {
		t.Errorf("noted are %s", got)
	}
}

// TestTheListSaysWhatAnAnswerIsAbout: what was drawn, by whom it was answered, and how many messages about it are open.
func TestTheListSaysWhatAnAnswerIsAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.asks(t, screen.Prompt{Content: screen.Content{Subject: "make"}, Ways: screen.Ways{Approve: []string{"1"}}, Fingerprint: "make"})
	kept, _, err := w.cfg.Keeper.Find(n.ID)
	if err != nil || n.Fingerprint != kept.Drawn() || n.Due != nil || n.By != "" || n.Open != 0 || n.Held {
		t.Errorf("it waits: %+v, %v", n, err)
	}
	due := time.Now().Add(time.Minute).Truncate(time.Second)
	if err := w.cfg.Store.Update(func(tx *store.Tx) error {
		k := tx.Nudge(n.ID)
		k.Copies = []nudge.Copy{{Ref: nudge.Ref{Place: "42", Message: 1}}, {Ref: nudge.Ref{Place: "42", Message: 2}, Closed: true}, {Ref: nudge.Ref{Place: "43", Message: 3}}}
		k.State, k.Claim, k.Ended, k.Due = nudge.Unknown, &nudge.Claim{By: nudge.Person{Name: "Ann"}}, time.Now(), due
		tx.Put(k)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var list []Nudge
	if err := w.client.Call(t.Context(), "nudge.list", ListParams{All: true}, &list); err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if got := list[0]; got.By != "Ann" || got.Open != 2 || got.Due == nil || !got.Due.Equal(due) || got.State != string(nudge.Unknown) {
		t.Errorf("it is over: %+v", got)
	}
}

// TestTheInboxCountsForWhatItShows: the question as it was drawn, and nothing that it masks.
func TestTheInboxCountsForWhatItShows(t *testing.T) {
	t.Parallel()
	const secret = "curl -H 'Authorization: Bearer ghp_abcdefghijklmnopqrstuvwxyz0123456789' https://example.org"
	for _, c := range []struct {
		redact, drawn bool
		subject       string
		needs         string
	}{{true, true, "make", ""}, {true, false, "make", needsUnseen}, {true, true, secret, needsUnseen}, {false, true, secret, ""}, {false, false, "make", needsUnseen}} {
		w := newWorld(t)
		w.set(func() { w.settings.Redact = settings.OnOff(c.redact) })
		w.agent(t, false)
		n := w.asks(t, screen.Prompt{Content: screen.Content{Subject: c.subject}, Ways: screen.Ways{Approve: []string{"1"}}, Fingerprint: "f"})
		p := ReplyParams{ID: n.ID, Answer: "y", Way: ByInbox}
		if c.drawn {
			p.Fingerprint = n.Fingerprint
		}
		if f := faultOf(t, w.call(t, "nudge.reply", p, nil)); f.Needs != c.needs || c.needs == "" && f.Reason != string(deliver.NotOwner) { // this test's typist has no keyboard
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

// TestWordsAloneAreAnAnswer where a question takes words.
func TestWordsAloneAreAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, false)
	n, err := w.cfg.Keeper.Ask(nudge.ProgramQuestion{Text: "Which branch?", Options: []string{"main", "next"}, Timeout: time.Minute, Program: "deploy.sh"})
	if err != nil {
		t.Fatal(err)
	}
	if f := faultOf(t, w.call(t, "nudge.reply", ReplyParams{ID: n.ID, Words: "the one of yesterday"}, nil)); strings.Contains(f.Message, "there is no answer") {
		t.Errorf("%+v", f)
	}
}

// TestUntilTheMorningIsATime: 0, and no more than a month.
func TestUntilTheMorningIsATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, false)
	n := w.asks(t, screen.Prompt{Content: screen.Content{Subject: "make"}, Ways: screen.Ways{Approve: []string{"1"}}, Fingerprint: "make"})
	for _, c := range []struct {
		ms          int64
		least, most time.Duration
	}{{0, time.Hour, 48 * time.Hour}, {1 << 62, longestSnooze - time.Hour, longestSnooze}} {
		if err := w.call(t, "nudge.snooze", DeferParams{ID: n.ID, ForMS: c.ms, Fingerprint: n.Fingerprint}, nil); err != nil {
			t.Errorf("for %d: %v", c.ms, err)
		}
		if left, _, err := w.cfg.Keeper.Find(n.ID); err != nil || time.Until(left.Snoozed) < c.least || time.Until(left.Snoozed) > c.most {
			t.Errorf("for %d it is put off until %s, %v", c.ms, left.Snoozed, err)
		}
	}
}

// dataOf is what a refusal has for programs.
func dataOf(err error) string {
	if refusal := (*jrpc2.Error)(nil); errors.As(err, &refusal) {
		return string(refusal.Data)
	}
	return ""
}

// TestAnOutcomeIsToldAsItWas: what was typed, what may have been, and that nothing was, with a sentence in any case.
func TestAnOutcomeIsToldAsItWas(t *testing.T) {
	list := &screen.Prompt{Content: screen.Content{Verb: "run", Subject: "make\nwhy", Lead: 1, Options: []screen.Option{{Label: "fast", Tick: screen.On}, {Label: "safe", Tick: screen.Off}}}}
	ticked := &nudge.Claim{Said: nudge.Said{Choice: &deliver.Choice{Index: 0}}}
	for name, c := range map[string]struct {
		n               nudge.Nudge
		outcome, way    string
		ticked          int
		reason, refusal string
	}{
		"typed":          {nudge.Nudge{Answering: nudge.Answering{State: nudge.Delivered, Claim: ticked}}, "delivered", "keys", 0, "", ""},
		"by a hook":      {nudge.Nudge{Answering: nudge.Answering{State: nudge.Delivered, Claim: ticked, Door: true}}, "delivered", "door", 0, "", ""},
		"maybe typed":    {nudge.Nudge{Answering: nudge.Answering{State: nudge.Unknown, Claim: ticked}}, "unknown", "keys", 0, "", ""},
		"ticked":         {nudge.Nudge{Answering: nudge.Answering{State: nudge.Pending, Claim: ticked}}, "pending", "keys", 1, "", ""},
		"it waits again": {nudge.Nudge{Answering: nudge.Answering{State: nudge.Pending, Claim: ticked, Reason: deliver.Changed}}, "", "", 0, `"` + string(deliver.Changed) + `"`, "nothing was typed"},
		"refused":        {nudge.Nudge{Answering: nudge.Answering{State: nudge.Refused, Claim: ticked, Reason: deliver.Shell, Detail: reason.Why{Kind: reason.PartUnseen}}}, "", "", 0, `"` + string(deliver.Shell) + `"`, words.Why(reason.Why{Kind: reason.PartUnseen})},
	} {
		c.n.ID, c.n.About = "k3f", nudge.Permission{Prompt: list}
		r, err := outcomeOf(c.n)
		if r.Outcome != c.outcome || r.Way != c.way || len(r.Ticked) != c.ticked || (err == nil) != (c.refusal == "") || err == nil && r.Asked != "run make" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if err != nil && (!strings.Contains(dataOf(err), c.reason) || !strings.Contains(err.Error(), c.refusal)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r, err := outcomeOf(nudge.Nudge{About: nudge.Program{About: nudge.Permission{Prompt: list}}, Answering: nudge.Answering{State: nudge.Delivered, Claim: ticked}}); err != nil || r.Way != "" {
		t.Errorf("a program's: %+v, %v", r, err)
	}
}
