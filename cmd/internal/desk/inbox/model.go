// Package inbox shows everything that waits in a terminal, where it is answered too: a list of cards, the
// whole selected card, and the keys that work for it.
//
// The texts on the cards come from others. So a key answers a card only if the card has been on the screen
// long enough to be read, unchanged and in its place, and if a person pressed the key. One key answers one
// card at most (guard.go).
package inbox

import (
	"strings"
	"time"
	"unicode"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"nod/cmd/internal/desk"
	"nod/internal/text/visible"
)

// Outside are the inbox's calls to everything beyond its screen. They run in the background and may take
// seconds.
type Outside struct {
	// Send passes a reply to the bot and returns the result as a sentence.
	Send func(desk.Reply) (string, error)
	// Pressed checks that a person pressed the key that arrived at a time; the error says why it does not
	// count.
	Pressed func(at time.Time) error
	// Go switches the terminal to an agent's pane, or says where that pane is.
	Go func(desk.Agent) error
	// View tells the bot which card is on view, so that it reads that pane more often.
	View func(card string)
}

// Model is the whole state of the inbox. It is the model of a Bubble Tea program.
type Model struct {
	out   Outside
	popup bool // the inbox is a tmux pop-up, and ends when its person goes to a pane
	list  list
	guard guard
	bot   bot
	asked *box   // the small box that asks for consent or a length of time; nil: none
	entry *entry // the text that is being written; nil: none
	said  remark // the last row
	// outcomes maps a card's id to the result of the last answer; waits are the cards whose result is not
	// known yet.
	outcomes map[string]remark
	waits    map[string]bool

	now    time.Time
	viewed time.Time // when the bot was last told which card is on view
	width  int
	height int
	pane   pane
}

// bot is what is known about the running nod.
type bot struct {
	up       bool
	why      string // a sentence that says why it doesn't answer
	health   desk.Health
	answered []desk.Answered
}

// pane is how the selected card is viewed.
type pane struct {
	scroll int  // rows that are scrolled away at the top
	option int  // the marked option, from 1; 0: none
	roles  bool // the role of each row of the screen is shown beside it
	help   bool // the list of keys is shown instead
	helped int  // rows of that list that are scrolled away
}

// remark is a sentence about an action.
type remark struct {
	text string
	bad  bool
	at   time.Time
	of   string // the nudge that was answered; a later one in the same pane was not
}

// remarkStays is how long a remark is shown.
const remarkStays = 8 * time.Second

// New makes an inbox without cards. It does no I/O.
func New(out Outside, popup bool) *Model {
	return &Model{
		out: out, popup: popup, guard: newGuard(), outcomes: map[string]remark{}, waits: map[string]bool{},
		bot: bot{up: true}, width: 80, height: 24,
	}
}

// Messages from outside.
type (
	// changed is a line of inbox.watch.
	changed desk.Change
	// down says that no bot answers, and why.
	down struct{ why string }
	// done is the result of a reply to a card.
	done struct {
		card  string
		reply desk.Reply
		said  string
		err   error
	}
	// went is the result of a switch to a pane.
	went struct {
		card, of string // of: the nudge
		err      error
	}
	tick struct{}
)

// tickEvery is how often times are redrawn.
const tickEvery = time.Second

// viewEvery is how often the bot is told which card is on view. It forgets that after 15 seconds.
const viewEvery = 5 * time.Second

func ticking() tea.Cmd { return tea.Tick(tickEvery, func(time.Time) tea.Msg { return tick{} }) }

// Init starts the clock.
func (m *Model) Init() tea.Cmd {
	m.now = time.Now()
	m.guard.begin(m.now)
	return ticking()
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.now = time.Now()
	before := m.list.id
	cmd := m.take(msg)
	if id := m.list.id; id != "" && (id != before || m.now.Sub(m.viewed) >= viewEvery) {
		m.viewed = m.now
		cmd = tea.Batch(cmd, func() tea.Msg { m.out.View(id); return nil })
	}
	return m, cmd
}

// wholeScreen makes the whole terminal scroll, and keeps the cursor where it is. After a terminal has become
// higher, what is scrolled first is still drawn for the old height: the last rows would stay outside the
// scroll region, and each later line that ends there would push out the first one.
const wholeScreen = "\x1b7\x1b[r\x1b8"

func (m *Model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tick:
		m.guard.forget(m.now)
		if m.said.text != "" && m.now.Sub(m.said.at) > remarkStays {
			m.said = remark{}
		}
		return ticking()
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.arrange(func() {})
		return tea.Sequence(tea.Raw(wholeScreen), tea.ClearScreen)
	case changed:
		var rings bool
		m.arrange(func() { rings = m.apply(desk.Change(msg)) })
		if rings {
			return tea.Raw("\a")
		}
	case down:
		m.bot.up, m.bot.why = false, visible.Text(msg.why)
		m.asked = nil
	case done:
		return m.finish(msg)
	case went:
		if msg.err == nil && m.popup {
			return tea.Quit
		} else if msg.err != nil {
			m.fail(msg.card, msg.of, msg.err)
		}
	case tea.PasteMsg:
		if m.entry != nil { // text may be pasted; Enter sends it
			return m.entry.update(tea.PasteMsg{Content: strings.Map(seen, msg.Content)})
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return nil
}

// seen removes invisible characters from pasted text.
func seen(r rune) rune {
	switch {
	case unicode.IsSpace(r) && r != '\n':
		return ' '
	case visible.Hidden(r):
		return -1
	}
	return r
}

// tell shows a sentence in the last row.
func (m *Model) tell(text string, bad bool) {
	m.said = remark{text: visible.Text(strings.TrimSpace(text)), bad: bad, at: m.now}
}

// apply applies a change, and reports whether the terminal's bell should ring.
func (m *Model) apply(c desk.Change) (rings bool) {
	clean(&c)
	rings = !c.Snapshot && m.list.isNews(c)
	m.bot.up = true
	if c.Health != nil {
		m.bot.health = *c.Health
	}
	if c.Answered != nil {
		m.bot.answered = c.Answered
	}
	other, gone := m.list.apply(c)
	for _, card := range other {
		m.guard.changed[card.ID] = m.now
	}
	for _, card := range gone {
		delete(m.outcomes, card.ID)
	}
	return rings
}

// arrange calls a function that may change or move cards. Cards that did change or move can't be answered for
// a while.
func (m *Model) arrange(do func()) {
	before, at := m.list.placed(m.listRows()), m.list.selected()
	do()
	m.list.fit(m.listRows())
	for id, row := range m.list.placed(m.listRows()) {
		if was, seen := before[id]; !seen || was != row {
			m.guard.changed[id] = m.now
		}
	}
	now := m.list.selected()
	if at == nil || now == nil || at.ID != now.ID {
		m.pane.scroll, m.pane.option = 0, 0
		m.asked = nil
	} else if (at.Asks == nil) != (now.Asks == nil) || at.Asks != nil && at.Asks.Nudge != now.Asks.Nudge {
		m.pane.option = 0
	}
	if m.asked != nil && now != nil && !sameQuestion(m.asked.card, now) {
		m.asked = nil
		m.tell("It asks something else now: nothing was answered.", true)
	}
}

// selectBy moves the selection because a person wants it.
func (m *Model) selectBy(step func()) {
	step()
	m.pane.scroll, m.pane.option = 0, 0
	m.list.fit(m.listRows())
}

// finish shows the result of an answer, or asks whether it is really wanted.
func (m *Model) finish(d done) tea.Cmd {
	delete(m.waits, d.card)
	if d.err == nil {
		m.outcomes[d.card] = remark{text: visible.Text(d.said), at: m.now, of: d.reply.Nudge}
		m.tell(d.said, false)
		return nil
	}
	card := m.list.selected()
	if next, ok := confirmed(d.reply, d.err); ok && card != nil && card.ID == d.card && m.entry == nil {
		m.ask(card, d.err.Error(), next)
		return nil
	}
	m.fail(d.card, d.reply.Nudge, d.err)
	return nil
}

// fail shows why an action failed: the whole reason in its card, and the reason in the last row.
func (m *Model) fail(card, of string, err error) {
	m.outcomes[card] = remark{text: visible.Text(err.Error()), bad: true, at: m.now, of: of}
	m.tell(err.Error(), true)
}

// entry is a text that is being written.
type entry struct {
	textarea.Model
	title string
	card  *desk.Card // the card as it was when the text was begun
	act   desk.Act   // empty: the text filters the list
}

func (e *entry) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	e.Model, cmd = e.Model.Update(msg)
	return cmd
}
