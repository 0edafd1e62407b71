package control

import (
	"errors"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/rpc"
	"nod/internal/settings"
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
