package carrier

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"nod/cmd/internal/fleet/join"
)

// ErrRefused is wrapped by the hub's no.
var ErrRefused = errors.New("the hub has refused")

// Joining is a machine on its way in.
type Joining struct {
	Code    join.Code
	Name    string
	Creds   string       // the file of NOD_NATS_CREDS
	Before  *join.Joined // who this machine was to the same hub; nil: nobody
	Version string
}

// refusal is a hub's no, in its own sentence.
type refusal string

func (r refusal) Error() string      { return string(r) }
func (refusal) Is(target error) bool { return target == ErrRefused }

// Join asks the hub of a code to let this machine in, and waits for its owner. digits hears those that the owner is shown too, and trouble why
// the hub is not reached, with an empty sentence when it is.
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
			if r, err := join.ReadReply(control.Reply, request, j.Code.Hub); err == nil { // else it is not the hub's
				select {
				case said <- r:
				default: // it says so again
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

// LongestJoin is how long a machine asks to be let in: a code may be old for an hour before the hub says nothing to it any more.
const LongestJoin = 15 * time.Minute
