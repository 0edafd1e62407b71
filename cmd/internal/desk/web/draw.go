package web

import (
	"regexp"
	"strings"

	"nod/cmd/internal/desk"
)

// This file makes of a card what the page's script puts up as it is: text, each piece with the class that colours it. The script makes
// no markup of any of it.

// change is a desk.Change with its cards as they are drawn.
type change struct {
	desk.Change
	Cards []card `json:"cards,omitempty"`
}

// card is a desk.Card whose diffs and plan are taken apart.
type card struct {
	desk.Card
	What    string   `json:"what"` // it is about, in a line
	Actions []action `json:"actions,omitempty"`
	Diff    []file   `json:"diff,omitempty"` // of the question, else of what the agent did
	Plan    []block  `json:"plan,omitempty"`
}

// action is a desk.Action with what its button says.
type action struct {
	desk.Action
	Key   string `json:"key"`
	Label string `json:"label"`
	Help  string `json:"help"`
	// Lengths are those that desk.Snooze may have.
	Lengths []desk.Length `json:"lengths,omitempty"`
}

// draw draws a change. watch greys all that answers.
func draw(c desk.Change, watch bool) change {
	drawn := change{Change: c}
	for _, of := range c.Cards {
		one := card{Card: of, What: of.Leading()}
		for _, a := range of.Actions {
			if d := a.Do.Deed(); d.Key != "" {
				if watch {
					a.Refused = watching
				}
				one.Actions = append(one.Actions, action{Action: a, Key: d.Key, Label: d.Label, Help: d.Help})
				if a.Do == desk.Snooze {
					one.Actions[len(one.Actions)-1].Lengths = desk.Snoozes()
				}
			}
		}
		if asks := of.Asks; asks != nil {
			part := *asks
			one.Diff, one.Plan = files(part.Diff), blocks(part.Plan)
			part.Diff, part.Plan = "", ""
			one.Asks = &part
		}
		if did := of.Did; did != nil {
			part := *did
			one.Diff = append(one.Diff, files(part.Diff)...)
			part.Diff = ""
			one.Did = &part
		}
		drawn.Cards = append(drawn.Cards, one)
	}
	return drawn
}

// file is what changes in one file.
type file struct {
	Name string `json:"name,omitempty"` // empty: the diff names none
	Rows []row  `json:"rows"`
}

// row is a line before and after, side by side. A line that was only taken out or put in has no other side; one that is as it was has
// only Old; a rule between two hunks has only Hunk.
type row struct {
	Old  *string `json:"old,omitempty"`
	New  *string `json:"new,omitempty"`
	Same bool    `json:"same,omitempty"`
	Hunk *string `json:"hunk,omitempty"`
}

// files takes a diff apart: lines that begin with + or - or a blank, hunks that begin with @@, and what else there is as the names of
// files. Lines that were taken out stand beside those put in in their place.
func files(diff string) (all []file) {
	var out, in []string
	at := func() *file {
		if len(all) == 0 {
			all = append(all, file{})
		}
		return &all[len(all)-1]
	}
	flush := func() {
		for i := range max(len(out), len(in)) {
			r := row{}
			if i < len(out) {
				r.Old = &out[i]
			}
			if i < len(in) {
				r.New = &in[i]
			}
			at().Rows = append(at().Rows, r)
		}
		out, in = nil, nil
	}
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "-"):
			if len(in) > 0 {
				flush()
			}
			out = append(out, line[1:])
		case strings.HasPrefix(line, "+"):
			in = append(in, line[1:])
		case strings.HasPrefix(line, " "), line == "":
			flush()
			same := strings.TrimPrefix(line, " ")
			at().Rows = append(at().Rows, row{Old: &same, Same: true})
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "…"):
			flush()
			at().Rows = append(at().Rows, row{Hunk: &line})
		default:
			flush()
			all = append(all, file{Name: line})
		}
	}
	flush()
	return all
}

// block is a paragraph of a plan.
type block struct {
	Is    string `json:"is"`              // h1 to h6, p, li, pre or hr
	Mark  string `json:"mark,omitempty"`  // of a list's item: its number or bullet; of code: its language
	Depth int    `json:"depth,omitempty"` // of a list's item, from 0
	Spans []span `json:"spans"`
}

// span is a piece of text: code, b, i or plain.
type span struct {
	Is   string `json:"is,omitempty"`
	Text string `json:"text"`
}

var (
	heading = regexp.MustCompile(`^(#{1,6}) +(.*?)[ #]*$`)
	item    = regexp.MustCompile(`^( *)([-*+•]|\d{1,3}[.)]) +(.*)$`)
	ruler   = regexp.MustCompile(`^ {0,3}([-*_] *){3,}$`)
	fence   = regexp.MustCompile("^ *(```+|~~~+) *([A-Za-z0-9+#_.-]*) *$")
	pieces  = regexp.MustCompile("`([^`]+)`|\\*\\*([^*]+)\\*\\*|\\*([^*\\s][^*]*)\\*")
)

// blocks reads the Markdown that agents write their plans in. What it does not know stays as it is written.
func blocks(plan string) (all []block) {
	var code *block
	opened, joins := "", false // the fence of code, or a table's bar; the next line goes on with the paragraph
	for line := range strings.Lines(plan) {
		line = strings.TrimRight(line, "\r\n")
		marks := fence.FindStringSubmatch(line)
		switch {
		case code != nil && marks != nil && marks[2] == "" && strings.HasPrefix(marks[1], opened):
			all, code = append(all, *code), nil
			continue
		case code != nil:
			code.Spans[0].Text += line + "\n"
			continue
		case marks != nil:
			opened, code = marks[1], &block{Is: "pre", Mark: marks[2], Spans: []span{{}}}
			joins = false
			continue
		case strings.HasPrefix(strings.TrimSpace(line), "|"): // a table keeps its columns
			if opened != "|" {
				all = append(all, block{Is: "pre", Spans: []span{{}}})
			}
			all[len(all)-1].Spans[0].Text += line + "\n"
			opened, joins = "|", false
			continue
		}
		opened = ""
		b := blockOf(line)
		if b.Is == "p" && joins && len(b.Spans) > 0 {
			last := &all[len(all)-1]
			last.Spans = append(append(last.Spans, span{Text: " "}), b.Spans...)
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
func blockOf(line string) block {
	if ruler.MatchString(line) {
		return block{Is: "hr", Spans: []span{}}
	}
	if m := heading.FindStringSubmatch(line); m != nil {
		return block{Is: "h" + string(rune('0'+len(m[1]))), Spans: spans(m[2])}
	}
	if m := item.FindStringSubmatch(line); m != nil {
		return block{Is: "li", Mark: m[2], Depth: min(len(m[1])/2, 6), Spans: spans(m[3])}
	}
	return block{Is: "p", Spans: spans(strings.TrimSpace(line))}
}

// spans finds code, and what is bold or slanted, in a line.
func spans(line string) (all []span) {
	all = []span{}
	add := func(is, text string) {
		if text != "" {
			all = append(all, span{Is: is, Text: text})
		}
	}
	at := 0
	for _, m := range pieces.FindAllStringSubmatchIndex(line, -1) {
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
