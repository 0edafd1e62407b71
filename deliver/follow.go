package deliver

import (
	"context"
	"strings"
	"time"
	"unicode"

	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// pasteState is the state of a pasted text.
type pasteState int

const (
	unclear pasteState = iota
	sits               // unsubmitted in the input box
	taken              // submitted
	blocked            // something else is there: no key may follow
)

// pastedText is the state of a pasted text in one look.
type pastedText struct {
	*look
	state pasteState
	guard tmux.Guard // of the rows where it sits
	why   reason.Why // why it was not taken
	after *screen.Prompt
}

// follow looks until the text is in the input box, ready for Enter, or, after Enter, until two looks in a row
// agree that it was taken. It gives up after two seconds and returns what it saw last.
func (j *job) follow(ctx context.Context, at stand, entered bool) pastedText {
	deadline := time.Now().Add(submit)
	agree := 0
	for pause := firstPause; ; pause = nextPause(pause) {
		text := j.find(ctx, at, entered)
		switch {
		case text.state == taken:
			agree++
		case text.state == blocked && text.after != nil && entered && agree > 0:
			// The box was empty and now the agent asks: it is working on the text.
			text.state = taken
			return text
		default:
			agree = 0
		}
		late := !time.Now().Before(deadline)
		switch {
		case agree == 2, text.state == blocked, text.state == sits && (!entered || late):
			return text
		case late:
			text.state = unclear
			return text
		}
		sleep(ctx, min(pause, time.Until(deadline)))
	}
}

// find returns the state of the text in one look.
func (j *job) find(ctx context.Context, at stand, entered bool) pastedText {
	s, no := j.look(ctx)
	if no == nil {
		no = j.barred(s)
	}
	if no == nil && s.Pane.InMode {
		no = refuse(CopyMode, reason.InCopyMode)
	}
	if no != nil {
		text := pastedText{state: blocked, why: no.why}
		if no.reason == Unreadable {
			text.state = unclear
		}
		return text
	}
	if at.prompt != nil {
		return j.inQuestion(s, at.prompt, entered)
	}
	return inBox(s, entered)
}

// inBox finds a text that was given to an idle agent.
func inBox(s *look, entered bool) pastedText {
	box := s.reading.Composer
	works := s.reading.State == screen.Working
	switch {
	case s.reading.Prompt != nil:
		return pastedText{state: blocked, why: reason.Why{Kind: reason.PromptAppeared}, after: s.reading.Prompt}
	case box != nil && box.Draft != "":
		return pastedText{look: s, state: sits, guard: s.boxGuard(), why: reason.Why{Kind: reason.TextInBox}}
	case works || box != nil && entered:
		return pastedText{state: taken, why: reason.Why{Kind: reason.NeverStill}}
	default:
		return pastedText{why: reason.Why{Kind: reason.TextNotInBox}}
	}
}

// inQuestion finds a text that was given to a question. The words in the field change what is drawn, so the
// question is identified by its wording, not by its fingerprint.
func (j *job) inQuestion(s *look, asked *screen.Prompt, entered bool) pastedText {
	p := s.reading.Prompt
	same := p != nil && p.Shape == asked.Shape && p.Question == asked.Question
	switch {
	case same && p.TextField && shows(s.rows, p.First, p.Last, j.r.text().pasted):
		return pastedText{look: s, state: sits, guard: s.guard(p.First, p.Last), why: reason.Why{Kind: reason.TextInField}, after: p}
	case same:
		return pastedText{why: reason.Why{Kind: reason.TextNotInField}, after: p}
	case s.reading.State == screen.Overlay:
		return pastedText{why: reason.Why{Kind: reason.QuestionCovered}}
	case entered:
		return pastedText{state: taken, why: reason.Why{Kind: reason.NeverStill}, after: p}
	default:
		return pastedText{state: blocked, why: reason.Why{Kind: reason.QuestionGone}, after: p}
	}
}

// shows reports whether the rows first to last contain the beginning of text, however it is wrapped, or the
// mark that an agent draws for a long paste.
func shows(rows []string, first, last int, text string) bool {
	drawn := squeeze(strings.Join(rows[max(first, 0):min(last+1, len(rows))], ""))
	if strings.Contains(drawn, "[Pastedtext") || strings.Contains(drawn, "[PastedContent") {
		return true
	}
	begin := []rune(squeeze(text))
	return strings.Contains(drawn, string(begin[:min(len(begin), 20)]))
}

// squeeze removes blanks and the bars of boxes.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("│┃|", r) {
			return -1
		}
		return r
	}, s)
}
