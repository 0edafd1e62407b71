package agents

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/text/lazy"
)

// Which calls Codex's reviewer denied (0.169.0, 0.171.0) is read off the rows that say so, which show the beginning of a call, and out of the
// transcript, which has all of it. /approve opens the list that Codex keeps of them.

// codexRefused begins the row of a call that the reviewer denied. A call that a person denied has other words.
const codexRefused = "✗ Request denied for codex to "

// codexStopped begins the row that says that the turn was stopped: by a person, or by Codex itself within 0.1 s of the third denial in a row. Of
// the latter it says more in a list of warnings alone, which takes a key.
const (
	codexStopped = "■ Conversation interrupted"
	codexGivesUp = 3
)

// codexDeniedOn: the rows are drawn at the left edge, where of all that the model or a command says nothing begins with those glyphs.
func codexDeniedOn(l *screen.Layout, box int) (d DeniedCalls) {
	begins, said := turnAbove(l, box, 0, '›')
	d.Turn, d.All = said, begins >= 0
	since := 0 // how many calls have ended, and messages come, since the last denial: the first is the denied one
	for i := begins + 1; i < box; i++ {
		line := &l.Lines[i]
		if line.Col != 0 {
			continue
		}
		switch {
		case strings.HasPrefix(line.Text, codexStopped):
			d.Stops++
		case line.First() == '•':
			since++
		}
		if line.First() != '✗' {
			continue
		}
		end := l.ParagraphEnd(i)
		what, refused := strings.CutPrefix(l.Paragraph(i, end), codexRefused)
		if !refused {
			continue
		}
		c := DeniedCall{Text: what, Cut: true}
		if command, runs := strings.CutPrefix(what, "run "); runs {
			c.Text, c.Cut = command, end > i || strings.HasSuffix(command, "...") // where it wraps, how many blanks stood there is not known
		}
		d.Calls, since = append(d.Calls, c), 0
	}
	d.GivesUp = since <= 1 && (!d.All || len(d.Calls) >= codexGivesUp)
	return d
}

// codexLine is what is read of a line of the transcript.
type codexLine struct {
	Type      string
	Turn      string `json:"turn_id"`
	Call      string `json:"call_id"`
	Arguments string
	Input     string
	Output    string
	Reason    string // why a turn was aborted
	Of        struct {
		Turn string `json:"turn_id"`
	} `json:"internal_chat_message_metadata_passthrough"`
}

// codexLineOf is a line of the transcript and its kind; ok is false if it has another form.
func codexLineOf(line map[string]json.RawMessage) (kind string, item codexLine, ok bool) {
	_ = json.Unmarshal(line["type"], &kind)
	ok = json.Unmarshal(line["payload"], &item) == nil
	return kind, item, ok
}

// codexRejects begins the result of a call that the reviewer denied, with the reason. What a command prints is behind a head.
var codexRejects = lazy.MustCompile(
	`(?s)^(?:\w+ failed: CreateProcess \{ message: "Rejected\(\\")?This action was rejected due to unacceptable risk\.(?:\\+n|\n)Reason: (.*?)(?:\\+n|\n)The agent must not`)

// codexDeniedIn reads the transcript's last turn.
func codexDeniedIn(lines Lines) (d DeniedCalls, waits bool) {
	results := map[string]*string{} // why a call was denied; nil: it was not
	for line := range lines {
		kind, item, ok := codexLineOf(line)
		if !ok {
			continue // a result without text is no refusal
		}
		called, ended := strings.HasSuffix(item.Type, "_call"), strings.HasSuffix(item.Type, "_call_output")
		if kind != "turn_context" && !called && !ended {
			continue // what /approve leaves there bears the name of a turn that never comes
		}
		item.Turn = cmp.Or(item.Turn, item.Of.Turn)
		d.Turn = cmp.Or(d.Turn, item.Turn)
		if item.Turn != "" && item.Turn != d.Turn {
			break
		}
		switch {
		case kind == "turn_context":
			d.All = true
			slices.Reverse(d.Calls)
			return d, waits
		case ended:
			results[item.Call] = nil
			if why := codexRejects().FindStringSubmatch(item.Output); why != nil {
				results[item.Call] = &why[1]
			}
		default:
			why, known := results[item.Call]
			waits = waits || !known
			if why != nil {
				d.Calls = append(d.Calls, item.denied(*why))
			}
		}
	}
	slices.Reverse(d.Calls)
	return d, waits
}

// codexEscaped: Escape aborts the turn, and so does Codex where it gives up.
func codexEscaped(lines Lines) map[string]json.RawMessage {
	for line := range lines {
		if kind, item, ok := codexLineOf(line); ok && kind == "event_msg" && item.Type == "turn_aborted" && item.Reason == "interrupted" {
			return line
		}
	}
	return nil
}

// denied is a call as people are shown it.
func (l codexLine) denied(why string) DeniedCall {
	c := DeniedCall{Reason: why, Text: l.Input + l.Arguments, Verb: "use"}
	if in := textsIn(l.Arguments); in["cmd"] != "" {
		c.Text, c.Folder, c.Verb = in["cmd"], in["workdir"], ""
	}
	return c
}

// That list is a table of the action and the rationale, the newest first. Enter on a row has that action reviewed once more when the agent
// tries it again.

const (
	codexDenialsHead = "Auto-review Denials"
	codexDenialsKeys = "enter select · esc back"
)

// codexDenials reads the list. Nothing is chosen in it from afar but by a grant (Grants): a person who opened it is at the terminal.
var codexDenials = asking{
	list: codexDenied, cursor: "›", head: codexDenialsHead,
	shapes: []shape{{
		Shape: screen.Shape{
			Name: "denials", State: screen.Question, Ask: "Which denied action is to be reviewed again?",
			Means: otherwise,
		},
	}},
}

// codexLists reports whether the list is open: nothing is below its keys.
func codexLists(l *screen.Layout) bool {
	_, line := l.LowestRow()
	return line.Col == codexIndent && line.Text == codexDenialsKeys
}

// codexDenied are the rows of the list. What an action that has several lines goes on with is in the column of the rationale, so that its
// row shows a quote that is not closed.
func codexDenied(l *screen.Layout) (m screen.Menu, ok bool) {
	end, _ := l.LowestRow()
	titles := l.LineBefore(end, func(i int) bool {
		line := &l.Lines[i]
		return line.Col == codexIndent && strings.HasPrefix(line.Text, "Action ") && strings.HasSuffix(line.Text, " Rationale")
	})
	if !codexLists(l) || titles < 0 {
		return m, false
	}
	second := l.Lines[titles].End() - len("Rationale")
	m = screen.Menu{First: end, Marked: -1}
	for i := titles + 1; i < end; i++ {
		line := &l.Lines[i]
		marked := line.Col == 0 && line.First() == '›'
		switch {
		case line.Kind != screen.Words || line.Text == "↓" || line.Text == "↑":
		case marked || line.Col == codexIndent:
			if marked {
				m.Marked = len(m.Entries)
			}
			m.First, m.Last = min(m.First, i), i
			e := screen.Entry{First: i, Last: i, Col: codexIndent, Note: line.Between(second, line.End())}
			e.Label = strings.TrimRight(line.Between(codexIndent, second), " ")
			m.Entries = append(m.Entries, e)
		case len(m.Entries) > 0:
			e := &m.Entries[len(m.Entries)-1]
			e.Last, m.Last = i, i
			e.Note += " " + line.Text
		}
	}
	return m, len(m.Entries) > 0
}

var codexGrants = Grants{Opens: codexApprove, Offered: codexOffered, Shape: "codex.denials", Command: codexCommandOf}

const codexApprove = "/approve"

// codexOffered: the menu of commands is above the input box, and Enter takes its marked row.
func codexOffered(s screen.Screen) int {
	l := screen.Lay(s)
	box := codexComposer(l)
	if box == nil || box.Draft != codexApprove {
		return -1
	}
	i := l.LineBefore(box.Row, func(i int) bool { return l.Lines[i].Kind == screen.Words })
	if i >= 0 && strings.HasPrefix(l.Lines[i].Text, "› "+codexApprove+" ") { // several may be offered
		return i
	}
	return -1
}

// shellPiece is a part of a word as a shell reads it: in single quotes, in double quotes, or plain characters.
const shellPiece = "'[^']*'|\"(?:[^\"\\\\]|\\\\[$`\"\\\\])*\"|[-+./:@\\]_=,0-9A-Za-z]+"

// shellCommand matches a shell that is given one word as its command. A line that was cut off is none, and neither is one that has more
// than plain characters outside of quotes, which mean more than themselves.
var (
	shellPieces  = lazy.MustCompile(shellPiece)
	shellCommand = lazy.MustCompile("^(?:[-+./:@\\]_=,0-9A-Za-z]*/)?(?:bash|sh|zsh) -l?c ((?:" + shellPiece + ")+)$")
	shellEscapes = strings.NewReplacer(`\$`, "$", "\\`", "`", `\"`, `"`, `\\`, `\`)
)

// codexCommandOf reads `/bin/bash -lc 'touch made.txt'`: the command that a shell is given.
func codexCommandOf(label string) (command string, whole bool) {
	m := shellCommand().FindStringSubmatch(string([]rune(label))) // a byte that is no UTF-8 is U+FFFD there
	if m == nil {
		return "", false
	}
	for _, piece := range shellPieces().FindAllString(m[1], -1) {
		switch inner := piece[1:max(len(piece)-1, 1)]; piece[0] {
		case '\'':
			command += inner
		case '"':
			command += shellEscapes.Replace(inner)
		default:
			command += piece
		}
	}
	return command, true
}
