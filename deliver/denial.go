package deliver

import (
	"context"
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
)

// Words are never typed into a permission, with one exception: the reason of a denial goes into the agent's
// own field for it. The guard of the step that types the words proves that the key before has opened that
// field and that it is empty. A look then proves that the words are in the field, before Enter sends them.
// Enter can only deny in that dialog. The words of an answer go into the field of an option in the same way,
// and all of them must be seen there.

// TypedWords represents words among the keys of a Result.
const TypedWords = "(text)"

// enoughSeen is how many runes of the end of the words must be seen in a field that is too short for all of
// them.
const enoughSeen = 8

// spoken returns the words for a field: the reason of a denial, or an answer.
func (r Request) spoken() Words {
	if !r.Answer.IsZero() {
		return r.Answer
	}
	return r.Because
}

// say types the words of the request, at most once, into the field that at proves to be open and empty. It
// returns the dialog in which the words are seen.
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
	ctx = context.WithoutCancel(ctx)
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

// said requires the words' dialog with all of the words, or their end, in its field. Words of an answer must
// be seen whole, in the field of the very question.
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

// endsWith reports whether a field that shows the text shown holds words, and nothing after them.
func endsWith(words, shown string) bool {
	all, seen := squeeze(words), squeeze(shown)
	return seen == all || len([]rune(seen)) >= enoughSeen && strings.HasSuffix(all, seen)
}
