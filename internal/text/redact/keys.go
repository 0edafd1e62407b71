package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"nod/internal/text/lazy"
)

// This file finds private keys. A row of a key is a long run of base64, like those of checksums and pictures.
// It is recognised by the line that opens or closes the key, or without such a line by its length: no other
// text for people to read is random.

const (
	openedRun = 16 // the shortest run that is hidden after the line that opens a key
	keyRun    = 48 // the shortest run that is hidden without such a line
	longSum   = 88 // the longest checksum, SHA-512's
	beside    = 40 // how many bytes before and after a run are considered
)

var (
	// keyMark is an opening or closing line of PEM, OpenSSH, SSH2, PGP or PuTTY.
	keyMark = lazy.MustCompile(`-{4,5} ?(?:BEGIN|END)\s[A-Z0-9+\s` + borders + `]{1,60}|PuTTY-User-Key-File-|Private-MAC`)
	// sumMark precedes a checksum in go.sum and in lock files; publicKey precedes a public key.
	sumMark   = lazy.MustCompile(`(?:\bh1:|\bsha(?:1|256|384|512)[-:])$`)
	publicKey = lazy.MustCompile(`\b(?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]+ $`)
)

// piece is a run of base64 in a row of a view.
type piece struct {
	span
	row    int
	hidden bool
}

// keysIn returns the private keys in the views of a text.
func keysIn(views []view, size int) []span {
	public := make([]bool, size+1) // bytes of the text that belong to a checksum or a public key
	found := make([][]piece, len(views))
	for i, v := range views {
		found[i] = pieces(v.text, func(s span) {
			for at := s.start; at < s.end; at++ {
				public[v.inText(span{at, at}).start] = true
			}
		})
	}
	var spans []span
	for i, v := range views {
		hideKeys(v.text, found[i], func(p piece) bool { return public[v.inText(p.span).start] })
		for _, p := range found[i] {
			if p.hidden {
				spans = append(spans, v.inText(p.span))
			}
		}
	}
	return spans
}

// pieces returns the runs of base64 in a text. It leaves out checksums and public keys, and passes them to
// known.
func pieces(text string, known func(span)) []piece {
	var all []piece
	row := 0
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			row++
		}
		start := i
		for n := base64At(text, i); n > 0; n = base64At(text, i) {
			i += n
		}
		for i > start && i < len(text) && text[i] == '=' {
			i++
		}
		if i == start {
			continue
		}
		switch before, long := text[max(0, start-beside):start], i-start >= openedRun; {
		case long && publicKey().MatchString(before):
			known(span{start, i})
			start = i
		case long && sumMark().MatchString(before):
			known(span{start, min(i, start+longSum)})
			start = min(i, start+longSum)
		case text[start] == '+' && isDiffSign(before),
			strings.HasSuffix(before, `\`) && (text[start] == 'n' || text[start] == 'r'):
			start++
		}
		if start < i {
			all = append(all, piece{span: span{start, i}, row: row})
		}
		i--
	}
	return all
}

// isDiffSign reports whether a plus after the text before may be a diff's sign: a blank is before it, and the
// row has no other plus yet.
func isDiffSign(before string) bool {
	row := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.TrimRight(before, " \t") != before && !strings.Contains(row, "+")
}

// base64At returns how many bytes of text at i may be part of a run of base64, or are already hidden; 0 for
// none.
func base64At(text string, i int) int {
	switch {
	case i < len(text) && (letter(text[i]) && text[i] != '_' || text[i] == '+' || text[i] == '/'):
		return 1
	case strings.HasPrefix(text[i:], "•"):
		return len("•")
	}
	return 0
}

// hideKeys marks the pieces of a text that belong to private keys.
func hideKeys(text string, all []piece, public func(piece) bool) {
	found := keyMark().FindAllStringIndex(text, -1)
	opened := false
	var last *piece
	end := 0 // end of the last hidden piece
	for i := range all {
		p := &all[i]
		for len(found) > 0 && found[0][0] <= p.start {
			mark := text[found[0][0]:found[0][1]]
			if opened = opens(mark) || opened && !closes(mark); closes(mark) {
				hideBefore(text, all[:i], found[0][0])
				hideAbove(text, all[:i], piece{span: span{found[0][0], found[0][1]}, row: p.row}, 1)
			}
			found = found[1:]
		}
		run := strings.ReplaceAll(text[p.start:p.end], "•", "") // the part that is not hidden yet
		long := utf8.RuneCountInString(text[p.start:p.end]) >= keyRun
		switch {
		case p.hidden:
		case run == "":
			p.hidden = long // by another rule
		case opened:
			p.hidden = len(run) >= openedRun && !isPath(run)
		case long && len(run) >= openedRun && random(run):
			p.hidden = !public(*p)
		}
		switch {
		case p.hidden:
			if last = p; !opened {
				hideAbove(text, all[:i], *p, p.end-p.start)
			}
		case last == nil:
		case p.row > last.row && alike(text, *last, *p): // only the last row of a key is shorter
			p.hidden = true
			if shorter := p.end-p.start < last.end-last.start; shorter {
				last = nil
			} else {
				last = p
			}
		case inOneRow(text[end:min(p.start, end+beside)], len(run)):
			p.hidden = true
		}
		if p.hidden {
			end = p.end
		}
	}
}

func opens(mark string) bool {
	return strings.HasPrefix(mark, "PuTTY") || strings.Contains(mark, "BEGIN") && strings.Contains(mark, "PRIVATE")
}

func closes(mark string) bool {
	return mark == "Private-MAC" || strings.Contains(mark, "END") && strings.Contains(mark, "PRIVATE")
}

// hideBefore marks the run directly before the closing line of a key, in the same row.
func hideBefore(text string, above []piece, mark int) {
	for i := len(above) - 1; i >= 0 && above[i].end+beside > mark; i-- {
		p := &above[i]
		if p.end > mark {
			continue // part of the closing line itself
		}
		run := text[p.start:p.end]
		p.hidden = p.hidden || strings.Trim(text[p.end:mark], `\rn +`) == "" && (len(run) >= openedRun && !isPath(run) || strings.HasSuffix(run, "="))
		return
	}
}

// hideAbove marks the rows above a row of a key, or above its closing line, that are at least as long.
func hideAbove(text string, above []piece, last piece, least int) {
	for i, tries := len(above)-1, 0; i >= 0 && tries < beside && above[i].row >= last.row-rowsApart; i-- {
		p := &above[i]
		if tries++; p.row == last.row || p.end-p.start < least || !alike(text, *p, last) {
			continue
		}
		if p.hidden {
			return
		}
		p.hidden = true
		last, least, tries = *p, p.end-p.start, 0
	}
}

// rowsApart is the largest distance between two rows of a key, if each row is a command that the agent
// comments on.
const rowsApart = 4

// alike reports whether the text around two runs is the same.
func alike(text string, a, b piece) bool {
	if b.row-a.row > rowsApart {
		return false
	}
	before := a.before(text)
	if before != b.before(text) || a.after(text) != b.after(text) {
		return false
	}
	return b.row-a.row <= 1 || strings.ContainsFunc(before, unicode.IsLetter)
}

// before returns the text before a run in its row, without the frame, the line number and the diff sign,
// which vary.
func (p piece) before(text string) string {
	before := text[max(0, p.start-beside):p.start]
	return strings.Map(func(r rune) rune {
		if !hideable(r) || unicode.IsDigit(r) || r == '+' {
			return -1
		}
		return r
	}, before[strings.LastIndexByte(before, '\n')+1:])
}

// after returns the letters after a run in its row.
func (p piece) after(text string) string {
	after, _, _ := strings.Cut(text[p.end:min(len(text), p.end+beside)], "\n")
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return r
	}, after)
}

// inOneRow reports whether between can be the text between two rows of a key that a program writes as one
// line.
func inOneRow(between string, size int) bool {
	return strings.Trim(between, `\rn +`) == "" && (strings.Contains(between, `\`) || size >= openedRun)
}

// isPath reports whether run consists of lower-case words with slashes. That is so for one in a million runs
// of 16 characters in keys.
func isPath(run string) bool {
	return strings.Contains(run, "/") && strings.Trim(run, "abcdefghijklmnopqrstuvwxyz/") == ""
}

// random reports whether a run looks random. In names and paths every second letter is lower-case after another lower-case one, in
// a key every sixth, and by chance more: but there capitals and digits break the words, at every tenth place at least.
func random(run string) bool {
	upper, small, pairs, broken := 0, 0, 0, 0
	before := byte('/')
	for i := range len(run) {
		kind := kindOf(run[i])
		switch {
		case kind == 'A':
			upper++
			if before == 'a' && i+1 < len(run) && kindOf(run[i+1]) != 'a' && run[i+1] != '/' {
				broken++
			}
		case kind == 'a':
			small++
			if before == 'a' {
				pairs++
			} else if before == '0' {
				broken++
			}
		case kind == '0' && before == 'A':
			broken++
		}
		before = kind
	}
	n := len(run)
	words := pairs*5 >= 2*n
	if strings.Contains(run, "+") { // names have no plus
		words = pairs*2 >= n
	}
	return upper*16 > n && small*16 > n && !(words && broken*10 < n) && strings.Count(run, "/")*9 < n
}

// kindOf is 'a' for a small letter, 'A' for a capital, '0' for a digit, and else the character itself.
func kindOf(c byte) byte {
	switch {
	case 'a' <= c && c <= 'z':
		return 'a'
	case 'A' <= c && c <= 'Z':
		return 'A'
	case '0' <= c && c <= '9':
		return '0'
	}
	return c
}
