package deliver

import (
	"context"
	"errors"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

const (
	// absorb is how long an agent gets to take in a paste before Enter.
	absorb = 300 * time.Millisecond
	// submit is how long Enter gets to show its effect, and so the time between two of them.
	submit = 2 * time.Second
	// extraEnters is how often Enter is repeated at most.
	extraEnters = 3
)

// tell gives words to an agent: one paste, then Enter as long as they are not submitted.
func (j *job) tell(ctx context.Context) Result {
	at, ended := j.paste(ctx)
	if ended != nil {
		return *ended
	}
	ctx = context.WithoutCancel(ctx)
	sleep(ctx, absorb)
	text := j.follow(ctx, at, false)
	stale := 0
	for enters := 0; text.state == sits && enters < j.enters(at) && stale < staleTries; {
		switch err := j.press(ctx, text.look, text.guard, "Enter"); {
		case err == nil:
			enters++
		case errors.Is(err, tmux.ErrStale):
			stale++
		case safe(err):
			return j.unsubmitted(unread(err).why, nil)
		default:
			return j.unknown(reason.Why{Kind: reason.SilentAtEnter, What: err.Error()})
		}
		text = j.follow(ctx, at, enters > 0)
	}
	if text.state == taken {
		res := j.delivered(reason.TextSubmitted)
		res.After = text.after
		return res
	}
	return j.unsubmitted(text.why, text.after)
}

// enters returns how often Enter may be typed. A question's field gets only one, because the next dialog may
// appear in its place.
func (j *job) enters(at stand) int {
	if at.prompt == nil && agents.RepeatsEnter(j.r.Agent) {
		return 1 + extraEnters
	}
	return 1
}

func (j *job) unsubmitted(why reason.Why, after *screen.Prompt) Result {
	res := j.unknownAfter(reason.TextUnsubmitted, &refusal{why: why})
	res.After = after
	return res
}

// paste pastes the text into the agent's input box, at most once. If it could not, it returns how the job
// ended.
func (j *job) paste(ctx context.Context) (stand, *Result) {
	for tries := 1; ; tries++ {
		at, no := j.ready(ctx, j.listening)
		if no != nil {
			res := j.refused(no)
			return stand{}, &res
		}
		err := j.put(ctx, at.look, at.field(), j.r.text())
		if err == nil {
			return at, nil
		}
		if !errors.Is(err, tmux.ErrStale) || tries == staleTries {
			res := j.failed(err)
			return stand{}, &res
		}
	}
}

// listening requires an agent that waits for words: idle with an empty input box, or the answered question
// with its text field in focus.
func (j *job) listening(s *look) (stand, *refusal) {
	r := s.reading
	switch {
	case r.State.Asks() && (r.State == screen.Permission || j.r.Fingerprint == ""):
		return stand{}, refuse(AwaitingDecision, reason.AgentAsks)
	case j.r.Fingerprint != "" && !j.r.asksAs(r.Prompt):
		return stand{}, refuse(Changed, reason.QuestionLeft)
	case r.State == screen.Question && !r.Prompt.TextField:
		return stand{}, refuse(AwaitingDecision, reason.TakesNoWords)
	case r.State == screen.Question && r.Prompt.Typed != "":
		return stand{}, refuse(Draft, reason.DraftInField)
	case r.State == screen.Question:
		return stand{look: s, prompt: r.Prompt}, nil
	case r.State == screen.Idle && r.Composer == nil:
		return stand{}, refuse(Unreadable, reason.BoxUnseen)
	case r.State == screen.Idle && r.Composer.Shell:
		return stand{}, refuse(Draft, reason.BoxInShellMode)
	case r.State == screen.Idle && r.Composer.Draft != "":
		return stand{}, refuse(Draft, reason.DraftInBox)
	case r.State == screen.Idle:
		return stand{look: s}, nil
	case r.State == screen.Overlay:
		return stand{}, refuse(Unreadable, reason.BoxCovered)
	default:
		return stand{}, refuse(Working, reason.NotIdle)
	}
}

// field guards the place for the words: the question, or everything from the rule above the input box down,
// because a new prompt takes those rows.
func (at stand) field() tmux.Guard {
	if at.prompt != nil {
		return at.look.guard(at.prompt.First, at.prompt.Last)
	}
	return at.look.boxGuard()
}

func (s *look) boxGuard() tmux.Guard {
	last := len(s.rows) - 1
	for last > 0 && s.rows[last] == "" {
		last--
	}
	return s.guard(s.reading.Composer.Row-1, last)
}
