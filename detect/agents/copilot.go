package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// copilot is the GitHub Copilot CLI. Its dialogs were captured from 1.0.47 to 1.0.102, most from the latter.
var copilot = agent{
	name: "copilot",
	profile: Profile{
		About: "Copilot CLI takes a number at once, but its No opens a text field: nod denies with Escape, and there where words come with it. " +
			"A model of its own, its plans and all of 0.0.423 and before need an account, and were not tried; it draws a prompt only when its " +
			"hook has ended (tried on 1.0.102), so that no hook can wait for an answer; no page of its own reviews a set of questions, so " +
			"that what sends a check list on the last one sends the answers to all (1.0.102; 1.0.60 and 1.0.12 draw none).",
		Yes: "`Yes, and don't ask again for … in this repo` and `Yes, and approve … for the rest of the running " +
			"session` reach beyond this once.",
	},
	policy:   copilotPolicy,
	program:  proc.Program{Names: []string{"copilot"}, Packages: []string{"@github/copilot"}},
	environ:  []string{"COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"}, // 1.0.102
	hooks:    &copilotHooks,
	overlay:  []cover{{"feedback is being typed", copilotWrites, copilotReject}, {"an answer is being typed", copilotAnswers, nil}},
	dialog:   dialogs(copilotAsks...),
	voice:    screen.Voice{Mark: "●", Col: 1, Above: "❯>", Tool: screen.BoldHead},
	composer: screen.Input{Ruled: "❯>", Hints: []string{"Enter @ to mention", "Describe a task"}}.In,
	signs: signs{
		// copilot/1.0.102-run-reader-100x40: the option that is marked is said in words, for people whom a screen is read to.
		cut:      cutOffBy(nil, sign{within: 1, begins: []string{"↑/↓ to navigate · enter to select"}}),
		working:  shows(sign{within: screen.FooterRows, holds: []string{"esc interrupt", "Working ·", "esc esc edit prompt", "(Esc to cancel"}}),
		volatile: changes(sign{holds: []string{"Working ·", "esc interrupt"}}),
		mark: shows(sign{holds: []string{
			"tell Copilot", "Copilot needs information", "GitHub Copilot", "Copilot v", "[Current]  Sessions", "← open sidebar", "Manual Approval · ",
			"Confirm folder trust", "Allow directory access",
		}}),
	},
}

// copilotSentences are those that it asks.
var copilotSentences = []string{
	"Do you want to run this command?", "Do you want to use this tool?", "Do you want to allow this?", "Do you want to create %?", "Do you want to edit %?",
}

// copilotCancels is in its row of keys, and copilotOpens begins what it asks.
var (
	copilotCancels = []string{"esc to", "Esc to", "Cancel with Esc"}
	copilotOpens   = []string{"Do you want to ", "Allow "}
)

// copilotAsks: a digit chooses its row at once, but the row that begins with No opens a text field: without words only Escape
// denies. 1.0.47 draws the model's own questions like permissions.
var copilotAsks = []asking{
	{framed: true, shapes: []shape{{Shape: screen.Shape{Name: "ask_words", State: screen.Question}, keys: []string{"nter to submit · "}, fits: copilotWords}}},
	{
		menu: screen.Numbered, cursor: "❯", only: true, titles: []string{"Create file", "Edit file"}, asks: copilotSentences,
		shapes: []shape{
			{
				Shape: screen.Shape{ // a yes lasts for the session
					Name: "trust", State: screen.Question, Verb: "trust", Keys: screen.Keys{Enter: true}, Means: instead([]screen.Scope{screen.Once}, screen.Session),
				},
				titled: trustTitles,
			},
			{
				framed: true, keys: copilotCancels, asks: copilotOpens, set: &screen.Questions{Keys: screen.Keys{Enter: true}},
				fits: func(d *screen.Dialog) bool {
					return !d.Refusable() && !slices.ContainsFunc(d.Entries, func(e screen.Entry) bool { return e.Agrees() })
				},
			},
			{
				Shape: screen.Shape{
					Name: "tool_confirmation", State: screen.Permission, Gutter: 2,
					Keys:  screen.Keys{Digits: true, Enter: true, Escape: true, Escapes: true, Tells: tellsBy("copilot")},
					Means: means([]meaning{{"No, and tell ", screen.Text}}, nil),
				},
				framed: true, keys: copilotCancels, asks: copilotOpens, fix: copilotTool,
				verbs: []verb{
					{asks: "create ", verb: "create"}, {asks: "edit ", verb: "edit"}, {asks: "modify", verb: "edit"}, {asks: "use this tool", verb: "use"},
					{asks: "allow this", verb: "allow"},
				},
			},
		},
	},
	{
		menu: screen.Pointed, cursor: "❯", titles: copilotQuestions,
		shapes: []shape{{keys: []string{"enter accept", "enter to select", "enter submit", "space toggle", "enter to accept"}, fits: copilotAsk}},
	},
}

// copilotWords is a question that offers no answer: the last thing on the screen is a frame with the question, a line drawn under
// it (copilot/1.0.12-words-100x40) or under the title above it (copilot/1.0.60-words-100x40), a field and the keys of that.
func copilotWords(d *screen.Dialog) bool {
	field := d.LineAbove(func(i int) bool { return d.Lines[i].Begins("❯") })
	rule := d.LineAbove(func(i int) bool { return i < field && d.Lines[i].Kind == screen.Rule })
	if !strings.EqualFold(d.Footer, "Enter to submit · Esc to cancel") || !d.HasWords(d.Top, rule-1) {
		return false
	}
	d.Place(screen.Drawing, rule, rule)
	if first := d.NextWords(rule+1, field); first < field {
		d.Ask(first, field-1)
	} else {
		d.Ask(d.Top, rule-1)
	}
	d.Field(field, d.First)
	return true
}

func copilotTool(d *screen.Dialog) string {
	_, head := d.Head()
	if !d.TopUnseen {
		d.Place(screen.Drawing, head+1, head+1) // the line under the title
	}
	if d.Verb == "" && !d.TopUnseen {
		d.Place(screen.Subject, head+1, d.Asked-1) // the title is what the model says of its command
		return ""
	}
	if d.TopUnseen && (d.Verb == "create" || d.Verb == "edit") {
		namedFirst(d)
	}
	return ""
}

// copilotHooks are the hooks of Copilot. Of the events of 1.0.102 only permissionRequest, as hookName, and the notification have names.
var copilotHooks = Hooks{
	Unnamed: []FieldEvent{
		{"toolResult", "postToolUse"}, {"toolArgs", "preToolUse"}, {"stopReason", "agentStop"},
		{"prompt", "userPromptSubmitted"}, {"source", "sessionStart"},
	},
	Settings: HookSettings{
		Variable: "COPILOT_HOME", Folder: ".copilot", File: "settings.json", Form: Commands, Timeout: 5,
		Events: []string{"sessionStart", "userPromptSubmitted", "preToolUse", "permissionRequest", "postToolUse", "agentStop", "notification"},
	},
}

var copilotQuestions = []string{"Copilot needs information."}

// copilotSet: in a check list a bullet is before what is not ticked, and Space ticks the marked row. Tab leads on from each page but
// the last, where Enter sends the answers to all of them, and no page reviews these (1.0.102).
var copilotSet = screen.Questions{
	Keys: screen.Keys{Enter: true, Leaves: true}, Leaves: "esc cancel", Toggles: "space toggle", Ticks: "Space", Leads: "Tab", Next: "tab next",
	Headings: screen.Headings{Each: true}, // "Colour  [Sizes]"
}

// copilotAsk is a question of the model, or one page of a set.
func copilotAsk(d *screen.Dialog) bool {
	q := copilotSet
	if !screen.Holds(d.Footer, q.Toggles) || !copilotBoxes(d) || !copilotMarked(d) || !copilotWhole(d) {
		q.Ticks, q.Leads, q.Next = "", "", ""
	}
	d.AskSet(&q)
	if _, head := d.Head(); !d.TopUnseen {
		d.Place(screen.Subject, head+1, d.First-1) // the headings too, which name what is asked about
	}
	return true
}

// copilotAnswers reports whether words of one's own are typed for a question: while the mark is on their row, their field is below
// the dialog, drawn as the input box is, so that two rules meet (1.0.102).
func copilotAnswers(l *screen.Layout) bool {
	rule := l.LineBefore(len(l.Lines), func(i int) bool { return i > 1 && l.Lines[i].Kind == screen.Rule && l.Lines[i-1].Kind == screen.Rule })
	return rule > 0 && screen.Holds(l.Lines[rule-2].Text, "enter accept", "enter submit", "tab next") && screen.Holds(l.Lines[rule-2].Text, "esc cancel")
}

// copilotBoxes takes the sign before each row for its box. It reports whether every row has one.
func copilotBoxes(d *screen.Dialog) bool {
	boxes := map[string]string{"•": "[ ]", "✓": "[✓]"}
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Check = boxes[e.Check]; e.Check == "" {
			return false
		}
	}
	return true
}

// copilotMarked reports whether the mark is the agent's own: a label may hold a row that looks like a marked one, but the colours of
// that are those of the rows around it, or else two rows have a mark.
func copilotMarked(d *screen.Dialog) bool {
	marks := 0
	for i := d.Top; i <= d.Last; i++ {
		if d.Lines[i].Begins("❯") {
			marks++
		}
	}
	if marks != 1 || d.Marked < 0 {
		return false
	}
	look := func(e screen.Entry) screen.Style { return d.Lines[e.First].Style(e.Col) }
	marked := look(d.Entries[d.Marked])
	others := slices.Delete(slices.Clone(d.Entries), d.Marked, d.Marked+1)
	return !slices.ContainsFunc(others, func(e screen.Entry) bool { return look(e) == marked })
}

// copilotWhole reports whether no row above the list has the sign of a box: a label with an empty line in it parts the list, and
// what is ticked above that line would be sent unseen.
func copilotWhole(d *screen.Dialog) bool {
	return !slices.ContainsFunc(d.Lines[d.Top:d.First], func(line screen.Line) bool { return line.Begins("•✓") })
}

// The row that says no becomes a text field when the highlight reaches it, and what is typed takes the place of its label. Keys are letters
// of the words then.

const (
	// copilotField is the label of that row while nothing is typed, and copilotStop is behind it, and behind the words.
	copilotField = "No, and tell Copilot what to do differently"
	copilotStop  = "(Esc to stop)"
)

func copilotWrites(l *screen.Layout) bool {
	d, _ := copilotTyped(l)
	return d != nil
}

func copilotReject(l *screen.Layout) *screen.Prompt {
	list, typed := copilotTyped(l)
	return denialField(l, list.First, list.End, "copilot", copilotField, typed)
}

// copilotTyped finds the dialog whose last row takes words, and these: that of the numbered ones is marked, with the way to stop behind its
// words or at their side. nil: there is none.
func copilotTyped(l *screen.Layout) (d *screen.Dialog, typed string) {
	list, row, ok := lastRow(l)
	if !ok {
		return nil, ""
	}
	end := l.ParagraphEnd(row.First)
	if typed, ok = copilotWordsOf(l.Lines[row.First : end+1]); !ok {
		return nil, ""
	}
	row.Last, list.Last = end, end
	if d, ok = l.Dialog(list, nil, false); !ok || d.Frame() == nil {
		return nil, ""
	}
	_, words, _ := strings.Cut(typed, ". ") // behind the number
	if typed = strings.Join(strings.Fields(words), " "); typed == copilotField {
		typed = ""
	}
	return d, typed
}

// copilotWordsOf parts the words of a row, with its number, from the way to stop: at the right of the first line, which takes a
// column of its own where it wraps, or behind the last word. Where it is not plain which, all of it is given, so that
// no words are taken for those that were typed.
func copilotWordsOf(rows []screen.Line) (words string, ok bool) {
	first := &rows[0]
	all := joinLines(rows, 0, wholeLine)
	for _, part := range []string{copilotStop, "(Esc to", "(Esc"} {
		col := first.End() - len(part) - 1
		if strings.HasSuffix(first.Text, "  "+part) && joinLines(rows, col, wholeLine) == copilotStop {
			return joinLines(rows, 0, col), true
		}
	}
	if words, ok := strings.CutSuffix(all, copilotStop); ok {
		return words, true
	}
	return all, strings.Contains(all, "(Esc to")
}

const wholeLine = 1 << 20

// joinLines is the text of lines between two columns, with one blank where there are more.
func joinLines(lines []screen.Line, from, to int) string {
	var words []string
	for i := range lines {
		words = append(words, strings.Fields(lines[i].Between(from, to))...)
	}
	return strings.Join(words, " ")
}

// copilotPolicy is that of Copilot: 1.0.102, which says so where it asks.
var copilotPolicy = policy{
	modes: []mode{{does: reason.RunsUnasked, name: "all tools allowed", args: []string{"--allow-all-tools", "--allow-all", "--yolo"}}},
	asks:  []string{"· Manual Approval ·"},
}
