package deliver

import (
	"context"
	"strings"
	"unicode"

	"nod/detect/screen"
	"nod/internal/reason"
)

// This file is the one exception to the rule that words are never typed into a permission: those of a denial, into the field
// that the agent has for them. What the key before them opened is proven to be that field, and empty, in the step that types
// them; and they are seen to stand there before Enter sends them. All that Enter can do in that dialog is deny.

// TypedWords stands for words among the keys of a Result.
const TypedWords = "(text)"

const (
	// longestReason is how long the words of a denial may be, in runes, to be told by what their field shows.
	longestReason = 300
	// enoughSeen is how many runes of the end of longer words prove that they stand in a field that shows no more.
	enoughSeen = 8
)

// reason are the words of the denial as they are typed into a field: in one line, since fields join the lines of what is
// pasted. Empty where there are none, or a screen may draw them as something else than they are: then they are not typed.
func (r Request) reason() string {
	words := r.Because.oneLine()
	odd := strings.ContainsFunc(r.Because.said, func(c rune) bool {
		return !unicode.IsSpace(c) && (!unicode.IsPrint(c) || unicode.In(c, unicode.M) || c > 0xffff)
	})
	if odd || len([]rune(words)) > longestReason {
		return ""
	}
	return words
}

// say types the words of the denial into the field that at proves to be open and empty, at most once, and returns the dialog
// where they are seen to stand in it.
func (j *job) say(ctx context.Context, at stand) (stand, *Result) {
	step := at.steps[0]
	err := j.put(ctx, at.scene, at.guard(false), j.r.Because.inField())
	if err == nil || !safe(err) {
		j.typed = append(j.typed, TypedWords)
	}
	if err != nil {
		res := j.failed(err)
		return stand{}, &res
	}
	next, no := j.proveIn(ctx, submit, func(s *scene) (stand, *refusal) { return j.said(s, step) })
	if no != nil {
		res := j.unknownAfter(reason.WordsUnsent, no)
		if s, unread := j.look(ctx); unread == nil {
			res.After = s.reading.Prompt
		}
		return stand{}, &res
	}
	return next, nil
}

// said demands the dialog of the words with all of them in its field, or their end.
func (j *job) said(s *scene, step screen.Step) (stand, *refusal) {
	p := s.reading.Prompt
	if p == nil || p.Shape != step.Words || !endsWith(j.r.reason(), p.Typed) {
		return stand{}, refuse(Changed, reason.WordsUnseen).passes()
	}
	return stand{scene: s, prompt: p, steps: []screen.Step{step}}, nil
}

// endsWith reports whether a field that shows what it does holds words, and nothing behind them.
func endsWith(words, shown string) bool {
	all, seen := squeeze(words), squeeze(shown)
	return seen == all || len([]rune(seen)) >= enoughSeen && strings.HasSuffix(all, seen)
}
