package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"nod/cmd/internal/control"
	"nod/cmd/internal/fleet"
	"nod/cmd/internal/fleet/carrier"
	"nod/internal/settings"
	"nod/nudge"
)

// This file is the hub of machines that join over the network. nod-hub carries their frames. The owner is
// asked who may join, like by `nod ask`.

// joined manages the machines that join over the network.
type joined struct {
	*parts
	carrier *carrier.Carrier
	nats    settings.Servers

	mu     sync.Mutex
	wanted map[string]time.Time // by invite: when a machine that waits to be let in asked last
	asking map[string]bool      // the waiting questions, by nudge
	kept   map[string]keptState // the state of machines at nod's last end
	failed string               // why nod-hub can't be run; empty if it can
}

// keptState is the state of a machine that nod keeps for its next start.
type keptState struct {
	Heard   time.Time `json:"heard"`
	Version string    `json:"version"`
	Agents  int       `json:"agents"`
}

// joinedOf makes joined, or returns nil if the settings let nobody join.
func (all *parts) joinedOf(s settings.Settings) *joined {
	if s.Hub == "" && s.Nats == "" {
		return nil
	}
	j := &joined{parts: all, nats: s.Nats, wanted: map[string]time.Time{}, asking: map[string]bool{}, kept: map[string]keptState{}}
	program, err := carrier.Program()
	if err != nil {
		j.failed = "No machine can join, and none that has is reached: " + err.Error() + "."
		all.log.Error(j.failed)
	}
	serve := &carrier.Serve{Dir: filepath.Join(string(s.StateDir), "hub"), Listen: string(s.Hub), NATS: string(s.Nats), Creds: string(s.NatsCreds)}
	if s.Host != "" {
		serve.Taken = append(serve.Taken, string(s.Host))
	}
	for _, m := range s.Machines {
		serve.Taken = append(serve.Taken, m.Name)
	}
	j.carrier = carrier.New(carrier.Config{
		Program: program, First: carrier.Control{Serve: serve}, Log: all.log,
		Attach: func(ctx context.Context, machine string, link *carrier.Link) error {
			return all.hub.Attach(ctx, machine, link)
		},
		Told: j.told,
	})
	return j
}

// keepEvery is the interval at which the states of machines are stored.
const keepEvery = time.Minute

// run keeps nod-hub running until ctx ends.
func (j *joined) run(ctx context.Context) error {
	if j.failed != "" {
		return nil
	}
	var keeping sync.WaitGroup
	defer keeping.Wait()
	keeping.Go(func() {
		ticker := time.NewTicker(keepEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				j.keep(ctx)
			}
		}
	})
	return j.carrier.Run(ctx)
}

// told handles a message of nod-hub. The one goroutine that reads calls it, so slow work goes to other
// goroutines.
func (j *joined) told(ctx context.Context, work *sync.WaitGroup, c carrier.Control) {
	switch {
	case c.Ready != nil:
		if v := c.Ready.Version; v != release {
			j.log.Warn("nod-hub and nod are of different releases: install the same release of both", "nod-hub", v, "nod", release)
		}
		work.Go(func() { j.learn(ctx) })
	case c.Wants != nil:
		j.mu.Lock()
		_, known := j.wanted[c.Wants.Invite]
		j.wanted[c.Wants.Invite] = time.Now()
		j.mu.Unlock()
		if !known {
			work.Go(func() { j.ask(ctx, *c.Wants) })
		}
	case c.Kept != nil:
		var state keptState
		if err := json.Unmarshal(c.Kept.State, &state); err == nil && state.Agents >= 0 && len(state.Version) < 100 {
			j.mu.Lock()
			j.kept[c.Kept.Machine] = state
			j.mu.Unlock()
		}
	}
}

// learn tells the hub which machines have joined, including those that are away.
func (j *joined) learn(ctx context.Context) {
	done, err := j.carrier.Call(ctx, carrier.Control{Machines: true})
	if err != nil && ctx.Err() == nil {
		j.log.Error("nod-hub does not list the joined machines; each is known once it connects", "error", err)
	}
	for _, m := range done.Machines {
		j.hub.Add(m)
	}
}

// ask asks the owner whether a machine may join, and carries out the answer.
func (j *joined) ask(ctx context.Context, w carrier.Wants) {
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer stop()
	watching.Go(func() { j.watch(ctx, w.Invite, stop) })
	defer j.forget(w.Invite)
	text := fmt.Sprintf("%s wants to join (%s)\nLet it in only if it shows the same digits: you are told of its agents then, and answer them here.", w.Name, w.Digits)
	if w.Renews {
		text = fmt.Sprintf("%s wants to join again, with new keys (%s)\nLet it in only if it shows the same digits: its old keys count no more then.", w.Name, w.Digits)
	}
	n, err := j.keeper.Ask(nudge.ProgramQuestion{
		Text: text, Options: []string{nudge.LetIn, nudge.KeepOut}, Timeout: max(time.Until(w.Until), time.Second), Join: true, Program: "nod", Project: "machines",
	})
	if err != nil {
		j.log.Error("can't ask the owner whether a machine may join", "machine", w.Name, "error", err)
		return
	}
	j.waits(n.ID, true)
	defer j.waits(n.ID, false)
	if err := j.keeper.Attend(n.ID, true); err != nil {
		j.log.Error("can't record that a machine waits to join", "machine", w.Name, "error", err)
	}
	over, err := j.keeper.AwaitAnswer(ctx, n.ID)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			j.log.Error("can't read the owner's answer about a machine that wants to join", "machine", w.Name, "error", err)
		}
		if err := j.keeper.Withdraw(n.ID); err != nil { // the machine asks again, and then nod does
			j.log.Error("can't withdraw a question", "nudge", n.ID, "error", err)
		}
		return
	}
	admit := over.State == nudge.Delivered && over.Answered() == nudge.LetIn
	if _, err := j.carrier.Call(ctx, carrier.Control{Decide: &carrier.Decide{Invite: w.Invite, Admit: admit}}); err != nil {
		j.log.Error("can't carry out the owner's decision about a machine that wants to join", "machine", w.Name, "admit", admit, "error", err)
		return
	}
	j.log.Info("a machine wanted to join", "machine", w.Name, "admitted", admit)
	if admit {
		j.hub.Add(w.Name)
	}
}

// watch calls stop when a machine that wants to join has stopped asking: it gave up, or is cut off.
func (j *joined) watch(ctx context.Context, invite string, stop func()) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			j.mu.Lock()
			silent := time.Since(j.wanted[invite])
			j.mu.Unlock()
			if silent > fleet.AwayAfter {
				stop()
			}
		}
	}
}

func (j *joined) forget(invite string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.wanted, invite)
}

func (j *joined) waits(id string, yes bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if yes {
		j.asking[id] = true
	} else {
		delete(j.asking, id)
	}
}

// attends reports whether a machine waits for the answer to a question.
func (j *joined) attends(id string) bool {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.asking[id]
}

// keep stores the state of each machine for the next start.
func (j *joined) keep(ctx context.Context) {
	for _, m := range j.hub.Machines() {
		if m.Heard.IsZero() {
			continue
		}
		state, err := json.Marshal(keptState{Heard: m.Heard.UTC(), Version: m.Version, Agents: m.Agents})
		if err == nil {
			_, err = j.carrier.Call(ctx, carrier.Control{Keep: &carrier.Kept{Machine: m.Name, State: state}})
		}
		if err != nil {
			j.log.Debug("can't store the state of a machine", "machine", m.Name, "error", err)
		}
	}
}

// recall fills in the stored state of a machine that has not been heard since nod started.
func (j *joined) recall(m *control.Machine) {
	if j == nil || m.Heard != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if state, ok := j.kept[m.Name]; ok {
		m.Heard, m.Version, m.Agents = &state.Heard, state.Version, state.Agents
	}
}

// health returns the problems of nod-hub.
func (j *joined) health() []string {
	switch {
	case j == nil:
		return nil
	case j.failed != "":
		return []string{j.failed}
	}
	return j.carrier.Health()
}

// controls returns the socket's view of joined; nil if nobody can join.
func (j *joined) controls() *control.Hub {
	if j == nil {
		return nil
	}
	return &control.Hub{
		Invite: func(ctx context.Context, address string, lasts time.Duration) (control.Invite, error) {
			if j.failed != "" {
				return control.Invite{}, errors.New(j.failed)
			}
			if j.nats != "" && address != "" {
				if err := new(settings.Servers).Decode(address); err != nil {
					return control.Invite{}, errors.New("--address " + err.Error() + ".")
				}
			}
			done, err := j.carrier.Call(ctx, carrier.Control{Invite: &carrier.Invite{Address: address, For: lasts}})
			return control.Invite{Code: done.Code, Address: done.Address, NewKey: done.New}, err
		},
		Forget: func(ctx context.Context, name string) error {
			if _, err := j.carrier.Call(ctx, carrier.Control{Forget: name}); err != nil {
				return err
			}
			j.hub.Forget(name)
			return j.keeper.Forget(name)
		},
	}
}
