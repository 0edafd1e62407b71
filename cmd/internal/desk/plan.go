package desk

import (
	"strings"

	"nod/internal/text/lazy"
)

// Block is a paragraph of a plan.
type Block struct {
	Is    string `json:"is"`              // h1 to h6, p, li, pre or hr
	Mark  string `json:"mark,omitempty"`  // of a list's item: its number or bullet; of code: its language
	Depth int    `json:"depth,omitempty"` // of a list's item, from 0
	Spans []Span `json:"spans"`
}

// Span is a piece of text: code, b, i or plain.
type Span struct {
	Is   string `json:"is,omitempty"`
	Text string `json:"text"`
}

var (
	heading = lazy.MustCompile(`^(#{1,6}) +(.*?)[ #]*$`)
	item    = lazy.MustCompile(`^( *)([-*+•]|\d{1,3}[.)]) +(.*)$`)
	ruler   = lazy.MustCompile(`^ {0,3}([-*_] *){3,}$`)
	fence   = lazy.MustCompile("^ *(```+|~~~+) *([A-Za-z0-9+#_.-]*) *$")
	pieces  = lazy.MustCompile("`([^`]+)`|\\*\\*([^*]+)\\*\\*|\\*([^*\\s][^*]*)\\*")
)

// planOf reads the Markdown that agents write their plans in. What it does not know stays as it is written.
func planOf(plan string) (all []Block) {
	var code *Block
	opened, joins := "", false // the fence of code, or a table's bar; the next line goes on with the paragraph
	for line := range strings.Lines(plan) {
		line = strings.TrimRight(line, "\r\n")
		marks := fence().FindStringSubmatch(line)
		switch {
		case code != nil && marks != nil && marks[2] == "" && strings.HasPrefix(marks[1], opened):
			all, code = append(all, *code), nil
			continue
		case code != nil:
			code.Spans[0].Text += line + "\n"
			continue
		case marks != nil:
			opened, code = marks[1], &Block{Is: "pre", Mark: marks[2], Spans: []Span{{}}}
			joins = false
			continue
		case strings.HasPrefix(strings.TrimSpace(line), "|"): // a table keeps its columns
			if opened != "|" {
				all = append(all, Block{Is: "pre", Spans: []Span{{}}})
			}
			all[len(all)-1].Spans[0].Text += line + "\n"
			opened, joins = "|", false
			continue
		}
		opened = ""
		b := blockOf(line)
		if b.Is == "p" && joins && len(b.Spans) > 0 {
			last := &all[len(all)-1]
			last.Spans = append(append(last.Spans, Span{Text: " "}), b.Spans...)
			continue
		}
		joins = len(b.Spans) > 0 && (b.Is == "p" || b.Is == "li")
		if len(b.Spans) > 0 || b.Is == "hr" || b.Is == "li" {
			all = append(all, b)
		}
	}
	if code != nil {
		all = append(all, *code)
	}
	return all
}

// blockOf reads one line.
func blockOf(line string) Block {
	if ruler().MatchString(line) {
		return Block{Is: "hr", Spans: []Span{}}
	}
	if m := heading().FindStringSubmatch(line); m != nil {
		return Block{Is: "h" + string(rune('0'+len(m[1]))), Spans: spans(m[2])}
	}
	if m := item().FindStringSubmatch(line); m != nil {
		return Block{Is: "li", Mark: m[2], Depth: min(len(m[1])/2, 6), Spans: spans(m[3])}
	}
	return Block{Is: "p", Spans: spans(strings.TrimSpace(line))}
}

// spans finds code, and what is bold or slanted, in a line.
func spans(line string) (all []Span) {
	all = []Span{}
	add := func(is, text string) {
		if text != "" {
			all = append(all, Span{Is: is, Text: text})
		}
	}
	at := 0
	for _, m := range pieces().FindAllStringSubmatchIndex(line, -1) {
		add("", line[at:m[0]])
		for i, is := range []string{"code", "b", "i"} {
			if from := m[2+2*i]; from >= 0 {
				add(is, line[from:m[3+2*i]])
			}
		}
		at = m[1]
	}
	add("", line[at:])
	return all
}
