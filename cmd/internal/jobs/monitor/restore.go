package monitor

import (
	"context"
	"encoding/json"
	"fmt"

	"nod/internal/host/proc"
	"nod/nudge"
)

// restore reads the records, ends the leftover processes of a killed nod, and starts the monitors that should
// run.
func (m *Monitors) restore(ctx context.Context) error {
	kept, err := m.cfg.Records.Monitors()
	if err != nil {
		return err
	}
	boot, _ := proc.BootID()
	var wanted []record
	for name, data := range kept {
		var r record
		if err := json.Unmarshal(data, &r); err != nil || r.Name != name {
			m.cfg.Log.Error("a monitor's record can't be read, so it does not run", "monitor", name, "error", err)
			continue
		}
		endLeftBehind(r, boot)
		ended := newMonitor(r.Spec, nil, r.Deaths)
		ended.record = r
		if r.Wanted {
			wanted = append(wanted, r)
			ended.Exit = "nod was stopped"
		}
		if ended.Ended.IsZero() {
			ended.Ended = r.Started
		}
		close(ended.done)
		m.mu.Lock()
		m.all[name] = ended
		m.mu.Unlock()
	}
	m.mu.Lock()
	m.ctx = ctx
	close(m.ready)
	m.mu.Unlock()
	for _, r := range wanted {
		m.startAgain(r.Spec, 1)
	}
	return nil
}

// endLeftBehind ends the leftover processes of an earlier nod's monitor. The group id is certain to be its
// own only while the group's leader is alive.
func endLeftBehind(r record, boot string) {
	group := 0
	if r.Child.PID != 0 && r.Boot == boot && proc.Alive(r.Child) {
		group = r.Child.PID
	}
	if r.Mark != "" {
		endProcesses(group, 0, r.Mark, stopWait)
	}
}

// startAgain starts a monitor of an earlier nod. If it can't, people are told as if the monitor had ended.
func (m *Monitors) startAgain(s Spec, deaths int) {
	match, err := s.check()
	if err == nil {
		_, err = m.begin(s, match, deaths)
	}
	if err == nil || m.ctx.Err() != nil {
		return
	}
	m.cfg.Log.Error("can't restart a monitor", "monitor", s.Name, "error", err)
	if err := m.cfg.Report(nudge.MonitorReport{Monitor: s.Name, Ended: fmt.Sprintf("it could not be started again: %v", err)}); err != nil {
		m.cfg.Log.Error("can't store that a monitor did not restart", "monitor", s.Name, "error", err)
	}
}
