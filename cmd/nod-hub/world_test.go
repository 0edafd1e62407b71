package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
	"nod/cmd/internal/fleet/pipe"
	"nod/internal/testrun"
)

func TestMain(m *testing.M) {
	testrun.AtOnce(16)
	code := m.Run()
	if theirs.dir != "" {
		os.RemoveAll(theirs.dir)
	}
	os.Exit(code)
}

// patience is longer than anything here takes, even on a busy machine.
const patience = 30 * time.Second

// end is nod's end of a nod-hub that runs in this process.
type end struct {
	t     *testing.T
	pipe  *pipe.Pipe
	close func()
	came  chan pipe.Message
	ended chan error
	ids   int
	logs  []string
	wrong map[string]string // the current problems, according to the messages read
}

func begin(t *testing.T, c carrier.Control) *end {
	t.Helper()
	in, toHub := io.Pipe()
	fromHub, out := io.Pipe()
	e := &end{t: t, pipe: pipe.New(fromHub, toHub), came: make(chan pipe.Message, 4096), ended: make(chan error, 1), wrong: map[string]string{}}
	go func() {
		err := run(context.Background(), in, out)
		out.Close()
		e.ended <- err
	}()
	go func() {
		defer close(e.came)
		for {
			m, err := e.pipe.Read()
			if err != nil {
				return
			}
			e.came <- m
		}
	}()
	closed := false
	e.close = func() {
		if closed {
			return
		}
		closed = true
		toHub.Close()
		select {
		case err := <-e.ended:
			if err != nil {
				t.Errorf("nod-hub ended with: %v", err)
			}
		case <-time.After(patience):
			t.Error("nod-hub does not end when its pipe is closed")
		}
	}
	t.Cleanup(e.close)
	e.say(c)
	return e
}

func (e *end) say(c carrier.Control) {
	e.t.Helper()
	text, err := json.Marshal(c)
	if err == nil {
		err = e.pipe.Write(pipe.Message{Control: text})
	}
	if err != nil {
		e.t.Fatal(err)
	}
}

// until returns the first matching message, and drops those before it.
func (e *end) until(what string, wanted func(carrier.Control, pipe.Message) bool) (carrier.Control, pipe.Message) {
	e.t.Helper()
	c, m, ok := e.within(patience, wanted)
	if !ok {
		e.t.Fatalf("%s: it never came; the log: %q", what, e.logs)
	}
	return c, m
}

func (e *end) within(d time.Duration, wanted func(carrier.Control, pipe.Message) bool) (c carrier.Control, m pipe.Message, ok bool) {
	e.t.Helper()
	late := time.After(d)
	for {
		select {
		case m, open := <-e.came:
			if !open {
				return c, m, false
			}
			c = carrier.Control{}
			if m.Control != nil {
				if err := json.Unmarshal(m.Control, &c); err != nil {
					e.t.Fatal(err)
				}
			}
			if c.Log != "" {
				e.logs = append(e.logs, c.Log)
			}
			if c.Trouble != nil {
				e.wrong[c.Trouble.Of] = c.Trouble.Says
			}
			if wanted(c, m) {
				return c, m, true
			}
		case <-late:
			return c, m, false
		}
	}
}

func (e *end) ready() {
	e.t.Helper()
	e.until("ready", func(c carrier.Control, _ pipe.Message) bool {
		if c.Trouble != nil && c.Trouble.Says != "" {
			e.t.Fatalf("trouble: %s", c.Trouble.Says)
		}
		return c.Ready != nil
	})
}

// call sends a request to nod-hub and returns the result.
func (e *end) call(c carrier.Control) carrier.Done {
	e.t.Helper()
	e.ids++
	c.ID = e.ids
	e.say(c)
	got, _ := e.until("an answer", func(got carrier.Control, _ pipe.Message) bool { return got.Done != nil && got.Done.ID == c.ID })
	return *got.Done
}

func (e *end) up(machine string) {
	e.t.Helper()
	e.until("the link of "+machine, func(c carrier.Control, _ pipe.Message) bool {
		return c.Link != nil && c.Link.Up && c.Link.Machine == machine
	})
}

func (e *end) down(machine string) {
	e.t.Helper()
	e.until("the end of the link of "+machine, func(c carrier.Control, _ pipe.Message) bool {
		return c.Link != nil && !c.Link.Up && c.Link.Machine == machine
	})
}

func (e *end) send(machine, text string) {
	e.t.Helper()
	frame, err := json.Marshal(text)
	if err == nil {
		err = e.pipe.Write(pipe.Message{Machine: machine, Frame: frame})
	}
	if err != nil {
		e.t.Fatal(err)
	}
}

// hears waits for one frame of a machine and ignores frames of others.
func (e *end) hears(machine, text string) {
	e.t.Helper()
	e.until("the frame "+text, func(_ carrier.Control, m pipe.Message) bool {
		return m.Frame != nil && m.Machine == machine && string(m.Frame) == `"`+text+`"`
	})
}

// hearsNothing fails if a frame comes.
func (e *end) hearsNothing(d time.Duration) {
	e.t.Helper()
	if _, m, ok := e.within(d, func(_ carrier.Control, m pipe.Message) bool { return m.Frame != nil }); ok {
		e.t.Errorf("a frame came: %s %s", m.Machine, m.Frame)
	}
}

func (e *end) trouble(of string) string {
	e.t.Helper()
	if e.wrong[of] == "" {
		e.until("trouble of "+of, func(carrier.Control, pipe.Message) bool { return e.wrong[of] != "" })
	}
	return e.wrong[of]
}

// newHub starts a hub with its own server. It may be started again in the same folder.
func newHub(t *testing.T, dir string) *end {
	t.Helper()
	return hubAt(t, dir, "127.0.0.1:0")
}

func hubAt(t *testing.T, dir, address string) *end {
	t.Helper()
	h := begin(t, carrier.Control{Serve: &carrier.Serve{Dir: dir, Listen: address}})
	h.ready()
	return h
}

func (e *end) invite() join.Code {
	e.t.Helper()
	return e.inviteFor(10 * time.Minute)
}

func (e *end) inviteFor(d time.Duration) join.Code {
	e.t.Helper()
	done := e.call(carrier.Control{Invite: &carrier.Invite{For: d}})
	code, err := join.ParseCode(done.Code)
	if done.Refused != "" || err != nil {
		e.t.Fatalf("no invite: %+v, %v", done, err)
	}
	return code
}

// joiner is a machine that wants to join.
type joiner struct {
	*end
	code    join.Code
	keys    join.Keys
	request []byte
}

func wantsToJoin(t *testing.T, code join.Code, name, creds string, before *join.Keys) *joiner {
	t.Helper()
	keys := join.NewKeys()
	request, err := join.Ask(join.Request{Name: name, Version: "test"}, code.Keys(), keys, before)
	if err != nil {
		t.Fatal(err)
	}
	return asks(t, code, keys, request, creds)
}

func asks(t *testing.T, code join.Code, keys join.Keys, request []byte, creds string) *joiner {
	t.Helper()
	e := begin(t, carrier.Control{Ask: &carrier.Ask{Address: code.Address, Pin: code.Hub, Invite: code.Keys(), Creds: creds, Request: request}})
	return &joiner{end: e, code: code, keys: keys, request: request}
}

// hubSays waits until the hub reports a given state of the join.
func (j *joiner) hubSays(step join.Step) (r join.Reply) {
	j.t.Helper()
	j.until("the hub's "+string(step), func(c carrier.Control, _ pipe.Message) bool {
		if c.Reply == nil {
			return false
		}
		var err error
		if r, err = join.ReadReply(c.Reply, j.request, j.code.Hub); err != nil {
			return false // for another machine
		}
		return r.Step == step
	})
	return r
}

func (j *joiner) joined(r join.Reply, creds string) join.Joined {
	return join.Joined{Name: r.Name, Keys: j.keys, Hub: r.Hub, Address: j.code.Address, Creds: creds}
}

// joins makes a machine join a hub, whose owner admits it.
func joins(t *testing.T, hub *end, name, creds string) join.Joined {
	t.Helper()
	j := wantsToJoin(t, hub.invite(), name, creds, nil)
	defer j.close()
	hub.admits(name, true)
	return j.joined(j.hubSays(join.In), creds)
}

func (e *end) admits(name string, admit bool) carrier.Wants {
	e.t.Helper()
	c, _ := e.until(name+" wanting to join", func(c carrier.Control, _ pipe.Message) bool { return c.Wants != nil && c.Wants.Name == name })
	if done := e.call(carrier.Control{Decide: &carrier.Decide{Invite: c.Wants.Invite, Admit: admit}}); done.Refused != "" {
		e.t.Fatal(done.Refused)
	}
	return *c.Wants
}

// dials runs the edge of a joined machine.
func dials(t *testing.T, j join.Joined) *end {
	t.Helper()
	return begin(t, carrier.Control{Dial: &carrier.Dial{Joined: j}})
}

func tempDir(t *testing.T) string { return filepath.Join(t.TempDir(), "hub") }
