package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"nod/bot"
	"nod/cmd/internal/control"
	"nod/cmd/internal/desk"
	"nod/cmd/internal/desk/web"
	"nod/cmd/internal/jobs/launch"
	"nod/cmd/internal/jobs/monitor"
	"nod/cmd/internal/metrics"
	"nod/deliver"
	"nod/deliver/door"
	"nod/detect"
	"nod/detect/taught"
	"nod/internal/host/proc"
	"nod/internal/host/systemd"
	"nod/internal/host/tmux"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/text/wrap"
	"nod/internal/words"
	"nod/nudge"
	"nod/nudge/keeper"
	"nod/store"
)

// This file wires the running bot together. Open it first: it mentions every package that a question and its
// answer pass.
//
//	pane ─▶ detect.Watcher ──Sighting──▶ keeper.Keeper ─▶ store ─(due notices)─▶ bot.Bot ─▶ Telegram
//	pane ◀─ deliver.Typist ◀──Request─── keeper.Keeper ◀──────Answer──────────── bot.Bot ◀─ Telegram
//	                                          ▲
//	 hooks, nod reply, the inbox ─▶ socket ─▶ control.Control ◀─ web.Server ◀─ the page
//
// News goes up through funcs and the wake channel, decisions go down as calls. The bot finds its messages in
// stored records, so it works without notifications: wake only shortens its wait.

func (p *program) runCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "the bot; what systemd runs",
		Long: `Watches the tmux servers, tells the supervisors on Telegram, and types their answers. It logs to
standard error and runs until it is stopped. Its settings come from ~/.config/nod/nod.env and the
environment; it reads the file again when it changes, and on SIGHUP. ` + "`nod config`" + ` shows all of them.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.runBot(cmd.Context()) },
	}
}

// inWords writes a reason into the log as a sentence.
func inWords(v slog.Value) slog.Value {
	if why, is := v.Any().(reason.Why); is {
		return slog.StringValue(words.Why(why))
	}
	return v
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
	frugal()
	level := new(slog.LevelVar)
	level.Set(s.LogLevel)
	log := systemd.NewLog(p.err, s.LogFormat, level, inWords)
	wake := make(chan struct{}, 1)
	holder := settings.NewHolder(p.env, s, log, func(s settings.Settings) {
		level.Set(s.LogLevel)
		ring(wake) // a new supervisor gets the pending messages
	})

	records, err := store.Open(filepath.Join(string(s.StateDir), "nod.db"))
	if err != nil {
		return err
	}
	defer records.Close()
	if copied := records.Copied(); copied != "" {
		log.Info("the database was upgraded for this version of nod; a copy for the older version was kept", "copy", copied)
	}
	listener, err := rpc.Listen(string(s.Socket))
	if err != nil {
		return fmt.Errorf("listen on NOD_SOCKET: %w", err)
	}
	defer listener.Close()

	lessons := taught.NewHolder(p.taughtFolder(), log)
	lessons.Refresh()
	all := assemble(holder, lessons, records, wake, log)
	// Any other error is an outage: Run reports it and keeps trying.
	if wrong := (*bot.TokenError)(nil); errors.As(all.chat.check(ctx), &wrong) {
		return &failure{code: exitSettings, err: wrong}
	}

	if err := all.keeper.FollowClock(time.Now().UTC().Round(0)); err != nil {
		return err
	}
	if err := all.keeper.Interrupt(); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return all.watcher.Run(ctx) })
	// Answers that were claimed before a crash are typed by the ordinary delivery. It must not run before the
	// watcher has looked at each server, or it would refuse those answers for good.
	all.watcher.Ready(ctx)
	g.Go(func() error { return all.keeper.Run(ctx) })
	g.Go(func() error { return all.background.Run(ctx) })
	g.Go(func() error { return all.servers.Run(ctx) })
	g.Go(func() error { return all.control.PassReviews(ctx) })
	g.Go(func() error { return all.chat.run(ctx) })
	g.Go(func() error { return all.monitors.Run(ctx) })
	g.Go(func() error { return all.feed.Run(ctx) })
	g.Go(func() error { return all.runPage(ctx) })
	all.runMachines(ctx, g)
	g.Go(func() error { return all.control.Serve(ctx, listener) })
	g.Go(func() error { return all.runJobs(ctx) })
	g.Go(func() error { return holder.Watch(ctx) })
	all.chat.ready(ctx)
	if isTerminal(p.err) && !systemd.ToJournal() {
		fmt.Fprintln(p.err, wrap.Text("nod runs, and goes on until Ctrl-C. In another window `nod status` shows what it sees.", 0, width(p.err)))
	}
	log.Info("nod runs", "version", version(), "socket", s.Socket, "supervisors", len(s.Supervisors))
	all.manager.Ready()
	defer context.AfterFunc(ctx, all.manager.Stopping)()
	err = untilStopped(ctx, g, log)
	log.Info("nod stopped")
	return err
}

// stopLimit is how long nod takes to stop, less than the service manager allows.
const stopLimit = 4 * time.Second

// untilStopped waits until the parts have ended. After ctx ended it waits at most stopLimit: all state is on
// disk by then. An answer whose typing is interrupted stays recorded as one that may have been typed, and is
// never typed again.
func untilStopped(ctx context.Context, g *errgroup.Group, log *slog.Logger) error {
	ended := make(chan error, 1)
	go func() { ended <- g.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(stopLimit):
	}
	log.Warn("shutdown timed out with work in progress; the next start reports an answer that may have been typed")
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// parts are the parts of a running bot.
type parts struct {
	log        *slog.Logger
	manager    *systemd.Manager
	holder     *settings.Holder
	watcher    *detect.Watcher
	taught     *taught.Holder
	doors      *door.Doors
	servers    *door.Servers
	background *detect.Background
	typist     *deliver.Typist
	others
	kept
	monitors *monitor.Monitors
	sessions *launch.Sessions
	chat     chat
	feed     *desk.Feed
	page     *web.Server // nil if no page is served
	control  *control.Control
}

// kept is the records, and what changes them.
type kept struct {
	records *store.Store
	keeper  *keeper.Keeper
}

// assemble makes the parts, each from the ones before. It starts nothing.
func assemble(holder *settings.Holder, lessons *taught.Holder, records *store.Store, wake chan struct{}, log *slog.Logger) *parts {
	all := &parts{
		log: log, manager: &systemd.Manager{Log: log}, holder: holder, taught: lessons, doors: &door.Doors{},
		background: detect.NewBackground(log), kept: kept{records: records},
	}
	counts := metrics.New(metrics.Config{
		Store:    records,
		Panes:    all.panes,
		Queue:    func() ([]nudge.Nudge, error) { return all.keeper.Queue() },
		Problems: all.health,
		Version:  version(),
		Log:      log,
	})
	all.watcher = detect.NewWatcher(detect.WatchConfig{
		Settings: func() detect.WatchSettings { return watchSettings(holder.Current()) },
		See:      all.see,
		Ran:      all.ran,
		Left:     func(why reason.Why) { all.chat.announce(words.Why(why)) },
		Screens:  func(server string) detect.Screens { return counts.Timed(tmux.NewWatch(server)) },
		Taught:   lessons.Current,
		Log:      log,
	})
	all.typist = typistOf(all.watcher, all.doors, lessons, holder, log)
	all.hub, all.joined = all.hubOf(holder.Current()), all.joinedOf(holder.Current())
	all.keeper = keeper.New(keeper.Config{
		Store:   records,
		Typist:  all.anyTypist(),
		Rules:   func() nudge.Rules { return rules(holder.Current()) },
		Log:     log,
		Uptime:  proc.Uptime,
		Alive:   detect.Whereabouts.Alive,
		Changed: func() { ring(wake) },
	})
	all.monitors = monitor.New(monitor.Config{
		Records: records,
		Report:  all.keeper.Report,
		Screen:  all.history,
		Log:     log,
	})
	all.sessions = launch.New(launch.Config{
		Records: records,
		Sockets: all.sockets,
		Server:  all.watcher.Server,
		Panes:   all.watcher.Panes,
		Roots:   func() []string { return holder.Current().Launch },
		Queued:  all.queued,
		Note:    all.keeper.Note,
	})
	s := holder.Current()
	all.chat = noChat()
	if s.Telegram {
		all.chat = chatOf(bot.New(bot.Config{
			Token:      s.TelegramToken.Reveal(),
			API:        string(s.TelegramAPI),
			Keeper:     all.keeper,
			Store:      records,
			Settings:   func() bot.Settings { return chatSettings(holder.Current(), all.recordsHealth) },
			Panes:      all.panes,
			Background: all.background.Sessions,
			Screen:     all.screen,
			Shared:     func(f nudge.SharedFile) ([]byte, error) { return all.control.ReadShared(f) },
			Files:      filepath.Join(string(s.StateDir), "files"),
			Launch:     all.launch,
			Called:     counts.Called,
			Log:        log,
			Wake:       wake,
		}))
	}
	all.feed = desk.NewFeed(desk.FeedConfig{
		Open:    all.keeper.Open,
		Changes: all.keeper.Changes,
		Panes:   func() []detect.Sighting { return slices.Concat(all.panes(), all.background.Sessions()) },
		View:    all.viewUntil,
		Style:   func() desk.Style { return cardStyle(holder.Current()) },
		Health:  all.health,
		Log:     log,
	})
	all.page = all.pageOf(s)
	all.servers = door.NewServers(door.ServersConfig{
		On:     func() bool { return bool(holder.Current().Doors) },
		Ask:    func(a door.Asked) (*door.Door, bool) { return all.control.AskedAt(a) },
		Over:   func(nudge string, how error) { all.control.EndedAt(nudge, how) },
		Denied: func(d door.Denied, claimed bool) bool { return all.control.DeniedAt(d, claimed) },
		Turn:   func(agent string, server proc.ID) { all.control.TurnAt(agent, server) },
		Log:    log,
	})
	all.control = control.New(control.Config{
		Keeper:   all.keeper,
		Typist:   all.typist,
		Store:    records,
		Doors:    all.doors,
		Monitors: all.monitors,
		Sessions: all.sessions,
		Settings: holder.Current,
		Watch: control.Watch{
			Panes: all.panes, Hook: all.watcher.Hook, Versions: all.watcher.VersionOf, Escaped: all.watcher.EscapedAt, WatchFor: all.watcher.WatchFor,
			Background: all.background, Served: func(server proc.ID) bool { return all.servers.Hear(server) }, Away: all.history, Machines: all.machines, Errand: all.errand, Hub: all.joined.controls(),
		},
		Chat:    control.Chat{Outside: all.chat.outside, Share: all.chat.share},
		Health:  all.health,
		Desk:    all.feed,
		Metrics: counts.Handler(),
		Page:    linksOf(all.page),
		Own:     os.Getpid(),
		Read:    lessons.Read,
		Version: version(),
		Log:     log,
	})
	return all
}

func (all *parts) see(s detect.Sighting) {
	s.Denied = all.servers.Complete(s)
	all.doors.Saw(s)
	all.chat.unasked(s)
	if err := all.keeper.See(s); err != nil {
		all.log.Error("can't store a look at a pane; the next look tries again", "pane", s.Pane.ID, "error", err)
	}
	all.feed.Saw()
}

func (all *parts) ran(e detect.Effect) {
	if err := all.keeper.Ran(e); err != nil {
		all.log.Error("could not record what a command did", "pane", e.Pane.ID, "error", err)
	}
}

// sockets returns the sockets of the tmux servers in the settings.
func (all *parts) sockets() (sockets []string) {
	for _, server := range tmux.Servers(all.holder.Current().TmuxSocket) {
		sockets = append(sockets, server.Socket())
	}
	return sockets
}

// queued returns the number of instructions that wait for a pane.
func (all *parts) queued(pane detect.PaneRef) (int, error) {
	list, err := all.keeper.Instructions(&pane)
	return len(list), err
}

// launch starts an agent at the request of a person in the chat, on any machine, or returns the folder that it would run in.
func (all *parts) launch(ctx context.Context, l bot.Launch, sure bool, by string) (folder string, err error) {
	return all.control.Launch(ctx, launch.Errand{Do: launch.DoLaunch, Spec: launch.Spec{Name: l.Name, Agent: l.Agent, Cwd: l.Folder, Args: l.Args}, Sure: sure, By: by})
}

// recordsHealth returns the problems of watching and storing.
func (all *parts) recordsHealth() []string {
	problems := said(append(all.watcher.Health(), all.keeper.Health()...))
	if all.hub != nil {
		problems = append(problems, all.hub.Health()...)
	}
	problems = append(problems, all.joined.health()...)
	return problems
}

// said returns the sentences of reasons.
func said(reasons []reason.Why) (sentences []string) {
	for _, why := range reasons {
		sentences = append(sentences, words.Why(why))
	}
	return sentences
}

// health returns all problems, in sentences.
func (all *parts) health() []string {
	problems := append(all.recordsHealth(), all.chat.health()...)
	if all.page != nil {
		problems = append(problems, all.page.Health()...)
	}
	return problems
}

// typistOf makes the typist for this machine's panes.
func typistOf(w *detect.Watcher, doors *door.Doors, lessons *taught.Holder, holder *settings.Holder, log *slog.Logger) *deliver.Typist {
	return deliver.New(deliver.Config{
		Keyboards: func(socket string) deliver.Keyboard {
			if server := w.Server(socket); server != nil {
				return server
			}
			return nil // an interface that holds no server
		},
		Doors:   doors,
		Read:    lessons.Read,
		Typed:   w.LookSoon,
		Servers: func() bool { return bool(holder.Current().Doors) },
		Log:     log,
	})
}

// ring wakes the receiver of wake, now or when it next waits.
func ring(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
