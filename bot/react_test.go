package bot_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/botapi"
)

// reactions are the emoji that the bot set, in their order.
func (w *world) reactions() (all []string) {
	for _, c := range w.tg.Calls("setMessageReaction") {
		_, emoji, _ := strings.Cut(c.Params["reaction"], `"emoji":"`)
		emoji, _, _ = strings.Cut(emoji, `"`)
		all = append(all, emoji)
	}
	return all
}

// An answer in a reply makes one edit and one reaction, and no message.
func TestAReplyHasItsOutcomeByAReaction(t *testing.T) {
	for word, want := range map[string]string{"y": "👍", "n": "👎"} {
		inWorld(t, func(w *world) {
			m := w.ask(1, prompt("make test"))
			edits := len(w.tg.Calls("editMessageText"))
			reply := w.ann.ReplyTo(m.ID, word)
			now := w.message(reply.ID)
			if now.Reaction != want {
				t.Errorf("%s has the reaction %q", word, now.Reaction)
			}
			if last := w.last(); last.ID != m.ID || last.Markup != nil {
				t.Errorf("the bot also said %q", last.Text)
			}
			if n := len(w.tg.Calls("editMessageText")) - edits; n != 1 {
				t.Errorf("%d edits", n)
			}
		})
	}
}

func TestAReceiptComesBeforeTheOutcome(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.done(1, "All tests pass.")
		w.typed.takes = 3 * time.Second
		reply := w.ann.ReplyTo(m.ID, "commit it")
		time.Sleep(time.Second)
		if got := w.reactions(); len(got) != 1 || got[0] != "👀" {
			t.Errorf("after a second the reactions are %q", got)
		}
		if now := w.message(reply.ID); now.Reaction != "👍" {
			t.Errorf("in the end the reaction is %q", now.Reaction)
		}
	})
}

// A fresh answer is under nothing: what it was applied to is said.
func TestAFreshAnswerIsToldWhatItWasAppliedTo(t *testing.T) {
	inWorld(t, func(w *world) {
		w.ask(1, prompt("make test"))
		said := w.ann.Say("y")
		now := w.message(said.ID)
		if now.Reaction != "👍" {
			t.Errorf("the reaction is %q", now.Reaction)
		}
		last := w.last()
		wantText(t, last, "make test", "Approved by Ann")
		if last.ReplyID != said.ID {
			t.Errorf("nothing is said in reply to it:\n%s", w.chat())
		}
	})
}

// Where a chat takes no reactions, or the server knows none, the outcome is a message.
func TestRefusedReactionsBecomeAMessage(t *testing.T) {
	for _, f := range []botapi.Fault{
		{Code: 400, Description: "Bad Request: REACTION_INVALID"},
		{Code: 404, Description: "Not Found: method not found"},
		{Code: 400, Description: "Bad Request: message to react not found"},
	} {
		inWorld(t, func(w *world) {
			f.Method, f.Times = "setMessageReaction", -1
			w.tg.Fail(f)
			m := w.ask(1, prompt("make test"))
			reply := w.ann.ReplyTo(m.ID, "y")
			last := w.last()
			wantText(t, last, "Approved by Ann")
			if last.ReplyID != reply.ID {
				t.Errorf("%s: the outcome stands under %d", f.Description, last.ReplyID)
			}
			if h := w.bot.Health(); len(h) > 0 {
				t.Errorf("%s: health says %q", f.Description, h)
			}
			w.wantTyped(screen.Approve)
			if f.Code != 404 { // a chat may take them again, a server that knows none is asked once
				return
			}
			w.tg.Heal()
			w.ann.ReplyTo(w.ask(2, prompt("make two")).ID, "n")
			wantText(t, w.last(), "Denied by Ann")
			if n := len(w.tg.Calls("setMessageReaction")); n != 0 {
				t.Errorf("it was asked for reactions %d times more", n)
			}
		})
	}
}

// A reaction whose answer was lost, or that came too soon, is set again; nothing is said twice.
func TestAReactionIsTriedAgain(t *testing.T) {
	for _, f := range []botapi.Fault{
		{DropBefore: true, Times: 2}, {DropAfter: true, Times: 2}, {HTML: 502, Times: 2}, {Code: 429, RetryAfter: 4}, {Code: 500, Times: 2},
	} {
		inWorld(t, func(w *world) {
			m := w.ask(1, prompt("make test"))
			f.Method = "setMessageReaction"
			w.tg.Fail(f)
			reply := w.ann.ReplyTo(m.ID, "n")
			time.Sleep(20 * time.Second)
			if now := w.message(reply.ID); now.Reaction != "👎" {
				t.Errorf("%+v: the reaction is %q", f, now.Reaction)
			}
			if last := w.last(); last.ID != m.ID {
				t.Errorf("%+v: the bot also said %q", f, last.Text)
			}
		})
	}
}

// What was not done as decided is said in words, and no reaction tells otherwise.
func TestARefusedAnswerIsToldInWords(t *testing.T) {
	for _, outcome := range []deliver.Result{
		{Outcome: deliver.Refused, Reason: deliver.Changed}, {Outcome: deliver.Refused, Reason: deliver.CopyMode},
		{Outcome: deliver.Unknown, Reason: deliver.Unsure},
	} {
		inWorld(t, func(w *world) {
			w.typed.then(outcome)
			m := w.ask(1, prompt("make test"))
			reply := w.ann.ReplyTo(m.ID, "y")
			if now := w.message(reply.ID); now.Reaction != "" {
				t.Errorf("%s: the reaction is %q", outcome.Outcome, now.Reaction)
			}
			if last := w.last(); last.ReplyID != reply.ID {
				t.Errorf("%s: nothing was said in reply:\n%s", outcome.Outcome, w.chat())
			}
		})
	}
}

// A person's own reaction is no answer: the bot asks for no such updates, and takes none.
func TestAReactionByAPersonAnswersNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		for _, c := range w.tg.Calls("getUpdates") {
			if strings.Contains(c.Params["allowed_updates"], "reaction") {
				t.Error("the bot asks for reactions")
			}
		}
		w.hostile(`{"update_id":%d,"message_reaction":{"chat":{"id":4242,"type":"private"},"message_id":` + strconv.Itoa(m.ID) +
			`,"user":{"id":4242},"date":1,"old_reaction":[],"new_reaction":[{"type":"emoji","emoji":"👍"}]}}`)
		w.wantTyped()
	})
}
