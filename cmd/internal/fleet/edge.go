package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/store"
)

// Typist types one request, or says why not. It calls begin just before the first key; when begin fails no key may be typed.
type Typist interface {
	Type(ctx context.Context, r deliver.Request, begin func() error) deliver.Result
}

// EdgeConfig is what an Edge works with. Every field is needed but Mask and Log.
type EdgeConfig struct {
	Typist  Typist
	Claims  *store.Claims
	View    func(pane detect.PaneRef, until time.Time)
	History func(ctx context.Context, pane detect.PaneRef, lines int) ([]string, error)
	Health  func() []string
	Errand  func(context.Context, launch.Errand) launch.Done
	Takes   func() string       // NOD_EDGE
	Mask    func(string) string // hides the secrets in what is told; nil: they are not hidden
	Version string
	Log     *slog.Logger
}

// Edge watches and types on one machine for a hub. It knows no chat and no other machine, and it does nothing that a request does not ask for.
type Edge struct {
	cfg   EdgeConfig
	boot  string
	began time.Time
	out   *outbox
	wake  chan struct{}
	work  sync.WaitGroup // requests that are being carried out

	consents consents
	telling  sync.Mutex // of all that is seen

	mu      sync.Mutex
	greeted greet
	heard   time.Time              // when the hub was heard last
	link    Link                   // on which it has greeted; nil: none
	cut     <-chan struct{}        // is closed with it
	calls   map[string]chan answer // that wait for an answer, by their id
	decided map[string]bool
}

// NewEdge makes an Edge. It does no I/O.
func NewEdge(cfg EdgeConfig) *Edge {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Edge{cfg: cfg, boot: rand.Text(), began: time.Now().Add(-time.Millisecond), out: newOutbox(cfg.Mask), wake: make(chan struct{}, 1), calls: map[string]chan answer{},
		consents: consents{all: map[string]*consent{}}}
}

// See records the result of one look at a pane.
func (e *Edge) See(s detect.Sighting) {
	if e.out.see(s) {
		e.ring()
	}
}

// Ran records the effect of a tool call whose prompt was answered.
func (e *Edge) Ran(effect detect.Effect) {
	e.out.ran(effect)
	e.ring()
}

func (e *Edge) ring() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// errHubGone ends a link on which nothing comes from the hub any more.
var errHubGone = errors.New("the hub is heard no more")

// Run speaks with the hub over a link until the link or ctx ends, or nothing comes from the hub any more. If the typing of a request has
// begun, Run finishes it, records it and reports it before it returns.
func (e *Edge) Run(ctx context.Context, link Link) error {
	e.mu.Lock()
	e.heard = time.Now()
	e.mu.Unlock()
	if err := e.settleOld(); err != nil {
		return err
	}
	defer e.work.Wait()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.link = nil
	}()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return e.receive(ctx, link) })
	g.Go(func() error { return e.tell(ctx, link) })
	err := g.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// claimsKept is how long a request is remembered.
const claimsKept = 7 * 24 * time.Hour

// settleOld records an unknown outcome for the requests that an earlier run of nod had not finished.
func (e *Edge) settleOld() error {
	claims, err := e.cfg.Claims.Unheard(time.Now().Add(-claimsKept))
	for _, c := range claims {
		if c.Boot != e.boot && c.Result == nil {
			err = errors.Join(err, e.cfg.Claims.Done(c.ID, noted{Result: unknownAfterEnd()}.encode()))
		}
	}
	return err
}

func unknownAfterEnd() deliver.Result {
	return deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure, Detail: reason.Why{Kind: reason.EdgeEnded}}
}

// noted returns the recorded result of a finished request.
type noted struct {
	deliver.Result
	Done *launch.Done `json:",omitempty"` // an errand that was not refused
}

func (n noted) encode() json.RawMessage {
	data, err := json.Marshal(n)
	if err != nil {
		panic("a result is plain data: " + err.Error())
	}
	return data
}

// send sends a frame of this run.
func (e *Edge) send(ctx context.Context, link Link, f frame) error {
	f.Boot = e.boot
	if f.State == nil && f.Delta == nil { // what is seen is masked once, when it is seen
		f = passed(f, filter{mask: e.cfg.Mask})
	}
	data, err := f.encode()
	if err != nil {
		e.cfg.Log.Error("a frame can't be sent", "error", err)
		return nil
	}
	return link.Send(ctx, data)
}

// breath is how long changes are gathered before they are sent.
const breath = 50 * time.Millisecond

// tell sends changes, and heartbeats.
func (e *Edge) tell(ctx context.Context, link Link) error {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
			if e.silence() > leftAfter {
				return errHubGone
			}
			if err := e.beat(ctx, link); err != nil {
				return err
			}
		case <-e.wake:
			if !pause(ctx, breath) {
				return ctx.Err()
			}
			if !e.isGreeted() {
				continue // the whole state follows a hello
			}
			if err := e.tellAll(ctx, link, e.out.deltas); err != nil {
				return err
			}
		}
	}
}

// beat sends a heartbeat, and the results that the hub does not have.
func (e *Edge) beat(ctx context.Context, link Link) error {
	if !e.isGreeted() {
		return nil
	}
	b := &beat{At: time.Since(e.began), Clock: time.Now(), Troubles: e.cfg.Health()}
	err := e.tellAll(ctx, link, func() []frame { // between changes: one that is still to be told is nothing that the hub has missed
		b.Seq, b.Looked = e.out.beaten()
		return []frame{{Beat: b}}
	})
	if err != nil {
		return err
	}
	return e.tellResults(ctx, link)
}

func (e *Edge) tellResults(ctx context.Context, link Link) error {
	claims, err := e.cfg.Claims.Unheard(time.Now().Add(-claimsKept))
	if err != nil {
		e.cfg.Log.Error("can't read what became of requests", "error", err)
	}
	for _, c := range claims {
		if c.Result == nil {
			continue
		}
		if err := e.sendResult(ctx, link, c); err != nil {
			return err
		}
	}
	return nil
}

func (e *Edge) sendResult(ctx context.Context, link Link, c store.Claim) error {
	var n noted
	if err := json.Unmarshal(c.Result, &n); err != nil {
		n = noted{Result: unknownAfterEnd()}
	}
	return e.send(ctx, link, frame{Result: &result{ID: c.ID, Nudge: c.Nudge, Result: n.Result, Done: n.Done}})
}

func (e *Edge) silence() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return time.Since(e.heard)
}

func (e *Edge) isGreeted() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.greeted.Nonce != ""
}

// receive carries out the hub's frames.
func (e *Edge) receive(ctx context.Context, link Link) error {
	var complain sync.Once // what lies fills no log
	for {
		data, err := link.Receive(ctx)
		if err != nil {
			return err
		}
		f, err := decode(data)
		if err != nil {
			complain.Do(func() { e.cfg.Log.Warn("frames can't be read; others of this link are not logged", "error", err) })
			continue
		}
		e.mu.Lock()
		e.heard = time.Now()
		e.mu.Unlock()
		if err := e.take(ctx, link, f); err != nil {
			return err
		}
	}
}

// take carries out one frame. A frame for another run of nod here is refused or ignored.
func (e *Edge) take(ctx context.Context, link Link, f frame) error {
	switch {
	case f.Greet != nil:
		return e.greet(ctx, link, *f.Greet)
	case f.Request != nil:
		return e.request(ctx, link, f.Boot, *f.Request)
	case f.Ask != nil:
		return e.asked(ctx, link, f.Boot, f.Ask.ID)
	case f.Heard != nil:
		return e.cfg.Claims.Heard(f.Heard.ID)
	case f.Bye != nil:
		return errors.New("the hub ends the conversation: " + capText(f.Bye.Why, maxSentence))
	case f.Boot != e.boot:
		return nil
	case f.Whole != nil:
		return e.tellWhole(ctx, link)
	case f.Beat != nil:
		e.hear(*f.Beat)
	case f.Call != nil:
		e.answered(*f.Call)
	case f.View != nil:
		until := time.Now().Add(min(f.View.For, time.Minute))
		e.out.view(f.View.Pane, until)
		e.cfg.View(f.View.Pane, until)
	case f.Capture != nil:
		e.work.Go(func() { e.capture(ctx, link, *f.Capture) })
	}
	return nil
}

// greet answers a hub that has begun to speak.
func (e *Edge) greet(ctx context.Context, link Link, g greet) error {
	h := &hello{Protocol: Protocol, Version: e.cfg.Version, Nonce: g.Nonce, Clock: time.Now(), Takes: e.cfg.Takes()}
	if err := e.send(ctx, link, frame{Hello: h}); err != nil {
		return err
	}
	if why := apart(g.Protocol, Protocol, g.Version, e.cfg.Version); why != "" {
		return errors.New(why)
	}
	e.mu.Lock()
	e.greeted, e.link, e.cut = g, link, ctx.Done()
	e.mu.Unlock()
	if err := e.tellWhole(ctx, link); err != nil {
		return err
	}
	return e.beat(ctx, link)
}

func (e *Edge) tellWhole(ctx context.Context, link Link) error {
	defer e.ring()
	return e.tellAll(ctx, link, e.out.whole)
}

// tellAll sends what is pending. No change may come between the parts of a whole state, or the hub would ask for all of it again.
func (e *Edge) tellAll(ctx context.Context, link Link, told func() []frame) error {
	e.telling.Lock()
	defer e.telling.Unlock()
	for _, f := range told() {
		if err := e.send(ctx, link, f); err != nil {
			return err
		}
	}
	return nil
}

// captureTime is how long a capture may take, and captureLines how many lines of it cross.
const (
	captureTime  = 5 * time.Second
	captureLines = 2000
)

func (e *Edge) capture(ctx context.Context, link Link, c capture) {
	looking, cancel := context.WithTimeout(ctx, captureTime)
	defer cancel()
	rows, err := e.cfg.History(looking, c.Pane, min(max(c.Lines, 1), captureLines))
	answer := lines{ID: c.ID, Lines: rows}
	if err != nil {
		answer = lines{ID: c.ID, Error: err.Error()}
	}
	_ = e.send(ctx, link, frame{Lines: &answer}) // who has asked asks again
}

// approves reports whether a request does anything but deny.
func approves(r deliver.Request) bool { return r.Decision != screen.Deny }

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
