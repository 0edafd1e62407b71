// Package control answers nod's socket: what programs may ask and tell the running bot, who may do so, and
// the types that both ends of the socket share.
package control

import (
	"context"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"

	"nod/cmd/internal/desk"
	"nod/cmd/internal/jobs/launch"
	"nod/cmd/internal/jobs/monitor"
	"nod/deliver"
	"nod/deliver/door"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/nudge"
	"nod/nudge/keeper"
	"nod/store"
)

// Config is what a Control works with. Every field is needed but Page.
type Config struct {
	Keeper   *keeper.Keeper
	Typist   *deliver.Typist
	Store    *store.Store
	Doors    *door.Doors
	Monitors *monitor.Monitors
	Sessions *launch.Sessions
	Settings func() settings.Settings
	Watch
	Chat
	Health  func() []string // what is wrong, in sentences
	Read    func(agent string, s screen.Screen) screen.Reading
	Desk    *desk.Feed
	Metrics http.Handler
	Page    *Page // nil: no page is served
	Own     int   // the process whose children are no people: nod itself; 0: none
	Version string
	Log     *slog.Logger
}

// Chat is what the chat gives.
type Chat struct {
	Outside func(detect.HookEvent)                         // hears besides of events from outside tmux
	Share   func(name string, data []byte, caption string) // brings a file to the chat; nil: there is none
}

// Watch is what the one who watches the panes gives.
type Watch struct {
	Panes      func() []detect.Sighting // the watched panes as they were last seen
	Hook       func(detect.HookEvent) bool
	Versions   func(detect.HookEvent) string             // of the agent that sent an event; empty: it can't be told
	Escaped    func(detect.HookEvent) time.Time          // when a person has stopped that agent last; zero: it is not known that anybody has
	WatchFor   func(socket string, until time.Time) bool // has one more tmux server watched for a while
	Background *detect.Background
	Served     func(proc.ID) bool // whether an agent's server is heard itself
	// Away reads the last lines of a pane of another machine, and Machines are those that are known.
	Away     func(ctx context.Context, pane detect.PaneRef, lines int) ([]string, error)
	Machines func() []Machine
	// Errand has a machine of those do something about its sessions, at most once.
	Errand func(ctx context.Context, machine string, e launch.Errand) (launch.Outcome, error)
	Hub    *Hub // nil: no machine can join
}

// Page is what the page's server gives.
type Page struct {
	Link   func(watch bool) (string, error) // a link that works once; with watch one that can't answer
	Revoke func() (sessions int)            // ends all sessions
}

// Control answers on the socket.
type Control struct {
	cfg     Config
	server  *rpc.Server
	started time.Time

	mu      sync.Mutex
	waiting map[string]int       // how many wait for the answer to a program's question
	last    map[string]time.Time // when each agent's last event came
	held    map[string]heldHook  // by the word with which they may wait
}

// New makes a Control. It does no I/O.
func New(cfg Config) *Control {
	c := &Control{cfg: cfg, started: time.Now(), waiting: map[string]int{}, last: map[string]time.Time{}, held: map[string]heldHook{}}
	c.server = rpc.NewServer(c.methods(), c.hook, cfg.Metrics, cfg.Log)
	return c
}

// Serve answers on listener until ctx ends, then lets running requests come to an end for a second.
func (c *Control) Serve(ctx context.Context, listener net.Listener) error {
	return c.server.Serve(ctx, listener)
}

// methods are all that can be called. What types or answers, starts a program, takes a pane out of the watch or lets an
// answer in by another way, finds its pane with findForHuman or asks onlyHumans.
func (c *Control) methods() rpc.Methods {
	return sessionMethods{c.doSessions, c.onlyHumans}.into(monitorMethods{c.cfg.Monitors, c.onlyHumans, c.monitorPane}.into(rpc.Methods{
		"health":        rpc.Method(c.health),
		"pane.list":     rpc.Method(c.listPanes),
		"pane.capture":  rpc.Method(c.capturePane),
		"pane.check":    rpc.Method(c.checkPane),
		"pane.send":     rpc.Method(c.sendKeys),
		"pane.tell":     rpc.Method(c.tellPane),
		"pane.watch":    rpc.Method(c.watchPane),
		"pane.unwatch":  rpc.Method(c.unwatchPane),
		"machine.list":  rpc.Method(c.listMachines),
		"nudge.list":    rpc.Method(c.listNudges),
		"nudge.queue":   rpc.Method(c.listQueue),
		"nudge.reply":   rpc.Method(c.reply),
		"nudge.skip":    rpc.Method(c.skip),
		"nudge.snooze":  rpc.Method(c.snooze),
		"nudge.again":   rpc.Method(c.askAgain),
		"habit.list":    rpc.Method(c.listHabits),
		"ask.create":    rpc.Method(c.createAsk),
		"ask.wait":      rpc.Method(c.waitAsk),
		"ask.cancel":    rpc.Method(c.cancelAsk),
		"door.wait":     rpc.Method(c.waitDoor),
		"door.printed":  rpc.Method(c.printedDoor),
		"log.list":      rpc.Method(c.listLog),
		"settings.list": rpc.Method(c.listSettings),
		"store.backup":  rpc.Method(c.backup),
		"server.try":    rpc.Method(c.tryServer),

		"instruction.submit": rpc.Method(c.submitInstruction),
		"instruction.wait":   rpc.Method(c.waitInstruction),
		"instruction.list":   rpc.Method(c.listInstructions),
		"instruction.cancel": rpc.Method(c.cancelInstruction),

		"hub.invite":     rpc.Method(c.inviteMachine),
		"machine.forget": rpc.Method(c.forgetMachine),

		"web.link":   rpc.Method(c.linkPage),
		"web.revoke": rpc.Method(c.revokePage),

		"file.share": rpc.Method(c.shareFile),

		"wish.send": rpc.Method(c.sendWish),
		"wish.drop": rpc.Method(c.dropWish),

		"denial.allow": rpc.Method(c.allowDenied),
		"denial.leave": rpc.Method(c.leaveDenied),

		"background.list": rpc.Method(c.listBackground),

		"events": rpc.Method(c.events),

		"inbox.watch": rpc.Method(c.watchInbox),
		"inbox.view":  rpc.Method(c.viewCard),
	}))
}

// hook takes in one event that an agent's hook sent, and gives the word with which the hook may wait for a human's answer.
func (c *Control) hook(_ context.Context, in rpc.Hook) (token string, err error) {
	e, err := hookEvent(in)
	if err != nil {
		return "", err
	}
	c.noteEvent(e.Agent)
	for id, how := range c.cfg.Doors.Heard(e) {
		c.endOutside(id, how)
	}
	var form nudge.Form
	if e.Elicitation != nil {
		form, e.Elicitation.Refused = nudge.ParseForm(*e.Elicitation)
	}
	switch heard := e.Pane == "" || c.cfg.Hook(e); {
	case !heard:
		return "", nil
	case e.Elicitation != nil && !in.Ended:
		return c.elicited(e, form), nil
	case e.Pane == "":
		c.cfg.Background.Heard(e, c.cfg.Versions(e))
		if token, _ = c.guarded(e, in.Ended); token == "" {
			token = c.openOutside(e)
		}
		if token == "" && !c.served(e) {
			c.cfg.Outside(e)
		}
		return token, nil
	}
	token, ours := c.guarded(e, in.Ended)
	if !ours && bool(c.cfg.Settings().Doors) && door.Known(e.Agent) {
		token = c.open(e)
	}
	return token, nil
}

// hookEvent is the event that a hook sent, with what the socket tells of it.
func hookEvent(in rpc.Hook) (detect.HookEvent, error) {
	e, err := detect.ParseHook(in.Agent, in.Event, in.Tmux, in.Pane)
	if err != nil {
		return e, err
	}
	e.Caller = in.PID
	if e.Version == "" {
		e.Version = in.Version
	}
	if in.Ended && e.Kind == detect.Asks {
		e.Kind = detect.Denied
	}
	return e, nil
}

// maxHeard is more agents than there are; any name may come over the socket.
const maxHeard = 100

func (c *Control) noteEvent(agent string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.last) >= maxHeard {
		clear(c.last)
	}
	c.last[agent] = time.Now().UTC()
}

func (c *Control) lastEvents() map[string]time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.last)
}
