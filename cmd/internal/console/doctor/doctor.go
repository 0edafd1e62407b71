// Package doctor checks everything on this machine that can keep nod from working, and reports for each check
// the result and the next step. It changes nothing, confirms no update and types nothing.
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

// Level is the result of a check.
type Level string

// The levels. Broken keeps nod from working. Note is worth knowing, such as something not set up yet. Skipped
// means that a fault elsewhere prevented the check.
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
	Next  string `json:"next,omitempty"` // what to do next; may be empty
}

// Report has all findings, in the order in which a person would fix them.
type Report struct {
	OK       bool      `json:"ok"` // nothing is Broken
	Findings []Finding `json:"findings"`
}

// Machine is the input of Examine.
type Machine struct {
	Env        settings.Environment
	ServiceEnv settings.Environment // the part of Env that a nod running as a service gets
	Program    string               // the absolute path of nod, which hooks and the service call
	Version    string               // of this nod
}

// Time limits of the two parts: first, whether a nod is running, which the other checks need to know; then
// all checks at once. Together they stay below three seconds.
const (
	runningLimit = 600 * time.Millisecond
	probeLimit   = 2 * time.Second
)

// Examine runs all checks, in less than three seconds.
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

// probes returns the checks. A machine that has joined another one's bot has no chat and no records of its
// own.
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

// examination is one run of Examine: the state that all probes share.
type examination struct {
	Machine
	settings settings.Settings
	wrong    error // why the settings can't be used, or nil
	running  running
	servers  servers
	joined   *join.Joined // this machine's membership at another one's bot, or nil
	unjoined error        // why that is unknown, or nil
	usedBy   string       // the process that has the database open; may be empty
}

// whoIsHere finds the nods on this machine and the tmux servers in the settings.
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

// anyNodHere reports whether a nod is running on this machine for this user: a poll would disturb it.
func (e *examination) anyNodHere() bool {
	return !errors.Is(e.running.err, rpc.ErrNotRunning) || e.usedBy != "" || len(e.servers.owners(0)) > 0
}

// probe is one check.
type probe struct {
	name string
	late Level // the level if it does not finish in time
	run  func(context.Context) []Finding
}

// lateness is how long after its deadline a probe may still report.
const lateness = 150 * time.Millisecond

// await returns a probe's findings, or says that it did not finish: a hanging disk or program must not delay
// the others.
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

// ready reports whether a bot could run with the settings.
func (e *examination) ready() bool { return e.wrong == nil && e.settings.Ready() == nil }

func ok(check, format string, args ...any) Finding {
	return Finding{Check: check, Level: OK, Says: fmt.Sprintf(format, args...)}
}
