package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge"
	"nod/store"
)

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
		seq := e.out.last()
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
		seq := e.out.last()
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

// TestALostRequestIsAskedAbout: soon it is known that nothing was typed, and the nudge waits again.
func TestALostRequestIsAskedAbout(t *testing.T) {
	lost := 0
	inBubble(t, func(_, _ int, data []byte) fault {
		if f, err := decode(data); err == nil && f.Request != nil {
			lost++
			return fault{}
		}
		return fault{copy: 1}
	}, func(p *pair) {
		p.ask("%1", "make a")
		p.until("it is told", func() bool { return p.waits("make a") != "" })
		id := p.waits("make a")
		if v := p.answer(id, screen.Approve); v.Kind != nudge.Taken {
			t.Fatalf("%+v", v)
		}
		time.Sleep(2 * askAfter)
		if n, _, err := p.Find(id); err != nil || n.State != nudge.Pending || n.Detail.Kind != reason.NothingTyped || lost != 1 {
			t.Errorf("it is %s (%v), sent %d times, %v", n.State, n.Detail, lost, err)
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
			r.Seq = e.out.last()
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
