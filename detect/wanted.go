package detect

import (
	"crypto/sha256"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// wanted is what a tool call is for, as the call's own input tells it.
type wanted struct {
	whole   string // for a human to read; empty where the input is of no known kind
	command string // of a shell
	path    string // of a file; of a patch of several files, the first
	content string // of a file that is written whole, or a patch
	old     string // of an edit: what is taken away
	next    string // of an edit: what comes instead
	note    string // the agent's own remark, which some draw below the command
}

// wholeLimit is how many bytes of a subject are shown. What is longer stays seen in part.
const wholeLimit = 64 << 10

// keyOf is equal for two calls that do the same, as far as their inputs tell: agents add remarks and time
// limits to a command at one event and leave them out at another.
func keyOf(input json.RawMessage) [sha256.Size]byte {
	if w := want(input); w.command != "" {
		return sha256.Sum256([]byte("command\x00" + w.command))
	}
	var value any
	if json.Unmarshal(input, &value) != nil {
		return sha256.Sum256(input)
	}
	sorted, err := json.Marshal(value)
	if err != nil {
		return sha256.Sum256(input)
	}
	return sha256.Sum256(sorted)
}

// want reads a tool's input. The names of its fields are those of the recorded events of Claude Code,
// Codex, Gemini CLI and Qwen Code, which all follow Claude's.
func want(input json.RawMessage) wanted {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return wanted{}
	}
	text := func(name string) (s string) {
		if json.Unmarshal(fields[name], &s) != nil {
			return ""
		}
		return s
	}
	w := wanted{note: text("description")}
	switch {
	case strings.HasPrefix(strings.TrimSpace(text("command")), "*** Begin Patch"):
		w.content = text("command")
		if found := patched.FindStringSubmatch(w.content); found != nil {
			w.path = found[1]
		}
		w.whole = w.content
	case fields["command"] != nil:
		w.command = text("command")
		if w.command == "" {
			w.command = script0(fields["command"])
		}
		w.whole = w.command
	case text("file_path") != "" && fields["content"] != nil:
		w.path, w.content = text("file_path"), text("content")
		w.whole = w.path + "\n" + w.content
	case text("file_path") != "" && fields["old_string"] != nil:
		w.path, w.old, w.next = text("file_path"), text("old_string"), text("new_string")
		w.whole = w.path + "\n" + signed("-", w.old) + signed("+", w.next)
	}
	w.whole = harmless(strings.TrimRight(w.whole, "\n"))
	return w
}

var patched = regexp.MustCompile(`(?m)^\*\*\* (?:Add|Update|Delete) File: (.+)$`)

// script0 reads a command that is a list of words, `["bash","-lc","…"]`.
func script0(list json.RawMessage) string {
	var words []string
	if json.Unmarshal(list, &words) != nil {
		return ""
	}
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

func signed(sign, text string) string {
	if text == "" {
		return ""
	}
	return sign + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+sign) + "\n"
}

// harmless shows what a terminal would obey, so that nothing of a command is hidden.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// fit is how well a prompt on the screen agreed with what a call wants.
type fit int

const (
	differs fit = iota
	perhaps     // nothing contradicts, and not all that is visible could be compared
	agreed      // all that is visible occurs in it, in order; where the prompt is whole, nothing else does
)

// fits compares a prompt with what a call wants. Blanks do not count: a wrapped row has lost some.
func (w wanted) fits(p *Prompt) fit {
	rows := strings.Split(p.Subject, "\n")
	switch {
	case w.command != "":
		if p.Verb != "" {
			return differs
		}
		return w.fitsCommand(rows, p.Partial)
	case w.path != "":
		if p.Verb == "" {
			return differs
		}
		return w.fitsFile(rows)
	case p.Verb == "":
		return differs
	}
	return perhaps
}

func (w wanted) fitsCommand(rows []string, partial bool) fit {
	command, note := squash(w.command), squash(w.note)
	if !partial {
		if text := squash(strings.Join(rows, "")); text == command || text == command+note {
			return agreed
		}
		return differs
	}
	pieces := visible(rows)
	if len(pieces) == 0 {
		return differs
	}
	last := len(pieces) - 1
	if note != "" {
		pieces[last] = strings.TrimSuffix(strings.TrimSuffix(pieces[last], "("+note+")"), note)
	}
	for _, piece := range pieces {
		at := strings.Index(command, piece)
		if at < 0 {
			return differs
		}
		command = command[at+len(piece):]
	}
	if strings.Join(pieces, "") == "" {
		return differs
	}
	return agreed
}

// skipped is a row that stands for rows that are not shown: `[… 66 lines] ^a view all`, `... 33 hidden
// (Ctrl+O) ...`, `... last 36 lines hidden ...`, `+ Show details`.
var skipped = regexp.MustCompile(`^\s*(?:[\[(]?(?:…|\.{3})\s*(?:(?:first|last)\s+)?\+?\d+\s+(?:more\s+)?(?:lines?|rows?|hidden)\b.*|\+ Show details|…)\s*$`)

// visible are the rows of a subject without blanks, those that hang together joined.
func visible(rows []string) []string {
	var pieces []string
	open := false
	for _, row := range rows {
		if skipped.MatchString(row) {
			open = false
			continue
		}
		text := squash(row)
		cut := strings.HasSuffix(text, "…")
		text = strings.TrimSuffix(text, "…")
		if open {
			pieces[len(pieces)-1] += text
		} else if text != "" {
			pieces = append(pieces, text)
		}
		open = !cut && (open || text != "")
	}
	return pieces
}

// How a row of a diff begins: the line's number, then a sign. How the row above it names the file.
var (
	numbered = regexp.MustCompile(`^\s*\d+(?:\s|$)\s?`)
	summary  = regexp.MustCompile(`^(?:(?:Added|Edited|Deleted|Updated)\s+)?(.+?)(?:\s+\(\+\d+ -\d+\))?$`)
)

// fitsFile compares row by row: the path, then what is written or changed. Lines around a change are in no
// request, so they leave it at perhaps.
func (w wanted) fitsFile(rows []string) fit {
	content, old, next := squash(w.content), squash(w.old), squash(w.next)
	found, around := false, false
	for _, row := range rows {
		if strings.TrimSpace(row) == "" || skipped.MatchString(row) || w.names(row) {
			continue
		}
		line := numbered.ReplaceAllString(row, "")
		text := squash(line)
		if text == "" {
			continue
		}
		sign, rest := line[:1], squash(line[1:])
		switch {
		case w.content != "" && pass(&content, text), w.content != "" && sign == "+" && pass(&content, rest),
			w.content == "" && sign == "-" && pass(&old, rest), w.content == "" && sign == "+" && pass(&next, rest):
			found = true
		case w.content == "" && sign != "-" && sign != "+", sign == "-" && w.old == "" && w.path != "" && !strings.Contains(w.content, "\n-"):
			around = true // unchanged, or what an overwritten file held before
		default:
			return differs
		}
	}
	switch {
	case !found:
		return differs
	case around:
		return perhaps
	}
	return agreed
}

// names reports whether a row names the file: by its path, or by as much of its end as an agent shows.
func (w wanted) names(row string) bool {
	name := strings.TrimSpace(summary.ReplaceAllString(strings.TrimSpace(row), "$1"))
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	return name != "" && (name == w.path || strings.HasSuffix(w.path, "/"+name) ||
		filepath.IsAbs(name) && strings.HasSuffix(name, "/"+w.path))
}

// pass moves text behind the first piece in it.
func pass(text *string, piece string) bool {
	at := strings.Index(*text, piece)
	if at < 0 {
		return false
	}
	*text = (*text)[at+len(piece):]
	return true
}

// squash takes the blanks out.
func squash(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}
