package control

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"time"

	"nod/deliver"
	"nod/deliver/door"
	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/rpc"
)

// EdgeConfig is what an Edge works with. Every field is needed.
type EdgeConfig struct {
	Doors    *door.Doors
	Hook     func(detect.HookEvent) bool
	Versions func(detect.HookEvent) string // of the agent that sent an event; empty: it can't be told
	Answers  func() bool                   // NOD_DOORS
	Health   func() []string               // what is wrong, in sentences
	Version  string
	Log      *slog.Logger
}

// Edge answers the socket of a machine that watches and types for another one's bot: hooks are heard there, and how it is can be asked. A permission's hook waits
// for its answer here, as anywhere; what else a hook could wait for is decided where the records are, so it goes on as without nod.
type Edge struct {
	*rpc.Server
	cfg   EdgeConfig
	began time.Time
}

// NewEdge makes an Edge. It does no I/O.
func NewEdge(cfg EdgeConfig) *Edge {
	e := &Edge{cfg: cfg, began: time.Now()}
	methods := rpc.Methods{"health": rpc.Method(e.health), "door.wait": rpc.Method(e.waitDoor), "door.printed": rpc.Method(e.printedDoor)}
	e.Server = rpc.NewServer(methods, e.hook, http.NotFoundHandler(), cfg.Log)
	return e
}

func (e *Edge) health(context.Context, none) (Health, error) {
	h := Health{Status: "ok", Problems: append([]string{}, e.cfg.Health()...), Held: []Held{}, UptimeMS: time.Since(e.began).Milliseconds(), Version: e.cfg.Version, PID: os.Getpid(), Telegram: "off", Edge: true}
	if len(h.Problems) > 0 {
		h.Status = "degraded"
	}
	return h, nil
}

func (e *Edge) hook(_ context.Context, in rpc.Hook) (token string, err error) {
	event, err := hookEvent(in)
	if err != nil {
		return "", err
	}
	e.cfg.Doors.Heard(event)
	if event.Pane == "" || !e.cfg.Hook(event) || !e.cfg.Answers() || !door.Known(event.Agent) {
		return "", nil
	}
	if event.Kind == detect.Asks {
		event.Version = e.cfg.Versions(event)
	}
	lineage, err := proc.Lineage(event.Caller)
	if err != nil {
		return "", nil //nolint:nilerr // who has ended waits for nothing
	}
	return e.cfg.Doors.Open(event, detect.SenderOf(lineage), time.Now()), nil
}

func (e *Edge) waitDoor(ctx context.Context, p DoorParams) (DoorAnswer, error) {
	text, err := e.cfg.Doors.Wait(ctx, p.Door, rpc.CallerPID(ctx))
	if errors.Is(err, door.ErrShut) {
		return DoorAnswer{}, rpc.Refuse(string(deliver.NotFound), err.Error())
	}
	return DoorAnswer{Print: text}, err
}

func (e *Edge) printedDoor(ctx context.Context, p DoorParams) (none, error) {
	e.cfg.Doors.Printed(p.Door, rpc.CallerPID(ctx))
	return none{}, nil
}
