package detect

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"nod/detect/screen"
	"nod/internal/text/lazy"
	"nod/internal/text/visible"
)

// fit says how a prompt on the screen agrees with a call.
type fit int

const (
	differs   fit = iota // the screen shows another call
	unknown              // there is nothing that can be compared
	undecided            // nothing contradicts, but not everything on the screen could be compared
	rendered             // everything on the screen is in the call, in order; if the prompt is whole, the call has nothing else
)

// compare compares a prompt with a call. If the prompt renders the call, labels are the further rows on the screen. Blanks do
// not count, since a wrapped row has lost some; neither do invisible characters, nor a frame that was not recognised for sure.
func (in *toolInput) compare(asked *screen.Content) (how fit, labels []string) {
	rows := strings.Split(asked.Subject, "\n")
	if asked.Lead > 0 && asked.Lead < len(rows) {
		rows, labels = rows[:asked.Lead], rows[asked.Lead:]
	}
	how, remarks := in.compareLead(rows, asked)
	if bare, ok := withoutFrame(rows); ok && how != rendered {
		how, remarks = in.compareLead(bare, asked)
	}
	return how, append(remarks, labels...)
}

// compareLead compares the first rows of the subject with a call. remarks are those of them that show the agent's own remark.
func (in *toolInput) compareLead(rows []string, asked *screen.Content) (how fit, remarks []string) {
	switch {
	case in.command != "" && asked.Verb == "":
		return in.compareCommand(rows, asked.Partial)
	case in.command != "":
		return otherKind(asked, in.command), nil
	case in.url != "":
		return in.compareAddress(rows, asked), nil
	case len(in.paths) > 0 && asked.Verb != "":
		return in.compareFile(rows, asked)
	case len(in.paths) > 0:
		return otherKind(asked, path.Base(in.paths[0])), nil
	case asked.Verb == "":
		return differs, nil
	}
	return undecided, nil
}

// withoutFrame returns the rows without the frame around them; ok is false if no frame is around all of them.
func withoutFrame(rows []string) (bare []string, ok bool) {
	for _, row := range rows {
		row = strings.TrimSpace(row)
		inner := strings.TrimPrefix(row, "│")
		switch {
		case row == "":
		case strings.TrimFunc(row, boxDrawing) == "" && row != "│":
			ok = true
		case inner == row:
			return nil, false
		default:
			bare, ok = append(bare, strings.TrimSuffix(inner, "│")), true
		}
	}
	return bare, ok
}

func boxDrawing(r rune) bool { return r >= 0x2500 && r < 0x2580 }

// otherKind compares a call with a prompt whose verb belongs to another kind of call. The call's name may still be there, as in
// the arguments of a tool.
func otherKind(asked *screen.Content, name string) fit {
	if strings.Contains(plain(asked.Subject), plain(name)) {
		return unknown
	}
	return differs
}

// compareCommand compares rows with a command and with the agent's own remark, which some agents draw below it. remarks are the
// rows of the remark.
func (in *toolInput) compareCommand(rows []string, partial bool) (_ fit, remarks []string) {
	how := compareRows(rows, in.command, partial)
	if how == rendered || in.remark == "" {
		return how, nil
	}
	remark := plain(in.remark)
	for i := len(rows) - 1; i >= 0; i-- {
		if text := plain(strings.Join(rows[i:], "")); text == remark || text == "("+remark+")" {
			return compareRows(rows[:i], in.command, partial), rows[i:]
		}
	}
	// If an agent writes it behind the command, both share a row.
	if partial {
		last := len(rows) - 1
		for _, end := range []string{in.remark, "(" + in.remark + ")"} {
			if command, ok := strings.CutSuffix(rows[last], end); ok {
				return compareRows(append(rows[:last:last], command), in.command, partial), []string{end}
			}
		}
	}
	return how, nil
}

// addressLabel begins a row that repeats the address.
const addressLabel = "URL:"

// compareAddress compares rows with the address of a page.
func (in *toolInput) compareAddress(rows []string, asked *screen.Content) fit {
	shown, address := plain(strings.Join(rows, "")), plain(in.url)
	switch {
	case asked.Verb == "":
		return differs
	case asked.Verb == "fetch" && (shown == address || shown == address+addressLabel+address):
		return rendered
	}
	return undecided
}

// compareRows compares rows with a text.
func compareRows(rows []string, text string, partial bool) fit {
	text = plain(text)
	if !partial {
		if plain(strings.Join(rows, "")) == text {
			return rendered
		}
		return differs
	}
	pieces := joinedRows(rows)
	if strings.Join(pieces, "") == "" {
		return unknown
	}
	for _, piece := range pieces {
		if !advance(&text, piece) {
			return differs
		}
	}
	return rendered
}

// rowForHidden matches a row in place of hidden rows: `[… 66 lines] ^a view all`, `... 33 hidden (Ctrl+O) ...`, `... last 36
// lines hidden ...`, `+ Show details`.
var rowForHidden = lazy.MustCompile(`^\s*(?:[\[(]?(?:…|\.{3})\s*(?:(?:first|last)\s+)?\+?\d+\s+(?:more\s+)?(?:lines?|rows?|hidden)\b.*|\+ Show details|…)\s*$`)

// joinedRows are the rows of a subject, ready to be compared, with rows that belong together joined.
func joinedRows(rows []string) []string {
	var pieces []string
	open := false
	for _, row := range rows {
		if rowForHidden().MatchString(row) {
			open = false
			continue
		}
		text, cut := strings.CutSuffix(plain(row), "…")
		if open {
			pieces[len(pieces)-1] += text
		} else {
			pieces = append(pieces, text)
		}
		open = !cut
	}
	return pieces
}

// compareFile compares a written or changed file row by row. Rows around a change are in no call, and a call may hold only a part
// of a changed line: such rows decide nothing. If lines of the file have numbers, rows without one are labels.
func (in *toolInput) compareFile(rows []string, asked *screen.Content) (how fit, labels []string) {
	c := fileComparison{toolInput: in, question: plain(asked.Question)}
	c.left.content, c.left.old, c.left.replacement = plain(in.content), plain(in.old), plain(in.replacement)
	for _, row := range in.diffRows(rows) {
		if in.diff && !row.numbered && !row.head {
			if text := strings.TrimSpace(row.text); text != "" {
				labels = append(labels, text)
			}
			continue
		}
		if !c.takes(row) {
			return differs, nil
		}
	}
	switch {
	case c.found && !c.around && (c.named || !in.diff):
		return rendered, labels
	case c.found, c.around, c.named:
		return undecided, nil
	}
	return unknown, nil
}

// fileComparison is the progress of comparing rows with a call that changes a file.
type fileComparison struct {
	*toolInput
	question string
	left     struct{ content, old, replacement string } // of the call's text: what further rows may render
	named    bool                                       // a row names the file
	found    bool                                       // a row renders a part of the call
	around   bool                                       // a row can't be compared
}

// takes compares a row. It reports false if the row can't belong to the call.
func (c *fileComparison) takes(row diffRow) bool {
	text := plain(row.text)
	signed := row.sign + text
	switch {
	case signed == "" || rowForHidden().MatchString(row.text) || row.head && severalFiles().MatchString(row.text):
	case c.fileIn(row.text) != "":
		c.named = true
		if row.head && c.patch { // the agent shows its files in the order of their names
			c.left.content = plain(c.section(c.fileIn(row.text)))
		}
	case !c.found && strings.Contains(c.question, signed): // some agents name the file in their question
		c.named = true
	case c.content != "" && (advance(&c.left.content, signed) || row.sign == "+" && advance(&c.left.content, text)),
		c.content == "" && row.sign == "-" && c.changes(&c.left.old, c.old, text),
		c.content == "" && row.sign == "+" && c.changes(&c.left.replacement, c.replacement, text):
		c.found = true
	case row.cut, c.diff, row.sign == "" && c.content == "", row.sign == "-" && c.overwrites(),
		row.sign == "-" && holdsEdge(text, c.old), row.sign == "+" && holdsEdge(text, c.replacement):
		c.around = true
	default:
		return false
	}
	return true
}

// changes moves left, the rest of whole, behind a changed row. If the call replaces every occurrence, the screen shows each.
func (c *fileComparison) changes(left *string, whole, row string) bool {
	if advance(left, row) {
		return true
	}
	if c.everywhere {
		*left = plain(whole)
		return advance(left, row)
	}
	return false
}

// overwrites reports whether the call writes a whole file, so that the screen may show rows of the older file as removed.
func (c *fileComparison) overwrites() bool { return c.content != "" && !c.patch }

// holdsEdge reports whether a row, a whole line of a file, holds the first or the last line of a piece of text: a change may begin
// and end inside of a line.
func holdsEdge(row, piece string) bool {
	lines := strings.Split(strings.Trim(piece, "\n"), "\n")
	first, last := plain(lines[0]), plain(lines[len(lines)-1])
	return first != "" && strings.Contains(row, first) || last != "" && strings.Contains(row, last)
}

// diffRow is one line of a file as a dialog shows it, its wrapped rows joined.
type diffRow struct {
	sign string // "+", "-" or ""
	text string
	head bool // it is no line of a file
	// numbered says that the line's number is before it.
	numbered bool
	cut      bool // it may go on: in a row that looks like a line of its own, or beyond the dialog's edge
}

// numbered matches the beginning of a row of a diff: the line's number, then a blank before the sign.
var numbered = lazy.MustCompile(`^\s*\d+(?:\s|$)\s?`)

// scrollbar matches the bar at the right of text that does not fit.
var scrollbar = lazy.MustCompile(`  +[█▀▄]$`)

// diffRows are the lines of files in a dialog. If lines have numbers, a row without one goes on with the line above.
func (in *toolInput) diffRows(rows []string) []diffRow {
	var lines []diffRow
	numbers := false
	for _, row := range rows {
		if in.diff {
			row = scrollbar().ReplaceAllString(row, "")
		}
		if rowForHidden().MatchString(row) || severalFiles().MatchString(row) || in.fileIn(row) != "" {
			lines = append(lines, diffRow{text: row, head: true})
			continue
		}
		line := numbered().ReplaceAllString(row, "")
		var sign string
		if line != "" && (line[0] == '+' || line[0] == '-') {
			sign, line = line[:1], line[1:]
		}
		n := len(lines) - 1
		switch goesOn := sign == "" && n >= 0 && !lines[n].head && strings.TrimSpace(line) != ""; {
		case numbered().MatchString(row):
			numbers = true
		case goesOn && numbers:
			lines[n].text += line
			continue
		case goesOn && lines[n].sign != "":
			lines[n].cut = true
		}
		text, cut := strings.CutSuffix(strings.TrimRight(line, " "), "…")
		lines = append(lines, diffRow{sign: sign, text: text, cut: cut, numbered: numbered().MatchString(row)})
	}
	return lines
}

// summary matches a row that names a file, with the words that agents put around the name.
var summary = lazy.MustCompile(`^(?:└ )?(?:(?:Added|Edited|Deleted|Updated)\s+)?(.+?)(?:\s+\(\+\d+ -\d+\)|\s+←)?$`)

// severalFiles matches a row above the names of several files of one call.
var severalFiles = lazy.MustCompile(`^\s*Edited \d+ files \(\+\d+ -\d+\)$`)

// fileIn is the file of the call that a row names, by its path or by the end of its path; empty: it names none.
func (in *toolInput) fileIn(row string) string {
	name := strings.TrimSpace(summary().ReplaceAllString(strings.TrimSpace(row), "$1"))
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	if slices.Contains(in.paths, name) {
		return name
	}
	for _, file := range in.paths {
		if strings.HasSuffix(file, "/"+name) || filepath.IsAbs(name) && strings.HasSuffix(name, "/"+file) {
			return file
		}
	}
	return ""
}

// advance moves text behind the first occurrence of piece.
func advance(text *string, piece string) bool {
	at := strings.Index(*text, piece)
	if at < 0 {
		return false
	}
	*text = (*text)[at+len(piece):]
	return true
}

// shownCode matches the code of an invisible character in a prompt's text.
var shownCode = lazy.MustCompile(`<U\+[0-9A-F]{4,6}>`)

// plain is a text without blanks and without invisible characters or their codes.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || visible.Hidden(r) {
			return -1
		}
		return r
	}, shownCode().ReplaceAllString(text, ""))
}
