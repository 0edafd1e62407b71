package bot

import (
	"regexp"
	"strings"
	"sync/atomic"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/bot/message"
)

// plainer remembers what the server has refused of what newer ones know, so that every later message goes without at once.
type plainer struct {
	timeless  atomic.Bool // it knows no tag of times, as before Bot API 9.5
	styleless atomic.Bool // it refuses the colours of buttons; most that know none leave them out
	// reactionless says that it knows no reactions, as before Bot API 7.0.
	reactionless atomic.Bool
}

// learn reports whether a call with these parameters failed by what they can do without.
func (p *plainer) learn(err error, sent tgbotapi.Params) bool {
	if err == nil {
		return false
	}
	text, html := strings.ToLower(err.Error()), sent["text"]+sent["caption"]+sent["media"]
	switch {
	case classify(err).kind == badMarkup && holds(text, `tag "tg-time"`) && holds(html, "tg-time"):
		p.timeless.Store(true)
		return true
	case classify(err).kind == permanent && holds(text, "button style") && holds(sent["reply_markup"], `"style":`):
		p.styleless.Store(true)
		return true
	}
	return false
}

var timeTags = regexp.MustCompile(`</?tg-time[^>]*>`)

// text is HTML as the server takes it.
func (p *plainer) text(html string) string {
	if p.timeless.Load() {
		return timeTags.ReplaceAllString(html, "")
	}
	return html
}

// keys are buttons as the server takes them.
func (p *plainer) keys(k message.Keys) message.Keys {
	if !p.styleless.Load() || k == nil {
		return k
	}
	plain := make(message.Keys, len(k))
	for i, row := range k {
		for _, b := range row {
			plain[i] = append(plain[i], b.Styled(""))
		}
	}
	return plain
}
