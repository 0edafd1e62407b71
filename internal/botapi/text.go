package botapi

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Telegram's limits for a text, in code points after the markup is removed, and for a raw one in bytes
// (telegram-bot-api Client.cpp, TDLib MessageContent.cpp).
const (
	maxText    = 4096
	maxCaption = 1024
	maxRaw     = 32768
)

// formatted is a text as Telegram stores it.
type formatted struct {
	text     string
	entities []Entity
}

// formattedText parses a text with its parse_mode or entities.
func (r *request) formattedText(field, entityField string) (formatted, error) {
	raw := r.params[field]
	if len(raw) > maxRaw {
		return formatted{}, badRequest("Text is too long")
	}
	f := formatted{text: raw}
	switch mode := strings.ToLower(r.params["parse_mode"]); mode {
	case "html":
		text, entities, err := parseHTML(raw, r.version)
		if err != nil {
			return formatted{}, badRequest("Can't parse entities: %v", err)
		}
		f = formatted{text: text, entities: entities}
	case "":
		if list := r.params[entityField]; list != "" && json.Unmarshal([]byte(list), &f.entities) != nil {
			return formatted{}, badRequest("Can't parse %s JSON object", entityField)
		}
	case "markdown", "markdownv2":
		return formatted{}, badRequest("this emulator reads HTML, not %s", mode)
	default:
		return formatted{}, badRequest("Unsupported parse_mode")
	}
	return f.clean(), nil
}

// clean does what TDLib's clean_input_string and fix_formatted_text do: control characters become blanks;
// line separators, bidirectional overrides and CR are removed; both ends are trimmed (the front only up to
// the first entity); empty entities are removed.
func (f formatted) clean() formatted {
	var units []uint16
	moved := make([]int, 0, len(f.text)+1) // new position of each UTF-16 unit of the input
	for _, r := range f.text {
		moved = append(moved, len(units))
		if r > 0xffff {
			moved = append(moved, len(units))
		}
		if r = cleanRune(r); r >= 0 {
			units = utf16.AppendRune(units, r)
		}
	}
	moved = append(moved, len(units))
	entities := make([]Entity, 0, len(f.entities))
	for _, e := range f.entities {
		if e.Offset < 0 || e.Length <= 0 || e.Offset+e.Length >= len(moved) {
			continue
		}
		from, to := moved[e.Offset], moved[e.Offset+e.Length]
		e.Offset, e.Length = from, to-from
		entities = append(entities, e)
	}
	return formatted{string(utf16.Decode(units)), entities}.trim(units)
}

// cleanRune returns the replacement of r; negative to remove it.
func cleanRune(r rune) rune {
	switch {
	case r == '\n':
		return r
	case r == '\r', r >= 0x2028 && r <= 0x202e, r == 0x333, r == 0x33f, r == 0x30a:
		return -1
	case r < 32:
		return ' '
	}
	return r
}

func (f formatted) trim(units []uint16) formatted {
	blank := func(u uint16) bool { return u == ' ' || u == '\n' }
	end := len(units)
	for end > 0 && blank(units[end-1]) {
		end--
	}
	first := end
	for _, e := range f.entities {
		first = min(first, e.Offset)
	}
	begin := 0
	for begin < first && blank(units[begin]) {
		begin++
	}
	kept := make([]Entity, 0, len(f.entities))
	for _, e := range f.entities {
		to := min(e.Offset+e.Length, end)
		if e.Offset >= to || !slices.ContainsFunc(units[e.Offset:to], func(u uint16) bool { return !blank(u) }) {
			continue
		}
		e.Length = to - e.Offset
		e.Offset -= begin
		kept = append(kept, e)
	}
	return formatted{string(utf16.Decode(units[begin:end])), arrange(kept)}
}

// arrange sorts entities as Telegram does and keeps other formatting out of code: entities inside code are
// removed, entities around it are split.
func arrange(all []Entity) []Entity {
	var code, out []Entity
	for _, e := range all {
		if e.Type == "pre" || e.Type == "code" {
			code = append(code, e)
		}
	}
	for _, e := range all {
		switch e.Type {
		case "pre", "code", "blockquote", "expandable_blockquote":
			out = append(out, e)
		default:
			out = append(out, outside(e, code)...)
		}
	}
	slices.SortStableFunc(out, func(a, b Entity) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(b.Length, a.Length), cmp.Compare(depth(a), depth(b)))
	})
	return out
}

// depth orders two entities over the same text: the lower one encloses the other.
func depth(e Entity) int {
	if strings.HasSuffix(e.Type, "blockquote") {
		return 0
	}
	return 1
}

// outside removes the ranges of code from e.
func outside(e Entity, code []Entity) []Entity {
	parts := []Entity{e}
	for _, c := range code {
		var next []Entity
		for _, p := range parts {
			pEnd, cEnd := p.Offset+p.Length, c.Offset+c.Length
			if cEnd <= p.Offset || c.Offset >= pEnd {
				next = append(next, p)
				continue
			}
			if p.Offset < c.Offset {
				left := p
				left.Length = c.Offset - p.Offset
				next = append(next, left)
			}
			if cEnd < pEnd {
				right := p
				right.Offset, right.Length = cEnd, pEnd-cEnd
				next = append(next, right)
			}
		}
		parts = next
	}
	return parts
}

// commandEntities marks /words in people's messages as Telegram does.
func commandEntities(text string) []Entity {
	var out []Entity
	offset, blank := 0, true
	for i, r := range text {
		if r == '/' && blank {
			n := strings.IndexFunc(text[i+1:], func(c rune) bool {
				return c != '_' && c != '@' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
			})
			if n < 0 {
				n = len(text) - i - 1
			}
			if n > 0 && n <= 64 {
				out = append(out, Entity{Type: "bot_command", Offset: offset, Length: n + 1})
			}
		}
		blank = r == ' ' || r == '\n'
		offset += utf16.RuneLen(r)
	}
	return out
}

// codePoints returns a text's length as Telegram's limits count it.
func codePoints(s string) int { return utf8.RuneCountInString(s) }

// checkURL returns Telegram's words for an invalid URL, as in TDLib's LinkManager; empty if the URL is valid.
// A host needs a dot: localhost has none.
func checkURL(link string) string {
	u, err := url.Parse(link)
	if err != nil || strings.ContainsAny(link, " \n\t") {
		return "Wrong HTTP URL"
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
	case "tg", "ton", "tonsite":
		return ""
	case "":
		return checkURL("http://" + link)
	default:
		return "Unsupported URL protocol"
	}
	host := u.Hostname()
	if host == "" {
		return "URL host is empty"
	}
	if !strings.Contains(strings.Trim(host, "."), ".") && !strings.Contains(host, ":") {
		return "Wrong HTTP URL"
	}
	return ""
}
