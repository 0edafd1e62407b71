package agents

import (
	"path"
	"strings"

	"nod/detect/screen"
)

// This file reads the list of calls that Codex's reviewer denied, which /approve opens (0.169.0, 0.171.0): a table of the action and the
// rationale, the newest first. Enter on a row has that action reviewed once more when the agent tries it again.

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
			Means: func(*screen.Entry) screen.Scope { return screen.Other },
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

// codexCommandOf reads `/bin/bash -lc 'touch made.txt'`: the words of a command that a shell is given, quoted as a shell reads them.
func codexCommandOf(label string) (command string, whole bool) {
	words, ok := shellWords(label)
	if !ok || len(words) != 3 || words[1] != "-lc" && words[1] != "-c" {
		return "", false
	}
	switch path.Base(words[0]) {
	case "bash", "sh", "zsh":
		return words[2], true
	}
	return "", false
}

// shellWords parts a line into words and takes the quotes off; ok is false where a quote is not closed, or something is outside of
// quotes that is no plain character of a word: then the line is cut off, or means more than its words.
func shellWords(line string) (words []string, ok bool) {
	var word strings.Builder
	begun, quote := false, rune(0)
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		switch {
		case quote == 0 && c == ' ':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
			continue
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case quote == '"' && c == '\\':
			if i++; i == len(runes) || !strings.ContainsRune("$`\"\\", runes[i]) {
				return nil, false
			}
			word.WriteRune(runes[i])
		case quote != 0, strings.ContainsRune("+-./:@]_=,", c), c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
			word.WriteRune(c)
		default:
			return nil, false
		}
		begun = true
	}
	if begun {
		words = append(words, word.String())
	}
	return words, quote == 0
}
