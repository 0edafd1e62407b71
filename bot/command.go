package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/bot/message"
)

// chatCommand is one command of the chat. run gets the text after the command's name.
type chatCommand struct {
	name, help string
	run        func(b *Bot, ctx context.Context, id int, m *incoming, rest string) error
}

// chatCommands returns the commands in the order of the chat's menu.
func chatCommands() []chatCommand {
	return []chatCommand{
		{"status", "what each agent is doing, and any problems", (*Bot).status},
		{"queue", "what waits for you, most urgent first", (*Bot).queueList},
		{"screen", "a pane's screen: /screen api", (*Bot).screen},
		{"tell", "give an idle agent its next instruction: /tell api run the tests", (*Bot).tellCommand},
		{"next", "what is queued for an agent: /next api", (*Bot).next},
		{"new", "start an agent: /new NAME AGENT FOLDER [ARG…]", (*Bot).newAgent},
		{"mute", "silence messages for a while: /mute 2h, /mute api 1d", (*Bot).mute},
		{"unmute", "messages ring again", (*Bot).unmute},
		{"quiet", "quiet hours: /quiet 22:00-07:00 Europe/Berlin, or off", (*Bot).quiet},
		{"settings", "the current settings", (*Bot).showSettings},
		{"log", "what happened lately", (*Bot).showLog},
		{"help", "how to answer", (*Bot).help},
		{"start", "start getting messages", (*Bot).start},
	}
}

// Commands returns the commands of the chat in the order of its menu, and the help for each.
func Commands() (names, help []string) {
	for _, c := range chatCommands() {
		names, help = append(names, "/"+c.name), append(help, c.help)
	}
	return names, help
}

// command runs "/name rest". It runs "/name@bot" only if that is this bot.
func (b *Bot) command(ctx context.Context, id int, m *incoming, text string) error {
	name, rest, _ := strings.Cut(text, " ")
	if line, more, ok := strings.Cut(name, "\n"); ok {
		name, rest = line, more+" "+rest
	}
	name, to, addressed := strings.Cut(strings.ToLower(name[1:]), "@")
	if addressed && !strings.EqualFold(to, b.self.UserName) {
		return nil
	}
	for _, c := range chatCommands() {
		if c.name == name {
			return c.run(b, ctx, id, m, strings.TrimSpace(rest))
		}
	}
	_, topical, err := b.topicAt(m.Chat.ID, m.topic())
	switch {
	case err != nil:
		return fmt.Errorf("find a topic: %w", err)
	case m.ReplyTo != nil, topical && b.settings().Topics: // agents have commands of their own, such as /compact
		return b.read(id, m, withoutName(text))
	}
	b.say(m.Chat.ID, m.ID, message.Sentence("There is no such command. /help lists them all."))
	return nil
}

// withoutName returns a command without the name of the bot to which a group's member addressed it.
func withoutName(text string) string {
	word := firstWord(text)
	name, _, _ := strings.Cut(word, "@")
	return name + strings.TrimPrefix(text, word)
}

// setCommands sets the menu that Telegram shows in private chats.
func (b *Bot) setCommands(ctx context.Context) error {
	type entry struct {
		Command     string `json:"command"`
		Description string `json:"description"`
	}
	var list []entry
	for _, c := range chatCommands() {
		list = append(list, entry{c.name, c.help})
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return b.api.call(ctx, sendLimit, "setMyCommands", tgbotapi.Params{
		"commands": string(data), "scope": `{"type":"all_private_chats"}`,
	}, nil)
}

// menuText is on the menu button that opens the page.
const menuText = "Open"

// offerPage gives each supervisor's chat the menu button that opens the page, and takes it from the chats that have it and should not.
// Another button is left alone: it is the owner's own.
func (b *Bot) offerPage(ctx context.Context) error {
	page, people := b.settings().Page, b.settings().Supervisors
	have, err := b.memory().Menus()
	if page == "" {
		for _, id := range people {
			if !slices.Contains(have, id) && b.hasPage(ctx, id) {
				have = append(have, id)
			}
		}
		people = nil
	}
	for _, id := range have {
		if !slices.Contains(people, id) {
			err = errors.Join(err, b.takePage(ctx, id))
		}
	}
	for _, id := range people {
		open := map[string]any{"type": "web_app", "text": menuText, "web_app": map[string]string{"url": page}}
		err = errors.Join(err, b.memory().SetMenu(id, true), b.setMenuButton(ctx, id, open))
	}
	return err
}

// hasPage reports whether a chat's menu button looks like offerPage's: a nod with another database, or an older one, has set it.
func (b *Bot) hasPage(ctx context.Context, chat int64) bool {
	var button struct {
		Text string
		App  struct{ URL string } `json:"web_app"`
	}
	err := b.api.call(ctx, sendLimit, "getChatMenuButton", tgbotapi.Params{"chat_id": strconv.FormatInt(chat, 10)}, &button)
	origin, ok := strings.CutPrefix(button.App.URL, "https://")
	return err == nil && ok && button.Text == menuText && !strings.Contains(strings.TrimSuffix(origin, "/"), "/")
}

// takePage sets a chat's menu button back. A chat that Telegram refuses to do it for is not tried again.
func (b *Bot) takePage(ctx context.Context, chat int64) error {
	err := b.setMenuButton(ctx, chat, map[string]any{"type": "default"})
	if f := classify(err); err == nil || f.refused() || f.kind == goneChat {
		err = errors.Join(err, b.memory().SetMenu(chat, false))
	}
	return err
}

func (b *Bot) setMenuButton(ctx context.Context, chat int64, button map[string]any) error {
	data, err := json.Marshal(button)
	if err != nil {
		return err
	}
	return b.api.call(ctx, sendLimit, "setChatMenuButton", tgbotapi.Params{"chat_id": strconv.FormatInt(chat, 10), "menu_button": string(data)}, nil)
}

func (b *Bot) start(_ context.Context, _ int, m *incoming, _ string) error {
	open, err := b.cfg.Keeper.Queue()
	if err != nil {
		return fmt.Errorf("read the queue: %w", err)
	}
	host := ""
	if h := b.style().Host; h != "" {
		host = " on " + h
	}
	waits := "Nothing waits for you."
	if len(open) > 0 {
		waits = fmt.Sprintf("Right now %s: /queue lists what.", message.Waits(open))
	}
	b.say(m.Chat.ID, m.ID, message.Sentence(fmt.Sprintf(
		"nod is here%s. When an agent waits for you, nod tells you in this chat.\n%s\n/help says how to answer.", host, waits)))
	return nil
}

func (b *Bot) help(_ context.Context, _ int, m *incoming, _ string) error {
	var l message.Outgoing
	p := &l.Page
	p.Text("When an agent asks for permission, nod sends its question here. Tap a button, or reply ").Code("y").Text(" or ").
		Code("n").Text(" to its message. A ").Code("y").Text(" that is no reply means the newest question; if another one came close to it, nod asks which. ").
		Code("y k3f").Text(" names one. y approves this one time only.").Line().
		Text("nod looks again before it types: if the screen shows anything else, it types nothing.").Line()
	p.Line().Text("For a question with options, tap one or send its number. In a check list, tick as many as you like, then tap 📤 or reply ").Code("send").
		Text(". ").Code("dismiss").Text(" leaves a question unanswered, where nod knows a key for that. When an agent is done 💤, reply to its message with the next instruction.").Line()
	for _, c := range chatCommands() {
		p.Line().Text("/" + c.name + " – " + c.help)
	}
	b.say(m.Chat.ID, m.ID, l)
	return nil
}
