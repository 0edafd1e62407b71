package bot

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"nod/bot/message"
)

const (
	launchKept = 10 * time.Minute // how long a launch may be confirmed
	maxLaunch  = 20               // how many may wait for confirmation
	launchTime = 30 * time.Second // how long a launch may take
)

// Launch is an agent to start.
type Launch struct {
	Name, Agent string
	Folder      string // as somebody names it; for the tap absolute, without symbolic links
	Args        []string
}

// launching is a launch that waits for its second tap.
type launching struct {
	Launch
	chat int64
	at   time.Time
}

const newUsage = "/new NAME AGENT FOLDER [ARG…], as in /new api claude api, or /new gpu1:api claude api on another machine"

// newAgent answers /new: it asks for a second tap, which starts the agent. Another machine takes a moment to say which folder that is.
func (b *Bot) newAgent(_ context.Context, _ int, m *incoming, rest string) error {
	chat, number, words := m.Chat.ID, m.ID, strings.Fields(rest)
	if len(words) < 3 {
		b.say(chat, number, message.Sentence("Use "+newUsage+"."))
		return nil
	}
	l := Launch{Name: words[0], Agent: words[1], Folder: words[2], Args: words[3:]}
	taken := b.inBackground(func(ctx context.Context) { b.say(chat, number, b.proposal(ctx, l, chat, personOf(m.From).Name)) })
	if !taken {
		b.say(chat, number, message.Sentence("Nothing was started: nod is too busy. Send it again."))
	}
	return nil
}

// proposal is the message that asks for the tap that starts an agent, or says why there is none.
func (b *Bot) proposal(ctx context.Context, l Launch, chat int64, by string) message.Outgoing {
	ctx, cancel := context.WithTimeout(ctx, launchTime)
	defer cancel()
	folder, err := b.cfg.Launch(ctx, l, false, by)
	if err != nil {
		return message.Sentence("Nothing was started: " + message.Cut(message.OneLine(b.style().Redact(err.Error())), message.SentenceRoom))
	}
	l.Folder = folder
	if launchMessage(l, "", chat, b.seal).Page.Short {
		return message.Sentence("Nothing was started: the arguments do not fit into one message.")
	}
	id, ok := b.keepLaunch(launching{l, chat, time.Now()})
	if !ok {
		return message.Sentence("Too many starts already wait for your tap: tap one, or wait ten minutes.")
	}
	return launchMessage(l, id, chat, b.seal)
}

// launchMessage asks for the tap that starts an agent. It shows everything that will be started.
func launchMessage(l Launch, id string, chat int64, seal message.Sealer) message.Outgoing {
	out := message.Outgoing{Keys: message.Keys{{seal.Button("▶ Start it", message.VerbNew, id, chat)}}}
	p := &out.Page
	p.Text("Start ").Bold(message.OneLine(l.Agent)).Text(" as ").Bold(message.OneLine(l.Name)).Text("?").Line()
	p.Text("Folder: ").Code(message.OneLine(l.Folder)).Line()
	if len(l.Args) == 0 {
		p.Text("No arguments.")
		return out
	}
	p.Text("Arguments:")
	for _, arg := range l.Args {
		p.Line().Code(message.OneLine(arg))
	}
	return out
}

// keepLaunch keeps a launch for its second tap; false: too many are kept.
func (b *Bot) keepLaunch(l launching) (id string, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, old := range b.launches {
		if time.Since(old.at) > launchKept {
			delete(b.launches, id)
		}
	}
	if len(b.launches) >= maxLaunch {
		return "", false
	}
	id = strings.ToLower(rand.Text()[:12])
	b.launches[id] = l
	return id, true
}

// takeLaunch returns a kept launch, once.
func (b *Bot) takeLaunch(id string, chat int64) (l launching, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l, ok = b.launches[id]
	if !ok || l.chat != chat || time.Since(l.at) > launchKept {
		return launching{}, false
	}
	delete(b.launches, id)
	return l, true
}

// tapLaunch starts an agent, once, if its folder is still allowed. The result follows as a message.
func (b *Bot) tapLaunch(c *callback, p message.Tap) (string, error) {
	chat, number := c.Message.Chat.ID, c.Message.ID
	b.stripLater(chat, number)
	l, ok := b.takeLaunch(p.ID, chat)
	if !ok {
		return "That start has expired: send /new again.", nil
	}
	taken := b.inBackground(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, launchTime)
		defer cancel()
		if _, err := b.cfg.Launch(ctx, l.Launch, true, personOf(c.From).Name); err != nil {
			b.say(chat, number, message.Sentence("🚫 Not started: "+message.Cut(message.OneLine(b.style().Redact(err.Error())), message.SentenceRoom)))
			return
		}
		b.say(chat, number, message.Sentence("▶ "+message.Cut(message.OneLine(l.Name), message.NameRoom)+" runs. /tell "+message.Cut(message.OneLine(l.Name), message.NameRoom)+" gives it its first instruction."))
	})
	if !taken {
		return "Nothing was started: nod is too busy. Send /new again.", nil
	}
	return "Starting.", nil
}
