package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
)

// fill puts a text into every field of a value, so that a field that is new is drawn as well.
func fill(v reflect.Value, path, text string) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Now()))
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.CanInt():
		v.SetInt(1)
	case v.CanUint():
		v.SetUint(1)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(strconv.Quote(text)))
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), path, text)
	case v.Kind() == reflect.Pointer:
		if strings.Count(path, "Because") < 3 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), path, text)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(v.Field(i), path+"."+f.Name, text)
			}
		}
	default:
		panic("a field of a frame that nobody masks: " + path)
	}
}

// upward are the frames of an edge with a text in every field that takes one, by the part that is set.
func upward(boot, nonce, id, text string) map[string]frame {
	all := map[string]frame{}
	for i := range reflect.TypeFor[frame]().NumField() {
		part := reflect.TypeFor[frame]().Field(i)
		if part.Type.Kind() != reflect.Pointer {
			continue
		}
		f := frame{Boot: boot}
		fill(reflect.ValueOf(&f).Elem().Field(i), part.Name, text)
		switch {
		case f.Hello != nil:
			f.Hello.Protocol, f.Hello.Nonce = Protocol, nonce
		case f.State != nil:
			f.State.Part, f.State.Parts = 0, 1
			asking(&f.State.Panes[0])
		case f.Delta != nil:
			f.Delta.From, f.Delta.To, f.Delta.Panes[0].Seq = 1, 2, 2
			asking(&f.Delta.Panes[0])
		case f.Beat != nil:
			f.Beat.At = time.Second
		case f.Result != nil:
			f.Result.ID, f.Result.Nudge, f.Result.Result.Outcome, f.Result.Done.Sessions[0].Pane.ID = id, "", deliver.Delivered, "%1"
		case f.Lines != nil:
			f.Lines.ID, f.Lines.Error = id, ""
		case f.Call != nil:
			f.Call.Over = false
		}
		all[part.Name] = f
	}
	return all
}

func asking(s *seen) {
	s.Pane.Server.Socket, s.Pane.ID, s.Agent, s.State = "/tmp/s", "%1", "claude", screen.Permission
	s.Looks = 2
}

// leaves does something about each value in what JSON holds that holds no other.
func leaves(v any, path string, do func(path string, set func(any), was any)) {
	switch v := v.(type) {
	case map[string]any:
		for name, in := range v {
			leaf(in, path+"."+name, func(x any) { v[name] = x }, do)
		}
	case []any:
		for i, in := range v {
			leaf(in, path+"[]", func(x any) { v[i] = x }, do)
		}
	}
}

func leaf(in any, path string, set func(any), do func(string, func(any), any)) {
	switch in.(type) {
	case map[string]any, []any:
		leaves(in, path, do)
	default:
		do(path, set, in)
	}
}

var secretShape = regexp.MustCompile(`hunter2-([0-9]+)`)

func maskSecret(text string) string { return secretShape.ReplaceAllString(text, "•••") }

// liar is an edge that does what each does, but for a secret in one field of one frame.
type liar struct {
	t      *testing.T
	link   Link
	part   string // of the frame
	path   string // of the field
	secret string
}

// send sends a frame, with the secret where it belongs there. Where it is behind what is there, its field may still be taken for what it was.
func (l *liar) send(f frame, part string) {
	data, err := f.encode()
	if err != nil {
		l.t.Fatal(err)
	}
	if part == l.part {
		var tree any
		if err := json.Unmarshal(data, &tree); err != nil {
			l.t.Fatal(err)
		}
		leaves(tree, "", func(path string, set func(any), was any) {
			if path == l.path {
				text, _ := was.(string)
				set(text + l.secret)
			}
		})
		if data, err = json.Marshal(tree); err != nil {
			l.t.Fatal(err)
		}
	}
	_ = l.link.Send(l.t.Context(), data)
}

func (l *liar) sendEach(frames map[string]frame, parts ...string) {
	for _, part := range parts {
		l.send(frames[part], part)
	}
}

// run speaks with a hub until the link is over.
func (l *liar) run() {
	greeted := false
	for {
		data, err := l.link.Receive(l.t.Context())
		if err != nil {
			return
		}
		f, err := decode(data)
		switch {
		case err != nil:
			l.t.Error(err)
		case f.Greet != nil && !greeted:
			greeted = true
			l.sendEach(upward("b", f.Greet.Nonce, "", "x"), "Hello", "State", "Beat")
		case f.Request != nil:
			l.sendEach(upward("b", "", f.Request.ID, "x"), "Begun", "Result")
		case f.Capture != nil:
			l.sendEach(upward("b", "", f.Capture.ID, "x"), "Lines", "Delta", "Call", "Bye")
		}
	}
}

// fieldsOf are all fields of all frames of an edge.
func fieldsOf(t *testing.T) (fields []string) {
	t.Helper()
	for part, f := range upward("b", "n", "id", "x") {
		data, err := f.encode()
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(data, &tree); err != nil {
			t.Fatal(err)
		}
		leaves(tree, "", func(path string, _ func(any), _ any) { fields = append(fields, part+" "+path) })
	}
	return fields
}

// TestNoSecretOfALyingEdgeGoesOn: whichever field of whichever frame an edge puts a secret into, none is told, logged or kept by its hub.
func TestNoSecretOfALyingEdgeGoesOn(t *testing.T) {
	fields := fieldsOf(t)
	if len(fields) < 300 {
		t.Errorf("only %d fields are tried", len(fields))
	}
	went := map[string]bool{}
	for some := range slices.Chunk(fields, 24) {
		var said syncBuffer
		path := filepath.Join(t.TempDir(), "nod.db")
		synctest.Test(t, func(t *testing.T) { lie(t, some, path, &said) })
		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for where, text := range map[string][]byte{"told or logged": said.Bytes(), "kept": kept} {
			once := map[string]bool{}
			for _, found := range secretShape.FindAllSubmatch(text, -1) {
				if i, _ := strconv.Atoi(string(found[1])); !once[some[i]] {
					once[some[i]] = true
					t.Errorf("the secret in %s is %s", some[i], where)
				}
			}
			went[where] = went[where] || bytes.Contains(text, []byte("•••"))
		}
	}
	if !went["kept"] || !went["told or logged"] {
		t.Errorf("what the edges say goes nowhere: %v", went)
	}
}

// lie has an edge for each of some fields put a secret there. said gets all that the hub tells and logs.
func lie(t *testing.T, fields []string, path string, said *syncBuffer) {
	b := newBase(t, path)
	defer b.end()
	cfg := b.Hub.cfg
	cfg.Log, cfg.Mask = slog.New(slog.NewTextHandler(said, nil)), maskSecret
	cfg.Ran = func(e detect.Effect) { said.print(e) }
	cfg.Learned = func(_, nudge string, r deliver.Result) error { said.print(nudge, r); return nil }
	b.Hub.cfg = cfg
	for i, field := range fields {
		part, path, _ := strings.Cut(field, " ")
		w, name := newWire(nil), fmt.Sprint("m", i)
		l := &liar{t: t, link: w.edge, part: part, path: path, secret: fmt.Sprint("hunter2-", i)}
		var all sync.WaitGroup
		all.Go(l.run)
		all.Go(func() {
			if err := b.Attach(t.Context(), name, w.hub); err != nil {
				b.Trouble(name, err.Error())
			}
		})
		time.Sleep(100 * time.Millisecond)
		for _, s := range b.Hub.Panes() {
			if s.Pane.Machine == name {
				said.print(b.Type(t.Context(), deliver.Request{Pane: s.Pane, Nudge: "k3f"}, func() error { return nil }))
				o, res := b.Errand(t.Context(), name, launch.Errand{Do: launch.DoList})
				rows, err := b.Screen(t.Context(), s.Pane, 3)
				said.print(o, res, rows, err)
			}
		}
		time.Sleep(time.Second)
		w.end()
		all.Wait()
		said.print(b.Machines(), b.Hub.Health())
		b.Hub.Forget(name)
	}
	said.print(b.calls, b.looks)
}

// syncBuffer is what several write into.
type syncBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *syncBuffer) print(all ...any) {
	for _, v := range all {
		if err, ok := v.(error); ok {
			v = err.Error()
		}
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		_, _ = b.Write(append(text, '\n'))
	}
}

// TestNoSecretOfAnyFieldCrosses: whichever field a secret is in, an edge tells it masked, and keeps its own as it is.
func TestNoSecretOfAnyFieldCrosses(t *testing.T) {
	for part, f := range upward("b", "n", "id", "my hunter2-1") {
		var data []byte
		w := newWire(nil)
		e := NewEdge(EdgeConfig{Mask: maskSecret})
		e.greeted, e.link, e.cut = greet{Nonce: "n"}, w.edge, w.ended
		var pane detect.PaneRef
		switch {
		case f.State != nil:
			pane = f.State.Panes[0].Pane
			e.out.see(f.State.Panes[0].Sighting)
			f = e.out.whole()[0]
		case f.Delta != nil:
			e.out.see(f.Delta.Panes[0].Sighting)
			f = e.out.deltas()[0]
		}
		if f.Call != nil {
			asking, stop := context.WithCancel(t.Context())
			go func() { _ = e.Call(asking, "x", []bye{{"my hunter2-1"}}, nil) }()
			data = <-w.hub.in
			stop()
		} else if err := e.send(t.Context(), w.edge, f); err != nil {
			t.Fatal(err)
		} else {
			data = <-w.hub.in
		}
		if secretShape.Match(data) {
			t.Errorf("%s crosses as %s", part, data)
		}
		if f.State != nil {
			if own, _ := e.out.at(pane); own.own.Words != "my hunter2-1" || own.own.Prompt.Rows[0] != "my hunter2-1" {
				t.Errorf("the edge's own look was changed: %+v", own.own)
			}
		}
	}
}

// TestEveryTextOfAnEdgeIsCapped, whichever field of a frame it is in.
func TestEveryTextOfAnEdgeIsCapped(t *testing.T) {
	huge := strings.Repeat("x", 2*maxText)
	for part, f := range upward("b", "n", "id", huge) {
		if f.Call != nil {
			f.Call.Params = nil // they are cut when they are read
		}
		data, err := json.Marshal(passed(f, filter{cuts: true}))
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(data, &tree); err != nil {
			t.Fatal(err)
		}
		leaves(tree, "", func(path string, _ func(any), was any) {
			if text, _ := was.(string); len(text) > maxText {
				t.Errorf("%s %s has %d bytes", part, path, len(text))
			}
		})
	}
}

// TestWhatWasMaskedIsAskedForAsItIs: an answer names the rows and the label that the edge told.
func TestWhatWasMaskedIsAskedForAsItIs(t *testing.T) {
	g := newGround(t)
	g.ask("%1", "make hunter2-1")
	s := g.pane("%1").sighting()
	s.Prompt.Fingerprint, s.Prompt.Options[0].Label, s.Prompt.Furniture = "f-1", "Yes, hunter2-1", []screen.FixedRow{{Text: "fixed"}}
	m := &machine{panes: map[detect.PaneRef]seen{}}
	p := passed([]seen{{Looks: 1, Sighting: s}}, filter{maskSecret, true})[0]
	m.takeOver(p)
	if fixed := p.Prompt.Furniture; len(fixed) > 0 || p.Prompt.Rows[0] != "Run make •••?" {
		t.Errorf("%q, with rows called fixed: %v", p.Prompt.Rows, fixed)
	}
	f := m.request("x", deliver.Request{Pane: p.Pane, Fingerprint: p.Prompt.Fingerprint, Rows: p.Prompt.Rows, Choice: &deliver.Choice{Label: p.Prompt.Options[0].Label}})
	if asked := f.Request.Type; asked.Rows[0] != s.Prompt.Rows[0] || asked.Choice.Label != s.Prompt.Options[0].Label {
		t.Errorf("what was masked is asked for as %+v", asked)
	}
}
