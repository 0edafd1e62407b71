package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
)

// hub carries the links of all joined edges over the one pipe to nod.
type hub struct {
	talk
	cfg carrier.Serve

	mu      sync.Mutex
	members *members
	own     *natsServer // nil if the hub uses somebody else's NATS servers, or has no key yet
	nc      *nats.Conn
	kept    bool                 // the bucket is there
	edges   map[string]*edge     // by the ID of their keys
	asked   map[string]time.Time // by invite: when nod was told last that a machine wants to join
	subject subjects

	checked   uint64        // number of the connection on which no stream stores frames to edges; 0 if none is known to be safe
	connected chan struct{} // receives when a connection begins
	recalled  uint64        // number of the connection on which the bucket was read
}

// checkEvery is the interval of checks for a stream that would store frames, and for old invites. If the
// check for streams failed, it is repeated after checkAgain: nothing is sent meanwhile.
const (
	checkEvery = time.Minute
	checkAgain = 5 * time.Second
)

// serve runs a hub until nod closes the pipe.
func serve(ctx context.Context, t talk, cfg carrier.Serve) error {
	h := &hub{talk: t, cfg: cfg, edges: map[string]*edge{}, asked: map[string]time.Time{}, connected: make(chan struct{}, 1)}
	m, err := readMembers(cfg.Dir)
	if err != nil {
		t.trouble("hub", err.Error())
		return t.drain()
	}
	h.members = m
	if m.hasKey() {
		h.mu.Lock()
		err := h.start()
		h.mu.Unlock()
		if err != nil {
			t.trouble("hub", err.Error())
			h.stop()
			return t.drain()
		}
	}
	defer h.stop()
	t.say(carrier.Control{Ready: &carrier.Ready{Version: release}})
	ctx, cancel := context.WithCancel(ctx)
	var ticks sync.WaitGroup
	ticks.Go(func() { h.tick(ctx) })
	defer ticks.Wait()
	defer cancel()
	for {
		m, err := t.Read()
		if err != nil {
			return err
		}
		if m.Frame != nil {
			h.send(m.Machine, m.Frame)
			continue
		}
		var c carrier.Control
		if err := json.Unmarshal(m.Control, &c); err != nil {
			return fmt.Errorf("read what nod wants: %w", err)
		}
		h.obey(c)
	}
}

// drain waits until nod closes the pipe. Use it after a problem was reported that a restart would not fix.
func (t talk) drain() error {
	for {
		if _, err := t.Read(); err != nil {
			return err
		}
	}
}

// start connects and admits the joined machines. The caller holds h.mu.
func (h *hub) start() error {
	h.subject = subjectsOf(join.Pin(h.members.Keys.Public().Signer))
	options := []nats.Option{
		nats.Name("nod hub"), nats.CustomInboxPrefix(h.subject.inbox()), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.NoCallbacksAfterClientClose(),
		nats.ReconnectWait(2 * time.Second), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), nats.IgnoreAuthErrorAbort(), nats.RetryOnFailedConnect(true),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { h.cut(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { h.cut(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { h.failed(err) }),
		nats.ConnectHandler(func(*nats.Conn) { ring(h.connected) }),
		nats.ReconnectHandler(func(*nats.Conn) { ring(h.connected) }),
	}
	var err error
	if h.cfg.NATS == "" {
		if err := h.startServer(); err != nil {
			return err
		}
		h.nc, err = h.own.connect(options...)
	} else {
		if h.cfg.Creds != "" {
			options = append(options, nats.UserCredentials(h.cfg.Creds))
		}
		h.nc, err = nats.Connect(h.cfg.NATS, options...)
	}
	if err != nil {
		return errors.New(whyNot(h.where(), err))
	}
	if _, err := h.nc.Subscribe(h.subject.join("*"), h.join); err != nil {
		return err
	}
	for _, m := range h.members.Machines {
		if err := h.open(m); err != nil {
			return err
		}
	}
	return h.nc.FlushTimeout(5 * time.Second)
}

// admitAll admits who has joined or was invited.
func (h *hub) admitAll(u *users) (err error) {
	for _, m := range h.members.Machines {
		err = errors.Join(err, h.admit(u, m))
	}
	for _, i := range h.members.Invites {
		err = errors.Join(err, h.expect(u, i))
	}
	return err
}

// startServer starts the hub's own server. It sets an unreadable store aside: edges send all of its content
// again.
func (h *hub) startServer() (err error) {
	log := func(text string) { h.say(carrier.Control{Log: "the hub's server: " + text}) }
	h.own, err = startServer(h.cfg.Listen, h.cfg.Dir, h.members.Keys, h.admitAll, log)
	if !errors.Is(err, errNotReady) {
		return err
	}
	store := storeOf(h.cfg.Dir)
	aside := store + time.Now().UTC().Format(".20060102T150405")
	if moved := os.Rename(store, aside); moved != nil {
		return errors.Join(err, moved)
	}
	h.say(carrier.Control{Log: "the hub's server can't read its store and starts with a new one; the old one is now " + aside})
	h.own, err = startServer(h.cfg.Listen, h.cfg.Dir, h.members.Keys, h.admitAll, log)
	return err
}

func (h *hub) where() string {
	if h.cfg.NATS != "" {
		return h.cfg.NATS
	}
	return h.cfg.Listen
}

func (h *hub) stop() {
	if h.nc != nil {
		h.nc.Close()
	}
	if h.own != nil {
		h.own.stop()
	}
}

// cut reports that somebody else's NATS servers are unreachable.
func (h *hub) cut(err error) {
	if err == nil {
		return
	}
	h.trouble("nats", whyNot(h.where(), err))
	h.turnAll(false)
}

// failed handles an error on a working connection, such as an edge that sends too much.
func (h *hub) failed(err error) {
	if unknownThere(err) {
		h.cut(err)
		return
	}
	h.say(carrier.Control{Log: "the hub's connection: " + err.Error()})
}

// join handles a message of a machine that wants to join.
func (h *hub) join(msg *nats.Msg) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := h.members.invited(last(msg.Subject))
	if i == nil {
		return
	}
	asked, err := join.ReadRequest(msg.Data, i.Public)
	if err != nil {
		return
	}
	fresh := len(i.Taken) == 0
	reply, wants := h.members.consider(i, asked, h.taken, time.Now())
	if fresh && wants != nil {
		if err := h.members.write(); err != nil {
			i.Taken, i.Step = nil, ""
			h.say(carrier.Control{Log: "can't record a machine that wants to join: " + err.Error()})
			return
		}
	}
	if wants != nil && time.Since(h.asked[wants.Invite]) >= askEvery/2 {
		h.asked[wants.Invite] = time.Now()
		h.say(carrier.Control{Wants: wants})
	}
	h.answer(i, reply)
}

// answer sends a reply to a machine that wants to join. It always goes to the invite's own subject, whatever
// the message requests.
func (h *hub) answer(i *invite, r join.Reply) {
	text, err := join.Answer(r, h.members.Keys)
	if err != nil {
		h.say(carrier.Control{Log: "can't answer a machine that wants to join: " + err.Error()})
		return
	}
	h.publish(h.nc, h.subject.joined(i.Public.ID()), text)
}

// tick does the recurring work and the work for a new connection.
func (h *hub) tick(ctx context.Context) {
	for {
		wait := checkEvery
		if !h.check() {
			wait = checkAgain
		}
		h.prune()
		select {
		case <-ctx.Done():
			return
		case <-h.connected:
			h.trouble("nats", "")
		case <-time.After(wait):
		}
	}
}

// check checks whether a stream would store frames to edges, and begins the edges' links if none would. It
// reports whether it could find out.
func (h *hub) check() bool {
	h.mu.Lock()
	nc, own, subject, before := h.nc, h.own != nil, h.subject, h.checked
	h.mu.Unlock()
	if nc == nil || !nc.IsConnected() {
		return true // a new connection rings
	}
	connection := connectionOf(nc)
	var why string
	known := true
	if !own { // on the hub's own server nobody else makes streams
		why, known = streamThatKeeps(nc, subject)
	}
	h.trouble("stream", why)
	if why != "" {
		connection = 0
	}
	h.mu.Lock()
	h.checked = connection
	h.mu.Unlock()
	if connection != before {
		h.turnAll(connection != 0)
	}
	if n := connectionOf(nc); h.recalled != n {
		h.recalled = n
		h.recall(nc)
	}
	return known
}

// connectionOf returns the number of nc's current connection, counted from 1.
func connectionOf(nc *nats.Conn) uint64 { return nc.Stats().Reconnects + 1 }

// maySend reports whether no stream is known to store frames sent on this connection. The caller holds h.mu.
func (h *hub) maySend() bool { return h.nc != nil && h.checked == connectionOf(h.nc) }

// prune removes old invites.
func (h *hub) prune() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, i := range h.members.prune(time.Now()) {
		if h.own != nil {
			h.own.users.remove(i.Public)
		}
	}
}
