// Package inbox shows everything that waits in a terminal, and answers it there: a list of cards, the selected one as a whole, and
// the keys that work for it.
//
// Others wrote what is shown. So a key answers only a card that has been on the screen, unchanged and in its place, for long enough
// to be read, only if a person pressed it, and only one card at a time (guard.go).
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

// Outside are the calls of the inbox beyond its screen. They run in the background and may take seconds.
type Outside struct {
	// Send passes a reply to the bot and says in a sentence how it ended.
	Send func(desk.Reply) (string, error)
	// Pressed checks that a person pressed the key that came in at a time; the error says why it does not count.
	Pressed func(at time.Time) error
	// Go takes the terminal to an agent's pane, or says where that pane is.
	Go func(desk.Agent) error
	// View tells the bot which card is looked at, so that it reads that pane more often.
	View func(card string)
}

// Model is everything that the inbox shows. It is the model of a Bubble Tea program.
type Model struct {
	out   Outside
	popup bool // it lies over everything, and ends where a person goes on
	list  list
	guard guard
	bot   bot
	asked *box   // the small box that takes a consent or a length of time; nil: none
	entry *entry // the words that are being written; nil: none
	said  notice // below everything
	// outcomes is how the last answer to a card ended, by its id; waits says which cards still wait for that.
	outcomes map[string]notice
	waits    map[string]bool

	now    time.Time
	viewed time.Time // when the bot was told last which card is looked at
	width  int
	height int
	pane   pane
}

// bot is what is known about the running nod.
type bot struct {
	up       bool
	why      string // it is not, in a sentence
	health   desk.Health
	answered []desk.Answered
}

// pane is how the card is looked at.
type pane struct {
	scroll int  // rows of it that are above
	option int  // the one that is marked, from 1; 0: none is
	roles  bool // what each row of the screen is taken for is drawn beside it
	help   bool // the keys are in its place
	helped int  // rows of the keys that are above
}

// notice is a sentence about what was done.
type notice struct {
	text string
	bad  bool
	at   time.Time
	of   string // the nudge that was answered; another one of the same pane has not been
}

// noticeStays is how long a notice is shown.
const noticeStays = 8 * time.Second

// New makes an inbox that has no card yet. It does nothing.
func New(out Outside, popup bool) *Model {
	return &Model{
		out: out, popup: popup, guard: newGuard(), outcomes: map[string]notice{}, waits: map[string]bool{},
		bot: bot{up: true}, width: 80, height: 24,
	}
}

// messages that come from outside.
type (
	// changed is a line of inbox.watch.
	changed desk.Change
	// down says that no bot answers, and why.
	down struct{ why string }
	// done is the end of a reply to a card.
	done struct {
		card  string
		reply desk.Reply
		said  string
		err   error
	}
	// went is the end of a way to a pane.
	went struct {
		card, of string // and the nudge
		err      error
	}
	tick struct{}
)

// tickEvery is how often times are drawn again.
const tickEvery = time.Second

// viewEvery is how often the bot is told which card is looked at. It forgets that after 15 seconds.
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

// wholeScreen has all of the terminal scroll, and leaves the cursor where it is. What is scrolled when the terminal has just become
// higher is drawn for the height before: the last rows would stay outside of what scrolls, and each later line that ends there push
// out the first one.
const wholeScreen = "\x1b7\x1b[r\x1b8"

func (m *Model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tick:
		m.guard.forget(m.now)
		if m.said.text != "" && m.now.Sub(m.said.at) > noticeStays {
			m.said = notice{}
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
		if m.entry != nil { // words may be pasted; Enter sends them
			return m.entry.update(tea.PasteMsg{Content: strings.Map(seen, msg.Content)})
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return nil
}

// seen removes invisible characters from a paste.
func seen(r rune) rune {
	switch {
	case unicode.IsSpace(r) && r != '\n':
		return ' '
	case visible.Hidden(r):
		return -1
	}
	return r
}

// tell shows a sentence below everything.
func (m *Model) tell(text string, bad bool) {
	m.said = notice{text: visible.Text(strings.TrimSpace(text)), bad: bad, at: m.now}
}

// apply applies a change, and reports whether the terminal's bell rings for it.
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

// arrange calls a function that may change or move cards. Those that did change or move take no answer for a while.
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

// select moves the selection as a person wants it.
func (m *Model) selectBy(step func()) {
	step()
	m.pane.scroll, m.pane.option = 0, 0
	m.list.fit(m.listRows())
}

// finish shows how an answer ended, or asks whether it is meant.
func (m *Model) finish(d done) tea.Cmd {
	delete(m.waits, d.card)
	if d.err == nil {
		m.outcomes[d.card] = notice{text: visible.Text(d.said), at: m.now, of: d.reply.Nudge}
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

// fail shows why something was not done: in its card as a whole, and in the last row.
func (m *Model) fail(card, of string, err error) {
	m.outcomes[card] = notice{text: visible.Text(err.Error()), bad: true, at: m.now, of: of}
	m.tell(err.Error(), true)
}

// entry is where words are written.
type entry struct {
	textarea.Model
	title string
	card  *desk.Card // as it was when the words were begun
	act   desk.Act   // empty: the words filter the list
}

func (e *entry) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	e.Model, cmd = e.Model.Update(msg)
	return cmd
}
