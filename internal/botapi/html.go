package botapi

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"nod/internal/text/lazy"
)

// parseHTML parses Telegram's HTML and returns the text without tags, and the entities in the order of their
// closing tags. It follows TDLib's parse_html, including the offsets in error messages, which count bytes of
// the input. An error is the text after "can't parse entities: ".
func parseHTML(in string, version int) (string, []Entity, error) {
	p := htmlParser{in: in, version: version}
	for p.pos < len(in) {
		if err := p.next(); err != nil {
			return "", nil, err
		}
	}
	if n := len(p.open); n > 0 {
		return "", nil, sayf("Can't find end tag corresponding to start tag \"%s\"", p.open[n-1].name)
	}
	for i := range p.entities {
		if p.entities[i].Type == "code" {
			p.entities[i].Language = "" // only code within <pre> has a language
		}
	}
	return p.out.String(), p.entities, nil
}

type htmlParser struct {
	in       string
	version  int // of the Bot API
	pos      int
	out      strings.Builder
	units    int // UTF-16 units written
	open     []openTag
	entities []Entity
}

type openTag struct {
	name, argument string
	format         string // of a tg-time
	units, bytes   int    // position in the output
}

var htmlTags = map[string]string{
	"a": "text_link", "b": "bold", "strong": "bold", "i": "italic", "em": "italic",
	"s": "strikethrough", "strike": "strikethrough", "del": "strikethrough",
	"u": "underline", "ins": "underline", "tg-spoiler": "spoiler", "span": "spoiler",
	"tg-emoji": "custom_emoji", "tg-time": "date_time", "pre": "pre", "code": "code", "blockquote": "blockquote",
}

// next parses one character, reference or tag.
func (p *htmlParser) next() error {
	switch c := p.in[p.pos]; c {
	case '&':
		if r, n := decodeReference(p.in[p.pos:]); n > 0 {
			p.write(r)
			p.pos += n
			return nil
		}
		p.write('&')
		p.pos++
		return nil
	case '<':
		if strings.HasPrefix(p.in[p.pos:], "</") {
			return p.endTag()
		}
		return p.startTag()
	default:
		r, n := utf8.DecodeRuneInString(p.in[p.pos:])
		p.write(r)
		p.pos += n
		return nil
	}
}

func (p *htmlParser) write(r rune) {
	p.out.WriteRune(r)
	p.units++
	if r > 0xffff {
		p.units++
	}
}

// at returns the byte at the position; 0 after the end, because TDLib reads its input as a C string, and a 0
// ends a word like a blank.
func (p *htmlParser) at() byte {
	if p.pos < len(p.in) {
		return p.in[p.pos]
	}
	return 0
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == 0
}

func (p *htmlParser) skipBlanks() {
	for p.pos < len(p.in) && isBlank(p.at()) {
		p.pos++
	}
}

// skipWord skips to the next blank or one of the bytes in stops.
func (p *htmlParser) skipWord(stops string) string {
	begin := p.pos
	for !isBlank(p.at()) && strings.IndexByte(stops, p.at()) < 0 {
		p.pos++
	}
	return p.in[begin:p.pos]
}

func (p *htmlParser) startTag() error {
	begin := p.pos
	p.pos++
	name := strings.ToLower(p.skipWord(">"))
	if p.pos >= len(p.in) {
		return sayf("Unclosed start tag at byte offset %d", begin)
	}
	if htmlTags[name] == "" || name == "tg-time" && p.version < withTimes {
		return sayf("Unsupported start tag \"%s\" at byte offset %d", name, begin)
	}
	tag := openTag{name: name, units: p.units, bytes: p.out.Len()}
	for p.at() != '>' {
		p.skipBlanks()
		if p.at() == '>' {
			break
		}
		if err := p.attribute(&tag, begin); err != nil {
			return err
		}
	}
	p.pos++
	if name == "span" && tag.argument != "spoiler" {
		return sayf("Tag \"span\" must have class \"tg-spoiler\" at byte offset %d", begin)
	}
	if name == "tg-time" && !timeFormat().MatchString(tag.format) {
		return sayf("Invalid date-time format specified") // Telegram's words for an entity; those for a tag are unknown
	}
	p.open = append(p.open, tag)
	return nil
}

// timeFormat is r for a relative time, or weekday, date and clock, each short or long.
var timeFormat = lazy.MustCompile(`^(r|w?[dD]?[tT]?)$`)

func (p *htmlParser) attribute(tag *openTag, begin int) error {
	name := p.skipWord("=>/\"'")
	if name == "" {
		return sayf("Empty attribute name in the tag \"%s\" at byte offset %d", tag.name, begin)
	}
	p.skipBlanks()
	if p.pos >= len(p.in) {
		return sayf("Unclosed start tag \"%s\" at byte offset %d", tag.name, begin)
	}
	if p.at() != '=' {
		if tag.name == "blockquote" && name == "expandable" {
			tag.argument = name
		}
		return nil
	}
	p.pos++
	p.skipBlanks()
	value, err := p.attributeValue(begin)
	if err != nil {
		return err
	}
	if p.pos >= len(p.in) {
		return sayf("Unclosed start tag at byte offset %d", begin)
	}
	tag.take(name, value)
	return nil
}

func (p *htmlParser) attributeValue(begin int) (string, error) {
	end := p.at()
	if p.pos >= len(p.in) {
		return "", sayf("Unclosed start tag at byte offset %d", begin)
	}
	if end != '"' && end != '\'' {
		token := p.pos
		for c := p.at(); c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '.' || c == '-'; c = p.at() {
			p.pos++
		}
		if !isBlank(p.at()) && p.at() != '>' {
			return "", sayf("Unexpected end of name token at byte offset %d", token)
		}
		return strings.ToLower(p.in[token:p.pos]), nil
	}
	var value strings.Builder
	for p.pos++; p.pos < len(p.in) && p.at() != end; {
		if r, n := decodeReference(p.in[p.pos:]); n > 0 {
			value.WriteRune(r)
			p.pos += n
			continue
		}
		value.WriteByte(p.at())
		p.pos++
	}
	if p.pos < len(p.in) {
		p.pos++
	}
	return value.String(), nil
}

// take keeps the one attribute that has a meaning for its tag.
func (t *openTag) take(name, value string) {
	switch {
	case t.name == "a" && name == "href":
		t.argument = value
	case t.name == "code" && name == "class" && strings.HasPrefix(value, "language-"):
		t.argument = value[len("language-"):]
	case t.name == "span" && name == "class" && strings.HasPrefix(value, "tg-"):
		t.argument = value[len("tg-"):]
	case t.name == "tg-emoji" && name == "emoji-id", t.name == "tg-time" && name == "unix":
		t.argument = value
	case t.name == "tg-time" && name == "format":
		t.format = value
	case t.name == "blockquote" && name == "expandable":
		t.argument = name
	}
}

func (p *htmlParser) endTag() error {
	begin := p.pos
	if len(p.open) == 0 {
		return sayf("Unexpected end tag at byte offset %d", begin)
	}
	p.pos += 2
	name := p.skipWord(">")
	p.skipBlanks()
	if p.at() != '>' {
		return sayf("Unclosed end tag at byte offset %d", begin)
	}
	p.pos++
	tag := p.open[len(p.open)-1]
	if name != "" && name != tag.name {
		return sayf("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", begin, tag.name, name)
	}
	p.open = p.open[:len(p.open)-1]
	if p.units > tag.units {
		p.close(tag)
	}
	return nil
}

// close makes an entity of a tag with content.
func (p *htmlParser) close(tag openTag) {
	e := Entity{Type: htmlTags[tag.name], Offset: tag.units, Length: p.units - tag.units}
	var last *Entity
	if n := len(p.entities); n > 0 && p.entities[n-1].Offset == e.Offset && p.entities[n-1].Length == e.Length {
		last = &p.entities[n-1]
	}
	switch tag.name {
	case "a":
		if e.URL = tag.argument; e.URL == "" {
			e.URL = p.out.String()[tag.bytes:]
		}
		if e.URL = checkedLink(e.URL); e.URL == "" {
			return // a link without an address is plain text
		}
	case "pre":
		if last != nil && last.Type == "code" && last.Language != "" {
			last.Type = "pre"
			return
		}
	case "code":
		if last != nil && last.Type == "pre" && tag.argument != "" {
			last.Language = tag.argument
			return
		}
		e.Language = tag.argument
	case "tg-emoji":
		e.EmojiID = tag.argument
	case "tg-time":
		unix, err := strconv.ParseInt(tag.argument, 10, 64)
		if err != nil {
			return // an invalid time is plain text
		}
		e.Unix, e.Format = unix, tag.format
	case "blockquote":
		if tag.argument != "" {
			e.Type = "expandable_blockquote"
		}
	}
	p.entities = append(p.entities, e)
}

// decodeReference decodes a character reference at the beginning of s and returns it with its length; 0 if
// Telegram does not know it. The semicolon may be missing.
func decodeReference(s string) (rune, int) {
	if s[0] != '&' {
		return 0, 0
	}
	end, res := 1, rune(0)
	if strings.HasPrefix(s, "&#") {
		end, res = decodeNumber(s)
		if res <= 0 || res >= 0x10ffff || end >= 10 || !utf8.ValidRune(res) {
			return 0, 0
		}
	} else {
		for end < len(s) && (s[end]|0x20 >= 'a' && s[end]|0x20 <= 'z') {
			end++
		}
		res = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"'}[s[1:end]]
		if res == 0 {
			return 0, 0
		}
	}
	if end < len(s) && s[end] == ';' {
		end++
	}
	return res, end
}

// decodeNumber decodes the digits of &#123 or &#x7b and returns their end.
func decodeNumber(s string) (end int, res rune) {
	base, end := rune(10), 2
	if strings.HasPrefix(s, "&#x") {
		base, end = 16, 3
	}
	for ; end < len(s) && end < 12; end++ {
		d := strings.IndexByte("0123456789abcdef", s[end]|0x20)
		if s[end] >= '0' && s[end] <= '9' {
			d = int(s[end] - '0')
		} else if s[end]|0x20 < 'a' {
			d = -1
		}
		if d < 0 || rune(d) >= base {
			break
		}
		res = res*base + rune(d)
		if res > 0x10ffff {
			res = 0x10ffff
		}
	}
	return end, res
}

// checkedLink returns a link as Telegram stores it, or "" if Telegram refuses it.
func checkedLink(link string) string {
	link = strings.TrimSpace(link)
	if strings.HasPrefix(link, "tg://") || strings.HasPrefix(link, "mailto:") || strings.HasPrefix(link, "tel:") {
		return link
	}
	if !strings.Contains(link, "://") {
		link = "http://" + link
	}
	if checkURL(link) != "" {
		return ""
	}
	return link
}
