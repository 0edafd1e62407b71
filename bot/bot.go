// Package bot talks to supervisors on Telegram: it sends the keeper's notices, gives answers to the keeper,
// and runs the chat's commands.
//
// Notices are derived from stored records each time, so an outage, a refusal or a crash loses nothing: the
// same notices are due again. An update is confirmed to Telegram only after it was handled, and handled
// updates are recorded, so nothing is lost and nothing acts twice.
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

// Config is the configuration of a Bot. HTTP and Called are optional.
type Config struct {
	Token string
	API   string       // base address of any Bot API server
	HTTP  *http.Client // nil: the default transport. No Timeout: a long poll lasts 50 s

	Keeper   *keeper.Keeper
	Store    *store.Store
	Settings func() Settings // called for each message, so a changed setting applies at once

	// Panes returns the last look at each watched pane.
	Panes func() []detect.Sighting
	// Background returns the agents that run in no pane.
	Background func() []detect.Sighting
	// Screen reads the screen of a pane, and the lines above it.
	Screen func(ctx context.Context, ref detect.PaneRef) (detect.Capture, error)

	// Called is called after each call to Telegram with the method, the kind of failure in one word (empty:
	// success), and how long it took; nil: not called.
	Called func(method, class string, took time.Duration)

	// Files is the folder for files from supervisors. It is made when needed.
	Files string

	// Shared reads a file for the chat again. It fails if the file has changed or may no longer be sent.
	Shared func(f nudge.SharedFile) (data []byte, err error)

	// Launch starts an agent in a session of its own, for the person with that name. Unless they are sure of it, it only
	// returns the folder that the agent would run in.
	Launch func(ctx context.Context, l Launch, sure bool, by string) (folder string, err error)

	Log  *slog.Logger
	Wake <-chan struct{} // there may be something to send, or settings have changed; nil: the bot checks twice a minute
}

// Settings may change while the bot runs.
type Settings struct {
	Supervisors []int64 // Telegram user ids
	Watchers    []int64 // people who get messages and can't answer
	Topics      bool    // each pane has its own topic
	Chat        int64   // the forum group for all messages; 0: each person's own chat
	Host        string  // this machine's name in messages; empty: left out
	Preview     string  // "minimal" keeps the question off the lock screen
	RingRisky   bool    // only dangerous requests make a sound
	// Redact masks secrets in a text from a screen; nil: mask nothing.
	Redact func(string) string
	Zone   *time.Location // for times in messages; nil: the machine's own
	// Transcribe is a program that turns a voice file, its last argument, into words; none: voice messages
	// are refused.
	Transcribe []string
	Page       string   // the https address at which the page opens within Telegram; empty: none
	Lines      []string // the lines of /settings, with secrets masked
	// Health returns problems elsewhere, for /status; nil: none.
	Health func() []string
}

// Bot is the Telegram side of nod.
type Bot struct {
	cfg  Config
	seal message.Sealer
	connection
	background chan func(context.Context) // work that must not delay the poll loop or a sender
	held       holding

	outside   outsideRate
	unasked   sync.Map   // agents that do not ask, of which people were told
	listening sync.Mutex // held while a voice message is transcribed: one at a time
	renewed   refreshes
	threads   threads
	plainer   plainer

	mu       sync.Mutex
	launches map[string]launching // by the id of the button
	senders  map[int64]*sender    // by chat
	ignored  map[int64]bool       // users who are no supervisors, already logged
}

// connection is the bot's connection to Telegram and its state.
type connection struct {
	api       *client
	all       *rate.Limiter // for all chats together
	self      tgbotapi.User // set before anything that needs it runs
	troubles  *troubles
	heartbeat *heartbeat
	// Only the poll loop uses these.
	reached bool // no outage is stored
	contest contest
	unkept  map[int]bool // updates with messages that can't be kept, of which their people were told
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

// TokenError means that Telegram rejects the token: a wrong setting, not an outage.
type TokenError struct{ err error }

func (e *TokenError) Error() string {
	return "Telegram rejects NOD_TELEGRAM_TOKEN (" + e.err.Error() + "): get the right one from @BotFather"
}

// Unwrap returns Telegram's own answer.
func (e *TokenError) Unwrap() error { return e.err }

// Check asks Telegram for the bot's identity. A *TokenError means that the token is wrong. After any other
// error Run keeps trying.
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

// Run polls and sends until ctx ends. It never gives up on Telegram; Health reports the problems meanwhile.
func (b *Bot) Run(ctx context.Context) error {
	b.introduce(ctx)
	b.sayLost()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return b.poll(ctx) })
	g.Go(func() error { return b.sendAll(ctx) })
	g.Go(func() error { return b.runBackground(ctx) })
	return g.Wait()
}

// Ready waits until Run polls, or has failed once and will try again. It returns early if ctx ends.
func (b *Bot) Ready(ctx context.Context) {
	select {
	case <-b.heartbeat.begun:
	case <-ctx.Done():
	}
}

// Alive reports whether the poll loop is running: each of its waits and each update ends in time. An
// unreachable Telegram does not count as a standstill.
func (b *Bot) Alive(now time.Time) bool { return b.heartbeat.alive(now) }

// Health returns the current problems with Telegram, one sentence each; nil: none.
func (b *Bot) Health() []string {
	return b.troubles.list()
}

func (b *Bot) settings() Settings { return b.cfg.Settings() }

func (b *Bot) style() message.Style {
	style := b.settings().style()
	style.Places = map[message.Named][]string{}
	for _, s := range b.cfg.Panes() {
		named := message.Named{Agent: s.Agent, Name: s.Name, Project: s.Project}
		style.Places[named] = append(style.Places[named], s.Where)
	}
	return style
}

// styleIn returns the style of messages in a chat. People who only watch get no buttons to answer with.
func (b *Bot) styleIn(chat int64) message.Style {
	s := b.style()
	s.Watches = b.watches(chat)
	if private := chat > 0; private && !s.Watches {
		s.Page = b.settings().Page
	}
	return s
}

// watches reports whether a user gets messages and can't answer.
func (b *Bot) watches(user int64) bool {
	return slices.Contains(b.settings().Watchers, user) && !b.supervises(user)
}

// audience returns the chats that all notices go to.
func (b *Bot) audience() []int64 {
	if chat := b.settings().Chat; chat != 0 {
		return []int64{chat}
	}
	return b.people()
}

// people returns everybody who gets messages.
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

func (b *Bot) supervises(user int64) bool { return slices.Contains(b.settings().Supervisors, user) }

// style returns the style of messages with these settings.
func (s Settings) style() message.Style {
	return message.NewStyle(s.Host, s.Preview == "minimal", s.Zone, s.Redact)
}

// memory returns what the bot stores over restarts, other than nudges.
func (b *Bot) memory() store.Memory { return b.cfg.Store.Memory() }
