package agents

import (
	"cmp"
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// OpenCode and its forks ask in a panel at the bottom, with a bar at its left and a ground of its own. The input box is a panel too, closed by
// a heavy line:
//
//	┃                                                     ┃
//	┃  △ Permission required           panelTitle         ┃  Which colour should the button be?
//	┃    # Shell command               the head           ┃
//	┃                                                     ┃  1. Red
//	┃  $ touch made.txt                the call           ┃     A warm colour                     ┃
//	┃                                                     ┃  2. Type your own answer              ┃  Ask anything...
//	┃                                                     ┃                                       ┃
//	┃   Allow once   Allow always   Reject  ⇆ select      ┃  ↑↓ select  enter submit  esc dismiss ┃  Build  the model
//	┃                                                     ┃                                       ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀

// panel is OpenCode or its fork if the screen does not show which. Escape denies in one of them and opens a dialog in the
// other, so it is no key here.
var panel = panelAgent(agent{signs: signs{hint: panelMark}}, screen.Keys{Enter: true, Second: true}, screen.Always)

// panelAgent is an agent that draws OpenCode's panels, with the keys of its menu and what its option that lasts does.
func panelAgent(a agent, menu screen.Keys, always screen.Scope) agent {
	questions := panelQuestions(a.name)
	panels := dialogs(
		panelAsks(menu, always),
		asking{ // a question of the model, or of the agent: numbered rows and a footer that dismisses
			menu: screen.Numbered, told: true, below: panelBelow, barred: true,
			shapes: []shape{{keys: []string{"esc dismiss", "enter submit", "enter toggle"}, lit: (*screen.Dialog).MarkNumber, set: questions}},
		},
		asking{barred: true, shapes: []shape{{keys: []string{"enter submit"}, review: questions}}}, // the last tab of several questions
	)
	a.dialog = func(l *screen.Layout) *screen.Dialog {
		if d := inlinePermission(l); d != nil {
			return d
		}
		return panels(l)
	}
	a.closed, a.voice = true, screen.Voice{Col: 5, Above: "$→←%⚙✱◇◈◉~", Ends: "▣"}
	a.undrawn = besideHeadings("Context", "LSP", "Modified Files", "Todo", "MCP")
	a.overlay, a.composer, a.cut = panelOverlay, panelComposer, panelCut
	a.working = shows(sign{within: screen.FooterRows, holds: []string{"esc interrupt", "esc again to interrupt"}})
	// the row with the moving bar, and rows of tools that run
	a.volatile = changes(sign{holds: []string{"esc interrupt", "esc again to interrupt", "⬝"}}, sign{spins: true})
	return a
}

// panelHooks are the hooks of OpenCode or of a fork, whose plugins are the same; name is the fork's folder, and proven
// the version whose door was.
func panelHooks(name, proven string) *Hooks {
	return &Hooks{
		// The plugin that nod installs reads what the hook prints, and answers the request by its own id. One that comes late
		// is answered with 404, and the next prompt stays as it is.
		Door:     &Door{Event: "permissionasked", Proven: Proven{proven}, Allow: `"once"`, Deny: `"reject"`},
		Settings: HookSettings{Variable: "XDG_CONFIG_HOME", Folder: ".config", File: name + "/plugin/nod.js", Form: Plugin},
	}
}

const panelTitle = "△ Permission required"

// panelAsks is the permission panel: title, what kind of call, the call, buttons.
func panelAsks(menu screen.Keys, always screen.Scope) asking {
	return asking{
		list: panelButtons, told: true, below: panelBelow, barred: true, title: panelTitle,
		shapes: []shape{{
			Shape: screen.Shape{
				Name: "permission", State: screen.Permission, Ask: "Permission required", Keys: menu, Titles: []string{panelTitle, "# Shell command"},
				Means: instead([]screen.Scope{screen.Always}, always),
			},
			lit: (*screen.Dialog).MarkButton, fix: panelSubject,
		}},
	}
}

// panelButtons are the lowest ones of a panel that are answers to a permission.
func panelButtons(l *screen.Layout) (screen.Menu, bool) {
	return l.Abreast(func(m *screen.Menu) bool {
		return l.Lines[m.First].Bar && (m.Entries[0].Label == "Allow once" || m.Clear())
	})
}

// panelBelow: at some widths the end of a footer is cut off in the middle of a word.
var panelBelow = rowLike(`^(?:ctrl\+f |⇆ |enter |(?:commands|e(?:n(?:t(?:er?)?)?)?)$)`)

// panelRows is how many rows of its subject the panel shows: it cuts the rest without a mark.
const panelRows = 7

// panelFoot is how many blank rows are above the buttons of a panel that is full.
const panelFoot = 2

// panelBare are heads without what the call is for. Older versions draw the panel before they know that, and often leave
// it so (kilo/7.0.33-fetch-100x40).
var panelBare = []string{
	"% WebFetch", "→ Read", "→ List", "→ Edit", "← Edit", "← Access external directory", "# Unknown Task",
	`✱ Glob ""`, `✱ Grep ""`, `◈ Exa Web Search ""`, `◇ Exa Code Search ""`,
}

// panelSubject places what is between the title and the buttons.
func panelSubject(d *screen.Dialog) string {
	title := d.Top
	head := d.NextWords(title+1, d.First)
	if head == d.First {
		d.Doubt(reason.PanelHidesCall)
		return ""
	}
	body := d.NextWords(head+1, d.First)
	last := d.AboveBlanks(d.First-1, body-1)
	if last-body+1 >= panelRows && d.First-1-last <= panelFoot {
		d.Doubt(reason.PanelFull)
	}
	d.Place(screen.Title, head, head)
	if slices.Contains(panelBare, d.Lines[head].Text) {
		d.Doubt(reason.PanelHidesCall)
	}
	return panelKind(d, title, head, body, last)
}

// panelCalls are the heads of calls. What a call is, panelVerbs say by its sign, unless its words do.
var (
	panelVerbs = map[rune]string{'→': "edit", '←': "edit", '%': "fetch", '⚙': "use"}
	panelCalls = []verb{
		{head: "← Access external directory ", verb: "access"}, {head: "→ Access external directory ", verb: "access"},
		{head: "→ Edit "}, {head: "← Edit "}, {head: "→ "}, {head: "← "}, {head: "% WebFetch "}, {head: "⚙ Call tool "},
	}
)

// panelKind reads the head in line head, which says by its sign what kind of call it is: of a command, what is called with
// is in the lines from body to last, of anything else behind the sign.
func panelKind(d *screen.Dialog, title, head, body, last int) string {
	sign := d.Lines[head].First()
	switch sign {
	case '#':
		if last < body { // opencode/1.3.2-run-100x40
			d.Doubt(reason.PanelHidesIt)
		}
		d.Mark(body, "$ ")
		d.Place(screen.Subject, body, last)
	case '⚙':
		panelCall(d, strings.TrimPrefix(d.Lines[head].Text, "⚙ Call tool "), title)
	}
	return cmp.Or(called(d, head, panelCalls).verb, panelVerbs[sign])
}

// panelCall adds the arguments of an MCP tool, which are only in the transcript above the panel. A model may ask for several calls
// of one tool at once: the one that is asked about has the colour of the panel's title (opencode/1.18.33-multi-mcp-100x40), where
// words of the model that have it are bold. What is no text, number or boolean is left out without a mark, and so is what shows
// nothing (opencode/1.18.33-mcp-nested-100x30): no screen proves that all of them are there.
func panelCall(d *screen.Dialog, name string, title int) {
	asked := func(i int) bool {
		look := d.Lines[i].Style(d.Lines[i].Col)
		return !d.Coloured() || look.Fg == d.Lines[title].Style(d.Lines[title].Col).Fg && !look.Bold
	}
	d.Doubt(reason.ArgumentsLacked)
	found := false
	for i := 0; i < title; i++ {
		if !screen.Starts(d.Lines[i].Text, "⚙ "+name) || !asked(i) {
			continue
		}
		if found {
			d.Doubt(reason.TwoCalls)
		}
		end := callEnd(d, i, title)
		d.Mark(i, "⚙ ")
		d.Place(screen.Subject, i, end)
		found, i = true, end
	}
	if !found {
		d.Doubt(reason.ArgumentsUnseen)
	}
}

// callEnd is the last row of the call whose head is line head. Its arguments may break rows and leave some blank; they stand
// further right than the head, and whatever else the transcript holds does not (opencode/1.18.33-mcp-rows-100x30).
func callEnd(d *screen.Dialog, head, title int) int {
	end := head
	for i := head + 1; i < title; i++ {
		line := &d.Lines[i]
		if line.Bar || line.Kind != screen.Blank && line.Col <= d.Lines[head].Col {
			break
		}
		if line.Kind != screen.Blank {
			end = i
		}
	}
	return end
}

// kiloSnapshots are the rows of Kilo's notice about a slow snapshot (kilo/7.7.9-multi-80x24).
const kiloSnapshots = 16

// panelOverlay are the dialogs that an answer opens. They are no prompts of their own: at most a longer answer goes on in one.
var panelOverlay = []cover{
	{"Kilo's own notice about a slow snapshot, which goes away by itself", all(
		shows(sign{within: kiloSnapshots, holds: []string{"Do you want to disable Snapshots"}}), shows(sign{within: 1, holds: []string{"esc dismiss"}}),
	), nil},
	{"asks whether to allow always", panelLasts, nil},
	{"reject", nil, kiloReject},
}

// panelLasts reports whether the lowest panel asks whether to allow always.
func panelLasts(l *screen.Layout) bool {
	title, _ := l.PanelTitled(len(l.Lines), "△ Always allow")
	return title >= 0 && panelConfirms(l)
}

// panelConfirms reports whether Enter confirms.
var panelConfirms = shows(sign{within: screen.StatusRows, holds: []string{"enter confirm"}})

// panelEnd is the heavy line that closes the input box.
var panelEnd = sign{drawn: true, glyphs: "╹"}

// panelInput are the lines at the bottom in which the heavy line that closes the input box stands.
const panelInput = 13

// panelComposer: the input box is a panel too, with the status row below it.
func panelComposer(l *screen.Layout) *screen.Composer {
	end := panelEnd.on(l)
	if end < max(len(l.Lines)-panelInput, 1) || inlineRow(l) >= 0 {
		return nil
	}
	c := &screen.Composer{Row: l.Panel(end).Top}
	for at, rows := 0, l.Texts(c.Row, end-1); at < len(rows)-1; at++ { // the last row names the model
		if !screen.Starts(rows[at], "Ask anything...", "Ask anything…") {
			c.Draft = strings.TrimSpace(c.Draft + "\n" + rows[at])
		}
	}
	return c
}

// These rows show that a panel asks whose buttons or keys have no room in the pane, or are wrapped.
var (
	panelTitled = sign{bar: true, begins: []string{"△"}, holds: []string{"Permission required"}}
	panelKeyed  = sign{bar: true, begins: []string{"↑↓"}, holds: []string{"esc"}}
	panelListed = sign{bar: true, within: 2, like: lazy.MustCompile(`^\d+\. `)}
)

// panelCut is such a panel, which reaches the lower edge of the pane (opencode/1.18.33-edit-100x14).
func panelCut(l *screen.Layout) *screen.Dialog {
	at := max(panelTitled.on(l), panelKeyed.on(l), panelListed.on(l))
	outside := func(i int) bool { return l.Lines[i].Kind != screen.Blank && !l.Lines[i].Bar }
	if at < 0 || l.LineFrom(at, len(l.Lines), outside) >= 0 || !l.Lines[len(l.Lines)-1].Bar || panelComposer(l) != nil {
		return nil
	}
	return cutOff(l, l.LineBefore(at, outside)+1, len(l.Lines)-1)
}

// panelMark reports whether a panel is on the screen: its title, its keys, or the line that closes the input box.
var panelMark = shows(
	sign{bar: true, begins: []string{"△ "}}, panelEnd, sign{bar: true, keys: true, holds: []string{"esc dismiss", "enter confirm"}},
)

// panelQuestions is how OpenCode and its forks draw the questions of a model: the headings of a set stand in the first row, the one of the
// page that is on a ground of its own, and Tab leads to the next (opencode 1.18.33, kilo 7.7.9). A number ticks its box. Name
// is the agent's; empty: unknown, so that nothing is ticked and no words are given.
func panelQuestions(name string) *screen.Questions {
	q := &screen.Questions{
		Keys: screen.Keys{Digits: true, Enter: true, Leaves: true}, Toggles: "enter toggle", Paged: true,
		Headings: screen.Headings{Turns: "⇆ tab", Row: 1, Ends: "Confirm"},
		Review:   screen.Review{Head: "Review", Parted: ": "}, // "Sizes: Small, Large"
	}
	own := panelOwnWords
	if q.Own = &own; name != "" {
		q.Ticks, q.Leads, q.Opens, own.Opens = "#", "Tab", name+".ask_user_review", screen.Number
	}
	return q
}

// panelOwnWords: the number of the row for words opens a field below it; Escape closes that, and what was typed is gone (opencode 1.18.33,
// kilo 7.7.9). The model can't leave that row out, and a panel that is too tall for its pane loses its keys.
var panelOwnWords = screen.OwnWords{Hint: "Type your own answer", Below: true, Lines: 6}
