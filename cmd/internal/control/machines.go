package control

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/deliver"
	"nod/detect"
	"nod/internal/rpc"
)

// Machine is one row of machine.list.
type Machine struct {
	Name     string     `json:"name"`
	State    string     `json:"state"` // "here", "away", or "connecting" before the first contact
	Away     *time.Time `json:"away_since,omitempty"`
	Heard    *time.Time `json:"heard,omitempty"` // time of its last message
	Version  string     `json:"version,omitempty"`
	SkewMS   int64      `json:"skew_ms"` // how far its clock is behind this machine's
	Agents   int        `json:"agents"`
	Takes    string     `json:"takes,omitempty"` // its own NOD_EDGE
	Troubles []string   `json:"troubles"`
}

// Hub is the part of the hub of joined machines that Control uses.
type Hub struct {
	Invite func(ctx context.Context, address string, lasts time.Duration) (Invite, error)
	Forget func(ctx context.Context, name string) error
}

// InviteParams are the parameters of hub.invite.
type InviteParams struct {
	Address string `json:"address"` // where the hub can be reached; empty for the hub's guess
	ForMS   int64  `json:"for_ms"`  // 0 for ten minutes
}

// Invite is the result of hub.invite.
type Invite struct {
	Code    string `json:"code"`
	Address string `json:"address"` // the address in the code
	NewKey  bool   `json:"new_key"` // the hub had no key and has made one
}

// MachineParams are the parameters of machine.forget.
type MachineParams struct {
	Name string `json:"name"`
}

// The validity of a code: of one for which the caller names none, and the longest.
const (
	usualInvite   = 10 * time.Minute
	longestInvite = 24 * time.Hour
)

func (c *Control) inviteMachine(ctx context.Context, p InviteParams) (Invite, error) {
	lasts := cmp.Or(time.Duration(p.ForMS)*time.Millisecond, usualInvite)
	if p.ForMS < 0 || p.ForMS > longestInvite.Milliseconds() {
		return Invite{}, jrpc2.Errorf(jrpc2.InvalidParams, "a code works for a while, and for a day at most")
	}
	if err := c.onlyHumans(ctx); err != nil {
		return Invite{}, err
	}
	if c.cfg.Hub == nil {
		return Invite{}, rpc.Refuse(string(deliver.NotFound), "No machine can join this nod: set NOD_HUB to where it listens, as in `nod config set NOD_HUB :7443`, and start nod again.")
	}
	invite, err := c.cfg.Hub.Invite(ctx, p.Address, lasts)
	if err != nil {
		return Invite{}, rpc.Refuse(string(deliver.Unreadable), err.Error())
	}
	return invite, nil
}

func (c *Control) forgetMachine(ctx context.Context, p MachineParams) (none, error) {
	if err := c.onlyHumans(ctx); err != nil {
		return none{}, err
	}
	for _, m := range c.cfg.Settings().Machines {
		if m.Name == p.Name {
			return none{}, rpc.Refuse(string(deliver.NotOwner), fmt.Sprintf("%s is in NOD_MACHINES: take it out there, with `nod config set NOD_MACHINES`, and start nod again.", p.Name))
		}
	}
	if c.cfg.Hub == nil {
		return none{}, rpc.Refuse(string(deliver.NotFound), "No machine has joined this nod.")
	}
	if err := c.cfg.Hub.Forget(ctx, p.Name); err != nil {
		return none{}, rpc.Refuse(string(deliver.NotFound), err.Error())
	}
	return none{}, nil
}

func (c *Control) listMachines(context.Context, none) ([]Machine, error) {
	return append([]Machine{}, c.cfg.Machines()...), nil
}

// findPane finds a pane of this machine, or of another one by a name such as gpu1:api.
func (c *Control) findPane(ctx context.Context, name string) (detect.PaneRef, error) {
	far, there, err := c.elsewhere(name)
	if err != nil {
		return far, err
	}
	_, ref, unfound := c.findHere(ctx, name)
	switch {
	case !there:
		return ref, unfound
	case unfound == nil:
		return detect.PaneRef{}, c.bothHere(name, ref)
	}
	return far, nil
}

// bothHere is the refusal of a name that means panes of another machine, and one here; nil if it means none there.
func (c *Control) bothHere(name string, here detect.PaneRef) error {
	machine, _, found := c.farPanes(name)
	if len(found) == 0 {
		return nil
	}
	return rpc.Refuse(string(deliver.Ambiguous), fmt.Sprintf("%q may mean %s:%s, or pane %s here: name one of them.", name, machine, found[0].Where, here.ID))
}

// elsewhere finds the pane for a name that begins with another machine's name; there is false if it does not.
func (c *Control) elsewhere(name string) (ref detect.PaneRef, there bool, err error) {
	machine, rest, found := c.farPanes(name)
	switch {
	case machine == "":
		return ref, false, nil
	case len(found) == 1:
		return found[0].Pane, true, nil
	case len(found) == 0:
		return ref, true, rpc.Refuse(string(deliver.NotFound), fmt.Sprintf("No agent is seen in %q on %s: `nod status` shows all of them.", rest, machine))
	}
	var wheres []string
	for _, s := range found {
		wheres = append(wheres, machine+":"+s.Where)
	}
	return ref, true, rpc.Refuse(string(deliver.Ambiguous), fmt.Sprintf("%q may mean several panes (%s): name one of them.", name, strings.Join(wheres, ", ")))
}

// farPanes returns the panes for a name that begins with another machine's name; machine is empty if it does not. The rest must
// match exactly: the pane, its place, the agent's own name, or its project. Nothing names nothing here as well.
func (c *Control) farPanes(name string) (machine, rest string, found []detect.Sighting) {
	machine, rest, cut := strings.Cut(name, ":")
	if !cut || !slices.ContainsFunc(c.cfg.Machines(), func(m Machine) bool { return m.Name == machine }) {
		return "", "", nil
	}
	for _, s := range c.cfg.Panes() {
		if s.Pane.Machine == machine && rest != "" && slices.Contains([]string{s.Pane.ID, s.Where, s.Name, strings.TrimPrefix(s.Project, machine+":")}, rest) {
			found = append(found, s)
		}
	}
	return machine, rest, found
}
