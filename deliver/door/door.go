// Package door keeps the requests of agents that can be answered without a key: the agent's own hook waits on a connection
// for what a human decides about the very call that it was started for, prints that, and ends.
//
// A door takes an answer only while the newest look at its pane shows a prompt that renders that call. Where anything is
// not sure it shuts without a word: the prompt is on the screen, and keys answer it under all of their rules. An
// answer goes through a door at most once, and once it may have gone through nothing else answers.
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
	// unseen is how long a hook waits for its prompt to be seen. Some agents draw it only when the hook has ended (Claude
	// Code 2.1.329 that of a sub-agent), and a person at the terminal must not wait for it longer.
	unseen = 10 * time.Second
	// unattended is how long a door stays that no hook waits at: the hook asks as soon as it is told of its door, and says
	// at once that it has printed its answer.
	unattended = 5 * time.Second
	// maxDoors is more than people have agents: what comes on top is answered by keys.
	maxDoors = 200
	// missesToShut is how many looks in a row must lack the prompt: one alone may have met a redraw.
	missesToShut = 2
)

// ErrShut says that nothing is to be printed: the request is over, or keys are to answer it. The others say that too,
// and how it ended: its tool has run without a decision of nod's, or the agent has ended the hook.
var (
	ErrShut  = errors.New("the door is shut")
	ErrRan   = fmt.Errorf("%w: its tool has run", ErrShut)
	ErrEnded = fmt.Errorf("%w: the agent has ended the hook", ErrShut)
	// ErrElsewhere: a server says that its request is over, and it was not nod that answered.
	ErrElsewhere = fmt.Errorf("%w: the request was answered elsewhere", ErrShut)
	// ErrNone says that the process has no door of that word, or none any more. What became of its request is told already.
	ErrNone = fmt.Errorf("%w: none of that word is open to this process", ErrShut)
)

// Doors are all that there are. Its methods may be called from any goroutine.
type Doors struct {
	mu   sync.Mutex
	list []*Door
	// takes says of agents whose hooks were heard whether they take answers from them, as far as their versions tell.
	takes map[proc.ID]bool
}

// Door is one request of an agent. Its fields belong to its Doors' lock, but for the channels and what is never changed.
type Door struct {
	doors  *Doors
	token  string
	event  detect.HookEvent // without its input
	call   string           // names the call as screen.Prompt.Call does
	sender detect.Sender
	opened time.Time
	left   time.Time // when its hook stopped waiting; before, as opened
	nudge  string    // the nudge that tells of it, where it is in no pane
	says   says      // what its hook prints; nil: what the agent takes for a permission

	waits  bool // its hook is on the line
	inside bool // its hook's Wait has not ended: it may have hung up and still say why
	seen
	handed bool  // an answer went through
	over   error // how it ended, once it is shut

	answers chan decided  // has room for one
	shut    chan struct{} // closed when nothing may go through any more
	printed chan struct{} // closed when the hook has printed the answer
}

// seen is what looks at its pane have told of a door since it was opened.
type seen struct {
	judged bool   // one has shown a prompt, its own or another
	shown  string // the fingerprint of the prompt by which the newest shows it; empty: none
	misses int    // how many in a row did not show it, after one that did
}

// Known reports whether an agent takes answers from its hook in any version.
func Known(agent string) bool { return agents.HooksOf(agent).Door != nil }

// Fits reports whether an agent takes the answer to what an event asks from the hook that sent it, in the version that the
// event tells.
func Fits(e detect.HookEvent) bool {
	known := agents.HooksOf(e.Agent).Door
	return known != nil && agents.PlainName(e.Event) == known.Event && e.Kind == detect.Asks && !e.Subagent && !e.InputCut && len(e.Input) > 0 &&
		!slices.Contains(known.Questions, e.Tool) && known.Takes(e.Version)
}

// Open takes in an event of a pane. It opens a door for the call that the event asks permission for, and gives the word with
// which its hook waits there: empty where it asks for nothing, or that agent's prompts are not answered that way, or this one
// is not.
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

// learn takes in whether an agent takes answers from its hooks: one that calls them does, unless its version tells otherwise,
// or it asks without one.
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

// Comes reports whether the door of a prompt may still come: one is open in its pane whose hook or prompt nobody has seen yet,
// or no event has told of the prompt's call, and that agent is known to take answers from its hook.
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

// OpenOutside is Open for an agent that runs in no pane: the nudge of that id tells of its request. It is open for as long
// as its hook waits.
func (d *Doors) OpenOutside(e detect.HookEvent, sender detect.Sender, nudge string, now time.Time) (token string) {
	if !Fits(e) {
		return ""
	}
	return d.open(e, sender, nudge, nil, now)
}

// OpenForm opens a door for a hook that brought a form: the nudge of that id asks whether its values are sent. The hook prints
// accepted or declined.
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

// close lets nothing through any more, and notes why. The caller holds mu.
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

// Saw takes in what a look at a pane shows: which door's prompt is there, and whose has gone.
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

// Heard takes in an event that may tell that a request is over: its tool has run, the agent has ended its hook, or its
// session goes on without it. It gives the nudges of requests in no pane that are over with it, and how each ended.
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

// Find gives the door of a prompt that a human has answered: of that call, or of any where no event had told it by then, opened
// by that very agent, whose prompt the newest look shows by that fingerprint. nil where there is none, and where there are two:
// then it is not sure which.
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

// Of gives the door whose request a nudge tells of that is in no pane; nil where its hook does not wait.
func (d *Doors) Of(nudge string) *Door {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.list, func(o *Door) bool { return o.nudge == nudge && o.waits && !o.handed })
	if nudge == "" || i < 0 {
		return nil
	}
	return d.list[i]
}

// Has reports whether there is a door for a nudge that is in no pane: one whose hook waits, or is about to.
func (d *Doors) Has(nudge string, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(now)
	return slices.ContainsFunc(d.list, func(o *Door) bool { return o.nudge == nudge && !o.handed })
}

// forget drops the doors whose hook never came to wait, or never said that it printed its answer. The caller holds mu.
func (d *Doors) forget(now time.Time) {
	d.list = slices.DeleteFunc(d.list, func(o *Door) bool { return !o.inside && now.Sub(o.left) > unattended })
}

// Nudge gives the nudge that tells of a door's request; empty where it is in a pane, or is over.
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

// Hand gives a decision to the hook that waits, and the words that come with a denial where it Says them. Where ok is false
// nothing went through, and nothing will; else the hook has it, and printed is closed when it has printed it.
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
	w.answers <- decided{decision, because} // has room for the one
	return w.printed, true
}
