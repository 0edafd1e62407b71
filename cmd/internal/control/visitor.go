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

// This file has the methods about the page, and lets the page's visitors call the other methods by the rules
// of the socket.

// Visitor is a caller through the page. It has the key of a session, which only humans are given.
type Visitor struct {
	Processes []int // those at the other end of the connection: a browser, or a tunnel
	// KeyAlone says that the process is not checked: Telegram's apps run on other machines, and not every
	// system can identify the process of a connection.
	KeyAlone bool
	By       nudge.Person // the person who signed in; zero for this machine's owner
}

type visitorKey struct{}

// CallFor calls a method for a visitor of the page. Its error is an *rpc.Fault.
func (c *Control) CallFor(ctx context.Context, v Visitor, method string, params any) (json.RawMessage, error) {
	return c.methods().Call(context.WithValue(ctx, visitorKey{}, v), method, params, c.cfg.Log)
}

// placeVisitor identifies a visitor. The key proves that a human was given it, so a browser needs no
// terminal. But agents can drive browsers: a browser that an agent started counts as the agent.
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

// person returns the person who answers: the one who signed in at the page, else this machine's owner, since
// the socket admits only the bot's own user.
func person(ctx context.Context) nudge.Person {
	if v, _ := ctx.Value(visitorKey{}).(Visitor); v.By != (nudge.Person{}) {
		return v.By
	}
	if me, err := user.Current(); err == nil {
		return nudge.Person{Name: me.Username}
	}
	return nudge.Person{Name: fmt.Sprintf("uid %d", os.Getuid())}
}

// LinkParams are the parameters of web.link.
type LinkParams struct {
	Watch bool `json:"watch"` // the link shows everything and can't answer
}

// Link is the result of web.link.
type Link struct {
	Link string `json:"link"` // works once, for a minute
}

var errNoPage = rpc.Refuse(string(deliver.NotFound), "nod serves no page: set NOD_WEB=127.0.0.1:7777 and start nod again.")

// linkPage returns a link to the page. It lets answers in, so agents get none.
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
	Sessions int `json:"sessions"` // number of sessions ended
}

// revokePage ends every session of the page, and invalidates unused links.
func (c *Control) revokePage(ctx context.Context, _ none) (Revoked, error) {
	if err := c.onlyHumans(ctx); err != nil {
		return Revoked{}, err
	}
	if c.cfg.Page == nil {
		return Revoked{}, errNoPage
	}
	return Revoked{Sessions: c.cfg.Page.Revoke()}, nil
}
