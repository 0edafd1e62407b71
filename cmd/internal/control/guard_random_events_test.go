package control

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"nod/detect/agents"
	"nod/internal/rpc"
	"nod/nudge"
	"nod/nudge/grant"
)

// call returns one of a few calls, so that equal ones meet. Often it is one that a human has allowed, or
// differs from one in a byte or a letter's case.
func (p *interleaving) call(a *playedAgent) madeCall {
	c := madeCall{pane: a.pane, folder: "/p", mode: "auto", tool: "Bash", input: `{"command":"git push --force"}`}
	switch p.r.IntN(9) {
	case 0:
		c.part = "a1"
	case 1:
		c.folder = "/q"
	case 2:
		c.mode = "default"
	case 3:
		c.tool = "Write"
	case 4:
		c.input = `{"command":"git push --force","timeout":5}`
	}
	if len(p.recent) > 0 && p.r.IntN(2) == 0 {
		c = p.recent[len(p.recent)-1-p.r.IntN(min(3, len(p.recent)))]
		c.pane = a.pane
	}
	switch p.r.IntN(8) {
	case 0:
		p.did["another byte"]++
		c.input = strings.Replace(c.input, "force", "forc", 1)
	case 1:
		p.did["another case"]++
		c.tool = strings.ToLower(c.tool)
	}
	return c
}

// name returns nod's name for a call, which must be unique.
func (p *interleaving) name(c madeCall) string {
	sum := grant.Call{Session: "s", Part: c.part, Folder: c.folder, Mode: c.mode, Tool: c.tool, Input: c.input}.Sum()
	known := c
	known.pane = ""
	if was, ok := p.rows[sum]; ok && was != known {
		p.Errorf("%+v and %+v have one name", was, known)
	}
	p.rows[sum] = known
	return sum
}

// send sends an event of a hook, and returns the word with which the hook may wait.
func (p *interleaving) send(a *playedAgent, event string, c madeCall, reason string, pid int) (token string, h rpc.Hook) {
	fields := map[string]any{"hook_event_name": event, "session_id": "s", "cwd": c.folder, "permission_mode": c.mode}
	if c.tool != "" {
		fields["tool_name"], fields["tool_input"], fields["reason"] = c.tool, json.RawMessage(c.input), reason
	}
	if c.part != "" {
		fields["agent_id"] = c.part
	}
	text, err := json.Marshal(fields)
	if err != nil {
		p.Fatal(err)
	}
	if pid == 0 {
		pid = a.process.PID
	}
	version := "2.1.330"
	h = rpc.Hook{Agent: "claude", Tmux: "/s,1,0", Pane: a.pane, Version: version, Event: text, PID: pid}
	token, err = p.hook(p.Context(), h)
	if err != nil {
		p.Fatal(err)
	}
	return token, h
}

// deny makes the guard or the settings of an agent deny a call.
func (p *interleaving) deny(a *playedAgent) {
	c, event, why := p.call(a), "PermissionDenied", "[Git Destructive]"
	p.name(c)
	switch {
	case a.silent && p.r.IntN(2) == 0:
		event, why = "PermissionRequest", ""
		p.did["asked by settings"]++
	case p.r.IntN(3) == 0:
		why = "Classifier unavailable"
		p.did["unavailable"]++
	default:
		p.did["denied"]++
	}
	token, sent := p.send(a, event, c, why, 0)
	if token == "" {
		return
	}
	p.did["held"]++
	ctx, stop := context.WithCancel(p.Context())
	h := &heldNow{agent: a, call: c, settings: event == "PermissionRequest", event: sent, stop: stop, prints: make(chan string, 1)}
	p.held = append(p.held, h)
	control := p.Control
	go func() {
		defer stop()
		print, known, err := control.waitHeld(ctx, token, sent.PID)
		if !known || err != nil {
			print = ""
		}
		h.prints <- print
		if print != "" {
			_, _ = control.saidHeld(token, sent.PID)
		}
	}()
}

// collect reads the output of held hooks.
func (p *interleaving) collect() {
	known := agents.HooksOf("claude")
	waiting := p.held[:0]
	for _, h := range p.held {
		select {
		case print := <-h.prints:
			switch {
			case print == known.Door.Allow && h.settings:
				p.did["let through by settings"]++
				p.runs(h.call)
			case print == known.Guard.Retry && !h.settings:
				p.did["told to try again"]++
				if !slices.ContainsFunc(p.book, func(b *allowance) bool { return b.call == h.call && time.Since(b.at) < time.Second }) {
					p.Errorf("the agent is told to try %+v again, which nobody has allowed", h.call)
				}
			case print != "":
				p.Errorf("the hook of %+v prints %s", h.call, print)
			}
		default:
			waiting = append(waiting, h)
		}
	}
	p.held = waiting
}

// allowed returns the current permission for a call.
func (p *interleaving) allowed(c madeCall) *allowance {
	for _, b := range p.book {
		if b.call == c && !b.gone && time.Since(b.at) < 10*time.Minute {
			return b
		}
	}
	return nil
}

func (p *interleaving) runs(c madeCall) {
	b := p.allowed(c)
	if b == nil {
		p.Errorf("%+v runs at %v, and nobody has allowed it", c, time.Now())
		events, _ := p.store.Tail(100)
		for _, e := range events {
			p.Logf("%s %s %s %q", e.At.Format(time.TimeOnly), e.Kind, e.Pane, e.Subject)
		}
		return
	}
	b.gone = true
}

// before makes an agent call something. Sometimes nod is killed before the hook has its answer.
func (p *interleaving) before(a *playedAgent) {
	c, guard := p.call(a), agents.HooksOf("claude").Guard
	p.name(c)
	token, sent := p.send(a, "PreToolUse", c, "", 0)
	if at, left := p.left[c]; left && token == "" && time.Since(at) < 7*time.Hour {
		p.Errorf("%+v was left denied, and its guard is asked again in that turn", c)
	}
	if token == "" {
		return
	}
	if p.r.IntN(8) == 0 {
		p.did["crashed in between"]++
		p.crash()
		p.start()
	}
	switch print, _, _ := p.waitHeld(p.Context(), token, sent.PID); print {
	case guard.Allow, guard.Ask:
		p.did["let through"]++
		p.runs(c)
		if p.r.IntN(4) > 0 {
			_, _ = p.saidHeld(token, sent.PID)
		}
	case guard.Deny:
		p.did["stopped"]++
	case "":
	default:
		p.Errorf("the hook before a call prints %s", print)
	}
}

// tap taps as a human or as a stranger, on a row, sometimes with another row's data, or repeats an earlier
// tap.
func (p *interleaving) tap() {
	list, err := p.keeper.AllDenials()
	if err != nil {
		p.Fatal(err)
	}
	if len(p.taps) > 0 && p.r.IntN(5) == 0 {
		p.did["tapped twice"]++
		if placed, err := p.taps[p.r.IntN(len(p.taps))](); err != nil || placed.Reason == "" {
			p.Errorf("a second tap is taken: %+v, %v", placed, err)
		}
		return
	}
	if len(list) == 0 {
		return
	}
	d := list[p.r.IntN(len(list))]
	call, shows := p.r.IntN(len(d.Calls)), p.r.IntN(len(d.Calls))
	if p.r.IntN(4) > 0 {
		shows = call
	}
	tapped := p.rows[d.Calls[call].Sum]
	if tapped.tool == "" {
		p.Errorf("a row of %+v, which no agent has made", d.Calls[call])
		return
	}
	tapped.pane = d.Pane.ID
	answer := answerTo(p.Context(), d.ID, "")
	stranger := p.r.IntN(8) == 0
	if stranger {
		answer.By, answer.Way = nudge.Person{ID: "13", Name: "Eve"}, nudge.ByButton
	}
	fingerprint := d.Fingerprint(shows)
	if p.r.IntN(10) == 0 {
		fingerprint = ""
	}
	again := func() (nudge.Placed, error) { return p.keeper.AllowDenied(answer, call, fingerprint) }
	late := time.Since(d.Calls[call].At) >= time.Hour
	placed, err := again()
	if err != nil || placed.Reason != "" {
		return
	}
	if stranger || shows != call || fingerprint == "" {
		p.Errorf("a tap under another call, of a stranger or of a message that does not show it allows %+v", tapped)
	}
	if p.did["tapped"]++; late {
		p.did["tapped late"]++
	}
	p.taps = append(p.taps, again)
	p.book = append(p.book, &allowance{call: tapped, at: time.Now()})
	p.recent = append(p.recent, tapped)
}

func (p *interleaving) leave() {
	list, err := p.keeper.Denials()
	if err != nil || len(list) == 0 {
		return
	}
	d := list[p.r.IntN(len(list))]
	call := p.r.IntN(len(d.Calls))
	placed, err := p.keeper.LeaveDenied(answerTo(p.Context(), d.ID, ""), call)
	if err != nil {
		p.Fatal(err)
	}
	left := p.rows[d.Calls[call].Sum]
	left.pane = d.Pane.ID
	p.recent = append(p.recent, left)
	// Escape, which nod hears of with the next call, ends all earlier denied calls, whatever was decided
	// about them since.
	if placed.Reason == "" && !d.TurnOver && d.Calls[call].At.After(p.agent(left.pane).escaped) {
		p.left[left] = time.Now()
	}
}

// forget clears the record of calls left denied to an agent.
func (p *interleaving) forget(a *playedAgent) {
	maps.DeleteFunc(p.left, func(c madeCall, _ time.Time) bool { return c.pane == a.pane })
}

// forge sends an event that is not the agent's own: from a program below it, from the other agent, or from
// nobody. It must get no answer.
func (p *interleaving) forge(a *playedAgent) {
	p.did["forged"]++
	c := p.call(a)
	event := []string{"PreToolUse", "PreToolUse", "PermissionDenied", "PermissionRequest", "UserPromptSubmit"}[p.r.IntN(5)]
	pid := p.agents[1].process.PID // it runs below the first agent
	if a == p.agents[1] {
		pid = os.Getpid()
	}
	before, _ := p.keeper.AllDenials()
	token, sent := p.send(a, event, c, "", pid)
	if token != "" {
		if print, known, _ := p.waitHeld(p.Context(), token, sent.PID); known {
			p.Errorf("a forged %s of %+v is taken, and told %q", event, c, print)
		}
	}
	if after, _ := p.keeper.AllDenials(); fmt.Sprint(before) != fmt.Sprint(after) {
		p.Errorf("a forged %s changes\n%+v to\n%+v", event, before, after)
	}
}

// escape stops an agent as a person at its terminal, while its hook is held or later.
func (p *interleaving) escape(a *playedAgent) {
	if p.r.IntN(2) == 0 {
		return
	}
	gone := func() {
		p.forget(a)
		for _, b := range p.book {
			b.gone = b.gone || b.call.pane == a.pane
		}
	}
	for _, h := range p.held {
		if h.agent == a {
			p.did["Escape of a hook"]++
			ended := h.event
			ended.Ended = true
			if _, err := p.hook(p.Context(), ended); err != nil {
				p.Fatal(err)
			}
			h.stop()
			gone()
			return
		}
	}
	p.did["Escape after"]++
	time.Sleep(time.Millisecond)
	a.escaped = time.Now()
	gone()
	time.Sleep(time.Millisecond)
}
