// Package door keeps the requests of agents that can be answered without a key: the agent's own hook waits on
// a connection for a human's decision about the call that it was started for, prints the decision, and ends.
//
// A door takes an answer only while the newest look at its pane shows a prompt that renders that call. In
// doubt it shuts silently: the prompt is on the screen, and keys answer it under all of their rules. An
// answer goes through a door at most once. Once it may have gone through, nothing else answers.
package door

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

const (
	// unseen is how long a hook waits for its prompt to appear. Some agents draw it only after the hook has
	// ended (Claude Code 2.1.329 for a sub-agent), and a person at the terminal must not wait longer for it.
	unseen = 10 * time.Second
	// unattended is how long a door without a hook is kept. A hook connects as soon as it is told of its
	// door, and reports at once that it has printed its answer.
	unattended = 5 * time.Second
	// maxDoors is more than people have agents. Further requests are answered by keys.
	maxDoors = 200
	// missesToShut is how many looks in a row must lack the prompt: a single one may have met a redraw.
	missesToShut = 2
)

// ErrShut means that the hook must print nothing: the request is over, or keys will answer it. The other
// errors wrap it and say how the request ended: its tool has run without nod's decision, or the agent has
// ended the hook.
var (
	ErrShut  = errors.New("the door is shut")
	ErrRan   = fmt.Errorf("%w: its tool has run", ErrShut)
	ErrEnded = fmt.Errorf("%w: the agent has ended the hook", ErrShut)
	// ErrElsewhere: the server says that the request is over, and nod did not answer it.
	ErrElsewhere = fmt.Errorf("%w: the request was answered elsewhere", ErrShut)
	// ErrNone means that the process has no open door with that token. The end of its request was reported
	// already.
	ErrNone = fmt.Errorf("%w: no open door of this process has that token", ErrShut)
)

// Doors is the set of all doors. Its methods may be called from any goroutine.
type Doors struct {
	mu   sync.Mutex
	list []*Door
	// takes records, for agents whose hooks were heard, whether their version takes answers from hooks.
	takes map[proc.ID]bool
}

// Door is one request of an agent. The lock of its Doors guards its fields, except for channels and fields
// that never change.
type Door struct {
	doors  *Doors
	token  string
	event  detect.HookEvent // without Input
	call   string           // identifies the call as screen.Prompt.Call does
	sender detect.Sender
	opened time.Time
	left   time.Time // when its hook stopped waiting; before that, same as opened
	nudge  string    // the nudge of the request, if it has no pane
	says   says      // what its hook prints; nil: the agent's output for a permission

	waits  bool // its hook is connected
	inside bool // its hook's Wait has not returned: after a hang-up it may still say why
	seen
	handed bool  // an answer went through
	over   error // how it ended, once it is shut

	answers chan decided  // has room for one
	shut    chan struct{} // closed when nothing may go through any more
	printed chan struct{} // closed when the hook has printed the answer
}

// seen is what looks at the pane have shown of a door since it was opened.
type seen struct {
	judged bool   // some look showed a prompt, the door's own or another
	shown  string // the fingerprint of the door's prompt in the newest look; empty: not shown
	misses int    // looks in a row without the prompt, after one with it
}

// Known reports whether an agent takes answers from its hook in any version.
func Known(agent string) bool { return agents.HooksOf(agent).Door != nil }

// Fits reports whether the agent, in the version that the event reports, takes the answer to the event from
// the hook that sent it.
func Fits(e detect.HookEvent) bool {
	known := agents.HooksOf(e.Agent).Door
	return known != nil && agents.PlainName(e.Event) == known.Event && e.Kind == detect.Asks && !e.Subagent && !e.InputCut && len(e.Input) > 0 &&
		!slices.Contains(known.Questions, e.Tool) && known.Takes(e.Version)
}

// Open opens a door for the call that an event of a pane asks permission for, and returns the token with
// which the hook waits there. Empty: the event asks for nothing, or this prompt can't be answered through a
// hook.
func (d *Doors) Open(e detect.HookEvent, sender detect.Sender, now time.Time) (token string) {
	if e.Pane == "" {
		return ""
	}
	d.learn(e, sender)
	if !Fits(e) {
		return ""
	}
	return d.open(e, sender, "", nil, now)
}

// learn records whether an agent takes answers from its hooks. An agent that calls hooks does, unless its
// version says otherwise or it asks without reporting a version.
func (d *Doors) learn(e detect.HookEvent, sender detect.Sender) {
	agent, process, ok := sender.Agent()
	known := agents.HooksOf(e.Agent).Door
	if !ok || agent != e.Agent || known == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.takes == nil || len(d.takes) >= maxDoors {
		d.takes = map[proc.ID]bool{}
	}
	_, told := d.takes[process]
	switch {
	case e.Version != "":
		d.takes[process] = known.Takes(e.Version)
	case !told:
		d.takes[process] = e.Kind != detect.Asks
	}
}

// Comes reports whether the door of a prompt may still come. It may if its pane has an open door whose hook
// or prompt has not been seen yet. It also may if there is no open door, no event has reported the prompt's
// call, and the agent is known to take answers from hooks.
func (d *Doors) Comes(pane detect.PaneRef, process proc.ID, call string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	open := false
	for _, o := range d.list {
		if !o.in(pane) || o.handed {
			continue
		}
		if !o.waits || !o.judged {
			return true
		}
		open = true
	}
	return !open && call == "" && d.takes[process]
}

// OpenOutside is Open for an agent without a pane; nudge is the id of the request's nudge. The door is open
// as long as its hook waits.
func (d *Doors) OpenOutside(e detect.HookEvent, sender detect.Sender, nudge string, now time.Time) (token string) {
	if !Fits(e) {
		return ""
	}
	return d.open(e, sender, nudge, nil, now)
}

// OpenForm opens a door for a hook that brought a form. nudge is the id of the question whether to send the
// form's values. The hook prints accepted or declined.
func (d *Doors) OpenForm(e detect.HookEvent, sender detect.Sender, nudge, accepted, declined string, now time.Time) (token string) {
	return d.open(e, sender, nudge, says{screen.Approve: accepted, screen.Deny: declined}, now)
}

func (d *Doors) open(e detect.HookEvent, sender detect.Sender, nudge string, prints says, now time.Time) (token string) {
	n := &Door{
		nudge: nudge, says: prints, doors: d, token: rand.Text(), event: e, call: detect.CallName(e), sender: sender, opened: now, left: now,
		answers: make(chan decided, 1), shut: make(chan struct{}), printed: make(chan struct{}),
	}
	n.event.Input = nil
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(now)
	if len(d.list) >= maxDoors {
		return ""
	}
	d.list = append(d.list, n)
	return n.token
}

// close shuts a door and records why. The caller holds mu.
func (d *Doors) close(w *Door, why error) {
	select {
	case <-w.shut:
	default:
		w.over = why
		close(w.shut)
	}
	if !w.handed {
		d.list = slices.DeleteFunc(d.list, func(o *Door) bool { return o == w })
	}
}

// Saw updates the doors from a look at a pane: whose prompt is shown, and whose has gone.
func (d *Doors) Saw(s detect.Sighting) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range slices.Clone(d.list) {
		if !o.in(s.Pane) {
			continue
		}
		p := s.Prompt
		o.judged = o.judged || p != nil && s.State == screen.Permission
		switch {
		case p != nil && s.State == screen.Permission && p.Call == o.call && p.Source == screen.FromEvent && !p.Partial:
			o.shown, o.misses = p.Fingerprint, 0
		case o.shown == "" && o.misses == 0: // not drawn yet
		case s.State.Asks() && p == nil && !s.Unseen: // covered
			o.shown, o.misses = "", max(o.misses, 1)
		default:
			o.shown = ""
			if o.misses++; o.misses >= missesToShut {
				d.close(o, ErrShut)
			}
		}
	}
}

func (w *Door) in(pane detect.PaneRef) bool {
	return w.nudge == "" && pane.Here() && w.event.Pane == pane.ID && w.event.ServerPID == pane.Server.PID
}

// Heard ends the doors whose request is over according to the event: the tool has run, the agent has ended
// the hook, or the session continues without it. It returns the nudges of ended requests without a pane, and
// how each ended.
func (d *Doors) Heard(e detect.HookEvent) (over map[string]error) {
	over = map[string]error{}
	d.mu.Lock()
	defer d.mu.Unlock()
	end := func(o *Door, how error) {
		d.close(o, how)
		if o.nudge != "" {
			over[o.nudge] = how
		}
	}
	for _, o := range slices.Clone(d.list) {
		if o.event.Agent != e.Agent || o.event.Pane != e.Pane || o.event.Session != e.Session {
			continue
		}
		switch e.Kind {
		case detect.Ran:
			if detect.CallName(e) == o.call {
				end(o, ErrRan)
			}
		case detect.Denied:
			if e.Caller == o.event.Caller {
				end(o, ErrEnded)
			}
		case detect.Submitted, detect.Stopped, detect.Ended:
			if !e.Subagent {
				end(o, ErrShut)
			}
		}
	}
	return over
}

// Find returns the door for a prompt that a human answered. The door must be the pane's only one for that
// call, or for any call if call is empty. It must have been opened by that very agent, and the newest look
// must show its prompt with that fingerprint. nil: none, or not certain.
func (d *Doors) Find(pane detect.PaneRef, agent string, process proc.ID, call, fingerprint string) *Door {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found *Door
	for _, o := range d.list {
		if call != "" && o.call != call || !o.in(pane) || o.handed {
			continue
		}
		if found != nil {
			return nil
		}
		found = o
	}
	if found == nil || !found.waits || found.shown != fingerprint || found.event.Agent != agent || !found.sender.Speaks(agent, process) {
		return nil
	}
	return found
}

// Of returns the door of a request without a pane, by its nudge; nil: its hook does not wait.
func (d *Doors) Of(nudge string) *Door {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.list, func(o *Door) bool { return o.nudge == nudge && o.waits && !o.handed })
	if nudge == "" || i < 0 {
		return nil
	}
	return d.list[i]
}

// Has reports whether a nudge without a pane has a door whose hook waits, or is about to wait.
func (d *Doors) Has(nudge string, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(now)
	return slices.ContainsFunc(d.list, func(o *Door) bool { return o.nudge == nudge && !o.handed })
}

// forget drops the doors whose hook never came, or never reported that it printed its answer. The caller
// holds mu.
func (d *Doors) forget(now time.Time) {
	d.list = slices.DeleteFunc(d.list, func(o *Door) bool { return !o.inside && now.Sub(o.left) > unattended })
}

// Nudge returns the nudge of a door's request; empty: the request has a pane, or is over.
func (d *Doors) Nudge(token string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.list {
		if o.token == token {
			return o.nudge
		}
	}
	return ""
}

// Hand gives the waiting hook a decision, with the words of a denial if Says reports true for them. If ok is
// false nothing went through and nothing will. Otherwise the hook has it, and printed is closed when the hook
// has printed it.
func (w *Door) Hand(decision screen.Decision, because string) (printed <-chan struct{}, ok bool) {
	w.doors.mu.Lock()
	defer w.doors.mu.Unlock()
	if !w.waits || w.handed {
		return nil, false
	}
	select {
	case <-w.shut:
		return nil, false
	default:
	}
	w.handed = true
	w.answers <- decided{decision, because} // has room for one
	return w.printed, true
}
