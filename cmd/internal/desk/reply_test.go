package desk

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestEveryActHasItsMethod: what a client sends is what was drawn, and nothing that its method does not take.
func TestEveryActHasItsMethod(t *testing.T) {
	r := Reply{Nudge: "k3f", Call: 2, Pane: "%1", Life: "claude 10 1", Fingerprint: "f", Option: 3, Text: "no: slower", ForMS: 60_000, Unseen: true, Sure: true}
	for act, want := range map[Act]string{
		Yes:       `nudge.reply {"answer":"y","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page"}`,
		No:        `nudge.reply {"answer":"n","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page"}`,
		DenyWords: `nudge.reply {"answer":"n","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page","words":"no: slower"}`,
		Choose:    `nudge.reply {"answer":"3","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page"}`,
		Tick:      `nudge.reply {"answer":"tick 3","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page"}`,
		Send:      `nudge.reply {"answer":"send","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page"}`,
		Leave:     `nudge.reply {"answer":"leave","fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page"}`,
		Words:     `nudge.reply {"fingerprint":"f","id":"k3f","sure":true,"unseen":true,"way":"page","words":"no: slower"}`,
		Tell:      `instruction.submit {"life":"claude 10 1","pane":"%1","text":"no: slower","way":"page"}`,
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

// TestAnEditStandsOnceInItsCard: at random, each line of an edit is in the subject or in the diff, and in both only where the diff lacks one.
func TestAnEditStandsOnceInItsCard(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 22))
	for range 500 {
		subject, diff, all := []string{"a/file.go"}, []string{"@@"}, true
		var lines []string
		for i := range 1 + random.IntN(4) {
			line := fmt.Sprintf("%s line %d", []string{"+", "-"}[random.IntN(2)], i)
			lines = append(lines, line)
			switch random.IntN(8) {
			case 0:
				all = false
			case 1:
				diff = append(diff, " "+line[1:])
			default:
				diff = append(diff, line)
			}
		}
		if random.IntN(2) == 0 { // of a new file
			for i, line := range lines {
				all = all && (line[0] == '+' || slices.Contains(diff, " "+line[1:]))
				lines[i] = line[1:]
			}
		}
		subject = append(subject, lines...)
		a := Asks{Lead: len(subject), Subject: strings.Join(append(subject, "It said why"), "\n"), Diff: editOf(strings.Join(diff, "\n"))}
		want := a
		if all {
			want.Subject, want.Lead = "a/file.go\nIt said why", 1
		}
		if a.cutEdit(); !reflect.DeepEqual(a, want) {
			t.Fatalf("seed %d: of the diff\n%+v\nthe subject becomes\n%s\nwant\n%s", seed, a.Diff, a.Subject, want.Subject)
		}
	}
}
