package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/bot/attach"
	"nod/bot/message"
	"nod/detect"
	"nod/internal/words"
	"nod/nudge"
)

// Messages of supervisors with more than text: photos and files for an agent, and voice messages that become
// words.

// attachment is a file in a message.
type attachment struct {
	ID       string `json:"file_id"`
	Size     int64  `json:"file_size"`
	Name     string `json:"file_name"`
	Duration int    `json:"duration"` // of a voice message, in seconds
}

// The longest voice message, and the timeout of its instruction.
const (
	longestVoice = 5 * time.Minute
	spokenLimit  = time.Hour
)

// file returns the photo, in its largest size, or the file of a message; nil: none.
func (m *incoming) file() *attachment {
	var sizes []attachment
	if given(m.Photo) && json.Unmarshal(m.Photo, &sizes) == nil && len(sizes) > 0 {
		largest := slices.MaxFunc(sizes, func(a, b attachment) int { return int(a.Size - b.Size) })
		largest.Name = "photo.jpg"
		return &largest
	}
	return m.Document
}

// attached reads a message with an attachment. Its caption is never an answer.
func (b *Bot) attached(m *incoming) error {
	refuse := func(why string) error {
		b.say(m.Chat.ID, m.ID, message.Sentence(why+" Nothing was typed."))
		return nil
	}
	a, command := m.file(), b.settings().Transcribe
	if m.Voice != nil {
		a = m.Voice
	}
	pane, why, err := b.addressee(m)
	switch {
	case err != nil:
		return err
	case pane.Outside() && m.ReplyTo == nil && b.shared(m.Chat): // people talk to one another there
		return nil
	case why != "":
		return refuse(why)
	case m.Voice == nil && !pane.Here():
		return refuse("That agent is on " + message.OneLine(pane.Machine) + ", and a file from this chat would be on the bot's machine.")
	case a.Size > attach.MaxSize:
		return refuse("That is larger than 20 MB, which a bot can't fetch.")
	case m.Voice != nil && len(command) == 0:
		return refuse("Nothing here turns a voice message into words: NOD_TRANSCRIBE names a program that does.")
	case m.Voice != nil && time.Duration(m.Voice.Duration)*time.Second > longestVoice:
		return refuse("A voice message may last five minutes.")
	}
	do := func(ctx context.Context) error { return b.passOn(ctx, m, a) }
	if m.Voice != nil {
		do = func(ctx context.Context) error { return b.writeDown(ctx, m, a, command) }
	}
	taken := b.inBackground(func(ctx context.Context) {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			b.cfg.Log.Warn("an attachment did not reach the agent", "error", err)
			_ = refuse(fmt.Sprintf("That did not work: %s. Send it again, or write it.", message.OneLine(b.style().Redact(err.Error()))))
		}
	})
	if !taken {
		return refuse("Too much is being fetched at the moment: send it again in a minute.")
	}
	return nil
}

// addressee returns the pane of the agent that an attachment is for, or a sentence why there is none. The
// message must reply to an agent that asks nothing, or be in an agent's topic.
func (b *Bot) addressee(m *incoming) (pane detect.PaneRef, why string, err error) {
	if m.ReplyTo != nil {
		if agent := b.wordsFor(m.Chat.ID, m.ReplyTo); agent != "" {
			s, found := b.agentNamed(agent)
			if !found {
				why = "That agent is gone."
			}
			return s.Pane, why, nil
		}
		n, found, err := b.about(m)
		switch {
		case err != nil:
			return pane, "", err
		case !found:
			return pane, "Reply with it to a message that says an agent is done.", nil
		case n.Asks() || n.Program() != nil:
			return pane, "That is a question, and only y, n, a tap or written words answer one.", nil
		case slices.ContainsFunc(b.cfg.Panes(), func(s detect.Sighting) bool { return s.Pane == n.Pane && s.Process != n.Process }):
			return pane, "The agent of that message has left its pane, and another one runs there now.", nil
		}
		return n.Pane, "", nil
	}
	topic, found, err := b.topicAt(m.Chat.ID, m.topic())
	switch {
	case err != nil:
		return pane, "", fmt.Errorf("find a topic: %w", err)
	case !found || !b.settings().Topics:
		return pane, "Reply with it to a message that says an agent is done, so that nod knows which one is meant.", nil
	}
	return topic.Pane, b.replacedIn(topic), nil
}

// passOn stores a file and gives its path to the agent, as the supervisor's own instruction.
func (b *Bot) passOn(ctx context.Context, m *incoming, a *attachment) error {
	data, err := b.api.file(ctx, a.ID, attach.MaxSize)
	if err != nil {
		return err
	}
	path, err := attach.Keep(b.cfg.Files, a.Name, data)
	if err != nil {
		return err
	}
	text := "Look at the file " + path
	if caption := strings.TrimSpace(m.Caption); caption != "" {
		text += ": " + caption
	}
	return b.read(0, m, text) // the update is confirmed already; the message id keeps it from acting twice
}

// writeDown turns a voice message into words, which wait for a tap on Send.
func (b *Bot) writeDown(ctx context.Context, m *incoming, a *attachment, command []string) error {
	if !b.listening.TryLock() {
		return errors.New("another voice message is being written down")
	}
	defer b.listening.Unlock()
	data, err := b.api.file(ctx, a.ID, attach.MaxSize)
	if err != nil {
		return err
	}
	spoken, err := attach.WriteDown(ctx, command, b.cfg.Files, data)
	if err != nil {
		return err
	}
	pane, why, err := b.addressee(m) // the agent may have changed meanwhile
	if err != nil || why != "" {
		return cmp.Or(err, errors.New(strings.TrimSuffix(why, ".")))
	}
	placed, err := b.cfg.Keeper.Wish(pane, spoken, nudge.Wisher{Name: personOf(m.From).Name, Spoken: true}, spokenLimit)
	if err == nil && placed.Reason != "" {
		err = errors.New(words.Why(placed.Refusal))
	}
	return err
}

// file fetches a file from Telegram, of at most limit bytes.
func (c *client) file(ctx context.Context, id string, limit int64) ([]byte, error) {
	var f struct {
		Path string `json:"file_path"`
	}
	if err := c.call(ctx, sendLimit, "getFile", tgbotapi.Params{"file_id": id}, &f); err != nil {
		return nil, err
	}
	return c.fetch(ctx, f.Path, limit)
}
