package fleet

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"nod/bot/message"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/testrun"
)

// forge sets all that v holds to values that no nod sends, at any depth.
func forge(r *rand.Rand, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		texts := []string{"", "x", "-1", "make a\nmake b", "\n\n\n", "no", "once", "always", "claude", "claude.question", "codex.exec", "hook", "☐ a\n☑ b", "a:b", "\x1b[2J", "\u202e", "approved"}
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Int, reflect.Int64:
		v.SetInt([]int64{0, 0, 1, 2, 3, -1, -2, 7, 1 << 40, -1 << 62, 1<<63 - 1}[r.IntN(11)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Pointer:
		if depth > 0 && r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			forge(r, v.Elem(), depth-1)
		}
	case reflect.Slice:
		n := r.IntN(4)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			forge(r, v.Index(i), depth-1)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf([]time.Time{{}, time.Now(), time.Now().Add(-time.Hour), time.Date(9998, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(-1<<33, 0)}[r.IntN(5)]))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				forge(r, v.Field(i), depth)
			}
		}
	}
}

// TestNoFrameEndsNod: whatever a lying machine reports of its panes, nod keeps it, draws messages of it and goes on.
func TestNoFrameEndsNod(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("drawn with the seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range testrun.Rounds(5, 200) {
		synctest.Test(t, func(t *testing.T) {
			b := newBase(t, filepath.Join(t.TempDir(), "nod.db"))
			defer b.end()
			b.Hub.Add("gpu1")
			m := b.Hub.machines["gpu1"]
			w := newWire(nil)
			m.link, m.boot, m.known = w.hub, "b", true
			for i := range uint64(30) {
				s := seen{Seq: i + 1, Looks: 2}
				forge(r, reflect.ValueOf(&s.Sighting).Elem(), 3)
				s.Pane = detect.PaneRef{ID: fmt.Sprint("%", r.IntN(3))}
				s.Pane.Server.Socket = "/s"
				s.Agent, s.State = []string{"claude", "codex", "x"}[r.IntN(3)], states[r.IntN(len(states))]
				if s.Prompt != nil {
					s.Prompt.Fingerprint = fmt.Sprint("f", r.IntN(3))
					s.State = []screen.State{screen.Permission, screen.Question}[r.IntN(2)]
				}
				data, err := frame{Boot: "b", Delta: &delta{From: i, To: i + 1, Panes: []seen{s}}}.encode()
				if err != nil {
					t.Fatal(err)
				}
				f, err := decode(data)
				if err != nil {
					t.Fatal(err)
				}
				if err := b.Hub.take(t.Context(), m, w.hub, f, len(data)); err != nil {
					t.Fatal(err)
				}
				b.draw(t)
				time.Sleep(time.Second)
			}
		})
	}
}

// draw draws all messages about all nudges.
func (b *base) draw(t *testing.T) {
	style, seal, now := message.NewStyle("", false, time.UTC, nil), message.NewSealer([]byte("secret")), time.Now()
	list, err := b.Keeper.List(true)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range list {
		r := message.Of(n, style)
		for _, draw := range []func(int64, message.Sealer, time.Time) message.Outgoing{r.ShortPreview, r.Over, r.ToAnswerer} {
			draw(42, seal, now)
		}
		r.Message(42, seal, now, true)
		r.Told()
		r.Diff()
		r.Short()
	}
	message.Queue(list, nil, 42, seal, style, now)
	message.Group(list, 42, seal, style, now, true)
	message.Outage(list, now, now, style)
}
