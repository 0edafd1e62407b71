package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"nod/cmd/internal/control"
	"nod/cmd/internal/fleet"
	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
	"nod/cmd/internal/fleet/pipe"
	"nod/cmd/internal/jobs/launch"
	"nod/cmd/internal/jobs/monitor"
	"nod/deliver/door"
	"nod/detect"
	"nod/detect/taught"
	"nod/internal/host/systemd"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/text/redact"
	"nod/nudge"
	"nod/store"
)

func (p *program) edgeCommand() *cobra.Command {
	var stdio bool
	c := &cobra.Command{
		Use:   "edge",
		Short: "watches and types here for the bot of another machine",
		Long: `Watches this machine's tmux servers and types what the bot of another machine asks for, by the same rules as there. It has
no token and no chat. On a machine that has joined with ` + "`nod join`" + `, this is what its service runs. Over ssh, or in a
container, that bot starts it by itself: NOD_MACHINES names this machine in its settings. NOD_TMUX_SOCKET, NOD_POLL_INTERVAL, NOD_DOORS, NOD_REDACT, NOD_LAUNCH and NOD_EDGE are read here, from this machine's own nod.env.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if stdio {
				return p.runEdge(cmd.Context(), slog.LevelError, func(all *edgeParts) link {
					run := func(ctx context.Context) error {
						l := pipe.NewLink(p.in, p.out, func() error { return nil })
						defer l.Close()
						return all.edge.Run(ctx, l)
					}
					return link{run, func() []string { return nil }}
				})
			}
			return p.runJoinedEdge(cmd.Context())
		},
	}
	c.Flags().BoolVar(&stdio, "stdio", false, "speak with the bot over standard input and output")
	return c
}

// edgeParts are the parts of a running edge.
type edgeParts struct {
	holder   *settings.Holder
	taught   *taught.Holder
	watcher  *detect.Watcher
	doors    *door.Doors
	monitors *monitor.Monitors
	sessions *launch.Sessions
	edge     *fleet.Edge
	link     link
	socket   *control.Edge
	log      *slog.Logger
}

// runJoinedEdge runs the edge of a machine that has joined; nod-hub carries its frames.
func (p *program) runJoinedEdge(ctx context.Context) error {
	j, err := join.Read(join.File(settings.File(p.env)))
	if err != nil {
		return &failure{code: exitSettings, err: err, hint: "For a bot that reaches this machine by ssh there is nothing to do here: it starts `nod edge --stdio` itself."}
	}
	program, err := carrier.Program()
	if err != nil {
		return &failure{code: exitSettings, err: err}
	}
	return p.runEdge(ctx, slog.LevelDebug, func(all *edgeParts) link {
		dials := carrier.New(carrier.Config{
			Program: program, First: carrier.Control{Dial: &carrier.Dial{Joined: j}}, Log: all.log,
			Attach: func(ctx context.Context, _ string, l *carrier.Link) error { return all.edge.Run(ctx, l) },
		})
		all.log.Info("nod watches this machine for another machine's bot", "machine", j.Name, "address", j.Address)
		return link{dials.Run, dials.Health}
	})
}

// link is the connection to the bot.
type link struct {
	run    func(context.Context) error // talks to the bot until the connection ends
	health func() []string
}

// runEdge builds every part of an edge and runs them until its link to the bot ends.
func (p *program) runEdge(ctx context.Context, least slog.Level, linkOf func(*edgeParts) link) error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	level := new(slog.LevelVar)
	level.Set(max(s.LogLevel, least)) // over ssh, the bot takes the last line for the reason of the end
	log := systemd.NewLog(p.err, s.LogFormat, level, inWords)
	listener, err := rpc.Listen(string(s.Socket))
	if errors.Is(err, rpc.ErrInUse) {
		return &failure{code: exitSettings, err: errors.New("another nod runs on this machine: a bot of its own, or an edge that another bot has started"),
			hint: "Stop that one (`systemctl --user disable --now nod`), or take this machine out of NOD_MACHINES."}
	}
	if err != nil {
		return fmt.Errorf("listen on NOD_SOCKET: %w", err)
	}
	defer listener.Close()
	claims, aside, err := store.OpenClaims(filepath.Join(string(s.StateDir), "edge", "claims.db"))
	if err != nil {
		return err
	}
	defer claims.Close()
	all := p.assembleEdge(settings.NewHolder(p.env, s, log, func(settings.Settings) {}), claims, aside, log)
	all.link = linkOf(all)

	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return all.watcher.Run(ctx) })
	all.watcher.Ready(ctx)
	g.Go(func() error { return all.socket.Serve(ctx, listener) })
	g.Go(func() error { return all.holder.Watch(ctx) })
	g.Go(func() error { return all.refresh(ctx) })
	g.Go(func() error { return all.monitors.Run(ctx) })
	g.Go(func() error {
		defer hangUp()
		return all.link.run(ctx)
	})
	return untilStopped(ctx, g, log)
}

// assembleEdge makes the parts. aside is the path to which a damaged record of requests was moved; empty if
// it was sound.
func (p *program) assembleEdge(holder *settings.Holder, claims *store.Claims, aside string, log *slog.Logger) *edgeParts {
	all := &edgeParts{holder: holder, taught: taught.NewHolder(p.taughtFolder(), log), doors: &door.Doors{}, log: log}
	all.taught.Refresh()
	all.watcher = detect.NewWatcher(detect.WatchConfig{
		Settings: func() detect.WatchSettings { return watchSettings(holder.Current()) },
		See:      func(s detect.Sighting) { all.doors.Saw(s); all.edge.See(s) },
		Ran:      func(e detect.Effect) { all.edge.Ran(e) },
		Taught:   all.taught.Current,
		Log:      log,
	})
	all.edge = fleet.NewEdge(fleet.EdgeConfig{
		Typist:  typistOf(all.watcher, all.doors, all.taught, holder, log),
		Claims:  claims,
		View:    all.watcher.ViewUntil,
		History: all.watcher.History,
		Health:  func() []string { return all.health(aside) },
		Errand:  func(ctx context.Context, e launch.Errand) launch.Done { return all.sessions.Do(ctx, e) },
		Takes:   func() string { return string(all.takes()) },
		Mask:    maskIf(holder),
		Version: version(),
		Log:     log,
	})
	all.monitors = monitor.New(monitor.Config{Records: claims, Report: all.report, Screen: all.watcher.History, Log: log})
	all.sessions = launch.New(launch.Config{
		Records: claims, Sockets: func() []string { return holder.Current().TmuxSocket }, Server: all.watcher.Server, Panes: all.watcher.Panes,
		Roots:  func() []string { return holder.Current().Launch },
		Queued: func(detect.PaneRef) (int, error) { return 0, nil }, // queues are at the bot
		Note: func(e nudge.Event) error {
			log.Info("session", "event", e.Kind, "pane", e.Pane, "subject", e.Subject, "by", e.By)
			return nil
		},
	})
	all.socket = control.NewEdge(control.EdgeConfig{
		Monitors: all.monitors, Sessions: all.sessions,
		Doors: all.doors, Hook: all.watcher.Hook, Versions: all.watcher.VersionOf, Escaped: all.watcher.EscapedAt, Answers: func() bool { return bool(holder.Current().Doors) },
		Health: func() []string { return append(all.health(aside), all.link.health()...) }, Version: version(), Log: log,
		Panes: all.watcher.Panes, Mask: maskIf(holder), Full: func() bool { return all.takes() == settings.EdgeFull }, Consent: all.edge.Consent,
		Sockets: func() []string { return holder.Current().TmuxSocket }, Call: all.callHub, Decided: all.edge.Decided,
	})
	return all
}

// callHub calls the bot's machine for what asks at the socket.
func (all *edgeParts) callHub(ctx context.Context, method string, params, result any) error {
	err := all.edge.Call(ctx, method, params, result)
	if errors.Is(err, fleet.ErrCut) {
		return control.ErrNoHub
	}
	return err
}

// reportWait is how long the bot may take to store a monitor's report.
const reportWait = 10 * time.Second

// report sends a monitor's findings to the bot. It repeats a report that the bot did not store.
func (all *edgeParts) report(r nudge.MonitorReport) error {
	ctx, cancel := context.WithTimeout(context.Background(), reportWait)
	defer cancel()
	return all.edge.Call(ctx, "monitor.report", r, &struct{}{})
}

// refreshEvery is the interval at which changed files of the person are read again.
const refreshEvery = 2 * time.Second

// refresh rereads changed files until ctx ends.
func (all *edgeParts) refresh(ctx context.Context) error {
	ticker := time.NewTicker(refreshEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			all.holder.Refresh()
			all.taught.Refresh()
		}
	}
}

// takes returns the current NOD_EDGE from the settings file: a change that restricts the bot must apply at
// once. What can't be read may be such a change.
func (all *edgeParts) takes() settings.EdgeTakes {
	if all.holder.Refresh(); all.holder.Wrong() != nil {
		return settings.EdgeDenyOnly
	}
	return all.holder.Current().Edge
}

// maskIf masks the secrets in outgoing text if NOD_REDACT is on.
func maskIf(holder *settings.Holder) func(string) string {
	return func(text string) string {
		if !holder.Current().Redact {
			return text
		}
		return redact.Mask(text)
	}
}

// health returns the edge's problems in sentences. aside is the path to which a damaged record of requests
// was moved.
func (all *edgeParts) health(aside string) []string {
	problems := said(all.watcher.Health())
	if err := all.holder.Wrong(); err != nil {
		problems = append(problems, "It takes nothing but denials until its settings can be read: "+err.Error()+".")
	}
	if aside != "" {
		problems = append(problems, "Its record of requests was damaged, and was put aside as "+aside+".")
	}
	return problems
}
