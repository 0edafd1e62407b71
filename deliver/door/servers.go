package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"nod/detect"
	"nod/detect/agents"
	"nod/internal/host/proc"
)

// This file stays a client of the servers that agents of this user run on this machine: it hears what they ask where no pane shows it, and
// which calls their reviewers deny.

const (
	// findEvery is how often the machine's processes are looked at for servers.
	findEvery = 5 * time.Second
	// maxServers is more than people have.
	maxServers = 20
	// serverTime is how long a server may take to say something.
	serverTime = 5 * time.Second
	// maxReviews is how many denied calls are kept for the screens that show them.
	maxReviews = 100
	// longestReview is how many bytes are kept of a denied call, for the server that told of it.
	longestReview = 64 << 10
	// maxAsked is how many requests of one server are told at once.
	maxAsked = 50
)

// ServersConfig is what Servers work with.
type ServersConfig struct {
	On func() bool // whether they are to be heard
	// Ask opens a door for a request that is in no pane; nil: not now. It is asked again until it says that it is done with it.
	Ask func(Asked) (w *Door, done bool)
	// Over hears that a request with a door is over, and how.
	Over func(nudge string, how error)
	// Denied hears of a call that a reviewer denied, until it says that it is done with it. Claimed says that a pane shows it.
	Denied func(d Denied, claimed bool) (done bool)
	// Turn hears that a session of a server begins another turn.
	Turn func(agent string, server proc.ID)
	Log  *slog.Logger
	// Find gives the servers; those that listen on this machine where it is nil.
	Find func() []*agents.Server
	// Trust is OwnServer where it is nil.
	Trust Trust
}

// Servers are all that there are.
type Servers struct {
	cfg ServersConfig

	mu       sync.Mutex
	attended map[string]proc.ID // the servers that are heard, by address; zero: not yet
	liars    map[proc.ID]bool   // servers that nothing is answered to
	reviews  []*review          // the newest last
}

// Asked is what a server asks its clients.
type Asked struct {
	Server  *agents.Server
	Process proc.ID // the server's
	agents.ServerRequest
	Since time.Time
}

// Denied is a call that the reviewer of a server's session denied.
type Denied struct {
	Server  *agents.Server
	Process proc.ID // the server's
	agents.ServerDenial
	Since time.Time
}

// review is a denied call, and whether a pane shows it.
type review struct {
	Denied
	claimed bool
}

// Review names a denied call to the server that told of it.
type Review struct {
	Agent, Address string
	Process        proc.ID
	Thread, Event  string
}

// ErrServer says that two things that a server told can't both be true.
var ErrServer = errors.New("the server says two things of one request")

// NewServers makes Servers. It does no I/O.
func NewServers(cfg ServersConfig) *Servers {
	if cfg.Find == nil {
		names := proc.NewNames(agents.ServerProgram)
		cfg.Find = func() []*agents.Server { return listening(names) }
	}
	if cfg.Trust == nil {
		cfg.Trust = OwnServer
	}
	return &Servers{cfg: cfg, attended: map[string]proc.ID{}, liars: map[proc.ID]bool{}}
}

// listening are the servers of this user's agents, in nod's own home. What runs as somebody else does not tell its program. A nod that has
// a home of its own, as in the demo and in tests, speaks for nobody's agents but those there.
func listening(names *proc.Names) []*agents.Server {
	home := os.Getenv("HOME")
	all, err := names.Find()
	if err != nil || home == "" {
		return nil
	}
	environment := func(pid int) []string {
		variables, _ := proc.Environment(pid) // none where it has ended
		return variables
	}
	all = slices.DeleteFunc(all, func(p proc.Process) bool {
		return p.Exe == "" || !slices.Contains(environment(p.PID), "HOME="+home)
	})
	return agents.Listening(all, environment)
}

// Run attends to the servers until ctx ends.
func (s *Servers) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	again := time.NewTicker(findEvery)
	defer again.Stop()
	for {
		if s.cfg.On() {
			for _, at := range s.cfg.Find() {
				if s.begin(at.Address) {
					all.Go(func() { s.attend(ctx, at) })
				}
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
	}
}

// begin notes that a server is attended to, unless it is already.
func (s *Servers) begin(address string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, already := s.attended[address]; already || len(s.attended) >= maxServers {
		return false
	}
	s.attended[address] = proc.ID{}
	return true
}

// Hear reports whether a server is heard.
func (s *Servers) Hear(server proc.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(slices.Collect(maps.Values(s.attended)), server)
}

// attend hears a server until that ends, or lies.
func (s *Servers) attend(ctx context.Context, at *agents.Server) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.attended, at.Address)
	}()
	dialing, stop := context.WithTimeout(ctx, serverTime)
	defer stop()
	conn, err := dial(dialing, at, s.trust)
	if err != nil {
		s.cfg.Log.Debug("an agent's server is not heard", "address", at.Address, "error", err)
		return
	}
	s.mu.Lock()
	s.attended[at.Address] = conn.process
	s.mu.Unlock()
	a := &attendance{s: s, server: conn, threads: map[string]bool{}, asked: map[string]*asked{}, cut: make(chan struct{})}
	err = a.run(ctx)
	a.end()
	if errors.Is(err, ErrServer) {
		s.mu.Lock()
		s.liars[conn.process] = true
		s.mu.Unlock()
	}
	if err != nil && ctx.Err() == nil {
		s.cfg.Log.Warn("an agent's server is not heard any more", "address", at.Address, "error", err)
	}
}

// trust is that of the settings, but for servers that have lied.
func (s *Servers) trust(agent string, conn net.Conn) (proc.ID, error) {
	process, err := s.cfg.Trust(agent, conn)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.liars[process] {
		err = ErrServer
	}
	return process, err
}

// note keeps a denied call until a screen shows it, or somebody is told.
func (s *Servers) note(d Denied) *review {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &review{Denied: d}
	if s.reviews = append(s.reviews, r); len(s.reviews) > maxReviews {
		s.reviews = slices.Delete(s.reviews, 0, len(s.reviews)-maxReviews)
	}
	return r
}

// isClaimed reports whether a pane shows a denied call.
func (s *Servers) isClaimed(r *review) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return r.claimed
}

// Complete gives the calls that a look at a pane shows to be denied, those whole of which the agent's own server has told: of a call that
// two commands may be nothing more is known than the screen shows.
func (s *Servers) Complete(seen detect.Sighting) agents.DeniedCalls {
	d := seen.Denied
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(d.Calls) == 0 || len(s.reviews) == 0 {
		return d
	}
	line, err := proc.Lineage(seen.Process.PID)
	if err != nil || len(line) == 0 || line[0].ID != seen.Process {
		return d
	}
	d.Calls = slices.Clone(d.Calls)
	for i, shown := range d.Calls {
		if whole := s.whole(seen.Agent, line[0].Args, shown); whole != nil {
			d.Calls[i] = whole.Call()
		}
	}
	return d
}

// whole is the newest denial of the one command that a call on the screen of an agent is; nil: that is not sure. The caller holds mu.
func (s *Servers) whole(agent string, args []string, shown agents.DeniedCall) (found *review) {
	unsure := false
	for _, r := range s.reviews {
		may, sure := r.Server.MayServe(agent, args)
		if !may || !r.Shows(shown) {
			continue
		}
		r.claimed = true
		unsure = unsure || !sure || found != nil && (found.Text != r.Text || found.Folder != r.Folder || found.Thread != r.Thread)
		found = r
	}
	if unsure {
		return nil
	}
	return found
}

// Call is a denied call with what has it reviewed once more, if that is not too much to keep.
func (d Denied) Call() agents.DeniedCall {
	c := d.DeniedCall
	text, err := json.Marshal(Review{d.Server.Agent, d.Server.Address, d.Process, d.Thread, d.Event})
	if err == nil && len(text) <= longestReview {
		c.Review = string(text)
	}
	return c
}

// ErrUnsent says that a server was told nothing. Of any other error it may have come after it was.
var ErrUnsent = errors.New("the agent's server was told nothing")

// ReviewAgain has the server of a denied call note that somebody lets it be tried once more: it is reviewed again then.
func ReviewAgain(ctx context.Context, text string, trust Trust) error {
	var r Review
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return fmt.Errorf("%w: read the denied call: %w", ErrUnsent, err)
	}
	at := &agents.Server{Agent: r.Agent, Address: r.Address}
	s, err := dial(ctx, at, func(agent string, conn net.Conn) (proc.ID, error) {
		process, err := trust(agent, conn)
		if err == nil && process != r.Process {
			err = errors.New("it is another server than the one that denied the call")
		}
		return process, err
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnsent, err)
	}
	defer s.close()
	if _, err := s.hello(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrUnsent, err)
	}
	_, err = s.call(ctx, "thread/approveGuardianDeniedAction", map[string]any{"threadId": r.Thread, "event": json.RawMessage(r.Event)})
	var no *refusedCall
	if errors.As(err, &no) {
		return fmt.Errorf("%w: %w", ErrUnsent, err)
	}
	return err
}
