//go:build agents

package agentrig

import (
	"encoding/json"
	"os/exec"
	"strings"
	"time"

	"nod/cmd/internal/control"
)

// proveBackground: a session in no pane asks through its hook, is answered there, and is listed with what it does.
func (d *doorProof) proveBackground() {
	cmd := exec.Command(d.argv[0], "--bg", "SCENARIO run")
	cmd.Dir, cmd.Env = d.Project.Dir, d.env
	if out, err := cmd.CombinedOutput(); err != nil {
		d.Fatalf("%v: %s", err, out)
	}
	s := (&headless{Run: d.Run, bot: d.bot}).asks(sight{})
	if !strings.Contains(s.Subject, "run.ran") {
		d.t.Errorf("asked %+v", s)
	}
	d.bot.told(s)
	session := d.listed(func(p control.Pane) bool { return p.Nudge == s.ID })
	if !strings.HasPrefix(session.Where, "background ") || session.Pane != "" || session.State != "permission" {
		d.t.Errorf("it is listed as %+v", session)
	}
	d.bot.owner.Say("/status")
	(&guardProof{doorProof: *d}).message(session.Where, "#"+s.ID)
	d.wantRan("run", 0)
	d.wantWay(d.answer(s, "y"), "door")
	for end := time.Now().Add(Patience); d.Ran("run") == 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
	}
	d.wantRan("run", 1)
}

// listed waits for a session in the background in `nod status`.
func (d *doorProof) listed(fits func(control.Pane) bool) control.Pane {
	d.t.Helper()
	var said []byte
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		var status struct{ Background []control.Pane }
		said, _ = d.bot.command("status", "--json").Output() // nod may be starting
		if json.Unmarshal(said, &status) != nil {
			continue
		}
		for _, p := range status.Background {
			if fits(p) {
				return p
			}
		}
	}
	d.Fatalf("it is not listed: %s", said)
	return control.Pane{}
}
