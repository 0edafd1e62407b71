package join

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"nod/internal/testrun"
)

// met returns the two ends of a session, and all messages until then.
func met(t *testing.T) (edge, hub *Seal, crossed [][]byte) {
	t.Helper()
	hubKeys, edgeKeys := NewKeys(), NewKeys()
	edge, hub = EdgeSeal(edgeKeys, hubKeys.Public().Signer), HubSeal(hubKeys, edgeKeys.Public().Signer)
	return edge, hub, meetAgain(t, edge, hub)
}

func meetAgain(t *testing.T, edge, hub *Seal) (crossed [][]byte) {
	t.Helper()
	greeting := edge.Greet()
	h, err := hub.Open(greeting)
	if err != nil || h.Reply == nil || h.Met {
		t.Fatalf("the greeting: %+v, %v", h, err)
	}
	e, err := edge.Open(h.Reply)
	if err != nil || !e.Met || e.Reply == nil {
		t.Fatalf("the answer: %+v, %v", e, err)
	}
	if last, err := hub.Open(e.Reply); err != nil || !last.Met {
		t.Fatalf("the proof: %+v, %v", last, err)
	}
	return [][]byte{greeting, h.Reply, e.Reply}
}

func sealed(t *testing.T, s *Seal, text string) []byte {
	t.Helper()
	data, err := s.Frame([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFramesCross(t *testing.T) {
	edge, hub, _ := met(t)
	for _, text := range []string{"one", "", "three"} {
		if h, err := hub.Open(sealed(t, edge, text)); err != nil || string(h.Frame) != text {
			t.Errorf("up: %q, %v", h.Frame, err)
		}
		if h, err := edge.Open(sealed(t, hub, text)); err != nil || string(h.Frame) != text {
			t.Errorf("down: %q, %v", h.Frame, err)
		}
	}
}

func TestNothingIsSealedForWhomNobodyHasMet(t *testing.T) {
	hubKeys, edgeKeys := NewKeys(), NewKeys()
	for _, s := range []*Seal{EdgeSeal(edgeKeys, hubKeys.Public().Signer), HubSeal(hubKeys, edgeKeys.Public().Signer)} {
		if _, err := s.Frame([]byte("x")); !errors.Is(err, ErrNoSession) {
			t.Errorf("%v", err)
		}
	}
}

// TestAForgedFrameIsNone: no changed byte, cut or other signer is accepted.
func TestAForgedFrameIsNone(t *testing.T) {
	edge, hub, _ := met(t)
	data := sealed(t, hub, "type 1 into %12")
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		if h, err := edge.Open(changed); err == nil {
			t.Fatalf("byte %d changed: %+v", i, h)
		}
		if h, err := edge.Open(data[:i]); err == nil {
			t.Fatalf("cut to %d bytes: %+v", i, h)
		}
	}
	stranger, _, _ := met(t)
	stranger.session = hub.session
	if h, err := edge.Open(sealed(t, stranger, "x")); err == nil {
		t.Errorf("a stranger's: %+v", h)
	}
	if h, err := edge.Open(data); err != nil || string(h.Frame) != "type 1 into %12" {
		t.Errorf("the true one after all of those: %q, %v", h.Frame, err)
	}
}

// TestASwappedFrameIsNone: a frame for another edge of the same hub is refused, and so is one that is sent
// back to its sender.
func TestASwappedFrameIsNone(t *testing.T) {
	hubKeys, oneKeys, twoKeys := NewKeys(), NewKeys(), NewKeys()
	one, hubOne := EdgeSeal(oneKeys, hubKeys.Public().Signer), HubSeal(hubKeys, oneKeys.Public().Signer)
	two, hubTwo := EdgeSeal(twoKeys, hubKeys.Public().Signer), HubSeal(hubKeys, twoKeys.Public().Signer)
	meetAgain(t, one, hubOne)
	meetAgain(t, two, hubTwo)
	two.session = one.session // as close as a swap can come
	if h, err := two.Open(sealed(t, hubOne, "for one")); err == nil {
		t.Errorf("two took what was for one: %+v", h)
	}
	if h, err := hubTwo.Open(sealed(t, one, "by one")); err == nil {
		t.Errorf("one spoke for two: %+v", h)
	}
	edge, hub, _ := met(t)
	edge.session, hub.session = pair{mine: hub.session.mine, theirs: hub.session.mine}, pair{mine: hub.session.mine, theirs: hub.session.mine}
	if h, err := hub.Open(sealed(t, hub, "down")); err == nil {
		t.Errorf("the hub took its own frame: %+v", h)
	}
}

// TestAFrameOfYesterdayIsNone: an old message is never accepted again, by either end, in its own session or
// in a later one. Replaying it doesn't end the current session.
func TestAFrameOfYesterdayIsNone(t *testing.T) {
	edge, hub, before := met(t)
	seen := slices.Clone(before)
	playBack := func() {
		t.Helper()
		for _, data := range slices.Clone(seen) {
			for name, end := range map[string]*Seal{"edge": edge, "hub": hub} {
				h, _ := end.Open(data)
				if h.Frame != nil || h.Met || h.Knocked {
					t.Fatalf("played back to the %s: %+v", name, h)
				}
				if h.Reply != nil {
					seen = append(seen, h.Reply)
				}
			}
		}
	}
	for range 3 {
		for range 3 {
			up, down := sealed(t, edge, "up"), sealed(t, hub, "down")
			for _, open := range []func() (Heard, error){func() (Heard, error) { return hub.Open(up) }, func() (Heard, error) { return edge.Open(down) }} {
				if h, err := open(); err != nil || h.Frame == nil {
					t.Fatalf("%+v, %v", h, err)
				}
			}
			seen = append(seen, up, down)
		}
		playBack()
		if h, err := hub.Open(sealed(t, edge, "still here")); err != nil || string(h.Frame) != "still here" {
			t.Fatalf("after that: %+v, %v", h, err)
		}
		seen = append(seen, meetAgain(t, edge, hub)...)
		playBack() // before anything is sent in this session
	}
}

// TestAHubThatStartsAnewKnocks: the edge then greets, and both continue.
func TestAHubThatStartsAnewKnocks(t *testing.T) {
	hubKeys, edgeKeys := NewKeys(), NewKeys()
	edge, hub := EdgeSeal(edgeKeys, hubKeys.Public().Signer), HubSeal(hubKeys, edgeKeys.Public().Signer)
	meetAgain(t, edge, hub)
	hub = HubSeal(hubKeys, edgeKeys.Public().Signer)
	h, err := hub.Open(sealed(t, edge, "lost"))
	if err == nil || h.Reply == nil || h.Frame != nil {
		t.Fatalf("%+v, %v", h, err)
	}
	if e, err := edge.Open(h.Reply); err != nil || !e.Knocked {
		t.Fatalf("%+v, %v", e, err)
	}
	meetAgain(t, edge, hub)
	if h, err := hub.Open(sealed(t, edge, "heard")); err != nil || string(h.Frame) != "heard" {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestWhateverTheCarrierDoes: even if frames are lost, doubled, late and reordered, none is received twice or
// out of order. After some greetings that arrive, there is always a session again.
func TestWhateverTheCarrierDoes(t *testing.T) {
	for seed := range uint64(testrun.Rounds(10, 200)) {
		r := rand.New(rand.NewPCG(seed, 1))
		hubKeys, edgeKeys := NewKeys(), NewKeys()
		edge, hub := EdgeSeal(edgeKeys, hubKeys.Public().Signer), HubSeal(hubKeys, edgeKeys.Public().Signer)
		up, down := [][]byte{edge.Greet()}, [][]byte(nil)
		last := map[*Seal]int{}
		deliver := func(to *Seal, line, back *[][]byte) {
			if len(*line) == 0 {
				return
			}
			i := 0
			if r.IntN(4) == 0 {
				i = r.IntN(len(*line)) // out of order
			}
			data := (*line)[i]
			if r.IntN(4) > 0 { // otherwise it arrives once more
				*line = slices.Delete(*line, i, i+1)
			}
			h, _ := to.Open(data)
			if h.Reply != nil && r.IntN(5) > 0 {
				*back = append(*back, h.Reply)
			}
			if h.Knocked {
				*back = append(*back, to.Greet())
			}
			if h.Frame != nil {
				n, err := strconv.Atoi(string(h.Frame))
				if err != nil || n <= last[to] {
					t.Fatalf("seed %d: %q after %d", seed, h.Frame, last[to])
				}
				last[to] = n
			}
		}
		for n := 1; n < 300; n++ {
			for _, end := range []struct {
				from *Seal
				line *[][]byte
			}{{edge, &up}, {hub, &down}} {
				if data, err := end.from.Frame([]byte(strconv.Itoa(n))); err == nil && r.IntN(5) > 0 {
					*end.line = append(*end.line, data)
				}
			}
			deliver(hub, &up, &down)
			deliver(edge, &down, &up)
			if r.IntN(50) == 0 {
				up = append(up, edge.Greet())
			}
			if r.IntN(100) == 0 {
				hub = HubSeal(hubKeys, edgeKeys.Public().Signer) // it was restarted, and its counts begin again
			}
		}
		meetAgain(t, edge, hub)
	}
}

func FuzzOpen(f *testing.F) {
	hubKeys, edgeKeys := NewKeys(), NewKeys()
	edge := EdgeSeal(edgeKeys, hubKeys.Public().Signer)
	f.Add(edge.Greet())
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, err := edge.Open(data); err == nil {
			t.Errorf("believed: %+v", h)
		}
	})
}
