package bot

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"nod/deliver"
	"nod/detect"
	"nod/nudge"
)

// replied reads a reply. The replied-to message tells which nudge is meant: by nod's record, else by
// what nod itself wrote into it. What counts as an answer depends on what that one tells of.
func (b *Bot) replied(id int, m *message, text string) error {
	about, err := b.about(m.Chat.ID, m.ReplyTo)
	if err != nil {
		return err
	}
	if len(about) == 1 {
		n, ok, err := b.cfg.Keeper.Find(about[0])
		if err != nil {
			return fmt.Errorf("find nudge %s: %w", about[0], err)
		}
		if ok && !n.Kind.Asks() {
			return b.repliedCalm(id, m, text, n)
		}
		if _, _, word := nudge.ParseWord(text, nudge.ByReply); ok && !word && n.Kind == detect.Question {
			return b.repliedQuestion(id, m, text, n)
		}
	}
	return b.repliedWord(id, m, text, about)
}

// repliedWord reads a reply as a yes or no.
func (b *Bot) repliedWord(id int, m *message, text string, about []string) error {
	decision, named, ok := nudge.ParseWord(text, nudge.ByReply)
	if !ok {
		b.say(m.Chat.ID, m.ID, sentence(howToAnswer))
		return nil
	}
	a := replyOf(id, m)
	a.Decision = decision
	switch {
	case named != "" && len(about) == 1 && about[0] != named:
		b.sayOther(m, about[0], named)
		return nil
	case named != "":
		a.Nudge = named
	case len(about) == 1:
		a.Nudge = about[0]
	case len(about) > 1:
		return b.askAmong(a, about)
	case b.wrote(m.ReplyTo):
		a.ReplyTo = m.ReplyTo.ID // one for several nudges, such as a digest; the keeper knows those
	default:
		b.say(m.Chat.ID, m.ID, sentence("The message that you reply to is no nudge. Nothing was typed. Reply to the nudge itself, or name it, as in y k3f."))
		return nil
	}
	_, err := b.answer(a)
	return err
}

// replyOf is an answer in reply to a message. One that has the form of a nudge's own but is on no record
// becomes known by it.
func replyOf(id int, m *message) nudge.Answer {
	a := answerOf(id, m, nudge.ByReply)
	if isReminder(m.ReplyTo) {
		a.ReplyTo = m.ReplyTo.ID
	}
	return a
}

func (b *Bot) sayOther(m *message, about, named string) {
	b.say(m.Chat.ID, m.ID, sentence(fmt.Sprintf(
		"You reply to #%s but name #%s. Nothing was typed. Reply to the one you mean.", about, named)))
}

// askAmong asks which one a bare word in reply to a message for several nudges means.
func (b *Bot) askAmong(a nudge.Answer, ids []string) error {
	v := nudge.Verdict{Kind: nudge.WhichOne}
	for _, id := range ids {
		n, ok, err := b.cfg.Keeper.Find(id)
		if err != nil {
			return fmt.Errorf("find nudge %s: %w", id, err)
		}
		if ok && !n.State.Over() && n.Kind == detect.Permission {
			v.Among = append(v.Among, n)
		}
	}
	if len(v.Among) == 0 {
		v.Kind = nudge.NothingDue
	}
	b.explain(a, v)
	return nil
}

// about lists the nudges that a message of the chat is about.
func (b *Bot) about(chat int64, m *message) ([]string, error) {
	if m.elsewhere() || m.forwarded() {
		return nil, nil
	}
	n, ok, err := b.shownBy(chat, m.ID)
	if err != nil || ok {
		return []string{n.ID}, err
	}
	if !b.wrote(m) {
		return nil, nil
	}
	return b.writtenAbout(chat, m), nil
}

// wrote reports whether nod itself wrote the message, here.
func (b *Bot) wrote(m *message) bool {
	return m.From != nil && m.From.ID == b.me().ID && !m.elsewhere() && !m.forwarded()
}

// idAtEnd is how nod ends the second line of what it writes about one nudge.
var idAtEnd = regexp.MustCompile(`(?:^| · )#([0-9a-z]{3,12})$`)

// writtenAbout reads the nudges out of a message that nod has written: from the data of its buttons,
// which nobody else can make, else from the end of its second line, where no foreign text stands.
func (b *Bot) writtenAbout(chat int64, m *message) []string {
	var ids []string
	seen := map[string]bool{}
	if m.Keyboard != nil {
		for _, row := range m.Keyboard.InlineKeyboard {
			for _, button := range row {
				if button.CallbackData == nil {
					continue
				}
				if p, ok := b.seal.open(*button.CallbackData, chat); ok && !seen[p.id] {
					seen[p.id] = true
					ids = append(ids, p.id)
				}
			}
		}
	}
	if len(ids) > 0 {
		return ids
	}
	lines := strings.SplitN(m.Text, "\n", 3)
	if len(lines) < 2 {
		return nil
	}
	if found := idAtEnd.FindStringSubmatch(lines[1]); found != nil {
		return []string{found[1]}
	}
	return nil
}

// repliedCalm reads a reply to a message about an agent that asks nothing: any words are the next
// instruction of an idle one, but a yes or no, which is nearly always meant for a prompt.
func (b *Bot) repliedCalm(id int, m *message, text string, n nudge.Nudge) error {
	v := newView(n, b.look())
	_, named, word := nudge.ParseWord(text, nudge.ByReply)
	if word && named != "" && named != n.ID {
		_, known, err := b.cfg.Keeper.Find(named)
		if err != nil {
			return fmt.Errorf("find nudge %s: %w", named, err)
		}
		if known {
			b.sayOther(m, n.ID, named)
			return nil
		}
		word = false // "a test" names no nudge, so it is an instruction
	}
	switch {
	case n.Kind != detect.Idle:
		b.say(m.Chat.ID, m.ID, sentence("Nothing was typed. "+v.report()))
		return nil
	case text == "":
		b.say(m.Chat.ID, m.ID, sentence("Only text can be given to an agent. Nothing was typed."))
		return nil
	case word:
		b.say(m.Chat.ID, m.ID, sentence(fmt.Sprintf("%s asks nothing, so %s was not taken as its next instruction. Nothing was typed. "+
			"If you meant just that: /tell %s %s", v.title, strings.ToLower(text), oneLine(n.Where), text)))
		return nil
	}
	return b.answerInWords(id, m, text, n)
}

// answerInWords gives text to the agent of a nudge through the keeper.
func (b *Bot) answerInWords(id int, m *message, text string, n nudge.Nudge) error {
	a := replyOf(id, m)
	a.Nudge, a.Text = n.ID, text
	_, err := b.answer(a)
	return err
}

// repliedQuestion reads a reply to a question that is neither y nor n: a number, or words where it takes any.
func (b *Bot) repliedQuestion(id int, m *message, text string, n nudge.Nudge) error {
	v := newView(n, b.look())
	number, err := strconv.Atoi(strings.Trim(text, ".)# "))
	switch {
	case text == "":
		b.say(m.Chat.ID, m.ID, sentence(howToAnswer))
		return nil
	case err == nil && len(v.labels) > 0:
		return b.chooseNumber(id, m, v, number)
	case !n.Prompt.TextField:
		b.say(m.Chat.ID, m.ID, sentence("That question takes no words here. Nothing was typed. Reply with the number of an option, or tap it."))
		return nil
	}
	return b.answerInWords(id, m, text, n)
}

func (b *Bot) chooseNumber(id int, m *message, v view, number int) error {
	for i := range v.labels {
		if v.number(i) == strconv.Itoa(number) {
			a := replyOf(id, m)
			a.Nudge = v.ID
			a.Choice = &deliver.Choice{Index: i, Label: v.Prompt.Options[i].Label}
			_, err := b.answer(a)
			return err
		}
	}
	b.say(m.Chat.ID, m.ID, sentence(fmt.Sprintf("There is no option %d. Nothing was typed.", number)))
	return nil
}

// shownBy finds the nudge that a message shows by nod's record.
func (b *Bot) shownBy(chat int64, message int) (nudge.Nudge, bool, error) {
	all, err := b.cfg.Keeper.List(true)
	if err != nil {
		return nudge.Nudge{}, false, fmt.Errorf("find the nudge of message %d: %w", message, err)
	}
	for _, n := range all {
		if hasCopy(n, chat, message) {
			return n, true, nil
		}
	}
	return nudge.Nudge{}, false, nil
}

func hasCopy(n nudge.Nudge, chat int64, message int) bool {
	for _, c := range n.Copies {
		if c.Chat == chat && c.Message == message {
			return true
		}
	}
	return false
}
