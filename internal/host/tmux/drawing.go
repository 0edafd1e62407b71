package tmux

import (
	"context"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

// tellsDrawing is the first tmux that says when a pane draws: its event pane-activity, and wait-for -E.
const tellsDrawing = "3.8"

// drawing is a client that waits until a pane draws. It is attached to nothing, as those of looks.
type drawing struct {
	pane  chan string // gets the pane that drew; closed once the client has ended
	state atomic.Int32
}

// The states of a drawing.
const (
	waits = iota
	drew
	failed // the server has ended, or knows no such event after all
)

// awaitDrawing starts such a client, which ends with ctx.
func (s *Server) awaitDrawing(ctx context.Context) *drawing {
	d := &drawing{pane: make(chan string, 1)}
	cmd := exec.CommandContext(ctx, "tmux", "-N", "-u", "-S", s.socket, "wait-for", "-E", "-v", "pane-activity")
	cmd.Env, cmd.WaitDelay = environment(), time.Second // a hung server keeps its output open
	// As long as the client, as exec's own.
	go func() {
		defer close(d.pane)
		out, _ := cmd.Output()
		for _, word := range strings.Fields(string(out)) {
			if id, ok := strings.CutPrefix(word, "pane="); ok && validPane(id) {
				d.state.Store(drew)
				d.pane <- id
				return
			}
		}
		d.state.Store(failed)
	}()
	return d
}

// awaitDrawing has a listing say which pane draws next, where a client waits for that. One is started after a poll that found the known
// panes still, so that panes that draw all the time cost no more than their polls. A server that names no pane is not asked again.
func (w *Watch) awaitDrawing(ctx context.Context, l *Listing, still bool) {
	if w.drawing != nil {
		switch w.drawing.state.Load() {
		case failed:
			w.silent = l.Life
			fallthrough
		case drew:
			w.drawing = nil
		}
	}
	if w.drawing == nil && still && l.tellsDrawing && w.silent != l.Life {
		w.drawing = w.Server.awaitDrawing(ctx)
	}
	if w.drawing != nil {
		l.Drew = w.drawing.pane
	}
}
