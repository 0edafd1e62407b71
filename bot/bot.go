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
	"sync"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"nod/detect"
	"nod/nudge"
	"nod/store"
)

// Config is what a Bot works with. Every field is needed but HTTP.
type Config struct {
	Token string
	API   string       // base address of the Bot API server; any
	HTTP  *http.Client // nil: the default transport. No Timeout: a long poll lasts 50 s

	Keeper   *nudge.Keeper
	Store    *store.Store
	Settings func() Settings // asked anew for each message, so a changed setting holds at once

	// Panes lists the watched panes as they were last seen.
	Panes func() []detect.Sighting
	// Capture reads the last lines of a pane.
	Capture func(ctx context.Context, ref detect.PaneRef, lines int) ([]string, error)

	Log  *slog.Logger
	Wake <-chan struct{} // there may be something to tell, or settings have changed; nil: the bot looks twice a minute
}

// Settings are those that may change while the bot runs.
type Settings struct {
	Supervisors []int64 // Telegram user ids
	Host        string  // this machine's name in messages; empty: left out
	Preview     string  // "minimal" keeps what is asked off the lock screen
	// Redact masks secrets in a text from a screen; nil: nothing is masked.
	Redact func(string) string
	Zone   *time.Location // for times in messages; nil: the machine's own
	Lines  []string       // what /settings shows, secrets masked
	// Health says what is wrong elsewhere, for /status; nil: nothing to say.
	Health func() []string
}

// Bot is the Telegram side of nod.
type Bot struct {
	cfg   Config
	api   *client
	seal  sealer
	wrong *troubles
	all   *rate.Limiter  // of all chats together
	awake chan struct{}  // a lane has news for the teller
	bound chan struct{}  // closed once the records are known to belong to this bot's chats
	lines sync.WaitGroup // lanes at work, and answers to commands that take their time

	outside outsiders

	mu        sync.Mutex
	self      tgbotapi.User
	lanes     map[int64]*lane
	strangers map[int64]bool
	filed     map[string]bool // nudge and chat whose subject went out as a file
}

// New makes a bot. It does no I/O.
func New(cfg Config) *Bot {
	if cfg.HTTP == nil {
		cfg.HTTP = &http.Client{}
	}
	return &Bot{
		cfg:       cfg,
		api:       newClient(cfg.Token, cfg.API, cfg.HTTP),
		seal:      sealer{cfg.Store.Secret()},
		wrong:     &troubles{log: cfg.Log},
		all:       rate.NewLimiter(allRate, allBurst),
		awake:     make(chan struct{}, 1),
		bound:     make(chan struct{}),
		lanes:     map[int64]*lane{},
		strangers: map[int64]bool{},
		filed:     map[string]bool{},
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
	var me tgbotapi.User
	if err := b.api.call(ctx, sendLimit, "getMe", nil, &me); err != nil {
		if f := classify(err); f.kind == unauthorized {
			return &TokenError{err}
		}
		return fmt.Errorf("ask Telegram for the bot's name: %w", err)
	}
	b.mu.Lock()
	b.self = me
	b.mu.Unlock()
	return nil
}

// Run polls and tells until ctx ends. It never gives up on Telegram: what is wrong meanwhile is said
// by Health.
func (b *Bot) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { b.poll(ctx); return nil })
	g.Go(func() error { b.tellOn(ctx); return nil })
	err := g.Wait()
	b.lines.Wait()
	return err
}

// Health says what is wrong with Telegram at the moment, one sentence each; nil when all is well.
func (b *Bot) Health() []string {
	return b.wrong.list(b.settings().look().zone)
}

func (b *Bot) settings() Settings { return b.cfg.Settings() }

func (b *Bot) look() look { return b.settings().look() }

func (b *Bot) me() tgbotapi.User {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.self
}

func (b *Bot) supervises(user int64) bool {
	for _, id := range b.settings().Supervisors {
		if id == user {
			return true
		}
	}
	return false
}
