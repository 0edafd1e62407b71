package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
	"nod/store"
)

// TestAwayIsSaidAndComesBackAsAReminder: after 15 s without a heartbeat nothing is answered there; on return the same prompt is the same nudge.
func TestAwayIsSaidAndComesBackAsAReminder(t *testing.T) {
	cut := false
	inBubble(t, func(wire, _ int, _ []byte) fault {
		if cut {
			return fault{}
		}
		return fault{copy: 1}
	}, func(p *pair) {
		p.ask("%1", "make a")
		p.until("it is told", func() bool { return p.waits("make a") != "" })
		time.Sleep(20 * time.Second)
		id := p.waits("make a")
		before, _, _ := p.Find(id)
		p.turn(func() { cut = true })
		time.Sleep(time.Second) // what was on its way has come
		time.Sleep(time.Until(p.Machines()[0].Heard.Add(14 * time.Second)))
		if n, _, _ := p.Find(id); !n.Away.IsZero() {
			t.Error("away before 15 s without a heartbeat")
		}
		time.Sleep(10 * time.Second)
		if n, _, _ := p.Find(id); n.Away.IsZero() {
			t.Fatal("not away after 24 s without a heartbeat")
		}
		if v := p.answer(id, screen.Approve); v.Kind != nudge.Rejected || v.Reason != deliver.Away {
			t.Errorf("an answer to a machine that is away: %s %s", v.Kind, v.Reason)
		}
		if m := p.Machines()[0]; m.Away.IsZero() || m.Agents != 1 {
			t.Errorf("%+v", m)
		}
		p.turn(func() { cut = false })
		p.until("it is back", func() bool { n, _, _ := p.Find(id); return n.Away.IsZero() })
		after, _, _ := p.Find(id)
		if after.State != nudge.Pending || after.Number != before.Number || p.waits("make a") != id {
			t.Errorf("the same prompt is another nudge: %+v", after.State)
		}
		if v := p.answer(id, screen.Approve); v.Kind != nudge.Taken {
			t.Errorf("an answer after the return: %s %s", v.Kind, v.Reason)
		}
		p.until("the key is typed", func() bool { return len(p.typedInto("%1", "make a")) == 1 })
	})
}

// TestWhatWasAnsweredWhileAwayIsClosed, and nothing is told of it again.
func TestWhatWasAnsweredWhileAwayIsClosed(t *testing.T) {
	for _, how := range []fault{{name: "nothing arrives"}, {name: "another run of the edge", cut: true}} {
		t.Run(how.name, func(t *testing.T) { answeredWhileAway(t, how) })
	}
}

func answeredWhileAway(t *testing.T, how fault) {
	cut := false
	inBubble(t, func(wire, _ int, _ []byte) fault {
		if cut {
			return how
		}
		return fault{copy: 1}
	}, func(p *pair) {
		p.ask("%1", "make a")
		p.until("it is told", func() bool { return p.waits("make a") != "" })
		id := p.waits("make a")
		time.Sleep(20 * time.Second)
		p.turn(func() { cut = true })
		time.Sleep(30 * time.Second)
		p.ground.mu.Lock()
		p.panes["%1"].prompt = ""
		p.ground.mu.Unlock()
		time.Sleep(30 * time.Second)
		p.turn(func() { cut = false })
		p.until("it is over", func() bool { n, _, _ := p.Find(id); return n.State == nudge.Recovered })
		time.Sleep(20 * time.Second)
		p.base.mu.Lock()
		defer p.base.mu.Unlock()
		if want := []string{"gpu1 away false, 1 waiting", "gpu1 away true, 1 waiting", "gpu1 away false, 0 waiting"}; !slices.Equal(p.aways, want) {
			t.Errorf("%q, want %q", p.aways, want)
		}
	})
}

// TestYesterdaysFramesTypeNothing: all that ever went to an edge comes again, to the same run of it and to the next.
func TestYesterdaysFramesTypeNothing(t *testing.T) {
	var kept [][]byte
	inBubble(t, func(_, _ int, frame []byte) fault {
		kept = append(kept, frame)
		return fault{copy: 1}
	}, func(p *pair) {
		p.ask("%1", "make a")
		p.until("it is told", func() bool { return p.waits("make a") != "" })
		p.answer(p.waits("make a"), screen.Approve)
		p.until("the key is typed", func() bool { return len(p.typedInto("%1", "make a")) == 1 })
		time.Sleep(20 * time.Second)
		p.ask("%1", "make a") // the very same prompt once more
		p.until("it is told", func() bool { return p.waits("make a") != "" })
		edge := p.ground.edge
		var before [][]byte
		p.turn(func() { before = slices.Clone(kept) })
		for _, frame := range before {
			f, err := decode(frame)
			if err != nil {
				t.Fatal(err)
			}
			if f.Request != nil {
				f.Request.ID += "x" // as if the record of it were lost
			}
			w := newWire(nil)
			if err := edge.take(context.Background(), w.edge, f); err != nil && f.Greet == nil && f.Bye == nil {
				t.Logf("%v", err)
			}
		}
		time.Sleep(30 * time.Second)
		if got := p.typedInto("%1", "make a"); len(got) != 1 {
			t.Errorf("yesterday's frames typed %v", got)
		}
	})
}

// TestARequestForAnotherRunOrAnOlderScreenIsRefused, and so is one that was held up, or that this machine takes from nobody.
func TestARequestForAnotherRunOrAnOlderScreenIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGround(t)
		claims := g.open(t)
		defer claims.Close()
		takes := Full
		e := g.asking(claims, func() string { return takes })
		seq, _ := e.out.now()
		s := g.pane("%1").sighting()
		type change func(boot *string, r *request)
		for name, c := range map[string]struct {
			change
			want deliver.Reason // empty: nothing is even said
		}{
			"another run":     {func(boot *string, _ *request) { *boot = "another" }, ""},
			"no run":          {func(boot *string, _ *request) { *boot = "" }, ""},
			"held up":         {func(_ *string, r *request) { r.Saw -= 16 * time.Second }, deliver.Late},
			"an older screen": {func(_ *string, r *request) { r.Seq = 0 }, deliver.Late},
			"another pane":    {func(_ *string, r *request) { r.Type.Pane.ID = "%9" }, deliver.Gone},
			"another prompt":  {func(_ *string, r *request) { r.Type.Fingerprint = "f-other" }, deliver.Changed},
			"denials only":    {func(_ *string, r *request) { takes = "deny-only" }, deliver.NotOwner},
		} {
			takes = Full
			boot := e.boot
			r := request{ID: name, Seq: seq, Saw: time.Since(e.began), Budget: typeBudget, Type: deliver.Request{
				Pane: s.Pane, Process: s.Process, Agent: "claude", Fingerprint: s.Prompt.Fingerprint, Rows: s.Prompt.Rows, Width: 80, Decision: screen.Approve,
			}}
			c.change(&boot, &r)
			w := newWire(nil)
			if err := e.request(t.Context(), w.edge, boot, r); err != nil {
				t.Fatal(err)
			}
			e.work.Wait()
			got := deliver.Reason("")
			select {
			case data := <-w.hub.in:
				f, _ := decode(data)
				if f.Result == nil || f.Result.Result.Outcome != deliver.Refused {
					t.Errorf("%s: %s", name, data)
					continue
				}
				got = f.Result.Result.Reason
			default:
			}
			if got != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
		if got := g.typedInto("%1", "make a"); len(got) > 0 {
			t.Errorf("%v was typed", got)
		}
		takes = "deny-only"
		w := newWire(nil)
		_ = e.request(t.Context(), w.edge, e.boot, request{ID: "deny", Seq: seq, Saw: time.Since(e.began), Budget: typeBudget, Type: deliver.Request{
			Pane: s.Pane, Process: s.Process, Agent: "claude", Fingerprint: s.Prompt.Fingerprint, Rows: s.Prompt.Rows, Width: 80, Decision: screen.Deny,
		}})
		e.work.Wait()
		if got := g.typedInto("%1", "make a"); len(got) != 1 || got[0] != "2" {
			t.Errorf("a denial typed %v", got)
		}
	})
}

// TestAVoidRequestStaysVoid: what the hub was told has not come is refused when it comes after all.
func TestAVoidRequestStaysVoid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGround(t)
		claims := g.open(t)
		defer claims.Close()
		e := g.asking(claims, func() string { return Full })
		w := newWire(nil)
		if err := e.asked(t.Context(), w.edge, e.boot, "late"); err != nil {
			t.Fatal(err)
		}
		seq, _ := e.out.now()
		s := g.pane("%1").sighting()
		if err := e.request(t.Context(), w.edge, e.boot, request{ID: "late", Seq: seq, Saw: time.Since(e.began), Budget: typeBudget, Type: deliver.Request{
			Pane: s.Pane, Fingerprint: s.Prompt.Fingerprint, Rows: s.Prompt.Rows, Decision: screen.Approve,
		}}); err != nil {
			t.Fatal(err)
		}
		e.work.Wait()
		if got := g.typedInto("%1", "make a"); len(got) > 0 {
			t.Errorf("what was void typed %v", got)
		}
		if err := e.asked(t.Context(), w.edge, "an earlier run", "of then"); err != nil {
			t.Fatal(err)
		}
		var last frame
		for len(w.hub.in) > 0 {
			last, _ = decode(<-w.hub.in)
		}
		if last.Result == nil || last.Result.Result.Outcome != deliver.Unknown {
			t.Errorf("of a request of an earlier run it is said: %+v", last.Result)
		}
	})
}

// TestATruncatedRecordOfRequestsIsPutAside, and the edge starts all the same: a request names the run that it is for.
func TestATruncatedRecordOfRequestsIsPutAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "edge", "claims.db")
	claims, aside, err := store.OpenClaims(path)
	if err != nil || aside != "" {
		t.Fatal(err, aside)
	}
	for i := range 200 {
		if _, fresh, err := claims.Claim(store.Claim{ID: fmt.Sprint("id", i), At: time.Now(), Boot: "b", Nudge: "n"}); err != nil || !fresh {
			t.Fatal(err)
		}
	}
	if _, fresh, err := claims.Claim(store.Claim{ID: "id7", At: time.Now(), Boot: "b"}); err != nil || fresh {
		t.Fatalf("a request was noted twice: %v", err)
	}
	if err := errors.Join(claims.Done("id7", json.RawMessage(`{"Outcome":"delivered"}`)), claims.Heard("id7"), claims.Close()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 100, 4096, 10000, len(whole) / 2, len(whole) - 4096, len(whole)} {
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		claims, aside, err := store.OpenClaims(path)
		if err != nil {
			t.Fatalf("%d of %d bytes: %v", size, len(whole), err)
		}
		unheard, err := claims.Unheard(time.Now().Add(-time.Hour))
		if err != nil {
			t.Errorf("%d of %d bytes: %v", size, len(whole), err)
		}
		if size == len(whole) && (aside != "" || len(unheard) != 199) || size == 4096 && aside == "" {
			t.Errorf("%d of %d bytes: put aside as %q, %d requests", size, len(whole), aside, len(unheard))
		}
		if err := claims.Close(); err != nil {
			t.Error(err)
		}
		_ = os.Remove(path)
	}
}

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
				t.Errorf("gpu1 tells of %s", s.Pane)
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

// TestVersionsOneApartUnderstandEachOther, and of others it is said which to update.
func TestVersionsOneApartUnderstandEachOther(t *testing.T) {
	for _, c := range []struct {
		hub, edge int
		says      string
	}{{3, 3, ""}, {3, 2, ""}, {3, 4, ""}, {3, 1, "update nod there"}, {3, 5, "update nod here"}} {
		if got := apart(c.hub, c.edge, "1.2", "1.4"); c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("%d and %d: %q", c.hub, c.edge, got)
		}
	}
}

// TestSecretsAreMaskedAtTheEdge, and an answer to what was masked still reaches the very prompt.
func TestSecretsAreMaskedAtTheEdge(t *testing.T) {
	mask := func(text string) string { return strings.ReplaceAll(text, "hunter2", "•••") }
	g := newGround(t)
	g.ask("%1", "login hunter2")
	s := g.pane("%1").sighting()
	s.Prompt.Fingerprint = "f-1"
	s.Words, s.Screen = "hunter2", []screen.Drawn{{Text: "hunter2"}}
	s.Prompt.Options[0].Label = "Yes, hunter2"
	o := newOutbox(mask)
	o.see(s)
	frames := o.whole()
	data, err := frames[0].encode()
	if err != nil || strings.Contains(string(data), "hunter2") {
		t.Fatalf("%s, %v", data, err)
	}
	f, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	p := f.State.Panes[0].Prompt
	told, _ := o.at(s.Pane)
	r := unmasked(deliver.Request{Fingerprint: p.Fingerprint, Rows: p.Rows, Choice: &deliver.Choice{Index: 0, Label: p.Options[0].Label}}, told.own.Prompt, told.Prompt)
	if r.Rows[0] != s.Prompt.Rows[0] || r.Choice.Label != "Yes, hunter2" {
		t.Errorf("%+v", r)
	}
	if r := unmasked(deliver.Request{Fingerprint: p.Fingerprint, Rows: []string{"other"}}, told.own.Prompt, told.Prompt); r.Rows[0] != "other" {
		t.Error("rows that were not told became those of the screen")
	}
	if s.Prompt.Options[0].Label != "Yes, hunter2" {
		t.Error("the edge's own sighting was changed")
	}
}

// TestASecondCopyGetsTheRecordedResult, though the agent asks the very same once more: while the first is carried out, after it, and in the
// next run of the edge.
func TestASecondCopyGetsTheRecordedResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGround(t)
		claims := g.open(t)
		defer claims.Close()
		run := func() *Edge { return g.asking(claims, func() string { return Full }) }
		e := run()
		w := newWire(nil)
		s := g.pane("%1").sighting()
		send := func(e *Edge) {
			r := request{ID: "once", Saw: time.Since(e.began), Budget: typeBudget, Type: deliver.Request{
				Nudge: "k3f", Pane: s.Pane, Fingerprint: s.Prompt.Fingerprint, Rows: s.Prompt.Rows, Decision: screen.Approve,
			}}
			r.Seq, _ = e.out.now()
			if err := e.request(t.Context(), w.edge, e.boot, r); err != nil {
				t.Fatal(err)
			}
		}
		send(e)
		send(e)
		e.work.Wait()
		g.ask("%1", "make a")
		g.look()
		send(e)
		e.work.Wait()
		e = run()
		send(e)
		e.work.Wait()
		if got := g.typedInto("%1", "make a"); len(got) != 1 {
			t.Errorf("typed %v", got)
		}
		results := 0
		for len(w.hub.in) > 0 {
			if f, _ := decode(<-w.hub.in); f.Result != nil {
				results++
				if f.Result.Result.Outcome != deliver.Delivered || f.Result.ID != "once" {
					t.Errorf("a copy got %+v", f.Result)
				}
			}
		}
		if results != 3 {
			t.Errorf("%d results for 4 copies, one of which came while the first was carried out", results)
		}
	})
}

// TestARequestIsOnDiskBeforeItIsSent: a hub that is killed after it never sends it again.
func TestARequestIsOnDiskBeforeItIsSent(t *testing.T) {
	var p *pair
	sent := 0
	inBubble(t, func(_, _ int, frame []byte) fault {
		if f, _ := decode(frame); f.Request != nil {
			sent++
			if n, _, _ := p.Find(f.Request.Type.Nudge); n.State != nudge.Typing {
				t.Errorf("a request is sent while its nudge is %s on disk", n.State)
			}
		}
		return fault{copy: 1}
	}, func(q *pair) {
		q.turn(func() { p = q })
		p.ask("%1", "make a")
		p.until("it is told", func() bool { return p.waits("make a") != "" })
		p.answer(p.waits("make a"), screen.Approve)
		p.until("the key is typed", func() bool { return len(p.typedInto("%1", "make a")) == 1 })
	})
	if sent != 1 {
		t.Errorf("it was sent %d times", sent)
	}
}

// TestWhatWasProvenIsToldHoweverSlowTheLinkIs: an event proves something at one look alone.
func TestWhatWasProvenIsToldHoweverSlowTheLinkIs(t *testing.T) {
	g := newGround(t)
	g.ask("%1", "make a")
	o := newOutbox(nil)
	o.see(g.pane("%1").sighting())
	o.deltas()
	g.panes["%1"].prompt = ""
	s := g.pane("%1").sighting()
	s.Proof = "approved"
	o.see(s)
	s.Proof = ""
	o.see(s)
	frames := o.deltas()
	if got := frames[0].Delta.Panes[0]; len(frames) != 1 || got.Proof != "approved" || got.Looks != 2 {
		t.Errorf("told with proof %q after %d looks", got.Proof, got.Looks)
	}
	if o.see(s); len(o.deltas()) > 1 {
		t.Error("a look that repeats what was told is told")
	}
}
