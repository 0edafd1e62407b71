package message

import (
	"strings"
	"time"
	"unicode/utf8"

	"nod/internal/reason"
	"nod/internal/words"
	"nod/nudge"
)

// Messages about agents that ask nothing: an idle one that waits for its next instruction, and one that may
// be stuck. They take no y or n.

// resting writes the messages about an agent that asks nothing.
type resting struct {
	Renderer
	icon   string
	saying string     // the state, in one line
	what   string     // details of the state; may be foreign text or empty
	words  string     // the agent's last words; may have several lines
	did    *nudge.Did // the queued instruction that it has completed; nil: none
	edited string     // a count of its changes; empty: none reported
	calm   bool       // it is done, at no known error: its screen would show nothing new
	foot   string     // the next step
	hint   string     // the next step under a short preview
	moved  string     // how the state ended, before the time
}

// rests returns the writer for a nudge that asks nothing; nil: it asks.
func (r Renderer) rests() *resting {
	return nudge.Match(r.About,
		func(nudge.Permission) *resting { return nil },
		func(nudge.Question) *resting { return nil },
		func(nudge.Program) *resting { return nil },
		r.done, r.stuck)
}

func (r Renderer) done(t nudge.TurnEnded) *resting {
	words := strings.TrimSpace(ForeignText(r.Style.Redact(t.Words)))
	first, _, _ := strings.Cut(words, "\n")
	w := &resting{
		Renderer: r, icon: "💤", saying: r.Title + " is done", what: OneLine(first), words: words, did: t.Did, edited: editsLine(t), calm: true, moved: "No longer idle since ",
		foot: "Reply with the next instruction.", hint: "Reply with the next instruction. Tap Show to see what it said.",
	}
	if r.Style.Watches {
		w.foot, w.hint = "A supervisor gives it the next instruction.", seeScreen
	}
	w.isBlocked(t.Blocked)
	return w
}

func (r Renderer) stuck(s nudge.Silence) *resting {
	w := &resting{
		Renderer: r, icon: "🤔", saying: r.Title + " may be stuck", what: "nothing has moved for 2 minutes", moved: "It moved again at ", hint: seeScreen,
		foot: "nod does not know this screen, so nothing can be answered from here: look at the terminal. " +
			"If it waits for you, `nod record " + Cut(OneLine(r.Pane.ID), NameRoom) + "` there writes a report that helps nod learn it.",
	}
	if w.isBlocked(s.Blocked) {
		w.foot = "Nothing can be answered from here: look at the terminal."
	}
	return w
}

const seeScreen = "Tap Show to see its screen."

// isBlocked makes w show the known error that stopped the agent, if there is one, and reports whether there
// is.
func (w *resting) isBlocked(by reason.Why) bool {
	deadEnd := strings.TrimRight(OneLine(w.Style.Redact(words.Why(by))), ".")
	if deadEnd == "" {
		return false
	}
	w.icon, w.saying, w.what, w.calm = "⛔", w.Title+" stopped", deadEnd, false
	return true
}

// message shows all that is known.
func (w *resting) message(chat int64, seal Sealer) Outgoing {
	out := Outgoing{Keys: w.buttons(chat, seal)}
	p, foot := &out.Page, w.foot+"\n"+w.place
	if w.edited != "" {
		foot = w.edited + "\n" + foot
	}
	w.head(p, true)
	if did := w.didLine(); did != "" {
		p.Text(did).Line()
	}
	room := MaxText - p.Size() - utf8.RuneCountInString(foot) - 80
	switch {
	case w.words == "" && w.calm:
		// The Screen button shows it.
	case w.words == "":
		w.screen(p, w.tail(), room, p.Pre)
	case w.words != w.what || utf8.RuneCountInString(w.what) > headRoom:
		said := w.words
		if utf8.RuneCountInString(w.what) <= headRoom {
			said = behindFirst(said, w.what)
		}
		words := Cut(said, room)
		p.folded(words).Line()
		if words != said {
			p.Text("The rest of its words is at the terminal only.").Line()
		}
	}
	p.Text(foot)
	return out
}

// didLine names the queued instruction that an idle agent has completed; empty: none.
func (w *resting) didLine() string {
	switch {
	case w.did == nil:
		return ""
	case w.Style.Minimal:
		return "✔ #" + w.did.ID
	}
	return "✔ #" + w.did.ID + " “" + Cut(OneLine(w.Style.Redact(w.did.Text)), lineRoom) + "” · nothing is queued behind it"
}

// head writes the first line of such a message. With words false it keeps the agent's words off the lock
// screen.
func (w *resting) head(p *page, words bool) {
	p.Text(w.icon + " ")
	if w.what != "" && (words || !w.calm) {
		p.Bold(w.saying + ": ").Text(Cut(w.what, headRoom))
	} else {
		p.Bold(w.saying)
	}
	p.Line()
}

// preview returns such a message as a short preview.
func (w *resting) preview(chat int64, seal Sealer) Outgoing {
	out := Outgoing{Keys: Keys{{seal.Tap("👁 Show", w.tap(VerbShow), chat)}}}
	w.head(&out.Page, false)
	out.Page.Text(w.hint)
	w.sign(&out.Page)
	return out
}

// Replaced returns the text for an idle notice that Telegram does not let nod delete.
func (r Renderer) Replaced() Outgoing {
	var out Outgoing
	out.Page.Text("▶ ").Bold(r.Title).Text(" was done here; a newer message says what it does now.")
	out.Keys = Keys{}
	return out
}

// Message shows all that is known of a nudge.
func (r Renderer) Message(chat int64, seal Sealer, now time.Time, filed bool) Outgoing {
	if w := r.rests(); w != nil {
		return w.message(chat, seal)
	}
	return r.Asking(chat, seal, now, filed)
}

// ShortPreview returns the message with the question or the words kept off the lock screen.
func (r Renderer) ShortPreview(chat int64, seal Sealer, now time.Time) Outgoing {
	if w := r.rests(); w != nil {
		return w.preview(chat, seal)
	}
	return r.promptPreview(chat, seal, now)
}

// instructed reports whether the nudge was answered with words.
func instructed(n nudge.Nudge) bool { return n.Claim != nil && n.Claim.Text != "" }
