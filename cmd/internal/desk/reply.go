package desk

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"nod/bot/message"
	"nod/nudge"
)

// Reply is an act of a human on a card, as it was drawn for them.
type Reply struct {
	Do          Act    `json:"do"`
	Nudge       string `json:"nudge"`          // Asks.Nudge
	Call        int    `json:"call,omitempty"` // Asks.Call
	Pane        string `json:"pane,omitempty"` // Agent.Pane, with @ and Agent.Server
	Life        string `json:"life,omitempty"` // Agent.Life
	Fingerprint string `json:"fingerprint"`    // Asks.Fingerprint
	Option      int    `json:"option,omitempty"`
	Text        string `json:"text,omitempty"`   // for DenyWords, Words and Tell
	ForMS       int64  `json:"for_ms,omitempty"` // for Snooze; 0: until the morning
	Unseen      bool   `json:"unseen,omitempty"` // with consent to what can't be seen
	Sure        bool   `json:"sure,omitempty"`   // the second tap, for what grants more than once
}

// Length is a time for which a question can be put off.
type Length struct {
	Name string `json:"name"`
	MS   int64  `json:"ms"`
}

// Snoozes are the lengths, the same as in the chat.
func Snoozes() (all []Length) {
	for _, span := range nudge.Snoozes {
		all = append(all, Length{message.SnoozeLength(span), span.Milliseconds()})
	}
	return all
}

// Request returns the method of the socket that carries out r, with its parameters. way is inbox or page.
func (r Reply) Request(way string) (method string, params map[string]any, err error) {
	d, drawn := r.Do.Deed(), map[string]any{"id": r.Nudge, "fingerprint": r.Fingerprint}
	switch d.method {
	case "":
		return "", nil, fmt.Errorf("there is no act %q", r.Do)
	case "nudge.skip", "nudge.again":
		return d.method, drawn, nil
	case "nudge.snooze":
		drawn["for_ms"] = r.ForMS
		return d.method, drawn, nil
	case "instruction.submit":
		params = map[string]any{"pane": r.Pane, "text": r.Text, "way": way}
		if r.Life != "" { // an older nod names none and takes none
			params["life"] = r.Life
		}
		return d.method, params, nil
	case "denial.allow", "denial.leave":
		drawn["call"] = r.Call
	case "nudge.reply":
		drawn["sure"] = r.Sure
		if r.Do == Choose || r.Do == Tick {
			d.answer += strconv.Itoa(r.Option)
		}
		if d.answer != "" {
			drawn["answer"] = d.answer
		}
		if r.Do == DenyWords || r.Do == Words {
			drawn["words"] = r.Text
		}
	}
	drawn["way"], drawn["unseen"] = way, r.Unseen
	return d.method, drawn, nil
}

// Result is the bot's result of a reply that it accepted.
type Result struct {
	Outcome  string   `json:"outcome"`
	Detail   string   `json:"detail"`
	Way      string   `json:"way"`
	Keys     []string `json:"keys"`
	Ticked   []string `json:"ticked"`
	Position int      `json:"position"`
	Held     string   `json:"held"`
}

// Said says how a reply ended. An unknown outcome is an error.
func (r Reply) Said(of Result) (string, error) {
	text := r.Do.Deed().done
	switch {
	case of.Outcome == "unknown":
		return "", errors.New(strings.TrimSpace("The outcome is not known. " + of.Detail))
	case r.Do == Tell && (of.Position > 1 || of.Held != ""):
		return strings.TrimSpace(fmt.Sprintf("Queued as number %d. %s", of.Position, of.Held)), nil
	case of.Ticked != nil:
		text += ". Ticked now: " + strings.Join(of.Ticked, ", ")
	case of.Way == "door":
		text += ", without a key"
	case len(of.Keys) > 0:
		text += ": typed " + strings.Join(of.Keys, " ")
	}
	return text + ".", nil
}
