package inbox

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"nod/cmd/internal/desk"
)

// move is a key that answers nothing.
type move struct{ key, name, help string }

// moves are these keys. consentKey is none of the keys of a desk.Deed, so a key that opens a box and is held
// down can't consent to it.
var moves = []move{
	{key: "?", name: "keys", help: "these keys"},
	{key: "↑ ↓", help: "another card (also k, j; home, end)"},
	{key: "tab", help: "the next card that needs you"},
	{key: "pgup pgdn", help: "the rest of the card (also [ and ])"},
	{key: "g", name: "go", help: "go to its pane; prefix and L (in the same session: l) bring you back"},
	{key: "e", help: "what nod takes each row of the screen for"},
	{key: "/", name: "filter", help: "only cards with these words"},
	{key: "q", name: "quit", help: "quit (also Ctrl-C)"},
}

// consentKey consents to the text of a box.
const consentKey = "c"

// box is a small box over the card. One key answers it.
type box struct {
	card   *desk.Card
	text   string
	keys   map[string]desk.Reply
	legend string
	opened time.Time
}

// ask opens the box that asks whether a reply is really wanted.
func (m *Model) ask(card *desk.Card, text string, reply desk.Reply) {
	m.asked = &box{card: card, text: text, keys: map[string]desk.Reply{consentKey: reply}, legend: consentKey + " yes, I mean it   esc no", opened: m.now}
}

// press handles a key.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if key == "ctrl+c" {
		return tea.Quit
	}
	if m.entry == nil {
		m.guard.pressed(m.now)
	}
	switch {
	case m.entry != nil:
		return m.write(key, msg)
	case m.asked != nil:
		return m.decide(key)
	case m.pane.help:
		if (key == "pgdown" || key == "]") && m.pane.helped+m.body() < len(m.helpLines()) {
			m.pane.helped += m.body() - 1
		} else {
			m.pane.help = false
		}
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

// look moves the view, and reports whether the key does that.
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
		m.pane.help, m.pane.helped = true, 0
	default:
		return false
	}
	m.pane.scroll = min(max(m.pane.scroll, 0), max(len(m.cardLines(m.cardWidth()))-m.cardRows(), 0))
	return true
}

// point moves the mark to another option.
func (m *Model) point(by int) {
	if card := m.list.selected(); card != nil {
		m.pane.option = min(max(m.marked(card)+by, 1), len(options(card)))
	}
}

// marked returns the number of the marked option, from 1; 0: none. In a check list the first option is marked
// until another one is.
func (m *Model) marked(card *desk.Card) int {
	if m.pane.option == 0 && slices.ContainsFunc(card.Actions, func(a desk.Action) bool { return a.Do == desk.Tick }) {
		return min(1, len(options(card)))
	}
	return m.pane.option
}

// goTo switches the terminal to the pane of the selected card.
func (m *Model) goTo() tea.Cmd {
	card := m.list.selected()
	if card == nil {
		return nil
	}
	if card.Pane == "" {
		m.tell(card.Title+" runs in no pane that nod sees.", true)
		return nil
	}
	agent, of := card.Agent, replyTo(card, "")
	return func() tea.Msg { return went{card.ID, of.Nudge, m.out.Go(agent)} }
}

// act applies a key to the selected card.
func (m *Model) act(key string) tea.Cmd {
	card := m.list.selected()
	if card == nil || digit(key) == 0 && !slices.ContainsFunc(desk.Deeds, func(d desk.Deed) bool { return d.Key == key }) {
		m.guard.begin(m.now)
		return nil
	}
	action := actionOf(key, card)
	if action == nil {
		m.tell(fmt.Sprintf("%s does nothing here.", key), true)
		return nil
	}
	if why := m.refuses(key, card, action); why != "" {
		m.tell(why, true)
		return nil
	}
	switch action.Do {
	case desk.Words, desk.DenyWords, desk.Tell:
		m.begin(action.Do.Deed().Help, card, action.Do)
	case desk.Snooze:
		m.asked = snoozeBox(card, m.now)
	case desk.Allow, desk.SendWish:
		m.ask(card, card.About()+"\n"+map[desk.Act]string{desk.Allow: "Allow this call once?", desk.SendWish: "Send this?"}[action.Do], replyTo(card, action.Do))
	case desk.Choose, desk.Tick:
		return m.choose(key, card)
	default:
		return m.reply(card, replyTo(card, action.Do))
	}
	return nil
}

// actionOf returns what a key does with a card; nil: nothing.
func actionOf(key string, card *desk.Card) *desk.Action {
	at := slices.IndexFunc(card.Actions, func(a desk.Action) bool { return a.Do.Deed().Key == key })
	if at < 0 { // the number of an option, or Enter for the marked one
		at = slices.IndexFunc(card.Actions, func(a desk.Action) bool {
			return digit(key) > 0 && (a.Do == desk.Choose || a.Do == desk.Tick) || key == "enter" && a.Do == desk.Choose
		})
	}
	if at < 0 {
		return nil
	}
	return &card.Actions[at]
}

// digit returns the number of the option that a key names; 0: none.
func digit(key string) int {
	if n, err := strconv.Atoi(key); err == nil && len(key) == 1 {
		return n
	}
	return 0
}

// refuses returns why a card can't be answered with this key now; empty: it can.
func (m *Model) refuses(key string, card *desk.Card, action *desk.Action) string {
	early := m.guard.refuses(key, card, m.now)
	return cmp.Or(m.standing(card, action), early)
}

// standing returns why a card can't be answered at all; empty: it can.
func (m *Model) standing(card *desk.Card, action *desk.Action) string {
	switch {
	case !m.bot.up:
		return m.bot.why
	case action.Refused != "":
		return action.Refused
	case m.waits[card.ID]:
		return "The last answer is still on its way."
	}
	return ""
}

// choose answers with an option, or ticks it. It asks first if the option allows more than this one call.
func (m *Model) choose(key string, card *desk.Card) tea.Cmd {
	at := m.marked(card) - 1
	if n := digit(key); n > 0 {
		at = slices.IndexFunc(options(card), func(o desk.Option) bool { return o.Number == n })
	} else if at < 0 {
		m.tell("Mark an option first, with ← and →.", true)
		return nil
	}
	if at < 0 || at >= len(options(card)) {
		m.tell("There is no such option.", true)
		return nil
	}
	o := card.Asks.Options[at]
	if o.Refused != "" {
		m.tell(o.Refused, true)
		return nil
	}
	m.pane.option = at + 1
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

// options returns a card's options.
func options(card *desk.Card) []desk.Option {
	if card.Asks == nil {
		return nil
	}
	return card.Asks.Options
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

// begin opens the entry for text.
func (m *Model) begin(title string, card *desk.Card, act desk.Act) {
	area := textarea.New()
	area.ShowLineNumbers, area.Prompt = false, "│ "
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

// write passes a key to the entry. Enter ends it.
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
	case card.Life != e.card.Life:
		m.tell("Another agent is there now: your words were not sent. Esc closes them.", true)
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

// legend returns the meaning of the keys while text is written.
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

// reply sends a reply to a card if a person pressed the key.
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
