package settings

import (
	"errors"
	"slices"
	"strings"
)

// IdleNotices says what an agent that became idle does to the chat.
type IdleNotices string

// The kinds of idle notices.
const (
	IdleOff    IdleNotices = "off"
	IdleSilent IdleNotices = "silent"
	IdleOn     IdleNotices = "on"
)

// Decode takes one of the words above.
func (v *IdleNotices) Decode(text string) error { return choose(v, text, IdleOff, IdleSilent, IdleOn) }

// Preview says how much of a prompt a lock screen may show.
type Preview string

// The kinds of preview.
const (
	PreviewFull    Preview = "full"
	PreviewMinimal Preview = "minimal"
)

// Decode takes one of the words above.
func (v *Preview) Decode(text string) error { return choose(v, text, PreviewFull, PreviewMinimal) }

// Ring says which messages about agents come with a sound.
type Ring string

// The kinds of them.
const (
	RingAll   Ring = "all"
	RingRisky Ring = "risky"
)

// Decode takes one of the words above.
func (v *Ring) Decode(text string) error { return choose(v, text, RingAll, RingRisky) }

// AgentsMay says for whom an agent may answer. It may never answer for itself.
type AgentsMay string

// What an agent may do.
const (
	AgentsNever  AgentsMay = "off"
	AgentsOthers AgentsMay = "others"
)

// Decode takes one of the words above.
func (v *AgentsMay) Decode(text string) error { return choose(v, text, AgentsNever, AgentsOthers) }

// EdgeTakes says what a machine takes from the hub that it is an edge of.
type EdgeTakes string

// What it may take.
const (
	EdgeFull     EdgeTakes = "full"
	EdgeDenyOnly EdgeTakes = "deny-only"
	EdgeAskHere  EdgeTakes = "ask-here"
)

// Decode takes one of the words above.
func (v *EdgeTakes) Decode(text string) error {
	return choose(v, text, EdgeFull, EdgeDenyOnly, EdgeAskHere)
}

// LogFormat is how log lines are written.
type LogFormat string

// The formats.
const (
	LogText LogFormat = "text"
	LogJSON LogFormat = "json"
)

// Decode takes one of the words above.
func (v *LogFormat) Decode(text string) error { return choose(v, text, LogText, LogJSON) }

// OnOff is a switch.
type OnOff bool

// Decode takes on or off. Other spellings of a truth value are refused: who writes
// NOD_REDACT=flase must hear of it.
func (v *OnOff) Decode(text string) error {
	var word string
	if err := choose(&word, text, "on", "off"); err != nil {
		return err
	}
	*v = word == "on"
	return nil
}

func choose[T ~string](v *T, text string, among ...T) error {
	if !slices.Contains(among, T(text)) {
		names := make([]string, len(among))
		for i, word := range among {
			names[i] = string(word)
		}
		last := len(names) - 1
		return errors.New("must be " + strings.Join(names[:last], ", ") + " or " + names[last])
	}
	*v = T(text)
	return nil
}
