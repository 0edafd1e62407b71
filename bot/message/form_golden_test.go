package message

import (
	"encoding/json"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge"
)

// TestFormMessages: how the form of an MCP server is asked, and how its questions end.
func TestFormMessages(t *testing.T) {
	form, refused := nudge.ParseForm(detect.Elicitation{Server: "deploy", Message: "Deploy with which settings?", Form: json.RawMessage(`{
		"type": "object", "required": ["branch"], "properties": {
			"branch": {"type": "string", "title": "Branch", "description": "What goes out.", "minLength": 2, "maxLength": 40, "default": "main"},
			"env": {"type": "string", "enum": ["prod", "stage"], "enumNames": ["Production", "Staging"]},
			"dry": {"type": "boolean", "title": "Dry run", "default": true}}}`)})
	if !refused.IsZero() {
		t.Fatal(refused)
	}
	by := nudge.FormAsker{Whereabouts: detect.Whereabouts{Agent: "claude", Project: "api", Where: "main:2.0"}, Until: noon.Add(2 * time.Minute)}
	asked := func(q nudge.ProgramQuestion) *nudge.Nudge {
		if flaw := q.Flaw(); !flaw.IsZero() {
			t.Fatal(flaw.Kind)
		}
		return nudge.OpenQuestion("k3f", q, nudge.Rules{}, noon)
	}
	show := func(n *nudge.Nudge) Outgoing {
		return Of(*n, goldenStyle()).Asking(goldenChat, goldenSeal, noon, false)
	}
	over := func(n *nudge.Nudge, change func(*nudge.Nudge)) Outgoing {
		n.Ended = noon.Add(time.Minute)
		change(n)
		return Of(*n, goldenStyle()).Over(goldenChat, goldenSeal, noon.Add(time.Minute))
	}
	send := func() *nudge.Nudge {
		return asked(form.Send([]json.RawMessage{json.RawMessage(`"release/2"`), nil, json.RawMessage("false")}, by, noon))
	}
	claim := func(said nudge.Said) *nudge.Claim {
		return &nudge.Claim{Said: said, By: nudge.Person{ID: "42", Name: "Ann"}}
	}
	for name, out := range map[string]Outgoing{
		"form-words":  show(asked(form.Ask(0, "", by, noon))),
		"form-wrong":  show(asked(form.Ask(0, "That is not what it takes.", by, noon))),
		"form-choice": show(asked(form.Ask(1, "", by, noon))),
		"form-yes-no": show(asked(form.Ask(2, "", by, noon))),
		"form-accept": show(send()),
		"form-accepted": over(send(), func(n *nudge.Nudge) {
			n.State, n.Door, n.Claim = nudge.Delivered, true, claim(nudge.Said{Decision: screen.Approve})
		}),
		"form-declined": over(asked(form.Ask(0, "", by, noon)), func(n *nudge.Nudge) {
			n.State, n.Claim = nudge.Delivered, claim(nudge.Said{Choice: &deliver.Choice{Index: 1, Label: nudge.Decline}})
		}),
		"form-left": over(asked(form.Ask(0, "", by, noon)), func(n *nudge.Nudge) {
			n.State, n.Detail = nudge.Recovered, reason.Why{Kind: reason.FormOver}
		}),
	} {
		t.Run(name, func(t *testing.T) { compareGolden(t, name, out) })
	}
}
