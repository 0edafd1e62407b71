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

// fit is how a prompt on the screen agrees with what a call wants.
type fit int

const (
	differs   fit = iota // the screen tells another call
	unknown              // nothing was there to compare, or nothing that can be compared
	undecided            // nothing contradicts, and not all that is visible could be compared
	rendered             // all that is visible occurs in the call, in order; where the prompt is whole, nothing else does
)

// compare compares a prompt with what a call wants. Where the prompt renders the call, labels are the rows that the
// screen shows besides. Blanks do not count, for a wrapped row has lost some, nor do characters that show nothing, nor
// a frame that could not be told for sure.
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

// compareLead compares the rows that come first with what a call wants. remarks are those among them that show the
// agent's own remark.
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

// withoutFrame are the rows without a frame around them; ok is false where there is none around all of them.
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

// otherKind compares a call with a prompt that is for another kind of call, as far as its verb tells: what names the
// call may be there all the same, as in the arguments of a tool.
func otherKind(asked *screen.Content, name string) fit {
	if strings.Contains(plain(asked.Subject), plain(name)) {
		return unknown
	}
	return differs
}

// compareCommand compares rows with a command, and with the agent's own remark, which some draw below it; remarks are
// its rows.
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
	// Where an agent writes it behind the command, both share a row.
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

// addressLabel is how a row begins that tells the address once more.
const addressLabel = "URL:"

// compareAddress compares rows with the address of a page. A screen that tells another one is left to itself.
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

// rowForHidden is a row that stands for rows that are not shown: `[… 66 lines] ^a view all`, `... 33 hidden
// (Ctrl+O) ...`, `... last 36 lines hidden ...`, `+ Show details`.
var rowForHidden = lazy.MustCompile(`^\s*(?:[\[(]?(?:…|\.{3})\s*(?:(?:first|last)\s+)?\+?\d+\s+(?:more\s+)?(?:lines?|rows?|hidden)\b.*|\+ Show details|…)\s*$`)

// joinedRows are the rows of a subject as they are compared, those that hang together joined.
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
		} else if text != "" {
			pieces = append(pieces, text)
		}
		open = !cut && (open || text != "")
	}
	return pieces
}

// compareFile compares row by row what is written or changed. Rows around a change are in no call, and of a change
// inside of a line the call has but a part: such rows decide nothing. Rows that are no line of a file, where the others have
// numbers, are labels.
func (in *toolInput) compareFile(rows []string, asked *screen.Content) (how fit, labels []string) {
	c := fileComparison{toolInput: in, question: plain(asked.Question)}
	c.content, c.old, c.replacement = plain(in.content), plain(in.old), plain(in.replacement)
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

// fileComparison is how far rows were compared with a call that changes a file.
type fileComparison struct {
	*toolInput
	question                  string
	content, old, replacement string // what rows may still render, as it is compared
	named                     bool   // a row names the file
	found                     bool   // a row renders a part of the call
	around                    bool   // a row can't be compared
}

// takes compares a row. It reports false where the row is in no way of the call.
func (c *fileComparison) takes(row diffRow) bool {
	text := plain(row.text)
	signed := row.sign + text
	switch {
	case signed == "" || rowForHidden().MatchString(row.text) || row.head && severalFiles().MatchString(row.text):
	case c.namesFile(row.text):
		c.named = true
		if row.head && c.patch { // its files are shown in the order of their names
			c.content = plain(c.section(c.fileIn(row.text)))
		}
	case !c.found && strings.Contains(c.question, signed): // some name the file in their question
		c.named = true
	case c.toolInput.content != "" && (advance(&c.content, signed) || row.sign == "+" && advance(&c.content, text)),
		c.toolInput.content == "" && row.sign == "-" && c.changes(&c.old, c.toolInput.old, text),
		c.toolInput.content == "" && row.sign == "+" && c.changes(&c.replacement, c.toolInput.replacement, text):
		c.found = true
	case row.cut, c.diff, row.sign == "" && c.toolInput.content == "", row.sign == "-" && c.overwrites(),
		row.sign == "-" && holdsEdge(text, c.toolInput.old), row.sign == "+" && holdsEdge(text, c.toolInput.replacement):
		c.around = true
	default:
		return false
	}
	return true
}

// changes moves left, what is left of whole, behind a changed row. Where every occurrence is replaced, each is shown.
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

// overwrites reports whether the call writes a whole file, so that rows of an older one may be shown as taken away.
func (c *fileComparison) overwrites() bool { return c.toolInput.content != "" && !c.patch }

// holdsEdge reports whether a row, a whole line of a file, holds the first or the last line of a piece of text: what is
// changed may begin and end inside of a line.
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
	cut      bool // it may go on: in a row that can't be told from a line of its own, or beyond the dialog's edge
}

// How a row of a diff begins: the line's number, then a sign.
var numbered = lazy.MustCompile(`^\s*\d+(?:\s|$)\s?`)

// scrollbar is the bar at the right of text that does not fit.
var scrollbar = lazy.MustCompile(`  +[█▀▄]$`)

// diffRows are the lines of files in a dialog. Where lines have numbers, a row without one goes on with the line above.
func (in *toolInput) diffRows(rows []string) []diffRow {
	var lines []diffRow
	numbers := false
	for _, row := range rows {
		if in.diff {
			row = scrollbar().ReplaceAllString(row, "")
		}
		if rowForHidden().MatchString(row) || severalFiles().MatchString(row) || in.namesFile(row) {
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

// summary is a row that names a file: how an agent may begin and end it.
var summary = lazy.MustCompile(`^(?:└ )?(?:(?:Added|Edited|Deleted|Updated)\s+)?(.+?)(?:\s+\(\+\d+ -\d+\)|\s+←)?$`)

// severalFiles is a row above those that name the files of one call.
var severalFiles = lazy.MustCompile(`^\s*Edited \d+ files \(\+\d+ -\d+\)$`)

// namesFile reports whether a row names a file of the call.
func (in *toolInput) namesFile(row string) bool { return in.fileIn(row) != "" }

// fileIn is the file of the call that a row names: by its path, or by as much of its end as an agent shows.
func (in *toolInput) fileIn(row string) string {
	name := strings.TrimSpace(summary().ReplaceAllString(strings.TrimSpace(row), "$1"))
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	if name == "" || slices.Contains(in.paths, name) {
		return name
	}
	for _, file := range in.paths {
		if strings.HasSuffix(file, "/"+name) || filepath.IsAbs(name) && strings.HasSuffix(name, "/"+file) {
			return file
		}
	}
	return ""
}

// advance moves text behind the first piece in it.
func advance(text *string, piece string) bool {
	at := strings.Index(*text, piece)
	if at < 0 {
		return false
	}
	*text = (*text)[at+len(piece):]
	return true
}

// shownCode is how a character that shows nothing is in a prompt's text.
var shownCode = lazy.MustCompile(`<U\+[0-9A-F]{4,6}>`)

// plain is a text without blanks and without what shows nothing, whether or not that is written as its code.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || visible.Hidden(r) {
			return -1
		}
		return r
	}, shownCode().ReplaceAllString(text, ""))
}
