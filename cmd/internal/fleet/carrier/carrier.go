package carrier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"nod/cmd/internal/fleet/pipe"
)

// Config is a Carrier's configuration. Every field is required except Attach and Told.
type Config struct {
	Program string  // the path of nod-hub, as Program finds it
	First   Control // the first message to it, which says what it is started for
	// Attach uses a machine's link until the link ends. If it returns earlier, it is called again after a
	// pause.
	Attach func(ctx context.Context, machine string, link *Link) error
	// Told receives messages that belong to no link. It must not block: longer work is added to work, and
	// the end of nod-hub waits for it.
	Told func(ctx context.Context, work *sync.WaitGroup, c Control)
	Log  *slog.Logger
}

// Carrier keeps a nod-hub running, and passes its links to their users.
type Carrier struct {
	cfg Config

	mu       sync.Mutex
	child    *os.Process
	pipe     *pipe.Pipe // nil: nod-hub is not running
	calls    map[int]chan Done
	last     int
	troubles map[string]string
	links    map[string]*Link
}

// New makes a Carrier. It does no I/O.
func New(cfg Config) *Carrier {
	return &Carrier{cfg: cfg, calls: map[int]chan Done{}, troubles: map[string]string{}, links: map[string]*Link{}}
}

// Program finds nod-hub: in the folder of the running nod, or in PATH.
func Program() (string, error) {
	const name = "nod-hub"
	own, err := os.Executable()
	if err == nil {
		if own, err = filepath.EvalSymlinks(own); err == nil {
			path := filepath.Join(filepath.Dir(own), name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
				return path, nil
			}
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("the program nod-hub is missing: it comes with nod, and lies in its folder (%s) or in PATH; install nod again", filepath.Dir(own))
	}
	return filepath.Abs(path)
}

// endWait is how long a nod-hub that was told to end may take before it is killed.
const endWait = 2 * time.Second

const troubleProgram = "nod-hub"

// Run keeps nod-hub running until ctx ends.
func (c *Carrier) Run(ctx context.Context) error {
	pipe.Again(ctx, func() {
		if err := c.once(ctx); ctx.Err() == nil {
			c.note(Trouble{Of: troubleProgram, Says: fmt.Sprintf("nod-hub has ended (%v), so no machine that joined is reached; it is started again.", err)})
		}
	})
	return nil
}

// once runs nod-hub until it ends.
func (c *Carrier) once(ctx context.Context) error {
	command := exec.Command(c.cfg.Program, "--stdio")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that Ctrl-C only reaches nod
	command.Stderr = tail{c.cfg.Log}
	in, err := command.StdinPipe()
	if err != nil {
		return err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { // nod-hub ends when its input ends
		_ = in.Close()
		time.AfterFunc(endWait, func() { _ = command.Process.Kill() })
	})()
	ctx, cancel := context.WithCancel(ctx)
	var attached sync.WaitGroup
	p := pipe.New(out, in)
	err = c.begin(p, command.Process)
	for err == nil {
		var m pipe.Message
		if m, err = p.Read(); err == nil {
			err = c.take(ctx, &attached, m)
		}
	}
	c.end()
	cancel()
	attached.Wait()
	_ = in.Close()
	kill := time.AfterFunc(endWait, func() { _ = command.Process.Kill() })
	defer kill.Stop()
	if ended := command.Wait(); ended != nil && errors.Is(err, io.EOF) {
		return ended
	}
	return err
}

func (c *Carrier) begin(p *pipe.Pipe, child *os.Process) error {
	if err := write(p, c.cfg.First); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pipe, c.child = p, child
	clear(c.troubles)
	return nil
}

// end tells everybody that nod-hub has gone.
func (c *Carrier) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pipe = nil
	for _, l := range c.links {
		l.over()
	}
	clear(c.links)
	for _, done := range c.calls {
		done <- Done{Refused: "nod-hub has ended meanwhile: try again."}
	}
	clear(c.calls)
}

func write(p *pipe.Pipe, control Control) error {
	text, err := json.Marshal(control)
	if err != nil {
		return err
	}
	return p.Write(pipe.Message{Control: text})
}

// take handles one message from nod-hub.
func (c *Carrier) take(ctx context.Context, attached *sync.WaitGroup, m pipe.Message) error {
	if m.Frame != nil {
		c.mu.Lock()
		l := c.links[m.Machine]
		c.mu.Unlock()
		if l != nil {
			l.put(m.Frame)
		}
		return nil
	}
	var control Control
	if err := json.Unmarshal(m.Control, &control); err != nil {
		return fmt.Errorf("read what nod-hub says: %w", err)
	}
	switch {
	case control.Done != nil:
		c.mu.Lock()
		done := c.calls[control.Done.ID]
		delete(c.calls, control.Done.ID)
		c.mu.Unlock()
		if done != nil {
			done <- *control.Done
		}
		return nil
	case control.Link != nil:
		c.turn(ctx, attached, *control.Link)
		return nil
	case control.Trouble != nil:
		c.note(*control.Trouble)
	case control.Log != "":
		c.cfg.Log.Warn(control.Log)
	}
	if c.cfg.Told != nil {
		c.cfg.Told(ctx, attached, control)
	}
	return nil
}

// note stores a problem. The same problem is logged only once.
func (c *Carrier) note(t Trouble) {
	c.mu.Lock()
	before := c.troubles[t.Of]
	if t.Says == "" {
		delete(c.troubles, t.Of)
	} else {
		c.troubles[t.Of] = t.Says
	}
	c.mu.Unlock()
	if t.Says != "" && t.Says != before {
		c.cfg.Log.Warn(t.Says)
	}
}

// Health returns problems as sentences.
func (c *Carrier) Health() (problems []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range slices.Sorted(maps.Keys(c.troubles)) {
		problems = append(problems, c.troubles[of])
	}
	return problems
}

// turn begins or ends a link.
func (c *Carrier) turn(ctx context.Context, attached *sync.WaitGroup, s LinkState) {
	c.mu.Lock()
	before := c.links[s.Machine] // an ended link stays in the map until the next one
	if before != nil {
		before.over()
	}
	var l *Link
	var lives context.Context
	if s.Up && c.pipe != nil {
		var over func()
		lives, over = context.WithCancel(context.WithoutCancel(ctx)) // the last frames are sent after ctx has ended
		l = &Link{machine: s.Machine, pipe: c.pipe, in: make(chan []byte, linkRoom), gone: lives.Done(), over: over, left: make(chan struct{})}
		c.links[s.Machine] = l
	}
	c.mu.Unlock()
	if l == nil || c.cfg.Attach == nil {
		return
	}
	attached.Go(func() {
		defer close(l.left)
		if before != nil {
			<-before.left // a machine has only one conversation at a time
		}
		pipe.Again(lives, func() {
			if err := c.cfg.Attach(ctx, l.machine, l); err != nil {
				c.cfg.Log.Warn("the conversation with a machine has ended", "machine", l.machine, "error", err)
			}
		})
	})
}

// callWait is how long nod-hub may take to answer: it writes a file, and may start its server.
const callWait = 20 * time.Second

// Call sends a request to nod-hub. If nod-hub refuses it, the error is a sentence.
func (c *Carrier) Call(ctx context.Context, control Control) (Done, error) {
	c.mu.Lock()
	p := c.pipe
	if p == nil {
		says := c.troubles[troubleProgram]
		c.mu.Unlock()
		if says == "" {
			says = "nod-hub does not run yet: try again."
		}
		return Done{}, errors.New(says)
	}
	c.last++
	control.ID = c.last
	answer := make(chan Done, 1)
	c.calls[control.ID] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, control.ID)
		c.mu.Unlock()
	}()
	if err := write(p, control); err != nil {
		return Done{}, err
	}
	select {
	case done := <-answer:
		if done.Refused != "" {
			return done, errors.New(done.Refused)
		}
		return done, nil
	case <-ctx.Done():
		return Done{}, ctx.Err()
	case <-time.After(callWait):
		return Done{}, errors.New("nod-hub does not answer: `nod doctor` says more")
	}
}

// tail logs what nod-hub writes to standard error.
type tail struct{ log *slog.Logger }

func (t tail) Write(text []byte) (int, error) {
	t.log.Warn("nod-hub says", "text", string(text[:min(len(text), 2000)]))
	return len(text), nil
}
