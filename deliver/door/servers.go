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

// nod stays a client of the servers that this user's agents run on this machine. It hears their requests that
// no pane shows, and the calls that their reviewers deny.

const (
	// findEvery is how often the processes of the machine are searched for servers.
	findEvery = 10 * time.Second
	// maxServers is more than people have.
	maxServers = 20
	// serverTime is how long a server may take to respond.
	serverTime = 5 * time.Second
	// maxReviews is how many denied calls are kept for the screens that show them.
	maxReviews = 100
	// longestReview is how many bytes of a denied call are kept for the server that reported it.
	longestReview = 64 << 10
	// maxAsked is how many requests of one server are reported at once.
	maxAsked = 50
)

// ServersConfig is the configuration of Servers.
type ServersConfig struct {
	On func() bool // whether servers are to be heard
	// Ask opens a door for a request without a pane; nil: not now. It is called again until done is true.
	Ask func(Asked) (w *Door, done bool)
	// Over is called when a request with a door is over; how says how it ended.
	Over func(nudge string, how error)
	// Denied is called for a call that a reviewer denied, until done is true. claimed: a pane shows the call.
	Denied func(d Denied, claimed bool) (done bool)
	// Turn is called when a session of a server begins another turn.
	Turn func(agent string, server proc.ID)
	Log  *slog.Logger
	// Find returns the servers; nil: use those that listen on this machine.
	Find func() []*agents.Server
	// Trust checks a server; nil: OwnServer.
	Trust Trust
}

// Servers attends to all servers of agents.
type Servers struct {
	cfg ServersConfig

	mu       sync.Mutex
	attended map[string]proc.ID // the servers that are heard, by address; zero: not yet connected
	liars    map[proc.ID]bool   // servers that contradicted themselves; they get no answers
	reviews  []*review          // the newest last
}

// Asked is a server's request to its clients.
type Asked struct {
	Server  *agents.Server
	Process proc.ID // of the server
	agents.ServerRequest
	Since time.Time
}

// Denied is a call that the reviewer of a server's session denied.
type Denied struct {
	Server  *agents.Server
	Process proc.ID // of the server
	agents.ServerDenial
	Since time.Time
}

// review is a denied call, and whether a pane shows it.
type review struct {
	Denied
	claimed bool
}

// Review identifies a denied call to the server that reported it.
type Review struct {
	Agent, Address string
	Process        proc.ID
	Thread, Event  string
}

// ErrServer means that a server contradicted itself.
var ErrServer = errors.New("the server contradicts itself about a request")

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

// listening returns the servers of this user's agents with nod's own HOME. The variables of another user's
// process can't be read. A nod with a HOME of its own, as in the demo and in tests, speaks only for the
// agents there.
func listening(names *proc.Names) []*agents.Server {
	home := os.Getenv("HOME")
	all, err := names.Find()
	if err != nil || home == "" {
		return nil
	}
	environment := func(pid int) []string {
		variables, _ := proc.Environment(pid) // none if it has ended
		return variables
	}
	all = slices.DeleteFunc(all, func(p proc.Process) bool { return !slices.Contains(environment(p.PID), "HOME="+home) })
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

// begin records that a server is attended to. It reports false if one already is, or if there are too many.
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

// attend hears a server until the server ends or contradicts itself.
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
		s.cfg.Log.Debug("can't connect to an agent's server", "address", at.Address, "error", err)
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
		s.cfg.Log.Warn("stopped listening to an agent's server", "address", at.Address, "error", err)
	}
}

// trust is the configured Trust, except that it refuses servers that have contradicted themselves.
func (s *Servers) trust(agent string, conn net.Conn) (proc.ID, error) {
	process, err := s.cfg.Trust(agent, conn)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.liars[process] {
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

// Complete returns the denied calls in a look at a pane. A call that the agent's own server has reported is
// returned whole. A call that could be either of two commands stays as the screen shows it.
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

// whole returns the newest report of the call that an agent's screen shows; nil: not certain. The caller
// holds mu.
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

// Call returns the denied call with the data for its next review, if that is not too long.
func (d Denied) Call() agents.DeniedCall {
	c := d.DeniedCall
	text, _ := json.Marshal(Review{d.Server.Agent, d.Server.Address, d.Process, d.Thread, d.Event}) // strings and numbers can't fail
	if len(text) <= longestReview {
		c.Review = string(text)
	}
	return c
}

// ErrUnsent means that the server was told nothing. After any other error it may have been told.
var ErrUnsent = errors.New("the agent's server was told nothing")

// ReviewAgain tells the server of a denied call that somebody allows it to be tried once more. The server
// then reviews it again.
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
