package inbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"nod/cmd/internal/desk"
)

// binding is a key that does something with a card.
type binding struct {
	key  string
	acts []desk.Act // it does the first of these that the card has
	name string     // in the footer
	help string
}

// bindings are those keys, in the order of the footer. None of them is consentKey, so that no key that opens a box and is held
// down consents to what the box says.
var bindings = []binding{
	{"y", []desk.Act{desk.Yes}, "yes", "yes, this once"},
	{"n", []desk.Act{desk.No}, "no", "no"},
	{"1…9", []desk.Act{desk.Choose, desk.Tick}, "choose", "choose the option of that number, or tick it"},
	{"space", []desk.Act{desk.Tick}, "tick", "tick the option that ← and → point at"},
	{"enter", []desk.Act{desk.Send}, "send", "send what is ticked"},
	{"a", []desk.Act{desk.Allow, desk.SendWish}, "allow", "allow a blocked call once, or send what an agent wishes"},
	{"l", []desk.Act{desk.Leave, desk.LeaveIt, desk.DropWish}, "leave", "leave it"},
	{"r", []desk.Act{desk.Words}, "reply", "answer in words"},
	{"d", []desk.Act{desk.DenyWords}, "no, because", "no, with words for the agent"},
	{"t", []desk.Act{desk.Tell}, "tell", "the next instruction: at once where the agent is idle, else queued"},
	{"s", []desk.Act{desk.Skip}, "skip", "put it behind the others"},
	{"z", []desk.Act{desk.Snooze}, "snooze", "put it off"},
}

// moves are the keys that answer nothing.
var moves = []binding{
	{key: "?", name: "keys", help: "these keys"},
	{key: "↑ ↓", help: "another card (also k, j; home, end)"},
	{key: "tab", help: "the next card that needs you"},
	{key: "pgup pgdn", help: "the rest of the card (also [ and ])"},
	{key: "g", name: "go", help: "go to its pane; tmux's prefix and L, or l in the same session, bring back"},
	{key: "e", help: "what nod takes each row of the screen for"},
	{key: "/", name: "filter", help: "only cards with these words"},
	{key: "q", name: "quit", help: "quit (also Ctrl-C)"},
}

// consentKey consents to what a box says.
const consentKey = "c"

// box is a small box over the card, which one key answers.
type box struct {
	card   *desk.Card
	text   string
	keys   map[string]desk.Reply
	legend string
	opened time.Time
}

// ask opens the box that asks whether a reply is meant.
func (m *Model) ask(card *desk.Card, text string, reply desk.Reply) {
	m.asked = &box{card: card, text: text, keys: map[string]desk.Reply{consentKey: reply}, legend: consentKey + " yes, I mean it   esc no", opened: m.now}
}

// press does what a key does.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if key == "ctrl+c" {
		return tea.Quit
	}
	switch {
	case m.entry != nil:
		return m.write(key, msg)
	case m.asked != nil:
		return m.decide(key)
	case m.pane.help:
		m.pane.help = false
		return nil
	case m.look(key):
		return nil
	}
	switch key {
	case "q":
		return tea.Quit
	case "esc":
		if m.popup {
			return tea.Quit
		}
	case "/":
		m.begin("Only cards with", nil, "")
	case "g":
		return m.goTo()
	default:
		return m.act(key)
	}
	return nil
}

// look moves what is looked at, and reports whether the key does that.
func (m *Model) look(key string) bool {
	switch key {
	case "up", "k":
		m.selectBy(func() { m.list.move(-1) })
	case "down", "j":
		m.selectBy(func() { m.list.move(1) })
	case "home":
		m.selectBy(func() { m.list.move(-len(m.list.cards)) })
	case "end":
		m.selectBy(func() { m.list.move(len(m.list.cards)) })
	case "tab":
		m.selectBy(m.list.next)
	case "pgdown", "]":
		m.pane.scroll += m.cardRows() - 1
	case "pgup", "[":
		m.pane.scroll -= m.cardRows() - 1
	case "left", "right":
		m.point(map[string]int{"left": -1, "right": 1}[key])
	case "e":
		m.pane.roles = !m.pane.roles
	case "?":
		m.pane.help = true
	default:
		return false
	}
	m.pane.scroll = min(max(m.pane.scroll, 0), max(len(m.cardLines(m.cardWidth()))-m.cardRows(), 0))
	return true
}

// point moves the mark of the option that space ticks.
func (m *Model) point(by int) {
	if card := m.list.selected(); card != nil && card.Asks != nil {
		m.pane.option = min(max(m.pane.option+by, 0), max(len(card.Asks.Options)-1, 0))
	}
}

// goTo takes the terminal to the pane of the selected card.
func (m *Model) goTo() tea.Cmd {
	card := m.list.selected()
	if card == nil {
		return nil
	}
	if card.Pane == "" {
		m.tell(card.Title+" runs in no pane that nod sees.", true)
		return nil
	}
	agent := card.Agent
	return func() tea.Msg { return went{m.out.Go(agent)} }
}

// act does what a key does with the selected card.
func (m *Model) act(key string) tea.Cmd {
	card := m.list.selected()
	b, action := actionOf(key, card)
	if b == nil {
		return nil
	}
	if action == nil {
		m.tell(fmt.Sprintf("%s does nothing here.", b.key), true)
		return nil
	}
	if why := m.refuses(key, card, action); why != "" {
		m.tell(why, true)
		return nil
	}
	switch action.Do {
	case desk.Words, desk.DenyWords, desk.Tell:
		m.begin(b.help, card, action.Do)
	case desk.Snooze:
		m.asked = snoozeBox(card, m.now)
	case desk.Allow, desk.SendWish:
		m.ask(card, about(card)+"\n"+map[desk.Act]string{desk.Allow: "Allow this call once?", desk.SendWish: "Send this?"}[action.Do], replyTo(card, action.Do))
	case desk.Choose, desk.Tick:
		return m.choose(key, card)
	default:
		return m.reply(card, replyTo(card, action.Do))
	}
	return nil
}

// actionOf finds what a key does with a card, and whether that can be done now. The binding is nil where the key is none, and the
// action where the card does not have it.
func actionOf(key string, card *desk.Card) (*binding, *desk.Action) {
	name := key
	if digit(key) > 0 {
		name = "1…9"
	}
	at := slices.IndexFunc(bindings, func(b binding) bool { return b.key == name })
	if at < 0 || card == nil {
		return nil, nil
	}
	return &bindings[at], offered(&bindings[at], card)
}

// digit is the number of an option that a key names; 0: none.
func digit(key string) int {
	if n, err := strconv.Atoi(key); err == nil && len(key) == 1 {
		return n
	}
	return 0
}

// refuses says why a card takes no answer by this key now; empty: it does.
func (m *Model) refuses(key string, card *desk.Card, action *desk.Action) string {
	why := m.guard.refuses(key, card, m.now)
	switch {
	case !m.bot.up:
		return m.bot.why
	case action.Refused != "":
		return action.Refused
	case m.waits[card.ID]:
		return "The last answer is still on its way."
	}
	return why
}

// choose answers with an option, or ticks it. What lasts longer than this once is asked about first.
func (m *Model) choose(key string, card *desk.Card) tea.Cmd {
	at := m.pane.option
	if n := digit(key); n > 0 && card.Asks != nil {
		at = slices.IndexFunc(card.Asks.Options, func(o desk.Option) bool { return o.Number == n })
	}
	if card.Asks == nil || at < 0 || at >= len(card.Asks.Options) {
		m.tell("There is no such option.", true)
		return nil
	}
	o := card.Asks.Options[at]
	if o.Refused != "" {
		m.tell(o.Refused, true)
		return nil
	}
	m.pane.option = at
	r := replyTo(card, desk.Choose)
	r.Option = o.Number
	switch {
	case o.Ticked != nil:
		r.Do = desk.Tick
	case o.Lasts != "":
		r.Sure = true
		m.ask(card, fmt.Sprintf("%d. %s\nThis allows more than this once: %s", o.Number, o.Label, o.Lasts), r)
		return nil
	}
	return m.reply(card, r)
}

// decide answers the small box.
func (m *Model) decide(key string) tea.Cmd {
	b := m.asked
	if key == "esc" || key == "q" {
		m.asked = nil
		return nil
	}
	reply, ok := b.keys[key]
	if !ok {
		return nil
	}
	if m.now.Sub(b.opened) < afterChange {
		m.tell("Read it first, and press it again.", true)
		return nil
	}
	if why := m.refuses(key, b.card, &desk.Action{}); why != "" {
		m.tell(why, true)
		return nil
	}
	m.asked = nil
	return m.reply(b.card, reply)
}

// begin opens the entry for words.
func (m *Model) begin(title string, card *desk.Card, act desk.Act) {
	area := textarea.New()
	area.ShowLineNumbers, area.Prompt = false, "> "
	area.KeyMap.Paste.SetEnabled(false) // it would ask a program for the clipboard
	area.KeyMap.InsertNewline.SetKeys("alt+enter", "ctrl+j")
	area.SetStyles(entryStyles(area.Styles()))
	area.SetHeight(entryRows)
	area.SetWidth(m.cardWidth())
	if act == "" {
		area.SetValue(m.list.filter)
		area.SetHeight(1)
	}
	area.Focus()
	m.entry = &entry{Model: area, title: title, card: card, act: act}
}

// write gives a key to the entry. Enter ends it.
func (m *Model) write(key string, msg tea.KeyPressMsg) tea.Cmd {
	e := m.entry
	if e.act == "" {
		return m.writeFilter(key, msg)
	}
	switch key {
	case "esc":
		m.entry = nil
		return nil
	case "enter":
	default:
		return e.update(msg)
	}
	words := strings.TrimSpace(e.Value())
	card := m.list.selected()
	switch {
	case words == "":
		return nil
	case card == nil || card.ID != e.card.ID || e.act != desk.Tell && !sameQuestion(e.card, card):
		m.tell("It asks something else now: your words were not sent. Esc closes them.", true)
		return nil
	}
	if why := m.refuses(key, card, &desk.Action{}); why != "" {
		m.tell(why, true)
		return nil
	}
	m.entry = nil
	r := replyTo(card, e.act)
	r.Text = words
	return m.reply(card, r)
}

// legend says what the keys do while words are written.
func (e *entry) legend() string {
	if e.act == "" {
		return "enter keeps it   esc shows all cards again"
	}
	return "enter sends   alt+enter another line   esc not"
}

func (m *Model) writeFilter(key string, msg tea.KeyPressMsg) (cmd tea.Cmd) {
	switch key {
	case "esc":
		m.entry = nil
		m.arrange(func() { m.list.filter = ""; m.list.hold() })
		return nil
	case "enter":
		m.entry = nil
		m.arrange(func() {})
		return nil
	}
	cmd = m.entry.update(msg)
	m.arrange(func() { m.list.filter = strings.TrimSpace(m.entry.Value()); m.list.hold() })
	return cmd
}

// reply sends a reply to a card, if a person pressed the key.
func (m *Model) reply(card *desk.Card, r desk.Reply) tea.Cmd {
	id, at, out := card.ID, m.now, m.out
	m.waits[id] = true
	delete(m.outcomes, id)
	return func() tea.Msg {
		if err := out.Pressed(at); err != nil {
			return done{card: id, reply: r, err: err}
		}
		said, err := out.Send(r)
		return done{card: id, reply: r, said: said, err: err}
	}
}
