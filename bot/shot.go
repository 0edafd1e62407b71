package bot

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/bot/message"
	"nod/bot/picture"
	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
)

const (
	screenRows  = 60               // rows in /screen and its button
	captureTime = 10 * time.Second // a tmux that takes longer hangs
	renewAfter  = time.Second      // the shortest time between two readings for a chat
)

// shot is the content of a pane at one moment, masked, so that it may leave this machine.
type shot struct {
	pane         detect.PaneRef
	title, where string
	at           time.Time
	lines        []string // as text
	picture      []byte   // PNG; nil: it could not be drawn
	style        message.Style
}

// take reads a pane and draws it.
func (b *Bot) take(ctx context.Context, ref detect.PaneRef, title, where string) (shot, error) {
	ctx, cancel := context.WithTimeout(ctx, captureTime)
	defer cancel()
	shown, err := b.cfg.Screen(ctx, ref)
	if err != nil {
		return shot{}, err
	}
	rows, above := shown.Last(screenRows)
	p := shot{pane: ref, title: title, where: where, at: time.Now(), style: b.style()}
	masking := p.style.Below(above)
	p.lines = message.ScreenLines(textOf(rows), masking)
	if len(p.lines) == 0 {
		return p, nil
	}
	if p.picture, err = picture.Draw(rows, shown.Columns, masking.Redact); err != nil {
		b.cfg.Log.Warn("can't draw a screen, so it is sent as text", "pane", ref.ID, "error", err)
	}
	return p, nil
}

func textOf(rows []screen.Row) (text []string) {
	for _, row := range rows {
		text = append(text, row.Text)
	}
	return text
}

// sendScreen reads a pane outside the poll loop, because tmux may hang, and sends its content.
func (b *Bot) sendScreen(chat int64, replyTo int, ref detect.PaneRef, title, where string) {
	taken := b.inBackground(func(ctx context.Context) {
		p, err := b.take(ctx, ref, title, where)
		if err != nil {
			b.say(chat, replyTo, message.Sentence("The pane can't be read: "+message.OneLine(b.style().Redact(err.Error()))))
			return
		}
		b.queue(chat, job{what: "a screen", do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
			return nil, s.sendShot(ctx, p, replyTo)
		}})
	})
	if !taken {
		b.say(chat, replyTo, message.Sentence("Too many screens at once: ask again in a moment."))
	}
}

// renewScreen reads the pane of a screen message again and updates the message. It returns the text to show
// after the tap.
func (b *Bot) renewScreen(m *incoming, id string) string {
	chat, photo, known := m.Chat.ID, given(m.Photo), m.Date != 0 // Telegram sends no content of old messages
	pane, found := firstPane(b.cfg.Panes(), func(s detect.Sighting) bool { return paneID(s.Pane) == id })
	if !found {
		return "That pane is gone."
	}
	if why := b.renewed.begin(chat, time.Now()); why != "" {
		return why
	}
	taken := b.inBackground(func(ctx context.Context) {
		p, err := b.take(ctx, pane.Pane, b.style().Title(pane.Agent, pane.Name, pane.Project), pane.Where)
		if err != nil {
			b.renewed.end(chat)
			b.say(chat, m.ID, message.Sentence("The pane can't be read: "+message.OneLine(b.style().Redact(err.Error()))))
			return
		}
		b.queue(chat, job{what: "a screen again", edit: known, do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
			var err error
			if known {
				err = s.editShot(ctx, p, m.ID, photo)
			} else {
				err = s.sendShot(ctx, p, m.ID)
			}
			if err == nil || classify(err).refused() {
				b.renewed.end(chat)
			}
			return nil, err
		}})
	})
	if !taken {
		b.renewed.end(chat)
		return "nod is busy: tap again in a moment."
	}
	return ""
}

// refreshes limit how often screens are read again: one at a time in a chat, and not within a second.
type refreshes struct {
	mu     sync.Mutex
	busy   map[int64]time.Time // since when one is running
	latest map[int64]time.Time // when the latest began
}

// stuckRefresh is when a running refresh counts as lost.
const stuckRefresh = time.Minute

// begin records a refresh. If it may not begin yet, it returns the text that says why.
func (r *refreshes) begin(chat int64, now time.Time) (notYet string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy == nil {
		r.busy, r.latest = map[int64]time.Time{}, map[int64]time.Time{}
	}
	switch since, busy := r.busy[chat]; {
	case now.Sub(r.latest[chat]) < renewAfter:
		return "At most once a second: tap again in a moment."
	case busy && now.Sub(since) < stuckRefresh:
		return "The screen is on its way."
	}
	r.busy[chat], r.latest[chat] = now, now
	return ""
}

func (r *refreshes) end(chat int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.busy, chat)
}

// paneID identifies a pane in a button's data.
func paneID(ref detect.PaneRef) string {
	name := fmt.Appendf(nil, "%s\x00%d\x00%d\x00%s", ref.Server.Socket, ref.Server.PID, ref.Server.Start, ref.ID)
	if !ref.Here() {
		name = append(name, "\x00"+ref.Machine...)
	}
	sum := sha256.Sum256(name)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// head returns the two lines that name a screen. They are nod's own; the lines below prove nothing.
func (p shot) head(chat int64, seal message.Sealer) message.Outgoing {
	out := message.Outgoing{Keys: message.Keys{{seal.Button("🔄 Refresh", message.VerbRenew, paneID(p.pane), chat)}}}
	out.Page.Text("🔎 ").Bold(p.title).Line().Text(p.style.Where(p.where)+" at ").Moment(p.at, p.at, p.style.Zone)
	return out
}

// message returns a screen as text.
func (p shot) message(chat int64, seal message.Sealer) message.Outgoing {
	out := p.head(chat, seal)
	out.Page.Line()
	if len(p.lines) == 0 {
		out.Page.Line().Text("The screen is empty.")
		return out
	}
	shown, short := message.LastLines(p.lines, message.MaxText-out.Page.Size()-64)
	text := strings.Join(shown, "\n")
	if short {
		text = "…\n" + text
	}
	out.Page.Line().Pre(text)
	return out
}

const pictureName = "screen.png"

// sendShot sends a screen as a picture, or as text if the picture is refused.
func (s *sender) sendShot(ctx context.Context, p shot, replyTo int) error {
	if p.picture != nil {
		out := p.head(s.id, s.bot.seal)
		out.ReplyTo = replyTo
		params := s.address(out)
		err := s.somewhere(ctx, params, func() error {
			return s.captioned(params, out, false, func() error {
				return s.inTurn(ctx, false, func() error {
					return s.bot.api.upload(ctx, "sendPhoto", "photo", params, pictureName, p.picture, nil)
				})
			})
		})
		if !refusesPicture(err) {
			return err
		}
		s.bot.cfg.Log.Info("Telegram refused a picture, so the screen is sent as text", "chat", s.id, "error", err)
	}
	out := p.message(s.id, s.bot.seal)
	out.ReplyTo = replyTo
	_, err := s.send(ctx, out)
	return err
}

// editShot puts a screen into a message, which stays a photo or a text.
func (s *sender) editShot(ctx context.Context, p shot, number int, photo bool) error {
	if !photo {
		_, err := s.edit(ctx, number, p.message(s.id, s.bot.seal))
		return err
	}
	if p.picture == nil {
		return s.sendShot(ctx, p, number)
	}
	out := p.head(s.id, s.bot.seal)
	params := s.messageAt(number)
	err := s.captioned(params, out, true, func() (err error) {
		if params["media"], err = pictureMedia(params); err != nil {
			return err
		}
		return s.inTurn(ctx, true, func() error {
			return s.bot.api.upload(ctx, "editMessageMedia", pictureField, params, pictureName, p.picture, nil)
		})
	})
	if refusesPicture(err) {
		p.picture = nil
		return s.sendShot(ctx, p, number)
	}
	return unlessMoot(err)
}

// captioned makes a call with a caption and buttons, and repeats it without those that Telegram names in a
// refusal. Any other refusal is about the picture.
func (s *sender) captioned(params tgbotapi.Params, out message.Outgoing, edit bool, call func() error) error {
	_, err := s.plainly(out, false, func(f form) (bool, error) {
		short, err := f.put(params, "caption", out, edit)
		if err != nil {
			return short, err
		}
		return short, call()
	})
	return err
}

const pictureField = "picture"

// pictureMedia returns the media parameter of editMessageMedia for the picture in the same request.
func pictureMedia(p tgbotapi.Params) (string, error) {
	data, err := json.Marshal(map[string]string{"type": "photo", "media": "attach://" + pictureField, "caption": p["caption"], "parse_mode": p["parse_mode"]})
	return string(data), err
}

// refusesPicture reports whether Telegram refuses the picture for good.
func refusesPicture(err error) bool {
	return err != nil && classify(err).refused()
}
