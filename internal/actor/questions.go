package actor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Question is one page of a set of questions. Only Claude Code has recorded ones.
type Question struct {
	Header  string   `json:"header"`
	Text    string   `json:"text"`
	Several bool     `json:"several,omitempty"` // a check list
	Choices []Choice `json:"choices"`
}

// Choice is one answer of a question.
type Choice struct {
	Label string `json:"label"`
	Note  string `json:"note,omitempty"`
}

// set is a set of questions on the screen. The review of the answers follows the last page.
type set struct {
	questions []Question
	answers   [][]int // for each question, in the order of the taps
	page      int     // the current page; len(questions) is the review
	mark      int     // the marked row, from 0
	shown     time.Time
}

// outcome is the effect of a key on a set.
type outcome int

const (
	ignored outcome = iota
	changed         // must be drawn
	turned          // moved to another page
	sent
	declined
)

func newSet(questions []Question) *set {
	return &set{questions: questions, answers: make([][]int, len(questions)), shown: time.Now()}
}

// lone reports whether the set is one question with one answer, which has neither headings nor a review.
func (s *set) lone() bool { return len(s.questions) == 1 && !s.questions[0].Several }

// rows returns the number of rows on the current page that can be marked.
func (s *set) rows() int {
	if s.page == len(s.questions) {
		return 2
	}
	n := len(s.questions[s.page].Choices) + 2 // an answer in one's own words, and the chat
	if s.questions[s.page].Several {
		n++ // the row that leads to the next page
	}
	return n
}

// press handles a key as Claude Code 2.1.329 does: a digit answers, or ticks a box if the mark is on a box;
// Tab and the arrows turn the pages; Escape declines the whole set.
func (s *set) press(k key) outcome {
	if k.at.Sub(s.shown) < guard {
		return ignored
	}
	switch k.name {
	case "Escape":
		return declined
	case "Up", "Down":
		s.mark = min(max(s.mark+map[string]int{"Up": -1, "Down": 1}[k.name], 0), s.rows()-1)
		return changed
	case "Tab", "Right":
		return s.turn(s.page + 1)
	case "BTab", "Left":
		return s.turn(s.page - 1)
	case "Enter":
		return s.take(s.mark, true)
	}
	if n, err := strconv.Atoi(k.name); err == nil && n > 0 {
		return s.take(n-1, false)
	}
	return ignored
}

func (s *set) turn(page int) outcome {
	if s.lone() || page < 0 || page > len(s.questions) {
		return ignored
	}
	s.page, s.mark, s.shown = page, 0, time.Now()
	return turned
}

// take chooses a row of the current page.
func (s *set) take(row int, entered bool) outcome {
	if s.page == len(s.questions) {
		return []outcome{sent, declined}[min(row, 1)]
	}
	q := s.questions[s.page]
	switch {
	case q.Several && entered && row == len(q.Choices)+1:
		return s.turn(s.page + 1)
	case row >= len(q.Choices):
		return ignored // answers in one's own words are not played
	case !q.Several:
		s.answers[s.page] = []int{row}
		if s.lone() {
			return sent
		}
		return s.turn(s.page + 1)
	case s.mark >= len(q.Choices):
		return ignored // digits have no effect unless a box is marked
	}
	s.toggle(row)
	return changed
}

func (s *set) toggle(row int) {
	ticked := &s.answers[s.page]
	if i := slices.Index(*ticked, row); i >= 0 {
		*ticked = slices.Delete(*ticked, i, i+1)
		return
	}
	*ticked = append(*ticked, row)
}

// answer returns the answer to a question; empty if there is none yet.
func (s *set) answer(i int) string {
	var labels []string
	for _, row := range s.answers[i] {
		labels = append(labels, s.questions[i].Choices[row].Label)
	}
	return strings.Join(labels, ", ")
}

// said returns all answers: "Colour: Blue; Sizes: Small, Large".
func (s *set) said() string {
	var all []string
	for i, q := range s.questions {
		all = append(all, q.Header+": "+s.answer(i))
	}
	return strings.Join(all, "; ")
}

// asks returns the question of the current page.
func (s *set) asks() string {
	if s.page == len(s.questions) {
		return "Review your answers"
	}
	return s.questions[s.page].Text
}

const (
	grey  = "\x1b[38;5;246m"
	blue  = "\x1b[38;5;153m"
	green = "\x1b[38;5;114m"
	white = "\x1b[1;38;5;231m"
	reset = "\x1b[0m"
	lit   = "\x1b[38;5;16;48;5;153m"
)

// sheet returns the current page, row by row, as 2.1.329 draws it.
func (s *set) sheet() []string {
	rows := []string{grey + "⟪rule ─⟫", s.headings(), "", white + s.asks(), reset}
	if s.page == len(s.questions) {
		return append(rows, s.review()...)
	}
	q := s.questions[s.page]
	for i, c := range q.Choices {
		rows = append(rows, s.row(i, c.Label), strings.Repeat(" ", map[bool]int{false: 5, true: 9}[q.Several])+grey+c.Note)
	}
	words := grey + "Type something."
	if q.Several {
		words = reset + "[ ] " + grey + "Type something"
	}
	rows = append(rows, fmt.Sprintf("%s %s%d. %s", s.pointer(len(q.Choices)), grey, len(q.Choices)+1, words))
	if q.Several {
		leads := "Submit"
		if s.page < len(s.questions)-1 {
			leads = "Next"
		}
		rows = append(rows, s.pointer(len(q.Choices)+1)+"    \x1b[1m"+leads+reset)
	}
	turns := "↑/↓"
	if len(s.questions) > 1 {
		turns = "Tab/Arrow keys"
	}
	return append(rows, grey+"⟪rule ─⟫", fmt.Sprintf("%s %d. Chat about this", s.pointer(s.rows()-1), len(q.Choices)+2), "",
		grey+"Enter to select · "+turns+" to navigate · Esc to cancel")
}

func (s *set) headings() string {
	if s.lone() {
		return reset + "☐ " + s.questions[0].Header
	}
	text := reset + "← "
	for i, q := range append(s.questions[:len(s.questions):len(s.questions)], Question{Header: "Submit"}) {
		box := map[bool]string{false: "☐", true: "☒"}[i < len(s.answers) && len(s.answers[i]) > 0]
		if i == len(s.questions) {
			box = "✔"
		}
		tab := " " + box + " " + q.Header + " "
		if i == s.page {
			tab = lit + tab + reset
		}
		text += tab
	}
	return text + " →"
}

func (s *set) pointer(row int) string {
	if row == s.mark {
		return reset + blue + "❯" + reset
	}
	return reset + " "
}

// row returns one answer of the current page.
func (s *set) row(i int, label string) string {
	text := fmt.Sprintf("%s %s%d. %s", s.pointer(i), grey, i+1, reset)
	if s.questions[s.page].Several {
		box := "[ ] "
		for _, have := range s.answers[s.page] {
			if have == i {
				box = green + "[✔]" + reset + " "
			}
		}
		text += box
	}
	if i == s.mark {
		text += blue
	}
	return text + label
}

func (s *set) review() []string {
	var rows []string
	for i, q := range s.questions {
		if answer := s.answer(i); answer != "" {
			rows = append(rows, " ● "+q.Text, "   "+green+"→ "+answer+reset)
		}
	}
	rows = append(rows, "")
	for i, label := range []string{"Submit answers", "Cancel"} {
		rows = append(rows, fmt.Sprintf("%s %s%d. %s%s", s.pointer(i), grey, i+1, reset, label))
	}
	return rows
}
