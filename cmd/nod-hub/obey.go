package main

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
)

// obey carries out a request of nod.
func (h *hub) obey(c carrier.Control) {
	done := carrier.Done{ID: c.ID}
	h.mu.Lock()
	switch {
	case c.Invite != nil:
		done = h.invite(*c.Invite)
	case c.Decide != nil:
		done.Refused = h.decide(*c.Decide)
	case c.Forget != "":
		done.Refused = h.forget(c.Forget)
	case c.Machines:
		for _, m := range h.members.Machines {
			done.Machines = append(done.Machines, m.Name)
		}
	case c.Keep != nil:
		if at := h.members.called(c.Keep.Machine); at >= 0 {
			h.keep(h.members.Machines[at].Public.ID(), c.Keep.State)
		}
	}
	h.mu.Unlock()
	if done.ID = c.ID; c.ID != 0 {
		h.say(carrier.Control{Done: &done})
	}
}

// invite makes a code. The first invite also makes the hub's key, and reports that to the owner.
func (h *hub) invite(p carrier.Invite) (done carrier.Done) {
	made := !h.members.hasKey()
	if made {
		h.members.Keys = join.NewKeys()
		err := h.members.write()
		if err == nil {
			err = h.start()
		}
		if err != nil {
			h.stop()
			h.own, h.nc, h.members.Keys = nil, nil, join.Keys{}
			return carrier.Done{Refused: err.Error()}
		}
	}
	address, why := h.reachedAt(p.Address)
	if why != "" {
		return carrier.Done{Refused: why}
	}
	code := join.NewCode(address, join.Pin(h.members.Keys.Public().Signer))
	i := &invite{Public: code.Keys().Public(), Expires: time.Now().Add(p.For).UTC()}
	h.members.Invites = append(h.members.Invites, i)
	err := h.members.write()
	if err == nil && h.own != nil {
		err = h.expect(h.own.users, i)
	}
	if err != nil {
		h.members.Invites = h.members.Invites[:len(h.members.Invites)-1]
		return carrier.Done{Refused: "no code was made: " + err.Error()}
	}
	return carrier.Done{Code: code.String(), Address: address, New: made}
}

// reachedAt returns the address at which joining machines find the hub: the owner's, or else one from NOD_HUB
// and this machine's network.
func (h *hub) reachedAt(says string) (address, why string) {
	if h.cfg.NATS != "" {
		if says != "" {
			return says, ""
		}
		return h.cfg.NATS, ""
	}
	host, port, err := net.SplitHostPort(h.own.address())
	if err != nil {
		return "", err.Error()
	}
	if says != "" {
		if !dialable(says) {
			return "", fmt.Sprintf("%q is no HOST:PORT: name it as in --address hub.example.org:%s.", says, port)
		}
		return says, ""
	}
	if ip := net.ParseIP(host); ip != nil && !ip.IsUnspecified() {
		return h.own.address(), ""
	}
	if own := outward(); own != "" {
		return net.JoinHostPort(own, port), ""
	}
	return "", "It is not known where this machine is reached: say it with --address HOST:" + port + "."
}

// dialable reports whether another machine may dial an address.
func dialable(address string) bool {
	host, port, err := net.SplitHostPort(address)
	number, wrong := strconv.ParseUint(port, 10, 16)
	if ip, err := netip.ParseAddr(host); err == nil {
		return wrong == nil && number > 0 && !ip.IsUnspecified()
	}
	return err == nil && wrong == nil && number > 0 && host != "" && !strings.ContainsFunc(host, noHostName)
}

// noHostName reports whether no host's name has a character.
func noHostName(r rune) bool {
	return r <= ' ' || strings.ContainsRune(`@,/\:[]?#"'`, r)
}

// outward returns this machine's address on the route to other machines. It sends no packet to find it.
func outward() string {
	conn, err := net.Dial("udp", "192.0.2.1:9")
	if err != nil {
		return ""
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).IP.String()
}

// decide carries out the owner's decision on a machine that wants to join.
func (h *hub) decide(p carrier.Decide) string {
	i := h.members.invited(p.Invite)
	if i == nil {
		return "Nothing asks to be let in under that invite any more."
	}
	before, refused := h.members.decide(i, p.Admit, time.Now())
	if err := h.members.write(); err != nil {
		return "This could not be noted, so nobody was let in: " + err.Error()
	}
	if before != nil {
		h.close(before.Public)
	}
	if at := h.members.called(i.Name); i.Step == join.In && at >= 0 {
		if err := h.open(h.members.Machines[at]); err != nil {
			return "The machine was let in, and its link could not be opened: " + err.Error()
		}
	}
	h.answer(i, i.reply())
	return refused
}

// forget removes a machine and cuts its connection.
func (h *hub) forget(name string) string {
	at := h.members.called(name)
	if at < 0 {
		return fmt.Sprintf("No machine called %s has joined.", name)
	}
	gone := h.members.Machines[at]
	h.members.Machines = append(h.members.Machines[:at:at], h.members.Machines[at+1:]...)
	if err := h.members.write(); err != nil {
		h.members.Machines = append(h.members.Machines, gone)
		return "This could not be noted, so the machine is still joined: " + err.Error()
	}
	h.close(gone.Public)
	h.keep(gone.Public.ID(), []byte{})
	return ""
}

// close ends an edge's link: it cuts the connection and ignores further messages.
func (h *hub) close(p join.Public) {
	if h.own != nil {
		h.own.users.remove(p)
	}
	e := h.edges[p.ID()]
	if e == nil {
		return
	}
	delete(h.edges, p.ID())
	if err := e.sub.Unsubscribe(); err != nil {
		h.say(carrier.Control{Log: "can't unsubscribe from an edge's subject: " + err.Error()})
	}
	e.turn(false)
}

// address is where the server listens.
func (s *natsServer) address() string { return s.server.Addr().String() }
