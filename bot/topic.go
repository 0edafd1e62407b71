package bot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/bot/message"
	"nod/detect"
	"nod/nudge"
	"nod/store"
)

// A pane's topic is where its messages go, but it never selects a pane: the meaning of replies and taps comes
// from the record of the message or its buttons, in whatever topic it is.
const (
	topicName  = 128       // characters that Telegram takes
	topicPause = time.Hour // how often a chat without topics is asked for one
)

// topical reports whether the panes have topics in the chat, as far as is known.
func (s *sender) topical(now time.Time) bool {
	return s.bot.settings().Topics && !now.Before(s.topicless)
}

// topicOf returns the topic for the agent and project now in the pane, and makes it if needed; 0: the chat
// itself. Another agent in the pane has another topic, so no words for the first one reach it.
func (s *sender) topicOf(ctx context.Context, pane detect.PaneRef, title string) (int, error) {
	if !s.bot.settings().Topics {
		if _, was := s.bot.troubles.over(s.topicTrouble()); was {
			s.noteKnown(store.Topicless, false)
		}
	}
	if !s.topical(time.Now()) {
		return 0, nil
	}
	list, err := s.bot.memory().Topics()
	if err != nil {
		return 0, err
	}
	for _, t := range slices.Backward(list) {
		if t.Place == message.Place(s.id) && t.Pane == pane && t.Title == title && !t.Lost {
			return t.Number, nil
		}
	}
	if t, ok := s.bot.leftBehind(list, message.Place(s.id), pane, title); ok {
		t.Pane = pane
		return t.Number, s.bot.memory().PutTopic(t)
	}
	return s.makeTopic(ctx, pane, title)
}

// leftBehind finds a topic with that title whose pane is gone, so that a project's next session continues in
// it. It only considers the tmux server of pane, because nod may not have looked at the others yet.
func (b *Bot) leftBehind(list []store.Topic, place nudge.Place, pane detect.PaneRef, title string) (store.Topic, bool) {
	looked := b.titleIn(pane) != ""
	for _, t := range slices.Backward(list) {
		if looked && t.Place == place && t.Title == title && !t.Lost && t.Pane.Machine == pane.Machine && t.Pane.Server.Socket == pane.Server.Socket && b.titleIn(t.Pane) == "" {
			return t, true
		}
	}
	return store.Topic{}, false
}

func (s *sender) makeTopic(ctx context.Context, pane detect.PaneRef, title string) (int, error) {
	var made struct {
		Number int `json:"message_thread_id"`
	}
	p := tgbotapi.Params{"chat_id": strconv.FormatInt(s.id, 10), "name": message.Cut(message.OneLine(title), topicName)}
	err := s.call(ctx, false, "createForumTopic", p, &made)
	if err == nil && made.Number <= 1 { // 1 is the topic that every forum begins with
		err = &rejection{code: http.StatusBadRequest, text: "it gives no topic"}
	}
	if err != nil {
		if f := classify(err); f.refused() || f.kind == moot {
			s.goTopicless(err)
			return 0, nil
		}
		return 0, err
	}
	t := store.Topic{Place: message.Place(s.id), Number: made.Number, Pane: pane, Title: title}
	if err := s.bot.memory().PutTopic(t); err != nil {
		return 0, err
	}
	s.bot.troubles.over(s.topicTrouble())
	s.noteKnown(store.Topicless, false)
	return made.Number, nil
}

func (s *sender) topicTrouble() string { return fmt.Sprintf("topics %d", s.id) }

// goTopicless sends all messages to the chat itself for a while, and says so once.
func (s *sender) goTopicless(err error) {
	s.topicless = time.Now().Add(topicPause)
	why := "Topics can't be used here, so every message comes to the chat itself: " + topicAdvice(s.id, err) + " nod tries again within an hour."
	s.bot.troubles.begin(s.topicTrouble(), "refused", fmt.Sprintf("%s (chat %d: %v)", why, s.id, err))
	if s.noteKnown(store.Topicless, true) {
		s.bot.say(s.id, 0, message.Sentence(why))
	}
}

// noteKnown stores, over restarts, whether people know of a lack of the chat. It reports whether that is new.
func (s *sender) noteKnown(l store.Lack, known bool) (changed bool) {
	before, err := s.bot.memory().Known(l, s.id)
	if err != nil || known == before {
		return false
	}
	if err := s.bot.memory().SetKnown(l, s.id, known); err != nil {
		s.bot.cfg.Log.Error("can't record that a warning was sent", "lack", string(l), "chat", s.id, "error", err)
	}
	return true
}

// topicAdvice returns the next step if a chat takes no topics, as the end of a sentence.
func topicAdvice(chat int64, err error) string {
	text := strings.ToLower(err.Error())
	switch {
	case holds(text, "not enough rights", "chat_admin_required"):
		return "make the bot an administrator of this group who may manage topics."
	case holds(text, "not a forum", "method not found") && chat < 0:
		return "turn Topics on in the settings of this group."
	case holds(text, "not a forum", "method not found"):
		return "turn Threaded Mode on for the bot at @BotFather, or NOD_TOPICS off."
	}
	return "Telegram refuses them."
}

// topicGone reports whether a message was refused because its topic was deleted or closed.
func topicGone(err error) bool {
	e, ok := errors.AsType[*rejection](err)
	return ok && e.code == http.StatusBadRequest && holds(strings.ToLower(e.text),
		"message thread not found", "topic_closed", "topic_deleted", "topic closed", "topic not found")
}

// replyGone reports whether a message was refused because the message that it replies to does not exist.
func replyGone(err error) bool {
	e, ok := errors.AsType[*rejection](err)
	return ok && e.code == http.StatusBadRequest && holds(strings.ToLower(e.text), "message to be replied not found", "replied message not found")
}

const threadParam = "message_thread_id"

// address is sendParams with the topic. A message without a topic goes to the topic of the message that it
// replies to.
func (s *sender) address(out message.Outgoing) tgbotapi.Params {
	p := sendParams(s.id, out)
	topic := out.Topic
	if topic == 0 {
		topic = s.bot.threads.of(s.id, out.ReplyTo)
	}
	p.AddNonZero(threadParam, topic)
	return p
}

// somewhere makes a call that sends a message with p. If the topic is lost it uses a new one, and if that is
// refused too the chat itself, so that a question is not lost with its topic. If the replied-to message is
// gone, the message replies to nothing.
func (s *sender) somewhere(ctx context.Context, p tgbotapi.Params, call func() error) error {
	err := call()
	if p[threadParam] != "" && topicGone(err) {
		lost, _ := strconv.Atoi(p[threadParam]) // we wrote it
		topic, newErr := s.replaceTopic(ctx, lost)
		if newErr != nil {
			return newErr
		}
		s.bot.cfg.Log.Warn("a topic is lost", "chat", s.id, "topic", lost, "instead", topic, "error", err)
		delete(p, "reply_to_message_id") // it can't reply into another topic
		delete(p, threadParam)
		p.AddNonZero(threadParam, topic)
		if err = call(); topic != 0 && topicGone(err) {
			s.goTopicless(err)
			delete(p, threadParam)
			err = call()
		}
	}
	if p["reply_to_message_id"] != "" && replyGone(err) {
		delete(p, "reply_to_message_id")
		err = call()
	}
	return err
}

// replaceTopic records that a topic is lost and returns the new topic of its pane; 0: the chat itself.
func (s *sender) replaceTopic(ctx context.Context, lost int) (int, error) {
	t, found, err := s.bot.topicAt(s.id, lost)
	if err != nil || !found {
		return 0, err // a person's own topic
	}
	if !t.Lost {
		t.Lost = true
		if err := s.bot.memory().PutTopic(t); err != nil {
			return 0, err
		}
	}
	return s.topicOf(ctx, t.Pane, t.Title)
}

// topicAt returns the topic with that number in a chat, if nod made it.
func (b *Bot) topicAt(chat int64, number int) (store.Topic, bool, error) {
	if number == 0 {
		return store.Topic{}, false, nil
	}
	list, err := b.memory().Topics()
	i := slices.IndexFunc(list, func(t store.Topic) bool { return t.Place == message.Place(chat) && t.Number == number })
	if err != nil || i < 0 {
		return store.Topic{}, false, err
	}
	return list[i], true, nil
}

// inTopic reads words in a pane's topic that reply to nothing: a y or n for the question in that topic, never
// another pane's, or the next instruction for the agent.
func (b *Bot) inTopic(id int, m *incoming, text string, topic store.Topic) error {
	a := answerOf(id, m, nudge.ByFresh)
	a.Pane = &topic.Pane
	if decision, named, ok := nudge.ParseWord(text, nudge.ByFresh); ok {
		if m.Implicit && named == "" {
			return b.fresh(id, m, text)
		}
		a.Decision, a.Nudge = decision, named
		_, err := b.answer(a)
		return err
	}
	if text == "" || !b.settings().Topics {
		return nil
	}
	if why := b.replacedIn(topic); why != "" {
		b.say(m.Chat.ID, m.ID, message.Sentence(why+" Nothing was typed. Write in its own topic, or use /tell."))
		return nil
	}
	a.Text = text
	_, err := b.tell(topic.Pane, a)
	return err
}

// replacedIn says that another agent now runs in a topic's pane; empty: no.
func (b *Bot) replacedIn(topic store.Topic) string {
	now := b.titleIn(topic.Pane)
	if now == "" || now == topic.Title {
		return ""
	}
	return fmt.Sprintf("This topic belongs to %s, but %s runs in that pane now.", topic.Title, now)
}

// titleIn returns the title of the agent in a pane; empty: nod sees none.
func (b *Bot) titleIn(pane detect.PaneRef) string {
	s, found := sightingOf(pane, b.cfg.Panes())
	if !found {
		return ""
	}
	return b.style().Title(s.Agent, s.Name, s.Project)
}

// threads remembers the topics of people's recent messages and taps, so that replies go to the same topic. If
// it has forgotten one, as after a restart, the reply goes to the chat itself.
type threads struct {
	mu    sync.Mutex
	at    map[nudge.Ref]int
	order []nudge.Ref
}

const maxThreads = 1000

func (t *threads) note(m *incoming) {
	if m == nil || m.Chat == nil || m.topic() == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at == nil {
		t.at = map[nudge.Ref]int{}
	}
	r := nudge.Ref{Place: message.Place(m.Chat.ID), Message: m.ID}
	if _, known := t.at[r]; !known {
		t.order = append(t.order, r)
	}
	t.at[r] = m.topic()
	if len(t.order) > maxThreads {
		delete(t.at, t.order[0])
		t.order = t.order[1:]
	}
}

func (t *threads) of(chat int64, id int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at[nudge.Ref{Place: message.Place(chat), Message: id}]
}
