package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/cmd/internal/control/caller"
	"nod/cmd/internal/jobs/launch"
	"nod/cmd/internal/jobs/monitor"
	"nod/deliver"
	"nod/deliver/door"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/nudge"
)

// ErrNoHub means that the hub can't be asked now.
var ErrNoHub = errors.New("the bot's machine is not in reach")

// EdgeConfig is the input of an Edge. Every field is required.
type EdgeConfig struct {
	Doors    *door.Doors
	Hook     func(detect.HookEvent) bool
	Versions func(detect.HookEvent) string // version of the agent that sent an event; empty if unknown
	Escaped  func(detect.HookEvent) time.Time
	Answers  func() bool     // the value of NOD_DOORS
	Health   func() []string // the current problems, in sentences
	Panes    func() []detect.Sighting
	Mask     func(string) string // masks the secrets in outgoing text
	Full     func() bool         // NOD_EDGE accepts more than denials
	Monitors *monitor.Monitors
	Sessions *launch.Sessions
	// Consent is fleet.Edge.Consent. Sockets are those of the watched tmux servers.
	Consent func(id string, yes bool) (shown string, given, ok bool)
	Sockets func() []string
	// Call calls the hub, or returns ErrNoHub. Decided reports whether the hub says that somebody has decided about a denied call
	// with that name.
	Call    func(ctx context.Context, method string, params, result any) error
	Decided func(sum string) bool
	Version string
	Log     *slog.Logger
}

// Edge answers the socket of a machine that watches and types for another machine's bot. It hears hooks, lets
// programs ask, and reports its state. The hook of a permission waits for its answer here, as on any machine.
// Decisions about stored records are made at the hub; while the hub can't be reached, a hook behaves as
// without nod.
type Edge struct {
	*rpc.Server
	cfg    EdgeConfig
	began  time.Time
	askers askers

	mu     sync.Mutex
	held   map[string]*edgeHook
	denied map[string]proc.ID // by name of a denied call, the agent that made it
}

// NewEdge makes an Edge. It does no I/O.
func NewEdge(cfg EdgeConfig) *Edge {
	e := &Edge{cfg: cfg, began: time.Now(), held: map[string]*edgeHook{}, denied: map[string]proc.ID{}}
	methods := rpc.Methods{
		"health": rpc.Method(e.health), "door.wait": rpc.Method(e.waitDoor), "door.printed": rpc.Method(e.printedDoor),
		"nudge.reply": rpc.Method(e.reply),
		"ask.create":  rpc.Method(e.createAsk), "ask.wait": rpc.Method(e.waitAsk), "ask.cancel": rpc.Method(e.cancelAsk),
	}
	methods = monitorMethods{cfg.Monitors, e.onlyHumans, e.monitorPane}.into(methods)
	methods = sessionMethods{func(ctx context.Context, errand launch.Errand) (launch.Done, error) {
		return cfg.Sessions.Do(ctx, errand), nil
	}, e.onlyHumans}.into(methods)
	for name := range new(Control).methods() {
		if methods[name] == nil {
			methods[name] = rpc.Method(atTheBot)
		}
	}
	e.Server = rpc.NewServer(methods, e.hook, http.NotFoundHandler(), cfg.Log)
	return e
}

// atTheBot answers methods that only a bot has.
func atTheBot(context.Context, any) (none, error) {
	return none{}, rpc.Refuse(string(deliver.NotOwner), "nod watches this machine for another machine's bot: run this there. `nod doctor` looks at this one.")
}

func (e *Edge) health(context.Context, none) (Health, error) {
	h := Health{
		Status: "ok", Problems: append([]string{}, e.cfg.Health()...), Held: []Held{}, UptimeMS: time.Since(e.began).Milliseconds(), Version: e.cfg.Version, PID: os.Getpid(),
		Tmux: socketsOf(e.cfg.Sockets()), Telegram: "off", Edge: true,
	}
	if len(h.Problems) > 0 {
		h.Status = "degraded"
	}
	return h, nil
}

// onlyHumans refuses a caller that is not a human.
func (e *Edge) onlyHumans(ctx context.Context) error {
	h := house{own: os.Getpid(), panes: e.cfg.Panes(), sockets: e.cfg.Sockets()}
	if place := h.caller(ctx); place.Kind != caller.Human {
		return rpc.Refuse(string(deliver.CallerIsAgent), place.Refusal())
	}
	return nil
}

// reply takes a local human's consent to a request of the hub, if NOD_EDGE is ask-here. It types nothing.
func (e *Edge) reply(ctx context.Context, p ReplyParams) (r ReplyResult, err error) {
	decision, _, ok := nudge.ParseWord(p.Answer, nudge.ByCommand)
	if !ok || p.Words != "" {
		return r, &jrpc2.Error{Code: jrpc2.InvalidParams, Message: "Here it takes y or n alone: words are for the chat."}
	}
	if err := e.onlyHumans(ctx); err != nil {
		return r, err
	}
	shown, given, ok := e.cfg.Consent(p.ID, decision == screen.Approve)
	switch {
	case !ok:
		return r, rpc.Refuse(string(deliver.Expired), fmt.Sprintf("Nothing waits here to be allowed as #%s: answer it in the chat first. That says whether this machine has to allow it.", p.ID))
	case shown == "":
		r.Outcome, r.Detail = Noted, fmt.Sprintf("#%s is not allowed. Deny it in the chat, or in its own pane.", p.ID)
	case given:
		r.Outcome, r.Detail = Noted, shown+fmt.Sprintf("\n\n#%s is allowed once, for 10 minutes: answer it in the chat again.", p.ID)
	default:
		r.Outcome, r.Detail = Shown, shown+fmt.Sprintf("\n\nTo allow this and nothing else, run `nod reply %s y` once more within 10 minutes.", p.ID)
	}
	return r, nil
}

func (e *Edge) hook(_ context.Context, in rpc.Hook) (token string, err error) {
	event, err := hookEvent(in)
	if err != nil {
		return "", err
	}
	e.cfg.Doors.Heard(event)
	if event.Pane == "" || !e.cfg.Hook(event) {
		return "", nil
	}
	token, ours := e.guarded(event, in.Ended)
	if ours || !e.cfg.Answers() || !door.Known(event.Agent) {
		return token, nil
	}
	if event.Kind == detect.Asks {
		event.Version = e.cfg.Versions(event)
	}
	lineage, err := proc.Lineage(event.Caller)
	if err != nil {
		return "", nil //nolint:nilerr // a process that has ended waits for nothing
	}
	return e.cfg.Doors.Open(event, detect.SenderOf(lineage), time.Now()), nil
}

func (e *Edge) waitDoor(ctx context.Context, p DoorParams) (DoorAnswer, error) {
	if h := e.heldFor(p.Door, rpc.CallerPID(ctx)); h != nil {
		text, err := e.askAbout(ctx, h)
		if text == "" {
			e.letGo(p.Door)
			err = rpc.Refuse(string(deliver.NotFound), fmt.Sprintf("there is nothing to say about the call: %v", err))
		}
		return DoorAnswer{Print: text}, err
	}
	text, err := e.cfg.Doors.Wait(ctx, p.Door, rpc.CallerPID(ctx))
	if errors.Is(err, door.ErrShut) {
		return DoorAnswer{}, rpc.Refuse(string(deliver.NotFound), err.Error())
	}
	return DoorAnswer{Print: text}, err
}

func (e *Edge) printedDoor(ctx context.Context, p DoorParams) (none, error) {
	if h := e.heldFor(p.Door, rpc.CallerPID(ctx)); h != nil {
		e.letGo(p.Door)
		return none{}, e.said(ctx, h)
	}
	e.cfg.Doors.Printed(p.Door, rpc.CallerPID(ctx))
	return none{}, nil
}
