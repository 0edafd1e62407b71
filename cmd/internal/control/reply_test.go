package control

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"nod/cmd/internal/desk"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/nudge"
	"nod/store"
)

// asks puts a prompt into the other pane, and returns its row of the list.
func (w *world) asks(t *testing.T, p screen.Prompt) Nudge {
	t.Helper()
	p.Deny, p.Agent = []string{"2"}, "claude"
	s := detect.Sighting{Whereabouts: detect.Whereabouts{Pane: w.other, Agent: "claude", Process: proc.ID{PID: 1 << 30, Start: 1}}, State: screen.Permission, Prompt: &p, At: time.Now(), By: "poll"}
	if err := w.cfg.Keeper.See(s); err != nil {
		t.Fatal(err)
	}
	var list []Nudge
	if err := w.client.Call(t.Context(), "nudge.list", ListParams{}, &list); err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	return list[0]
}

// TestAReplySaysWhatItNeeds: a refusal names the parameter with which the answer would count, and in the
// inbox a masked secret needs the consent that the chat asks for. A question that has changed is refused in
// any case.
func TestAReplySaysWhatItNeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(func() { w.settings = settings.Settings{TmuxSocket: w.settings.TmuxSocket, Redact: true} })
	w.agent(t, false)
	const secret = "curl -H 'Authorization: Bearer ghp_abcdefghijklmnopqrstuvwxyz0123456789' https://example.org"
	n := w.asks(t, screen.Prompt{Content: screen.Content{Subject: secret}, Ways: screen.Ways{Approve: []string{"1"}}, Fingerprint: "secret"})
	yes := ReplyParams{ID: n.ID, Answer: "y", Fingerprint: n.Fingerprint, Way: ByInbox}
	stale := yes
	stale.Fingerprint, stale.Unseen = "of something else", true
	consented := yes
	consented.Unseen = true
	for _, c := range []struct {
		params ReplyParams
		reason deliver.Reason
		needs  string
	}{
		{stale, deliver.Changed, ""},
		{consented, deliver.NeedsConfirmation, "unseen"}, // nobody was asked yet
		{stale, deliver.Changed, ""},
		{consented, deliver.NotOwner, ""}, // accepted: this test's typist has no keyboard
	} {
		fault := (*rpc.Fault)(nil)
		err := w.call(t, "nudge.reply", c.params, nil)
		if !errors.As(err, &fault) || fault.Reason != string(c.reason) || fault.Needs != c.needs {
			t.Errorf("%+v: %+v (%v), want %s, which needs %q", c.params, fault, err, c.reason, c.needs)
		}
	}

	wide := []screen.Option{{Label: "Yes, always", Scope: screen.Always}, {Label: "No", Scope: screen.No}}
	n = w.asks(t, screen.Prompt{Content: screen.Content{Subject: "make", Options: wide}, Fingerprint: "wide"})
	fault := (*rpc.Fault)(nil)
	if err := w.call(t, "nudge.reply", ReplyParams{ID: n.ID, Answer: "1", Fingerprint: n.Fingerprint, Way: ByPage}, nil); !errors.As(err, &fault) || fault.Needs != "sure" {
		t.Errorf("what lasts longer than this once: %v", err)
	}
	if err := w.call(t, "nudge.reply", ReplyParams{ID: n.ID, Answer: "maybe"}, nil); !errors.As(err, &fault) || fault.Code != -32602 {
		t.Errorf("no answer: %v", err)
	}
	if err := w.call(t, "nudge.reply", map[string]any{"id": n.ID, "answer": "y", "way": "reply"}, nil); !errors.As(err, &fault) || fault.Code != -32602 {
		t.Errorf("a way of the chat: %v", err)
	}
}

// TestPuttingOff: a snooze or skip counts only for the question as it was shown.
func TestPuttingOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, false)
	n := w.asks(t, screen.Prompt{Content: screen.Content{Subject: "make"}, Ways: screen.Ways{Approve: []string{"1"}}, Fingerprint: "make"})
	for _, method := range []string{"nudge.snooze", "nudge.skip"} {
		fault := (*rpc.Fault)(nil)
		if err := w.call(t, method, DeferParams{ID: n.ID, ForMS: 60_000, Fingerprint: "another"}, nil); !errors.As(err, &fault) || fault.Reason != string(deliver.Changed) {
			t.Errorf("%s of another prompt: %v", method, err)
		}
		var state State
		if err := w.call(t, method, DeferParams{ID: n.ID, ForMS: 60_000, Fingerprint: n.Fingerprint}, &state); err != nil || state.State != "pending" {
			t.Errorf("%s: %+v, %v", method, state, err)
		}
	}
	left, _, err := w.cfg.Keeper.Find(n.ID)
	if err != nil || !left.Snoozes(time.Now()) || left.Snoozes(time.Now().Add(2*time.Minute)) || left.Skipped.IsZero() {
		t.Errorf("snoozed %s, skipped %s, %v", left.Snoozed, left.Skipped, err)
	}
}

// TestAskAgain: a question shown as expired is asked again, once; one that still waits is not.
func TestAskAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, false)
	n := w.asks(t, screen.Prompt{Content: screen.Content{Subject: "make"}, Ways: screen.Ways{Approve: []string{"1"}}, Fingerprint: "make"})
	again := func(fingerprint string) (reason string) {
		fault := (*rpc.Fault)(nil)
		if err := w.call(t, "nudge.again", DeferParams{ID: n.ID, Fingerprint: fingerprint}, nil); errors.As(err, &fault) {
			return fault.Reason
		} else if err != nil {
			t.Fatal(err)
		}
		return ""
	}
	if got := again(n.Fingerprint); got != string(deliver.NotFound) {
		t.Errorf("one that waits: %q", got)
	}
	if err := w.cfg.Store.Update(func(tx *store.Tx) error {
		n := tx.Nudge(n.ID)
		n.State, n.Standing = nudge.Expired, true
		tx.Put(n)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := again("of something else"); got != string(deliver.Changed) {
		t.Errorf("another one than was drawn: %q", got)
	}
	if got := again(n.Fingerprint); got != "" {
		t.Errorf("what was drawn: %q", got)
	}
	waiting, err := w.cfg.Keeper.Queue()
	if err != nil || len(waiting) != 1 || waiting[0].ID == n.ID || waiting[0].Prompt().Subject != "make" {
		t.Errorf("%+v, %v", waiting, err)
	}
	if got := again(n.Fingerprint); got != string(deliver.NotFound) {
		t.Errorf("a second time: %q", got)
	}
}

// TestTheInboxIsTold over the socket: a snapshot first, and then each change with the next number.
func TestTheInboxIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seq, seen := uint64(0), errors.New("seen")
	err := w.client.Stream(t.Context(), "inbox.watch", nil, func(line json.RawMessage) error {
		var c desk.Change
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		if c.Snapshot != (seq == 0) || !c.Snapshot && c.Seq != seq+1 {
			t.Errorf("after %d comes %+v", seq, c)
		}
		if seq = c.Seq; c.Snapshot {
			_, err := w.cfg.Keeper.Ask(nudge.ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: time.Minute, Program: "deploy.sh"})
			return err
		}
		for _, card := range c.Cards {
			if err := w.client.Call(t.Context(), "inbox.view", ViewParams{card.ID}, nil); err != nil {
				return err
			}
			if card.Asks != nil && card.Asks.Subject == "Deploy?" && card.Section == desk.Needs && len(card.Asks.Options) == 2 {
				return seen
			}
		}
		return nil
	})
	if !errors.Is(err, seen) {
		t.Error(err)
	}
	if w.set(func() {}); len(w.viewed) == 0 {
		t.Error("nobody looks at the card")
	}
}
