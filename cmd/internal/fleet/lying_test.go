package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/reason"
	"nod/nudge"
)

// TestAnEdgeSpeaksForItsOwnPanesAlone: whatever it says, nothing of another machine is seen, answered or closed by it.
func TestAnEdgeSpeaksForItsOwnPanesAlone(t *testing.T) {
	inBubble(t, nil, func(p *pair) {
		p.ask("%1", "make a")
		p.until("it is told", func() bool { return p.waits("make a") != "" })
		mine := p.waits("make a")
		own := p.ground.pane("%1").sighting()
		own.Pane.Machine, own.Project = "", "api" // the same pane and server, on the hub's machine
		own.Prompt.Subject, own.Prompt.Fingerprint = "make own", "f-own"
		if err := p.Keeper.See(own); err != nil {
			t.Fatal(err)
		}
		theirs := p.waits("make own")
		p.answer(theirs, screen.Approve)
		p.until("nobody knows what became of it", func() bool { n, _, _ := p.Find(theirs); return n.State == nudge.Unknown })
		if p.waits("make a") != mine {
			t.Fatal("the other nudge is gone")
		}
		gone := own
		gone.State, gone.Prompt = screen.Gone, nil
		p.Hub.mu.Lock()
		m := p.machines["gpu1"]
		link, boot, seq := m.link, m.boot, m.seq
		p.Hub.mu.Unlock()
		lies := []frame{
			{Delta: &delta{From: seq, To: seq + 1, Panes: []seen{{Seq: seq + 1, Looks: 2, Sighting: gone}}}},
			{Result: &result{ID: "x", Nudge: theirs, Result: deliver.Result{Outcome: deliver.Delivered}}},
			{State: &state{Seq: seq + 5, Part: 0, Parts: 1}},
			{State: &state{Seq: seq + 9, Part: -1, Parts: 1 << 30}},
			{Lines: &lines{ID: "nobody asked"}}, {Begun: &ask{ID: "y"}},
			{Boot: "played back", Hello: &hello{Protocol: Protocol, Nonce: "of then"}},
			{Boot: "played back", Delta: &delta{From: 0, To: seq + 50, Panes: []seen{{Seq: seq + 50, Looks: 2, Sighting: gone}}}},
			{Delta: &delta{From: seq + 20, To: seq + 21, Panes: []seen{{Seq: seq + 21, Looks: 1, Sighting: gone}}}}, // something before it is missing
		}
		for _, f := range lies {
			if f.Boot == "" {
				f.Boot = boot
			}
			if err := p.Hub.take(t.Context(), m, link, f, 0); err != nil {
				t.Errorf("%v", err)
			}
		}
		p.Hub.mu.Lock()
		if m.boot != boot || m.seq > seq+9 {
			t.Errorf("frames of another run, or with a gap before them, were taken: %q, up to %d", m.boot, m.seq)
		}
		p.Hub.mu.Unlock()
		n, _, _ := p.Find(theirs)
		if n.State != nudge.Unknown {
			t.Errorf("the nudge of another machine is %s", n.State)
		}
		if n, _, _ := p.Find(mine); n.State == nudge.Delivered {
			t.Error("a result that nobody waits for closed a nudge")
		}
		for _, s := range p.Panes() {
			if s.Pane.Machine != "gpu1" {
				t.Errorf("gpu1 reports %s", s.Pane)
			}
		}
	})
}

// TestAnEdgesWordsAreCapped: what is no pane is left out, and what is too long is cut, before anybody hears of it.
func TestAnEdgesWordsAreCapped(t *testing.T) {
	g := newGround(t)
	g.ask("%1", "make a")
	for name, change := range map[string]func(*detect.Sighting){
		"no pane":         func(s *detect.Sighting) { s.Pane.ID = "" },
		"an option":       func(s *detect.Sighting) { s.Pane.ID = "-t" },
		"no socket":       func(s *detect.Sighting) { s.Pane.Server.Socket = "s" },
		"a zero byte":     func(s *detect.Sighting) { s.Pane.Server.Socket = "/tmp/\x00x" },
		"no agent":        func(s *detect.Sighting) { s.Agent = "rm -rf /" },
		"nod's name":      func(s *detect.Sighting) { s.Agent = "nod" },
		"no state":        func(s *detect.Sighting) { s.State = "approved" },
		"a long socket":   func(s *detect.Sighting) { s.Pane.Server = tmux.Life{Socket: "/" + strings.Repeat("x", 300)} },
		"an agent's name": func(s *detect.Sighting) { s.Agent = strings.Repeat("a", 41) },
	} {
		s := g.pane("%1").sighting()
		change(&s)
		if _, ok := take("gpu1", passed(s, filter{cuts: true}), 0); ok {
			t.Errorf("%s: taken", name)
		}
	}
	huge := strings.Repeat("ä", 1<<20)
	s := g.pane("%1").sighting()
	s.Pane.Machine, s.Project, s.Name, s.Words = "other", "x:"+huge, huge, huge
	s.Prompt.Subject, s.Prompt.Rows = huge, []string{huge}
	s.Prompt.Options[0].Label = huge
	s.Unasked = []reason.Why{{Said: "click here", What: huge, Because: &reason.Why{Because: &reason.Why{Because: &reason.Why{Because: &reason.Why{Because: &reason.Why{}}}}}}}
	s, ok := take("gpu1", passed(s, filter{cuts: true}), time.Hour)
	text, err := json.Marshal(s)
	if !ok || err != nil || len(text) > 1<<20 || s.Pane.Machine != "gpu1" || !strings.HasPrefix(s.Project, "gpu1:x_") || s.Unasked[0].Said != "" {
		t.Errorf("taken %t with %d bytes, of %s in %.20s: %v", ok, len(text), s.Pane, s.Project, err)
	}
	s = g.pane("%1").sighting()
	s.Prompt.Lead = -2
	if s, ok := take("gpu1", s, 0); !ok || s.Prompt.Lead != 0 {
		t.Errorf("a subject has %d lines of a command", s.Prompt.Lead)
	}
	s = g.pane("%1").sighting()
	s.Prompt.Options = make([]screen.Option, 1000)
	if s, ok := take("gpu1", s, 0); !ok || s.Prompt != nil {
		t.Error("a prompt that nod never tells was taken")
	}
}

// TestAnEdgesClockReachesNoTomorrow: whatever clock an edge has or claims to have, nothing that it tells is of a time that is still to come here.
func TestAnEdgesClockReachesNoTomorrow(t *testing.T) {
	g := newGround(t)
	g.ask("%1", "make a")
	for range 1000 {
		shift, ahead := time.Duration(rand.Uint64()), time.Duration(rand.Int64())
		s := g.pane("%1").sighting()
		for _, at := range []*time.Time{&s.At, &s.Since, &s.Here, &s.Near, &s.Escaped} {
			*at = time.Now().Add(ahead)
		}
		s, ok := take("gpu1", s, shift)
		if !ok {
			t.Fatal("the look is not taken")
		}
		for name, at := range map[string]time.Time{"At": s.At, "Since": s.Since, "Here": s.Here, "Near": s.Near, "Escaped": s.Escaped} {
			if at.After(time.Now()) {
				t.Fatalf("%s is %s, %s ahead with a clock that is %s behind", name, at, ahead, shift)
			}
		}
	}
}

// TestAFloodEndsTheLink: frames without end, and frames that are too large.
func TestAFloodEndsTheLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBase(t, filepath.Join(t.TempDir(), "nod.db"))
		defer b.end()
		w := newWire(nil)
		ended := make(chan error, 1)
		go func() { ended <- b.Attach(t.Context(), "gpu1", w.hub) }()
		junk := make([]byte, 1<<10)
		for range framesASecond*roomSeconds + 100 {
			_ = w.edge.Send(t.Context(), junk)
			synctest.Wait()
			if len(ended) > 0 {
				break
			}
		}
		select {
		case err := <-ended:
			if err == nil {
				t.Error("the link ended without a reason")
			}
		default:
			t.Error("the link is still open")
		}
		if _, err := decode(make([]byte, MaxFrame+1)); err == nil {
			t.Error("a frame that is too large was read")
		}
	})
}

// TestFramesThatCantBeReadFillNoLog, at either end: one line says so, however many come.
func TestFramesThatCantBeReadFillNoLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines strings.Builder
		log := slog.New(slog.NewTextHandler(&lines, nil))
		g := newGround(t)
		claims := g.open(t)
		defer claims.Close()
		edge := g.asking(claims, func() string { return Full })
		edge.cfg.Log = log
		hub := NewHub(HubConfig{Decided: func(string) []string { return nil }, Log: log})
		for name, attach := range map[string]func(context.Context, *wire) error{
			"the hub":  func(ctx context.Context, w *wire) error { return hub.Attach(ctx, "gpu1", w.hub) },
			"the edge": func(ctx context.Context, w *wire) error { return edge.Run(ctx, w.edge) },
		} {
			lines.Reset()
			w := newWire(nil)
			from := map[string]*end{"the hub": w.edge, "the edge": w.hub}[name]
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- attach(ctx, w) }()
			for range 50 {
				_ = from.Send(ctx, []byte(`{"boot":1}`))
			}
			synctest.Wait()
			stop()
			<-ended
			if n := strings.Count(lines.String(), "can't be read"); n != 1 {
				t.Errorf("%s logged %d lines", name, n)
			}
		}
	})
}

// TestAnEdgeFillsNoMemory: of however many panes it tells, the hub keeps no more than a whole state may have.
func TestAnEdgeFillsNoMemory(t *testing.T) {
	inBubble(t, nil, func(p *pair) {
		p.ask("%1", "make a")
		p.until("it is told", func() bool { return p.waits("make a") != "" })
		p.Hub.mu.Lock()
		m := p.machines["gpu1"]
		link, boot, seq := m.link, m.boot, m.seq
		p.Hub.mu.Unlock()
		const words = 256 << 10
		for i := range 600 {
			s := p.ground.pane("%1").sighting()
			s.Pane.ID, s.State, s.Prompt, s.Words = fmt.Sprint("%", 100+i), screen.Idle, nil, strings.Repeat("x", words)
			d := delta{From: seq, To: seq + 1, Panes: []seen{{Seq: seq + 1, Looks: 1, Sighting: s}}}
			if err := p.Hub.take(t.Context(), m, link, frame{Boot: boot, Delta: &d}, words); err != nil {
				t.Fatal(err)
			}
			seq++
		}
		kept := 0
		p.Hub.mu.Lock()
		for _, s := range m.panes {
			kept += len(s.Words)
		}
		p.Hub.mu.Unlock()
		_ = p.Hub.take(t.Context(), m, link, frame{Boot: boot, State: &state{Seq: seq + 1, Parts: maxParts + 1}}, 0)
		p.Hub.mu.Lock()
		defer p.Hub.mu.Unlock()
		if kept > maxParts*MaxFrame || m.coming.parts != nil {
			t.Errorf("%d bytes are kept, and %d parts of a state without end", kept, len(m.coming.parts))
		}
	})
}
