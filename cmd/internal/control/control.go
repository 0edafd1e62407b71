// Package control answers nod's socket. It has the methods by which programs query and instruct the running
// bot, the rules for who may call them, and the types that both ends of the socket share.
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

// Config is the input of a Control. Every field except Page is required.
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
	Health  func() []string // the current problems, in sentences
	Read    func(agent string, s screen.Screen) screen.Reading
	Desk    *desk.Feed
	Metrics http.Handler
	Page    *Page // nil if no page is served
	Own     int   // pid of nod itself, whose children are not people; 0 for none
	Version string
	Log     *slog.Logger
}

// Chat is the part of the chat that Control uses.
type Chat struct {
	Outside func(detect.HookEvent)                         // also receives events from outside tmux
	Share   func(name string, data []byte, caption string) // brings a file to the chat; nil without a chat
}

// Watch is the part of the watcher that Control uses.
type Watch struct {
	Panes      func() []detect.Sighting // the watched panes, as last seen
	Hook       func(detect.HookEvent) bool
	Versions   func(detect.HookEvent) string             // version of the agent that sent an event; empty if unknown
	Escaped    func(detect.HookEvent) time.Time          // when a person last stopped that agent; zero if never, as far as is known
	WatchFor   func(socket string, until time.Time) bool // watches one more tmux server for a while
	Background *detect.Background
	Served     func(proc.ID) bool // whether nod hears that agent's server directly
	// Away reads the last lines of another machine's pane. Machines are the known machines.
	Away     func(ctx context.Context, pane detect.PaneRef, lines int) ([]string, error)
	Machines func() []Machine
	// Errand makes another machine do something about its sessions, at most once.
	Errand func(ctx context.Context, machine string, e launch.Errand) (launch.Done, error)
	Hub    *Hub // nil if no machine can join
}

// Page is the part of the page's server that Control uses.
type Page struct {
	Link   func(watch bool) (string, error) // a link that works once; with watch it can't answer
	Revoke func() (sessions int)            // ends all sessions
}

// Control answers calls on the socket.
type Control struct {
	cfg     Config
	server  *rpc.Server
	started time.Time
	copying sync.Mutex // held while the database is copied
	askers  askers

	attending sync.Mutex     // guards waiting, and is held while a change of it is written: no hook waits for that
	waiting   map[string]int // number of callers that wait for the answer to a program's question

	mu   sync.Mutex
	last map[string]time.Time // time of each agent's last event
	held map[string]heldHook  // by the word with which a hook may wait
}

// New makes a Control. It does no I/O.
func New(cfg Config) *Control {
	c := &Control{cfg: cfg, started: time.Now(), waiting: map[string]int{}, last: map[string]time.Time{}, held: map[string]heldHook{}}
	c.server = rpc.NewServer(c.methods(), c.hook, cfg.Metrics, cfg.Log)
	return c
}

// Serve answers on listener until ctx ends, then gives running requests one second to finish.
func (c *Control) Serve(ctx context.Context, listener net.Listener) error {
	return c.server.Serve(ctx, listener)
}

// methods are all methods of the socket. A method that types, answers, starts a program, stops watching a
// pane, or otherwise lets answers in finds its pane with findForHuman or calls onlyHumans.
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

// hook handles an event from an agent's hook. It returns the word with which the hook may wait for a human's
// answer.
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

// hookEvent converts a request of a hook to an event, including the socket's data about the sender.
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

// maxHeard is a limit on remembered agent names, far above their real number: the socket accepts any name.
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
