package carrier

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"nod/cmd/internal/fleet/join"
)

// ErrRefused is wrapped by the error that contains the hub's refusal.
var ErrRefused = errors.New("the hub has refused")

// Joining is what a machine needs to join.
type Joining struct {
	Code    join.Code
	Name    string
	Creds   string       // the path from NOD_NATS_CREDS
	Before  *join.Joined // this machine's earlier keys at the same hub; nil: none
	Version string
}

// refusal is a hub's refusal, as a sentence of the hub.
type refusal string

func (r refusal) Error() string      { return string(r) }
func (refusal) Is(target error) bool { return target == ErrRefused }

// Join asks the hub of a code to let this machine in, and waits for its owner. digits receives the digits
// that the owner sees too. trouble receives why the hub can't be reached, or an empty sentence when it can.
func Join(ctx context.Context, program string, j Joining, digits, trouble func(string)) (join.Joined, error) {
	keys := join.NewKeys()
	var before *join.Keys
	if j.Before != nil {
		before = &j.Before.Keys
	}
	request, err := join.Ask(join.Request{Name: j.Name, Version: j.Version}, j.Code.Keys(), keys, before)
	if err != nil {
		return join.Joined{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	said := make(chan join.Reply, 16)
	c := New(Config{
		Program: program, Log: slog.New(slog.DiscardHandler),
		First: Control{Ask: &Ask{Address: j.Code.Address, Pin: j.Code.Hub, Invite: j.Code.Keys(), Creds: j.Creds, Request: request}},
		Told: func(_ context.Context, _ *sync.WaitGroup, control Control) {
			if control.Trouble != nil {
				trouble(control.Trouble.Says)
			}
			if control.Reply == nil {
				return
			}
			if r, err := join.ReadReply(control.Reply, request, j.Code.Hub); err == nil { // otherwise the reply is not from the hub
				select {
				case said <- r:
				default: // it repeats its reply
				}
			}
		},
	})
	ended := make(chan error, 1)
	go func() { ended <- c.once(ctx) }()
	defer func() { cancel(); <-ended }()
	shown := ""
	for {
		select {
		case <-ctx.Done():
			return join.Joined{}, ctx.Err()
		case err := <-ended:
			ended <- err
			return join.Joined{}, err
		case r := <-said:
			switch r.Step {
			case join.In:
				return join.Joined{Name: r.Name, Keys: keys, Hub: r.Hub, Address: j.Code.Address, Creds: j.Creds}, nil
			case join.Refused:
				return join.Joined{}, refusal(r.Why)
			}
			if d := join.Digits(join.SumOf(request), r.Nonce); d != shown {
				shown = d
				digits(d)
			}
		}
	}
}

// LongestJoin is how long a machine asks to be let in. The hub answers nothing to a code that is older than
// an hour.
const LongestJoin = 15 * time.Minute
