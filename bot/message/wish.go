package message

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"nod/internal/text/visible"
	"nod/internal/words"
	"nod/nudge"
)

// Messages about wishes.

// Wish shows a wish with its full text, and buttons that send and drop it. If the text is not shown byte for
// byte, the first tap on Send only asks for consent.
func Wish(w nudge.Wish, chat int64, seal Sealer, style Style) Outgoing {
	var out Outgoing
	p := &out.Page
	p.Text(wishIs(w)).Bold(style.Title(w.Agent, w.Name, w.Project)).Text(":").Line()
	foot := wishFoot(w, style)
	if style.Minimal {
		p.Text(foot)
		out.Keys = wishKeys(seal.Button("👁 Show it", VerbShowWish, w.ID, chat), w, chat, seal)
		return out
	}
	drawn := ForeignText(style.Redact(w.Text))
	shown := Cut(drawn, MaxText-p.Size()-wishRoom-utf8.RuneCountInString(foot))
	p.Pre(shown).Line()
	if command := mayBeCommand(w); command != "" && w.File == nil {
		p.Text(command).Line()
	}
	whole := Tap{Verb: VerbSendWish, ID: w.ID, own: true, subject: w.Fingerprint()}
	part := Tap{Verb: VerbSendWish, ID: w.ID, own: true}
	out.partial = wishKeys(seal.Tap("📨 Send", part, chat), w, chat, seal)
	if out.Keys = out.partial; shown == w.Text {
		out.Keys = wishKeys(seal.Tap("📨 Send", whole, chat), w, chat, seal)
	} else {
		p.Text("⚠ Not all of it is shown here: " + wishHides(w, drawn, shown, style) + ". Send asks you again.").Line()
	}
	p.Text(foot)
	return out
}

// wishIs returns the kind of wish: a supervisor's voice message, a file, or an agent's words.
func wishIs(w nudge.Wish) string {
	switch {
	case w.File != nil:
		return "📎 A file from "
	case w.From.Spoken:
		return "🎙 A voice message for "
	}
	return "🙏 A wish for "
}

// wishRoom is the length of nod's own lines between a wish's text and its foot.
const wishRoom = 400

func wishKeys(first button, w nudge.Wish, chat int64, seal Sealer) Keys {
	return Keys{{first.styled(green), seal.Button("✖ Drop", VerbDropWish, w.ID, chat)}}
}

// mayBeCommand returns the warning that the agent may read a wish as a command: it begins with a visible
// character that is neither a letter nor a digit, in any script, or with an invisible one. Empty: it may not.
func mayBeCommand(w nudge.Wish) string {
	first, _ := utf8.DecodeRuneInString(w.Text)
	if !visible.Hidden(first) && (unicode.IsLetter(first) || unicode.IsDigit(first)) {
		return ""
	}
	return fmt.Sprintf("❗ It begins with “%s”, so it may be a command of %s.", ForeignText(string(first)), Cut(OneLine(w.Agent), NameRoom))
}

// wishHides returns the ways in which a shown wish differs from the real one.
func wishHides(w nudge.Wish, drawn, shown string, style Style) string {
	text := w.Text
	var ways []string
	if style.Redact(text) != text {
		ways = append(ways, "a secret is masked")
	}
	if ForeignText(text) != text {
		ways = append(ways, "some characters show nothing by themselves")
	}
	if shown != drawn {
		ways = append(ways, "it is too long for a message")
	}
	return strings.Join(ways, ", ")
}

// wishFoot says whose wish it is, and what Send does.
func wishFoot(w nudge.Wish, style Style) string {
	from := Cut(OneLine(style.Redact(w.From.Name)), NameRoom)
	if w.File != nil {
		return "Send brings it here; nothing else does.\n" + style.place(w.Where, w.ID)
	}
	if w.From.Spoken {
		return "Spoken by " + from + ". Send makes it your instruction.\n" + style.place(w.Where, w.ID)
	}
	return "From " + from + ". Send makes it your instruction; nothing else does.\n" + style.place(w.Where, w.ID)
}

// WishUnseen asks for the second tap that a wish needs if a part of it was not shown.
func WishUnseen(w nudge.Wish, chat int64, seal Sealer, style Style) Outgoing {
	p := Tap{Verb: VerbSendWish, ID: w.ID, own: true, subject: w.Fingerprint()}
	out := Outgoing{Keys: Keys{{seal.Tap("⚠ Send what can't be seen", p, chat)}}}
	out.Page.Text("⚠ A part of wish #" + w.ID + " for ").Bold(style.Title(w.Agent, w.Name, w.Project)).Text(" is in no message.").Line()
	out.Page.Text("Nothing was sent yet. `nod tell --list` shows it at the terminal. Send it unseen?")
	return out
}

// WishEnding says how a wish ended.
func WishEnding(w nudge.Wish, style Style) Outgoing {
	out := Outgoing{Keys: Keys{}}
	p := &out.Page
	icon := "🚫 "
	if w.State == nudge.WishSent {
		icon = "📨 "
	}
	_, what, _ := strings.Cut(wishIs(w), " ")
	p.Text(icon + what).Bold(style.Title(w.Agent, w.Name, w.Project))
	if !style.Minimal {
		p.Text(": ").Code(Cut(OneLine(style.Redact(w.Text)), headRoom))
	}
	p.Line().Text(Cut(OneLine(style.Redact(words.Why(w.Detail))), SentenceRoom))
	if w.State != nudge.WishSent {
		p.Text(" Nothing was sent.")
	}
	p.Line().Text(style.place(w.Where, w.ID))
	return out
}
