package bot

import (
	"errors"
	"net/http"
	"regexp"
	"sync/atomic"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/bot/message"
)

// form is how plainly a message goes. What Telegram refuses is left out one by one, until it takes the rest.
type form struct {
	timeless  bool // no tags of times
	plain     bool // no entities at all
	styleless bool // no colours of buttons
	bare      bool // no buttons: the text says how to answer without
	short     bool // the beginning alone
}

// plainer remembers what the server has refused of what newer ones know, so that every later message goes without at once:
// times came with Bot API 9.5, and most servers that know no colours leave them out.
type plainer struct {
	timeless, styleless atomic.Bool
	// reactionless says that it knows no reactions, as before Bot API 7.0.
	reactionless atomic.Bool
}

// form is the richest form that the server is not known to refuse.
func (p *plainer) form() form {
	return form{timeless: p.timeless.Load(), styleless: p.styleless.Load()}
}

// passed takes note of the form in which a message went.
func (p *plainer) passed(f form) {
	if f.timeless && !f.plain {
		p.timeless.Store(true)
	}
	if f.styleless && !f.bare {
		p.styleless.Store(true)
	}
}

// below is the next plainer form of a message that was refused; false where there is none, or it was refused for something
// else. Where guessing makes sense, what is refused in words that name neither entities nor buttons may be either.
func (f form) below(err error, out message.Outgoing, guess bool) (form, bool) {
	switch classify(err).kind {
	case badMarkup:
		return f.first(out, form.fewerEntities, form.fewerButtons)
	case badButtons:
		return f.first(out, form.fewerButtons, form.fewerEntities)
	case tooLong:
		g := f
		g.short, g.plain = true, true
		return g, !f.short
	case permanent:
		if e, ok := errors.AsType[*rejection](err); guess && ok && e.code == http.StatusBadRequest && !topicGone(err) && !replyGone(err) {
			return f.first(out, form.fewerEntities, form.fewerButtons)
		}
	}
	return f, false
}

func (f form) first(out message.Outgoing, steps ...func(form, message.Outgoing) form) (form, bool) {
	for _, step := range steps {
		if g := step(f, out); g != f {
			return g, true
		}
	}
	return f, false
}

func (f form) fewerEntities(out message.Outgoing) form {
	if !f.timeless && !f.plain && timeTags.MatchString(out.Page.HTML) {
		f.timeless = true
		return f
	}
	f.plain = true
	return f
}

func (f form) fewerButtons(out message.Outgoing) form {
	switch k := out.KeysFor(f.short); {
	case f.bare || k == nil:
	case !f.styleless && k.Styled():
		f.styleless = true
	default:
		f.bare = true
	}
	return f
}

var timeTags = regexp.MustCompile(`</?tg-time[^>]*>`)

// put writes the text of a message into a field of a call, and its buttons. It reports whether the text is not all there.
func (f form) put(p tgbotapi.Params, field string, out message.Outgoing, edit bool) (short bool, err error) {
	keys := out.KeysFor(f.short || out.Page.Short)
	page := out.Page
	if f.short {
		page = page.Beginning(shortText, "The rest is too long for Telegram: look at the screen.")
	}
	if f.bare && len(keys) > 0 {
		page = page.Ending("Telegram refused the buttons of this message. " + keys.InWords())
	}
	if f.bare { // an edit takes them off then
		keys = nil
	}
	p[field], p["parse_mode"] = page.HTML, tgbotapi.ModeHTML
	if f.timeless {
		p[field] = timeTags.ReplaceAllString(page.HTML, "")
	}
	if f.plain {
		p[field] = page.Plain
		delete(p, "parse_mode")
	}
	if f.styleless {
		keys = keys.Unstyled()
	}
	return page.Short || f.short, putKeys(p, keys, out.WantsReply && !edit)
}
