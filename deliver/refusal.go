package deliver

import (
	"errors"
	"fmt"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// refusal is why no key may be typed now.
type refusal struct {
	reason Reason
	detail string
	// passing says that another look in a moment may well see something else: a screen half drawn.
	passing bool
}

func refuse(reason Reason, format string, args ...any) *refusal {
	return &refusal{reason: reason, detail: fmt.Sprintf(format, args...)}
}

func refuseForNow(reason Reason, format string, args ...any) *refusal {
	no := refuse(reason, format, args...)
	no.passing = true
	return no
}

// refused ends a job that answered nothing.
func (j *job) refused(no *refusal) Result {
	detail := "Nothing was typed: " + no.detail
	if len(j.typed) > 0 {
		detail = fmt.Sprintf("Typed %s, which answers nothing, and stopped: %s", strings.Join(j.typed, " "), no.detail)
	}
	return Result{Outcome: Refused, Reason: no.reason, Detail: detail, Keys: j.typed}
}

// unknown ends a job whose key may have answered, and of which nothing proves that it did.
func (j *job) unknown(format string, args ...any) Result {
	return Result{Outcome: Unknown, Reason: Unsure, Detail: fmt.Sprintf(format, args...), Keys: j.typed, Door: j.door}
}

// unread says why a look at the pane failed.
func unread(pane string, err error) *refusal {
	switch {
	case errors.Is(err, tmux.ErrNoPane):
		return refuse(Gone, "pane %s no longer exists, and there is nothing left to answer.", pane)
	case errors.Is(err, tmux.ErrNoServer):
		return refuse(Gone, "the tmux server of pane %s no longer runs, and there is nothing left to answer.", pane)
	case errors.Is(err, tmux.ErrHung):
		return refuse(Unreadable, "tmux does not answer. Answer again when it does, or in the terminal.")
	default:
		return refuse(Unreadable, "nod can't read pane %s: %v. Answer again, or in the terminal.", pane, err)
	}
}

// untouched reports whether err, of Press or Paste, proves that nothing was typed. Every other error
// may have come after the key.
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

// flaw says what is wrong with a request whatever the pane shows.
func (r Request) flaw() *refusal {
	kinds := 0
	for _, set := range []bool{
		r.Decision != "", r.Choice != nil, r.Instruction != "", !r.Answer.IsZero(), !r.Because.IsZero() && r.Decision == "", len(r.Keys) > 0,
	} {
		if set {
			kinds++
		}
	}
	decides := r.Decision != "" || r.Choice != nil
	switch {
	case kinds != 1:
		return refuse(NoKey, "the request must name one of a decision, an option, a text and keys. Give one of them.")
	case !r.Because.IsZero() && r.Decision != "" && r.Decision != screen.Deny:
		return refuse(NoKey, "only a denial has words that go with it. Send them as text.")
	case (decides || !r.Answer.IsZero()) && r.Fingerprint == "":
		return refuse(Changed, "the answer names no prompt. Answer the newest message of the prompt.")
	case len(r.Keys) == 0 && (r.Process == proc.ID{} || r.Agent == ""):
		return refuse(Changed, "the answer names no agent. Answer the newest message of the prompt.")
	case r.tells() && strings.TrimSpace(string(r.Instruction))+r.Answer.oneLine()+r.Because.oneLine() == "":
		return refuse(NoKey, "the text is blank. Send some words.")
	}
	for _, key := range r.Keys {
		if !tmux.ValidKey(key) {
			return refuse(NoKey, "%q is no key name of tmux. "+
				"The names are those of `man tmux`, KEY BINDINGS: Enter, Escape, BSpace, Up, C-c, a, 1.", key)
		}
	}
	return nil
}
