// Package doctor looks for everything that can keep nod from doing its job on this machine, and says of each thing how
// it is and what to do next. It changes nothing, confirms no update and types nothing.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"nod/cmd/internal/fleet/join"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/store"
)

// Level says how a thing is.
type Level string

// The levels. Broken is what keeps nod from doing its job as it stands; Note is what is worth knowing, such as what is
// not there yet; Skipped could not be looked at, because of something that is broken.
const (
	OK      Level = "ok"
	Note    Level = "note"
	Broken  Level = "broken"
	Skipped Level = "skipped"
)

// Finding is one line of the report.
type Finding struct {
	Check string `json:"check"`
	Level Level  `json:"level"`
	Says  string `json:"says"`
	Next  string `json:"next,omitempty"` // what to do; empty: nothing
}

// Report is all that was found, in the order in which a person would mend it.
type Report struct {
	OK       bool      `json:"ok"` // nothing is broken
	Findings []Finding `json:"findings"`
}

// Machine is what is looked at.
type Machine struct {
	Env        settings.Environment
	ServiceEnv settings.Environment // what a nod that is started as a service gets of Env
	Program    string               // the absolute path of nod, which hooks and the service call
	Version    string               // of this nod
}

// How long the two parts may take: first whether a nod runs here, on which the rest depends, then everything at once. Both
// together stay below three seconds.
const (
	runningLimit = 600 * time.Millisecond
	probeLimit   = 2 * time.Second
)

// Examine looks at everything, in less than three seconds.
func Examine(ctx context.Context, m Machine) Report {
	e := examination{Machine: m}
	e.settings, e.wrong = settings.Load(m.Env)
	if j, err := join.Read(join.File(settings.File(m.Env))); err == nil {
		e.joined = &j
	} else if !errors.Is(err, join.ErrNotJoined) {
		e.joined, e.unjoined = &join.Joined{}, err
	}
	e.whoIsHere(ctx)

	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	probes := e.probes()
	answers := make([]chan []Finding, len(probes))
	for i, p := range probes {
		answers[i] = make(chan []Finding, 1)
		go func() { answers[i] <- p.run(ctx) }()
	}
	r := Report{OK: true}
	for i, p := range probes {
		r.Findings = append(r.Findings, await(ctx, p, answers[i])...)
	}
	for _, f := range r.Findings {
		r.OK = r.OK && f.Level != Broken
	}
	return r
}

// probes are what is looked at. A machine that has joined another one's bot has no chat and no records of its own.
func (e *examination) probes() []probe {
	if e.joined != nil {
		return []probe{
			{"joined", Broken, e.asJoined}, {"files", Broken, e.files}, {"tmux", Broken, e.tmux}, {"hooks", Note, e.hooks},
			{"modes", Note, e.unasked}, {"service", Note, e.service}, {"disk", Broken, e.disk},
		}
	}
	return []probe{
		{"settings", Broken, e.settingsFile},
		{"files", Broken, e.files},
		{"nod", Broken, e.nod},
		{"machines", Broken, e.hub},
		{"telegram", Broken, e.telegram},
		{"tmux", Broken, e.tmux},
		{"hooks", Note, e.hooks},
		{"modes", Note, e.unasked},
		{"service", Note, e.service},
		{"database", Broken, e.database},
		{"disk", Broken, e.disk},
	}
}

// examination is one run of Examine: what all probes share.
type examination struct {
	Machine
	settings settings.Settings
	wrong    error // why the settings can't be used; nil: they can
	running  running
	servers  servers
	joined   *join.Joined // who this machine is to another one's bot; nil: nobody
	unjoined error        // why that can't be told; nil: it can
	usedBy   string       // the process that has the database open; empty: none
}

// whoIsHere finds the nods on this machine and the tmux servers that are to be watched.
func (e *examination) whoIsHere(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, runningLimit)
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() { e.running = askRunning(ctx, e.settings, e.wrong) })
	all.Go(func() { e.servers = listServers(ctx, e.settings) })
	if e.wrong == nil {
		if process, inUse := store.InUse(e.databasePath()); inUse {
			e.usedBy = process
		}
	}
	all.Wait()
}

// anyNodHere reports whether a nod runs on this machine for this user, which a poll would disturb.
func (e *examination) anyNodHere() bool {
	return !errors.Is(e.running.err, rpc.ErrNotRunning) || e.usedBy != "" || len(e.servers.owners(0)) > 0
}

// probe looks at one thing.
type probe struct {
	name string
	late Level // what it is worth that it did not end in time
	run  func(context.Context) []Finding
}

// lateness is how much later than its deadline a probe may say what it has found by then.
const lateness = 150 * time.Millisecond

// await gives a probe's findings, or says that they did not come: a disk or a program that hangs must not hold up the rest.
func await(ctx context.Context, p probe, answer <-chan []Finding) []Finding {
	select {
	case findings := <-answer:
		return findings
	case <-ctx.Done():
	}
	select {
	case findings := <-answer:
		return findings
	case <-time.After(lateness):
		return []Finding{{p.name, p.late, fmt.Sprintf("no answer within %s", probeLimit), "something that it needs hangs: a disk of the network (`mount`), or a program that it asks"}}
	}
}

// ready reports whether a bot could run on the settings.
func (e *examination) ready() bool { return e.wrong == nil && e.settings.Ready() == nil }

func ok(check, format string, args ...any) Finding {
	return Finding{Check: check, Level: OK, Says: fmt.Sprintf(format, args...)}
}
