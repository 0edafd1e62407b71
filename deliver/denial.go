package deliver

import (
	"context"
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
)

// This file is the one exception to the rule that words are never typed into a permission: those of a denial, into the field
// that the agent has for them. What the key before them opened is proven to be that field, and empty, in the step that types
// them; and they are seen to be there before Enter sends them. All that Enter can do in that dialog is deny. The words of an
// answer go into the field of an option the same way, and all of them are seen there.

// TypedWords stands for words among the keys of a Result.
const TypedWords = "(text)"

// enoughSeen is how many runes of the end of longer words prove that they are in a field that shows no more.
const enoughSeen = 8

// spoken are the words that a request gives in a field: the reason of a denial, or an answer.
func (r Request) spoken() Words {
	if !r.Answer.IsZero() {
		return r.Answer
	}
	return r.Because
}

// say types the words of the request into the field that at proves to be open and empty, at most once, and returns the dialog
// where they are seen to be in it.
func (j *job) say(ctx context.Context, at stand) (stand, *Result) {
	step := at.steps[0]
	err := j.put(ctx, at.look, at.guard(false), j.r.spoken().inField())
	if !safe(err) {
		j.typed = append(j.typed, TypedWords)
	}
	if err != nil {
		res := j.failed(err)
		return stand{}, &res
	}
	next, no := j.proveIn(ctx, submit, func(s *look) (stand, *refusal) { return j.said(s, step) })
	if no != nil {
		res := j.unknownAfter(reason.WordsUnsent, no)
		if s, unread := j.look(ctx); unread == nil {
			res.After = s.reading.Prompt
		}
		return stand{}, &res
	}
	return next, nil
}

// said demands the dialog of the words with all of them in its field, or their end; those of an answer in that of the very question.
func (j *job) said(s *look, step screen.Step) (stand, *refusal) {
	p, words := s.reading.Prompt, j.r.spoken().proven()
	switch {
	case p == nil:
		return stand{}, refuse(Changed, reason.WordsUnseen).passes()
	case step.Takes > 0 && (p.Fingerprint != j.r.Fingerprint || p.Highlighted != step.Takes-1 || squeeze(p.Typed) != squeeze(words)),
		step.Takes == 0 && (p.Shape != step.Words || !endsWith(words, p.Typed)):
		return stand{}, refuse(Changed, reason.WordsUnseen).passes()
	}
	return stand{look: s, prompt: p, steps: []screen.Step{step}}, nil
}

// endsWith reports whether a field that shows what it does holds words, and nothing behind them.
func endsWith(words, shown string) bool {
	all, seen := squeeze(words), squeeze(shown)
	return seen == all || len([]rune(seen)) >= enoughSeen && strings.HasSuffix(all, seen)
}
