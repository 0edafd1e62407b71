package desk

import (
	"encoding/json"
	"testing"
)

// TestEveryActHasItsMethod: what a client sends is what was drawn, and nothing that its method does not take.
func TestEveryActHasItsMethod(t *testing.T) {
	r := Reply{Nudge: "k3f", Call: 2, Pane: "%1", Fingerprint: "f", Option: 3, Text: "no: slower", ForMS: 60_000, Unseen: true, Sure: true}
	for act, want := range map[Act]string{
		Yes:       `nudge.reply {"answer":"y","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page"}`,
		No:        `nudge.reply {"answer":"n","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page"}`,
		DenyWords: `nudge.reply {"answer":"n","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page","words":"no: slower"}`,
		Choose:    `nudge.reply {"answer":"3","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page"}`,
		Tick:      `nudge.reply {"answer":"tick 3","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page"}`,
		Send:      `nudge.reply {"answer":"send","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page"}`,
		Leave:     `nudge.reply {"answer":"leave","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page"}`,
		Words:     `nudge.reply {"fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page","words":"no: slower"}`,
		Tell:      `instruction.submit {"pane":"%1","text":"no: slower","way":"page"}`,
		Skip:      `nudge.skip {"fingerprint":"f","id":"k3f"}`,
		Snooze:    `nudge.snooze {"fingerprint":"f","for_ms":60000,"id":"k3f"}`,
		Again:     `nudge.again {"fingerprint":"f","id":"k3f"}`,
		Allow:     `denial.allow {"call":2,"fingerprint":"f","id":"k3f","unseen":true,"way":"page"}`,
		LeaveIt:   `denial.leave {"call":2,"fingerprint":"f","id":"k3f","unseen":true,"way":"page"}`,
		SendWish:  `wish.send {"fingerprint":"f","id":"k3f","unseen":true,"way":"page"}`,
		DropWish:  `wish.drop {"fingerprint":"f","id":"k3f","unseen":true,"way":"page"}`,
	} {
		r.Do = act
		method, params, err := r.Request("page")
		text, err2 := json.Marshal(params)
		if got := method + " " + string(text); err != nil || err2 != nil || got != want {
			t.Errorf("%s: %s, %v %v\nwant %s", act, got, err, err2, want)
		}
	}
	r.Do = "approve_all"
	if method, _, err := r.Request("page"); err == nil {
		t.Errorf("%s calls %s", r.Do, method)
	}
}
