// Package bot speaks with supervisors on Telegram: it tells them what the keeper says must be told,
// hands their answers to the keeper, and answers the commands of the chat.
//
// What must be told is derived from stored records each time, so an outage, a refusal or a crash
// loses nothing: the same is due again. What comes in is confirmed to Telegram only once it was
// handled, and what was handled is remembered, so nothing is lost and nothing acts twice.
package bot

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"nod/bot/message"
	"nod/detect"
	"nod/nudge"
	"nod/nudge/keeper"
	"nod/store"
)

// Config is what a Bot works with. Every field is needed but HTTP and Called.
type Config struct {
	Token string
	API   string       // base address of the Bot API server; any
	HTTP  *http.Client // nil: the default transport. No Timeout: a long poll lasts 50 s

	Keeper   *keeper.Keeper
	Store    *store.Store
	Settings func() Settings // asked again for each message, so a changed setting holds at once

	// Panes lists the watched panes as they were last seen.
	Panes func() []detect.Sighting
	// Background gives the agents that run in no pane.
	Background func() []detect.Sighting
	// Screen reads what a pane shows, and what is above that.
	Screen func(ctx context.Context, ref detect.PaneRef) (detect.Capture, error)

	// Called hears of each call to Telegram: its method, what its failure means in one word (empty: it succeeded), and
	// how long it took. nil: nobody wants to know.
	Called func(method, class string, took time.Duration)

	// Files is the folder for what supervisors send; it is made when something comes.
	Files string

	// Shared reads a file again that is to be brought to the chat; an error where it is another one by now, or may not go any more.
	Shared func(f nudge.SharedFile) (data []byte, err error)

	// Launch starts an agent in a session of its own, for the person of that name.
	Launch func(ctx context.Context, l Launch, by string) error

	Log  *slog.Logger
	Wake <-chan struct{} // there may be something to tell, or settings have changed; nil: the bot looks twice a minute
}

// Settings are those that may change while the bot runs.
type Settings struct {
	Supervisors []int64 // Telegram user ids
	Watchers    []int64 // of those who are told and can't answer
	Topics      bool    // each pane has a topic of its own
	Chat        int64   // the forum group in which all are told; 0: each in their own chat
	Host        string  // this machine's name in messages; empty: left out
	Preview     string  // "minimal" keeps what is asked off the lock screen
	RingRisky   bool    // only what asks for something dangerous comes with a sound
	// Redact masks secrets in a text from a screen; nil: nothing is masked.
	Redact func(string) string
	Zone   *time.Location // for times in messages; nil: the machine's own
	// Transcribe is a program that turns a voice file, its last argument, into words; none: voice messages are refused.
	Transcribe []string
	Page       string   // the https address at which the page opens within Telegram; empty: nowhere
	Launch     []string // folders in which /new may start an agent; none: it may not
	Lines      []string // what /settings shows, secrets masked
	// Health says what is wrong elsewhere, for /status; nil: nothing to say.
	Health func() []string
}

// Bot is the Telegram side of nod.
type Bot struct {
	cfg  Config
	seal message.Sealer
	connection
	background chan func(context.Context) // what holds up neither the poll loop nor a sender

	outside   outsideRate
	unasked   sync.Map   // agents, of which people know that they do not ask
	listening sync.Mutex // held while a voice message is written down: one at a time
	renewed   refreshes
	threads   threads
	plainer   plainer

	mu       sync.Mutex
	launches map[string]launching // by the id of their button
	senders  map[int64]*sender    // by chat
	ignored  map[int64]bool       // users who are no supervisors and were logged
}

// connection is how the bot reaches Telegram, and how well it does.
type connection struct {
	api       *client
	all       *rate.Limiter // of all chats together
	self      tgbotapi.User // set before anything that asks for it runs
	troubles  *troubles
	heartbeat *heartbeat
	// The poll loop alone uses these.
	reached bool // no outage is on record
	contest contest
}

// New makes a bot. It does no I/O.
func New(cfg Config) *Bot {
	if cfg.HTTP == nil {
		cfg.HTTP = &http.Client{}
	}
	return &Bot{
		cfg:  cfg,
		seal: message.NewSealer(cfg.Store.Secret()),
		connection: connection{
			api: newClient(cfg), all: rate.NewLimiter(allChats, allChats),
			troubles: &troubles{log: cfg.Log}, heartbeat: &heartbeat{begun: make(chan struct{})},
		},
		background: make(chan func(context.Context), backgroundWait),
		senders:    map[int64]*sender{},
		ignored:    map[int64]bool{},
		launches:   map[string]launching{},
	}
}

// TokenError says that Telegram rejects the token: a wrong setting, not an outage.
type TokenError struct{ err error }

func (e *TokenError) Error() string {
	return "Telegram rejects NOD_TELEGRAM_TOKEN (" + e.err.Error() + "): get the right one from @BotFather"
}

// Unwrap gives Telegram's own answer.
func (e *TokenError) Unwrap() error { return e.err }

// Check asks Telegram who the bot is. A *TokenError means that the token is wrong; any other error,
// that Telegram can't be asked now: Run keeps trying.
func (b *Bot) Check(ctx context.Context) error {
	_, err := b.getMe(ctx)
	return err
}

func (c *connection) getMe(ctx context.Context) (me tgbotapi.User, err error) {
	err = c.api.call(ctx, sendLimit, "getMe", nil, &me)
	switch {
	case err == nil:
		return me, nil
	case classify(err).kind == unauthorized:
		return me, &TokenError{err}
	}
	return me, fmt.Errorf("ask Telegram for the bot's name: %w", err)
}

// Run polls and sends until ctx ends. It never gives up on Telegram: what is wrong meanwhile is said
// by Health.
func (b *Bot) Run(ctx context.Context) error {
	b.introduce(ctx)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return b.poll(ctx) })
	g.Go(func() error { return b.sendAll(ctx) })
	g.Go(func() error { return b.runBackground(ctx) })
	return g.Wait()
}

// Ready waits until Run polls, or has found that it can't yet and tries again. It returns early when ctx ends.
func (b *Bot) Ready(ctx context.Context) {
	select {
	case <-b.heartbeat.begun:
	case <-ctx.Done():
	}
}

// Alive reports whether the loop that polls Telegram goes on: it waits for an answer, or for its next try, no longer than
// it means to, and gets through the updates. That nothing can be had from Telegram is no standstill.
func (b *Bot) Alive(now time.Time) bool { return b.heartbeat.alive(now) }

// Health says what is wrong with Telegram at the moment, one sentence each; nil when all is well.
func (b *Bot) Health() []string {
	return b.troubles.list()
}

func (b *Bot) settings() Settings { return b.cfg.Settings() }

func (b *Bot) style() message.Style {
	style := b.settings().style()
	style.Twins = map[message.Named]bool{}
	for _, s := range b.cfg.Panes() {
		named := message.Named{Agent: s.Agent, Name: s.Name, Project: s.Project}
		_, another := style.Twins[named]
		style.Twins[named] = another
	}
	return style
}

// styleIn is the style of messages in a chat: who only watches gets no buttons to answer with.
func (b *Bot) styleIn(chat int64) message.Style {
	s := b.style()
	s.Watches = b.watches(chat)
	if private := chat > 0; private && !s.Watches {
		s.Page = b.settings().Page
	}
	return s
}

// watches reports whether a user is told and can't answer.
func (b *Bot) watches(user int64) bool {
	return slices.Contains(b.settings().Watchers, user) && !b.supervises(user)
}

// audience are the chats in which everybody is told.
func (b *Bot) audience() []int64 {
	if chat := b.settings().Chat; chat != 0 {
		return []int64{chat}
	}
	return b.people()
}

// people is everybody who is told.
func (b *Bot) people() []int64 {
	s := b.settings()
	all := slices.Clone(s.Supervisors)
	for _, id := range s.Watchers {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

func (b *Bot) me() tgbotapi.User { return b.self }

func (b *Bot) supervises(user int64) bool {
	for _, id := range b.settings().Supervisors {
		if id == user {
			return true
		}
	}
	return false
}

// style is how messages look by these settings.
func (s Settings) style() message.Style {
	return message.NewStyle(s.Host, s.Preview == "minimal", s.Zone, s.Redact)
}

// memory is what the bot knows over its restarts beside the records of nudges.
func (b *Bot) memory() store.Memory { return b.cfg.Store.Memory() }
