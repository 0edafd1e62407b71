package fleet

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"nod/detect"
	"nod/detect/screen"
)

// outbox is what an edge has to send: everything that it sees now, and in which order that changed.
type outbox struct {
	mask func(string) string

	mu      sync.Mutex
	seq     uint64 // of the last change
	sent    uint64 // up to where deltas were sent
	panes   map[detect.PaneRef]*told
	effects []detect.Effect // that were not sent yet
	viewed  map[detect.PaneRef]time.Time
}

// told is what is sent about a pane.
type told struct {
	seen
	own   detect.Sighting // before secrets were masked
	key   []byte          // what of it makes a difference
	bound uint64          // when last another prompt, process or state was seen there
	at    time.Time       // when it was looked at last
}

func newOutbox(mask func(string) string) *outbox {
	return &outbox{mask: mask, panes: map[detect.PaneRef]*told{}, viewed: map[detect.PaneRef]time.Time{}}
}

// see records a look at a pane, and reports whether there is something to send. A look that repeats what was sent counts once.
func (o *outbox) see(s detect.Sighting) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.panes[s.Pane]
	if before != nil && before.State == screen.Gone && before.Seq <= o.sent {
		before = nil
	}
	if before != nil && before.Seq > o.sent && s.Prompt == nil { // what was proven is told, however slow the link is
		s.Proof = cmp.Or(s.Proof, before.own.Proof)
	}
	next := &told{own: s, at: s.At, seen: seen{Looks: 1, Sighting: crossing(s, before, o.views(s.Pane))}}
	next.key = keyOf(next.Sighting)
	if before != nil && bytes.Equal(before.key, next.key) {
		if before.Looks > 1 {
			before.at = s.At
			return false
		}
		next.Looks = 2
	}
	o.seq++
	next.Seq, next.bound = o.seq, o.seq
	if before != nil && sameAsking(before.own, s) {
		next.bound = before.bound
	}
	next.Sighting = crossed(next.Sighting, o.mask)
	o.panes[s.Pane] = next
	return true
}

// sameAsking reports whether two looks at a pane show the same thing to decide.
func sameAsking(a, b detect.Sighting) bool {
	if a.Process != b.Process || a.State != b.State || (a.Prompt == nil) != (b.Prompt == nil) {
		return false
	}
	return a.Prompt == nil || a.Prompt.Fingerprint == b.Prompt.Fingerprint && slices.Equal(a.Prompt.Rows, b.Prompt.Rows)
}

// presenceStep is how far two presses of keys near a pane may lie apart and count as one.
const presenceStep = 5 * time.Second

// crossing returns the part of a look that is sent: no screen, unless the pane asks, has ended its turn, or somebody looks at it.
func crossing(s detect.Sighting, before *told, viewed bool) detect.Sighting {
	if s.State == screen.Working && !viewed {
		s.Screen, s.Tail, s.Above = nil, nil, nil
	}
	if before != nil {
		if s.Here.Sub(before.Here).Abs() < presenceStep {
			s.Here = before.Here
		}
		if s.Near.Sub(before.Near).Abs() < presenceStep {
			s.Near = before.Near
		}
	}
	return s
}

// keyOf returns what makes two looks different.
func keyOf(s detect.Sighting) []byte {
	s.At, s.By = time.Time{}, ""
	key, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return key
}

// crossed returns a look with its secrets masked. Rows that only look fixed once a secret in them is masked are shown: none is called fixed.
func crossed(s detect.Sighting, mask func(string) string) detect.Sighting {
	if s = passed(s, filter{mask: mask}); mask != nil && s.Prompt != nil {
		s.Prompt.Furniture = nil
	}
	return s
}

func (o *outbox) ran(e detect.Effect) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seq++
	o.effects = append(o.effects, e)
	if len(o.effects) > maxEffects {
		o.effects = o.effects[1:]
	}
}

// maxEffects is how many effects may wait to be sent.
const maxEffects = 100

// view records that somebody looks at a pane for a while.
func (o *outbox) view(pane detect.PaneRef, until time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.viewed, func(_ detect.PaneRef, until time.Time) bool { return !time.Now().Before(until) })
	if len(o.viewed) < maxViewed {
		o.viewed[pane] = until
	}
}

const maxViewed = 20

func (o *outbox) views(pane detect.PaneRef) bool { return time.Now().Before(o.viewed[pane]) }

// frameRoom is how many bytes of panes go into a frame before the next one begins.
const frameRoom = MaxFrame / 16

// batches returns the panes that changed since then, in that order, as many at a time as fit into a frame. The caller holds mu.
func (o *outbox) batches(since uint64) (all [][]seen) {
	room := 0
	for _, t := range slices.SortedFunc(maps.Values(o.panes), func(a, b *told) int { return cmp.Compare(a.Seq, b.Seq) }) {
		if t.Seq <= since {
			continue
		}
		if room -= len(t.key); room < 0 || all == nil {
			all, room = append(all, nil), frameRoom-len(t.key)
		}
		all[len(all)-1] = append(all[len(all)-1], t.fit())
	}
	return all
}

func gone(_ detect.PaneRef, t *told) bool { return t.State == screen.Gone }

// deltas returns the frames with what was not sent yet.
func (o *outbox) deltas() (frames []frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seq == o.sent {
		return nil
	}
	d := &delta{From: o.sent}
	for i, panes := range o.batches(o.sent) {
		if i > 0 {
			frames, d = append(frames, frame{Delta: d}), &delta{From: d.To}
		}
		d.Panes, d.To = panes, panes[len(panes)-1].Seq
	}
	maps.DeleteFunc(o.panes, gone)
	d.To, d.Effects = o.seq, o.effects
	o.sent, o.effects = o.seq, nil
	return append(frames, frame{Delta: d})
}

// whole returns the frames with everything. After them no delta is needed, except for effects, which they leave out.
func (o *outbox) whole() (frames []frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.panes, gone)
	parts := o.batches(0)
	if parts == nil {
		parts = [][]seen{nil}
	}
	for i, panes := range parts {
		frames = append(frames, frame{State: &state{Seq: o.seq, Part: i, Parts: len(parts), Panes: panes}})
	}
	if o.sent = o.seq; len(o.effects) > 0 {
		o.seq++
	}
	return frames
}

// fit returns what is sent about a pane. If that is too much for a frame, it drops the screen, and then the prompt, which nobody could read.
func (t *told) fit() seen {
	s := t.seen
	if len(t.key) > MaxFrame/2 {
		s.Screen, s.Above, s.Tail, s.Edits = nil, nil, nil, nil
		if len(keyOf(s.Sighting)) > MaxFrame/2 {
			s.Prompt, s.Words, s.Said = nil, "", ""
		}
	}
	return s
}

// at returns what was last sent about a pane, and since which change there is the same thing to decide; nil: it is not watched.
func (o *outbox) at(pane detect.PaneRef) (t *told, bound uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if t = o.panes[pane]; t == nil || t.State == screen.Gone {
		return nil, 0
	}
	return t, t.bound
}

// beaten returns the number of the last change that was sent, and the time up to which every pane has been looked at; zero while a change is unsent.
func (o *outbox) beaten() (seq uint64, looked time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sent != o.seq {
		return o.sent, time.Time{}
	}
	for _, t := range o.panes {
		if looked.IsZero() || t.at.Before(looked) {
			looked = t.at
		}
	}
	return o.sent, looked
}
