package deliver

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// refusal is why no key may be typed now.
type refusal struct {
	reason Reason
	why    reason.Why
	// passing: a look in a moment may succeed, as after a screen that was half drawn.
	passing bool
}

func refuse(code Reason, kind reason.Kind) *refusal {
	return &refusal{reason: code, why: reason.Why{Kind: kind}}
}

// passes marks a refusal that may be over in a moment.
func (no *refusal) passes() *refusal {
	no.passing = true
	return no
}

// naming adds to a refusal the thing that its sentence names.
func (no *refusal) naming(what string) *refusal {
	no.why.What = what
	return no
}

// refused ends a job that answered nothing.
func (j *job) refused(no *refusal) Result {
	cause := j.about(no.why)
	why := reason.Why{Kind: reason.NothingTyped, Because: &cause}
	if len(j.typed) > 0 {
		why = reason.Why{Kind: reason.StoppedShort, What: strings.Join(j.typed, " "), Because: &cause}
	}
	return Result{Outcome: Refused, Reason: no.reason, Detail: why, Keys: j.typed}
}

// unknown ends a job whose key may have answered, without proof that it did.
func (j *job) unknown(why reason.Why) Result {
	return Result{Outcome: Unknown, Reason: Unsure, Detail: j.about(why), Keys: j.typed, Door: j.door}
}

// unknownAfter is unknown with a look's refusal as the reason.
func (j *job) unknownAfter(kind reason.Kind, no *refusal) Result {
	cause := j.about(no.why)
	return j.unknown(reason.Why{Kind: kind, Because: &cause})
}

// delivered ends a job whose answer arrived; kind says how that was proven.
func (j *job) delivered(kind reason.Kind) Result {
	return Result{Outcome: Delivered, Detail: j.about(reason.Why{Kind: kind}), Keys: j.typed, Door: j.door}
}

// about adds to why what all sentences may name: the pane, the agent, and the way of the answer.
func (j *job) about(why reason.Why) reason.Why {
	why.Pane, why.Where, why.Agent, why.Door = j.r.Pane.ID, j.r.Where, cmp.Or(why.Agent, j.r.Agent), j.door
	return why
}

// unread returns why a look at the pane failed.
func unread(err error) *refusal {
	switch {
	case errors.Is(err, tmux.ErrNoPane):
		return refuse(Gone, reason.PaneGone)
	case errors.Is(err, tmux.ErrNoServer):
		return refuse(Gone, reason.ServerGone)
	case errors.Is(err, tmux.ErrHung):
		return refuse(Unreadable, reason.TmuxHangs)
	default:
		return refuse(Unreadable, reason.PaneUnread).naming(err.Error())
	}
}

// untouched reports whether err, from Press or Paste, proves that nothing was typed. Any other error may have
// come after the key.
func untouched(err error) bool {
	if errors.Is(err, tmux.ErrUnsure) {
		return false
	}
	for _, sure := range []error{tmux.ErrStale, tmux.ErrNoPane, tmux.ErrNoServer, tmux.ErrDenied, tmux.ErrProtocol} {
		if errors.Is(err, sure) {
			return true
		}
	}
	return false
}

// flaw returns what is wrong with a request, whatever the pane shows.
func (r Request) flaw() *refusal {
	kinds := 0
	for _, set := range []bool{
		r.Decision != "", r.Choice != nil && r.Answer.IsZero(), r.Instruction != "", !r.Answer.IsZero(), !r.Because.IsZero() && r.Decision == "", len(r.Keys) > 0,
	} {
		if set {
			kinds++
		}
	}
	decides := r.Decision != "" || r.Choice != nil
	switch {
	case kinds != 1:
		return refuse(NoKey, reason.NotOneThing)
	case !r.Because.IsZero() && r.Decision != "" && r.Decision != screen.Deny:
		return refuse(NoKey, reason.WordsNoDenial)
	case (decides || !r.Answer.IsZero()) && r.Fingerprint == "":
		return refuse(Changed, reason.NamesNoPrompt)
	case len(r.Keys) == 0 && (r.Process == proc.ID{} || r.Agent == ""):
		return refuse(Changed, reason.NamesNoAgent)
	case (r.tells() || !r.Answer.IsZero()) && strings.TrimSpace(string(r.Instruction))+r.Answer.oneLine()+r.Because.oneLine() == "":
		return refuse(NoKey, reason.TextBlank)
	}
	for _, key := range r.Keys {
		if !tmux.ValidKey(key) {
			return refuse(NoKey, reason.NoKeyName).naming(strconv.Quote(key))
		}
	}
	return nil
}
