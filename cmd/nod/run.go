package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/robfig/cron/v3"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"nod/bot"
	"nod/deliver"
	"nod/detect"
	"nod/internal/proc"
	"nod/internal/redact"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/nudge"
	"nod/store"
)

// Housekeeping looks at what is due that often. It decides how exact reminders are, and how soon a
// changed settings file is noticed; what is new is told at once.
const tick = "@every 2s"

// A poll of a server that hangs takes seconds; one that took this long never ends.
const pollsStall = time.Minute + 30*time.Second

func (p *program) runCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "the bot; what systemd runs",
		Long: `Watches the tmux servers, tells the supervisors on Telegram, and types their answers. It logs to
standard error and runs until it is stopped. SIGHUP makes it read its settings again.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.runBot(cmd.Context()) },
	}
}

// runBot builds every part of the bot and runs them until ctx ends or one fails.
func (p *program) runBot(ctx context.Context) error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	if err := s.Ready(); err != nil {
		return err
	}
	level := new(slog.LevelVar)
	level.Set(s.LogLevel)
	log := newLog(p.err, s.LogFormat, level)
	wake := make(chan struct{}, 1)
	holder := settings.NewHolder(p.env, s, log, func(s settings.Settings) {
		level.Set(s.LogLevel)
		ring(wake) // a supervisor who joined is to be told what is pending
	})

	book, err := store.Open(filepath.Join(string(s.StateDir), "nod.db"))
	if err != nil {
		return err
	}
	defer book.Close()
	listener, err := rpc.Listen(string(s.Socket))
	if err != nil {
		return fmt.Errorf("listen on NOD_SOCKET: %w", err)
	}
	defer listener.Close()

	h := newHouse(holder, book, wake, log)
	// Any other error is an outage: Run says so, and keeps trying.
	if wrong := (*bot.TokenError)(nil); errors.As(h.bot.Check(ctx), &wrong) {
		return &failure{code: exitSettings, err: wrong}
	}
	clock, err := h.clock(ctx)
	if err != nil {
		return err
	}

	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return h.watcher.Run(ctx) })
	// What was claimed before a crash is typed by the ordinary delivery, which must not meet a server
	// that the watcher has not looked at yet: it would refuse for good.
	h.watcher.Ready(ctx)
	g.Go(func() error { return h.keeper.Run(ctx) })
	g.Go(func() error { return h.bot.Run(ctx) })
	g.Go(func() error { return h.socket.Serve(ctx, listener) })
	g.Go(func() error { return holder.Watch(ctx) })
	g.Go(func() error {
		clock.Start()
		<-ctx.Done()
		<-clock.Stop().Done()
		return nil
	})
	log.Info("nod runs", "version", version(), "socket", s.Socket, "supervisors", len(s.Supervisors))
	notify(log, daemon.SdNotifyReady)
	defer context.AfterFunc(ctx, func() { notify(log, daemon.SdNotifyStopping) })()
	err = g.Wait()
	log.Info("nod stopped")
	return err
}

// house is the parts of a running bot.
type house struct {
	log     *slog.Logger
	holder  *settings.Holder
	watcher *detect.Watcher
	typist  *deliver.Typist
	keeper  *nudge.Keeper
	bot     *bot.Bot
	methods *methods
	socket  *rpc.Server
}

// newHouse wires the parts. News goes up through See and the wake channel, decisions go down as calls.
func newHouse(holder *settings.Holder, book *store.Store, wake chan struct{}, log *slog.Logger) *house {
	h := &house{log: log, holder: holder}
	h.watcher = detect.NewWatcher(detect.WatchConfig{
		Settings: func() detect.WatchSettings {
			s := holder.Current()
			return detect.WatchSettings{Servers: s.TmuxSocket, Interval: s.PollInterval, StablePolls: s.StablePolls}
		},
		See: h.see,
		Ran: h.ran,
		Log: log,
	})
	h.typist = deliver.New(deliver.Config{Keyboards: h.keyboard, Log: log})
	h.keeper = nudge.NewKeeper(nudge.Config{
		Book:    book,
		Typist:  h,
		Rules:   func() nudge.Rules { return rules(holder.Current()) },
		Log:     log,
		Uptime:  proc.Uptime,
		Changed: func() { ring(wake) },
	})
	s := holder.Current()
	h.bot = bot.New(bot.Config{
		Token:    s.TelegramToken.Reveal(),
		API:      string(s.TelegramAPI),
		Keeper:   h.keeper,
		Store:    book,
		Settings: h.chat,
		Panes:    h.watcher.Panes,
		Capture:  h.capture,
		Log:      log,
		Wake:     wake,
	})
	h.methods = &methods{
		keeper: h.keeper, typist: h.typist, store: book, holder: holder,
		panes: h.watcher.Panes, health: h.health, started: time.Now(), log: log,
		heard: func() rpc.Heard { return h.socket.Heard() },
	}
	h.socket = rpc.NewServer(h.methods.table(), h.hook, log)
	return h
}

// ring wakes who waits for wake, or leaves the bell rung for when they do.
func ring(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

func (h *house) see(s detect.Sighting) {
	if err := h.keeper.See(s); err != nil {
		h.log.Error("a look at a pane was lost; the next one follows", "pane", s.Pane.ID, "error", err)
	}
}

func (h *house) ran(e detect.Effect) {
	if err := h.keeper.Ran(e); err != nil {
		h.log.Error("what a command did was not noted", "pane", e.Pane.ID, "error", err)
	}
}

// reconcile ends the nudges of panes that nobody watches any more: lost while nod did not run, or with
// their server. One that can't be judged is left alone.
func (h *house) reconcile(now time.Time) error {
	open, err := h.keeper.List(false)
	if err != nil {
		return err
	}
	watched := map[detect.PaneRef]bool{}
	for _, s := range h.watcher.Panes() {
		watched[s.Pane] = true
	}
	for _, n := range open {
		if watched[n.Pane] {
			continue
		}
		if fate := h.watcher.Fate(n.Pane); fate != "" {
			h.see(detect.Sighting{
				Pane: n.Pane, Process: n.Process, Agent: n.Agent, Name: n.Name, Project: n.Project, Where: n.Where,
				State: fate, Since: now, At: now, By: "poll",
			})
		}
	}
	return nil
}

// keyboard is the server at a socket, if this nod may type there.
func (h *house) keyboard(socket string) deliver.Keyboard {
	if server := h.watcher.Server(socket); server != nil {
		return server
	}
	return nil
}

// Type types, and has the pane read at once afterwards: an agent often has its next question ready, and
// the person who has just answered is there.
func (h *house) Type(ctx context.Context, r deliver.Request, begin func() error) deliver.Result {
	result := h.typist.Type(ctx, r, begin)
	if result.Outcome != deliver.Refused {
		go func() {
			if _, err := h.watcher.Look(ctx, r.Pane); err != nil {
				h.log.Debug("no look after typing; the poll comes by", "pane", r.Pane.ID, "error", err)
			}
		}()
	}
	return result
}

// hook takes an agent's event. What matters of it now is that the pane is worth a look.
func (h *house) hook(_ context.Context, in rpc.Hook) error {
	e, err := detect.ParseHook(in.Agent, in.Event, in.Tmux, in.Pane)
	if err != nil {
		return err
	}
	e.Caller = in.PID
	if e.Pane == "" {
		h.bot.Outside(e)
	}
	h.watcher.Hook(e)
	return nil
}

func (h *house) health() []string { return append(h.watcher.Health(), h.bot.Health()...) }

// capture reads the last lines of a pane for the chat.
func (h *house) capture(ctx context.Context, ref detect.PaneRef, lines int) ([]string, error) {
	server := h.watcher.Server(ref.Server.Socket)
	if server == nil {
		return nil, fmt.Errorf("the tmux server at %s is not watched", ref.Server.Socket)
	}
	look, err := server.Look(ctx, ref.ID)
	if err != nil {
		return nil, err
	}
	if look.Life != ref.Server {
		return nil, fmt.Errorf("the tmux server at %s was started anew", ref.Server.Socket)
	}
	return detect.ParseScreen(look.Capture).Tail(lines), nil
}

// clock makes the recurring jobs. cron's default has neither Recover nor SkipIfStillRunning.
func (h *house) clock(ctx context.Context) (*cron.Cron, error) {
	log := cronLog{h.log}
	c := cron.New(cron.WithLogger(log), cron.WithChain(cron.Recover(log), cron.SkipIfStillRunning(log)))
	jobs := map[string]func(){tick: h.tick}
	if when := string(h.holder.Current().Digest); when != "" {
		jobs[when] = func() {
			if err := h.bot.Digest(ctx); err != nil {
				h.log.Error("no digest was sent", "error", err)
			}
		}
	}
	for when, job := range jobs {
		if _, err := c.AddFunc(when, job); err != nil {
			return nil, fmt.Errorf("plan %q: %w", when, err)
		}
	}
	return c, nil
}

// tick looks at what is due and at what may have changed outside.
func (h *house) tick() {
	now := time.Now()
	h.holder.Refresh()
	if err := errors.Join(h.reconcile(now), h.keeper.Tick(now)); err != nil {
		h.log.Error("what is due was not looked at; the next tick tries again", "error", err)
		return
	}
	// systemd hears only of a nod that reads and writes its records and polls.
	if now.Sub(h.watcher.Polled()) < pollsStall {
		notify(h.log, daemon.SdNotifyWatchdog)
	}
}

// cronLog lets cron speak through slog. Its notes on every job that ran are left out.
type cronLog struct{ log *slog.Logger }

func (cronLog) Info(string, ...any) {}

func (l cronLog) Error(err error, msg string, args ...any) {
	l.log.Error("a recurring job failed: "+msg, append(args, "error", err)...)
}

// rules are the settings that nudges live by.
func rules(s settings.Settings) nudge.Rules {
	r := nudge.Rules{
		Cadence: s.Cadence, Expiry: s.Expiry, Presence: s.Presence, Grace: s.Grace, Supervisors: s.Supervisors,
		Idle: s.Idle != settings.IdleOff, Loud: s.Idle == settings.IdleOn,
	}
	if s.Quiet.Zone != nil {
		r.Quiet = &nudge.Quiet{From: s.Quiet.From, To: s.Quiet.To, Zone: s.Quiet.Zone}
	}
	return r
}

// chat are the settings that the chat lives by.
func (h *house) chat() bot.Settings {
	s := h.holder.Current()
	c := bot.Settings{
		Supervisors: s.Supervisors, Host: string(s.Host), Preview: string(s.Preview), Health: h.watcher.Health,
	}
	if s.Redact {
		c.Redact = redact.Mask
	}
	for _, row := range s.Rows() {
		c.Lines = append(c.Lines, row.Variable+"="+row.Value)
	}
	return c
}

func newLog(w io.Writer, format settings.LogFormat, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if format == settings.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// notify tells systemd, where it runs nod, how it is.
func notify(log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("systemd could not be told", "state", state, "error", err)
	}
}
