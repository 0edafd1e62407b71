package bot

import (
	"errors"
	"net/http"
	"sync/atomic"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/bot/message"
	"nod/internal/text/lazy"
)

// form is how plain a message is. Features that Telegram refuses are dropped one by one, until it takes the
// message.
type form struct {
	timeless  bool // no tags for times
	plain     bool // no entities at all
	styleless bool // no button colours
	bare      bool // no buttons: the text says how to answer without
	short     bool // only the beginning
}

// plainer remembers the newer features that the server has refused, so that later messages leave them out at
// once. Times came with Bot API 9.5, and most servers that don't know colours ignore them.
type plainer struct {
	timeless, styleless atomic.Bool
	// reactionless: the server knows no reactions, as before Bot API 7.0.
	reactionless atomic.Bool
}

// form returns the richest form that the server has not refused yet.
func (p *plainer) form() form {
	return form{timeless: p.timeless.Load(), styleless: p.styleless.Load()}
}

// passed records the form in which a message was taken.
func (p *plainer) passed(f form) {
	if f.timeless && !f.plain {
		p.timeless.Store(true)
	}
	if f.styleless && !f.bare {
		p.styleless.Store(true)
	}
}

// below returns the next plainer form of a refused message; false: none, or another reason for the refusal.
// With guess, a refusal that names neither entities nor buttons may be about either.
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
	if !f.timeless && !f.plain && timeTags().MatchString(out.Page.HTML) {
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

var timeTags = lazy.MustCompile(`</?tg-time[^>]*>`)

// put writes the text and the buttons of a message into the parameters of a call. short reports whether some
// of the text is missing.
func (f form) put(p tgbotapi.Params, field string, out message.Outgoing, edit bool) (short bool, err error) {
	keys := out.KeysFor(f.short || out.Page.Short)
	page := out.Page
	if f.short {
		page = page.Beginning(shortText, "The rest is too long for Telegram: look at the screen.")
	}
	if f.bare && len(keys) > 0 {
		page = page.Ending("Telegram refused the buttons of this message. " + keys.InWords())
	}
	if f.bare { // an edit then removes them
		keys = nil
	}
	p[field], p["parse_mode"] = page.HTML, tgbotapi.ModeHTML
	if f.timeless {
		p[field] = timeTags().ReplaceAllString(page.HTML, "")
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
