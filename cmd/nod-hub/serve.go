package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
)

// hub carries all joined edges over the one pipe to nod.
type hub struct {
	talk
	cfg carrier.Serve

	mu      sync.Mutex
	members *members
	own     *natsServer // nil: the hub uses NATS servers of somebody else's, or has no key yet
	nc      *nats.Conn
	keeper  *keeper
	edges   map[string]*edge // by the ID of their keys
	asked   map[string]bool  // the invites whose request nod was told of
	stored  string           // why nothing is sent: a stream would keep it; empty: none would
}

// checkEvery is how often it is looked whether a stream would keep what is sent, and whether an invite was over long ago.
const checkEvery = time.Minute

// serve does a hub's work until nod closes the pipe.
func serve(ctx context.Context, t talk, cfg carrier.Serve) error {
	h := &hub{talk: t, cfg: cfg, edges: map[string]*edge{}, asked: map[string]bool{}}
	m, err := readMembers(cfg.Dir)
	if err != nil {
		t.trouble("hub", err.Error())
		return t.drain()
	}
	h.members = m
	if m.hasKey() {
		if err := h.start(); err != nil {
			t.trouble("hub", err.Error())
			h.stop()
			return t.drain()
		}
	}
	defer h.stop()
	ready := &carrier.Ready{Version: release}
	if h.own != nil {
		ready.Address = h.own.address()
	}
	t.say(carrier.Control{Ready: ready})
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

// drain waits until nod closes the pipe. What is wrong has been said, and another start would not mend it.
func (t talk) drain() error {
	for {
		if _, err := t.Read(); err != nil {
			return err
		}
	}
}

// start connects, and lets in who is joined.
func (h *hub) start() error {
	subject := h.subjects()
	options := []nats.Option{
		nats.Name("nod hub"), nats.CustomInboxPrefix(subject.inbox()), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.NoCallbacksAfterClientClose(),
		nats.ReconnectWait(2 * time.Second), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), nats.IgnoreAuthErrorAbort(), nats.RetryOnFailedConnect(true),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { h.cut(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { h.cut(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { h.failed(err) }),
		nats.ConnectHandler(func(*nats.Conn) { h.connected() }),
		nats.ReconnectHandler(func(*nats.Conn) { h.connected() }),
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
	h.keeper = newKeeper(h.nc, subject)
	if _, err := h.nc.Subscribe(subject.join("*"), h.join); err != nil {
		return err
	}
	for _, m := range h.members.Machines {
		if err := h.open(m); err != nil {
			return err
		}
	}
	for _, i := range h.members.Invites {
		if err := h.expect(i); err != nil {
			return err
		}
	}
	return h.nc.FlushTimeout(5 * time.Second)
}

// startServer starts the hub's own server. A store that it can't read is put aside: it holds nothing that is not told again.
func (h *hub) startServer() (err error) {
	log := func(text string) { h.say(carrier.Control{Log: "the hub's server: " + text}) }
	h.own, err = startServer(h.cfg.Listen, h.cfg.Dir, h.members.Keys, log)
	if !errors.Is(err, errNotReady) {
		return err
	}
	store := storeOf(h.cfg.Dir)
	aside := store + time.Now().UTC().Format(".20060102T150405")
	if moved := os.Rename(store, aside); moved != nil {
		return errors.Join(err, moved)
	}
	h.say(carrier.Control{Log: "the store of the hub's server can't be read, so it begins with a new one; the old one lies in " + aside})
	h.own, err = startServer(h.cfg.Listen, h.cfg.Dir, h.members.Keys, log)
	return err
}

func (h *hub) where() string {
	if h.cfg.NATS != "" {
		return h.cfg.NATS
	}
	return h.cfg.Listen
}

func (h *hub) subjects() subjects { return subjectsOf(join.Pin(h.members.Keys.Public().Signer)) }

func (h *hub) stop() {
	if h.nc != nil {
		h.nc.Close()
	}
	if h.own != nil {
		h.own.stop()
	}
}

// cut says that NATS servers of somebody else's are gone.
func (h *hub) cut(err error) {
	if err == nil {
		return
	}
	h.trouble("nats", whyNot(h.where(), err))
	h.eachEdge(func(e *edge) { h.turn(e, false) })
}

// failed takes in what goes wrong on a connection that stands, such as an edge that sends more than is taken from it.
func (h *hub) failed(err error) {
	if unknownThere(err) {
		h.cut(err)
		return
	}
	h.say(carrier.Control{Log: "the hub's connection: " + err.Error()})
}

func (h *hub) connected() { h.trouble("nats", "") }

// join takes in a message of whoever wants to join.
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
	reply, wants := h.members.consider(i, asked, func(name string) bool { return slices.Contains(h.cfg.Taken, name) }, time.Now())
	if fresh && wants != nil {
		if err := h.members.write(); err != nil {
			i.Taken, i.Step = nil, ""
			h.say(carrier.Control{Log: "who wants to join could not be noted: " + err.Error()})
			return
		}
	}
	if wants != nil && !h.asked[wants.Invite] {
		h.asked[wants.Invite] = true
		h.say(carrier.Control{Wants: wants})
	}
	h.answer(i, reply)
}

// answer says to whoever wants to join how far that has come. It goes to the invite's own subject, whatever the message asks for.
func (h *hub) answer(i *invite, r join.Reply) {
	text, err := join.Answer(r, h.members.Keys)
	if err != nil {
		h.say(carrier.Control{Log: "a machine that wants to join gets no answer: " + err.Error()})
		return
	}
	h.publish(h.subjects().joined(i.Public.ID()), text)
}

// tick does what recurs.
func (h *hub) tick(ctx context.Context) {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	if h.nc != nil {
		h.tellKept()
	}
	for {
		h.check()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// tellKept tells nod what the store says of each machine. Whatever is wrong with the store, all of it is told again by the machines.
func (h *hub) tellKept() {
	kept, err := h.keeper.all()
	if err != nil {
		h.say(carrier.Control{Log: "the states of machines that are away could not be read, and come when they are back: " + err.Error()})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.members.Machines {
		if state := kept[m.Public.ID()]; state != nil {
			h.say(carrier.Control{Kept: &carrier.Kept{Machine: m.Name, State: state}})
		}
	}
}

// check looks whether a stream would keep what is sent to an edge, and forgets old invites.
func (h *hub) check() {
	h.mu.Lock()
	nc := h.nc
	for _, i := range h.members.prune(time.Now()) {
		if h.own != nil {
			h.own.users.remove(i.Public)
		}
	}
	h.mu.Unlock()
	if nc == nil {
		return
	}
	stream := streamThatKeeps(nc, h.subjects())
	h.mu.Lock()
	h.stored = stream
	h.mu.Unlock()
	if stream == "" {
		h.trouble("stream", "")
		return
	}
	h.trouble("stream", fmt.Sprintf("The stream %q of the NATS servers keeps what is sent to machines, and an answer must lie on no stream, so none is sent: take %s out of its subjects.", stream, h.subjects().down(">")))
}
