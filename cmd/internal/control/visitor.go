package control

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/user"

	"nod/cmd/internal/control/caller"
	"nod/deliver"
	"nod/internal/rpc"
	"nod/nudge"
)

// This file has the methods about the page, and lets its visitors call the others by the socket's own rules.

// Visitor is who calls by the page. They hold the key of a session, which only a human is given.
type Visitor struct {
	Processes []int // those that have the other end of the connection open: a browser's, or a tunnel's
	// KeyAlone says that no process is asked: what Telegram's apps open runs on another machine, and not every system tells which
	// process a connection is of.
	KeyAlone bool
	By       nudge.Person // who signed in; zero: this machine's owner
}

type visitorKey struct{}

// CallFor calls a method for a visitor of the page. Its error is an *rpc.Fault.
func (c *Control) CallFor(ctx context.Context, v Visitor, method string, params any) (json.RawMessage, error) {
	return c.methods().Call(context.WithValue(ctx, visitorKey{}, v), method, params, c.cfg.Log)
}

// placeVisitor tells who a visitor is. Their key says that a human was given it, so no terminal is asked for, which a browser has
// not; but agents drive browsers, and one that leads to an agent is the agent's.
func (c *Control) placeVisitor(ctx context.Context, v Visitor) caller.Place {
	if v.KeyAlone {
		return caller.Place{Kind: caller.Human}
	}
	place := caller.Place{Kind: caller.Unplaced, Why: "It is not known which process this page runs in."}
	for _, pid := range v.Processes {
		place = c.place(ctx, pid)
		if place.Kind != caller.Human && !place.Unattended {
			return place
		}
		place = caller.Place{Kind: caller.Human}
	}
	return place
}

// person is who answers: who signed in at the page, else this machine's owner, as the socket lets in only the bot's own user.
func person(ctx context.Context) nudge.Person {
	if v, ok := ctx.Value(visitorKey{}).(Visitor); ok && v.By != (nudge.Person{}) {
		return v.By
	}
	if me, err := user.Current(); err == nil {
		return nudge.Person{Name: me.Username}
	}
	return nudge.Person{Name: fmt.Sprintf("uid %d", os.Getuid())}
}

// LinkParams are those of web.link.
type LinkParams struct {
	Watch bool `json:"watch"` // it shows all and answers nothing
}

// Link is the result of web.link.
type Link struct {
	Link string `json:"link"` // works once, for a minute
}

var errNoPage = rpc.Refuse(string(deliver.NotFound), "nod serves no page: set NOD_WEB=127.0.0.1:7777 and start nod again.")

// linkPage gives a link to the page. It lets answers in by another way, so no agent is given one.
func (c *Control) linkPage(ctx context.Context, p LinkParams) (Link, error) {
	if err := c.onlyHumans(ctx); err != nil {
		return Link{}, err
	}
	if c.cfg.Page == nil {
		return Link{}, errNoPage
	}
	link, err := c.cfg.Page.Link(p.Watch)
	return Link{Link: link}, err
}

// Revoked is the result of web.revoke.
type Revoked struct {
	Sessions int `json:"sessions"` // that were ended
}

// revokePage ends every session of the page, and with them the links that nobody has opened yet.
func (c *Control) revokePage(ctx context.Context, _ none) (Revoked, error) {
	if err := c.onlyHumans(ctx); err != nil {
		return Revoked{}, err
	}
	if c.cfg.Page == nil {
		return Revoked{}, errNoPage
	}
	return Revoked{Sessions: c.cfg.Page.Revoke()}, nil
}
