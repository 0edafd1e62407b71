package desk

import (
	"fmt"
	"strconv"
)

// Reply is what a human does with a card, as it was drawn for them.
type Reply struct {
	Do          Act    `json:"do"`
	Nudge       string `json:"nudge"`          // Asks.Nudge
	Call        int    `json:"call,omitempty"` // Asks.Call
	Pane        string `json:"pane,omitempty"` // Agent.Pane, with @ and Agent.Server
	Fingerprint string `json:"fingerprint"`    // Asks.Fingerprint
	Option      int    `json:"option,omitempty"`
	Text        string `json:"text,omitempty"`   // for DenyWords, Words and Tell
	ForMS       int64  `json:"for_ms,omitempty"` // for Snooze
	Unseen      bool   `json:"unseen,omitempty"` // with consent to what can't be seen
	Sure        bool   `json:"sure,omitempty"`   // the second tap, for what grants more than once
}

// Request is the method of the socket that does r, with its parameters. way is inbox or page.
func (r Reply) Request(way string) (method string, params map[string]any, err error) {
	drawn := map[string]any{"id": r.Nudge, "fingerprint": r.Fingerprint}
	switch r.Do {
	case Skip:
		return "nudge.skip", drawn, nil
	case Snooze:
		drawn["for_ms"] = r.ForMS
		return "nudge.snooze", drawn, nil
	case Tell:
		return "instruction.submit", map[string]any{"pane": r.Pane, "text": r.Text, "way": way}, nil
	}
	drawn["way"], drawn["unseen"] = way, r.Unseen
	switch r.Do {
	case Allow, LeaveIt:
		drawn["call"] = r.Call
		return map[Act]string{Allow: "denial.allow", LeaveIt: "denial.leave"}[r.Do], drawn, nil
	case SendWish:
		return "wish.send", drawn, nil
	case DropWish:
		return "wish.drop", drawn, nil
	}
	drawn["sure"] = r.Sure
	option := strconv.Itoa(r.Option)
	answer, ok := map[Act]string{Yes: "y", No: "n", DenyWords: "n", Choose: option, Tick: "tick " + option, Send: "send", Leave: "leave", Words: ""}[r.Do]
	if !ok {
		return "", nil, fmt.Errorf("there is no act %q", r.Do)
	}
	if answer != "" {
		drawn["answer"] = answer
	}
	if r.Do == DenyWords || r.Do == Words {
		drawn["words"] = r.Text
	}
	return "nudge.reply", drawn, nil
}
