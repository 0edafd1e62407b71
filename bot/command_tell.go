package bot

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"nod/bot/message"
	"nod/detect"
	"nod/internal/reason"
	"nod/internal/words"
	"nod/nudge"
)

// tellCommand answers /tell NAME TEXT: it gives the unchanged text to an agent, whose name may have blanks. The outcome follows as a
// notice. If parts are missing it asks for them: first for the agent, by buttons, then for the words.
func (b *Bot) tellCommand(_ context.Context, id int, m *incoming, rest string) error {
	panes := b.cfg.Panes()
	names := namesBefore(rest, panes)
	if len(names) > 1 { // "my proj run" is for my or for my proj
		b.askPane(m, "More than one name fits.", panesCalled(panes, names), toTell)
		return nil
	}
	name := names[0]
	text := strings.TrimSpace(rest[len(name):])
	s, ok, err := b.chosenPane(m, name, toTell)
	switch {
	case err != nil || !ok:
		return err
	case text == "":
		b.askWords(m.Chat.ID, m.ID, s)
		return nil
	}
	a := answerOf(id, m, nudge.ByFresh)
	a.Text = text
	_, err = b.tell(s.Pane, a)
	return err
}

// namesBefore returns the names of panes with which a text begins, shortest first. If it begins with none, that is its first word.
func namesBefore(text string, panes []detect.Sighting) (names []string) {
	line, _, _ := strings.Cut(text, "\n")
	first := len(line)
	for i, r := range line + " " {
		if r != ' ' {
			continue
		}
		first = min(first, i)
		if name := line[:i]; name != "" && name[len(name)-1] != ' ' && len(panesNamed(panes, name)) > 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return []string{line[:first]}
	}
	return names
}

// panesCalled returns the panes that any of the names means.
func panesCalled(panes []detect.Sighting, names []string) (fits []detect.Sighting) {
	for _, name := range names {
		for _, s := range panesNamed(panes, name) {
			if _, listed := sightingOf(s.Pane, fits); !listed {
				fits = append(fits, s)
			}
		}
	}
	return fits
}

// askWords asks for an agent's next instruction. A button of the message identifies the agent for the reply.
func (b *Bot) askWords(chat int64, replyTo int, s detect.Sighting) {
	out := message.Outgoing{WantsReply: true, Keys: message.Keys{{b.seal.Button("🔎 Screen", message.VerbRenew, paneID(s.Pane), chat), b.seal.Button("✖ Never mind", message.VerbWords, agentID(s), chat)}}}
	out.Page.Text("✍ What is ").Bold(b.style().Title(s.Agent, s.Name, s.Project)).Text(" to do next? Nothing was typed yet: reply to this message with its instruction.")
	b.say(chat, replyTo, out)
}

// tapTell asks for words for the agent of a button, or withdraws that question.
func (b *Bot) tapTell(chat int64, number int, p message.Tap) string {
	if p.Verb == message.VerbWords {
		b.stripLater(chat, number)
		return "Nothing was typed."
	}
	s, found := b.agentNamed(p.ID)
	if !found {
		return "That agent is gone."
	}
	b.askWords(chat, number, s)
	return ""
}

// wordsFor returns the agent for which a message of nod asks for words, by the data of its button; empty: it
// asks for none.
func (b *Bot) wordsFor(chat int64, m *incoming) (agent string) {
	for _, p := range b.tapsUnder(chat, m) {
		if p.Verb == message.VerbWords {
			return p.ID
		}
	}
	return ""
}

// tellAsked gives an agent the words that askWords asked for.
func (b *Bot) tellAsked(id int, m *incoming, agent, text string) error {
	s, found := b.agentNamed(agent)
	if !found {
		b.say(m.Chat.ID, m.ID, message.Sentence("That agent is gone. Nothing was typed."))
		return nil
	}
	if _, _, decides := nudge.ParseWord(text, nudge.ByReply); decides {
		style := b.style()
		why := reason.Why{Kind: reason.NoInstruction, Agent: s.Agent, Pane: s.Pane.ID, Where: s.Where, What: text}
		b.say(m.Chat.ID, m.ID, message.Sentence("Nothing was typed. "+message.OneLine(style.Redact(words.Why(why)))))
		return nil
	}
	a := answerOf(id, m, nudge.ByReply)
	a.Text = text
	v, err := b.tell(s.Pane, a)
	if err == nil && v.Kind == nudge.Taken {
		b.stripLater(m.Chat.ID, m.ReplyTo.ID)
	}
	return err
}

// agentNamed finds the agent that a button identifies: the same process, in the same pane.
func (b *Bot) agentNamed(id string) (detect.Sighting, bool) {
	return firstPane(b.cfg.Panes(), func(s detect.Sighting) bool { return agentID(s) == id })
}

// agentID identifies an agent in a button's data. A later agent in the same pane has another id.
func agentID(s detect.Sighting) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%v\x00%s", paneID(s.Pane), s.Process, s.Agent))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
