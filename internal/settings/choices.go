package settings

import (
	"errors"
	"slices"
	"strings"
)

// IdleNotices says whether an agent that became idle causes a message.
type IdleNotices string

// The kinds of idle notices.
const (
	IdleOff    IdleNotices = "off"
	IdleSilent IdleNotices = "silent"
	IdleOn     IdleNotices = "on"
)

// Decode parses one of the constants above.
func (v *IdleNotices) Decode(text string) error { return choose(v, text, IdleOff, IdleSilent, IdleOn) }

// Preview says how much of a prompt a lock screen may show.
type Preview string

// The kinds of preview.
const (
	PreviewFull    Preview = "full"
	PreviewMinimal Preview = "minimal"
)

// Decode parses one of the constants above.
func (v *Preview) Decode(text string) error { return choose(v, text, PreviewFull, PreviewMinimal) }

// Ring says which messages about agents make a sound.
type Ring string

// The kinds of Ring.
const (
	RingAll   Ring = "all"
	RingRisky Ring = "risky"
)

// Decode parses one of the constants above.
func (v *Ring) Decode(text string) error { return choose(v, text, RingAll, RingRisky) }

// AgentsMay says whether an agent may answer for others. It may never answer for itself.
type AgentsMay string

// The kinds of AgentsMay.
const (
	AgentsNever  AgentsMay = "off"
	AgentsOthers AgentsMay = "others"
)

// Decode parses one of the constants above.
func (v *AgentsMay) Decode(text string) error { return choose(v, text, AgentsNever, AgentsOthers) }

// EdgeTakes says which requests a machine accepts from its hub.
type EdgeTakes string

// The kinds of EdgeTakes.
const (
	EdgeFull     EdgeTakes = "full"
	EdgeDenyOnly EdgeTakes = "deny-only"
	EdgeAskHere  EdgeTakes = "ask-here"
)

// Decode parses one of the constants above.
func (v *EdgeTakes) Decode(text string) error {
	return choose(v, text, EdgeFull, EdgeDenyOnly, EdgeAskHere)
}

// LogFormat is the format of log lines.
type LogFormat string

// The formats.
const (
	LogText LogFormat = "text"
	LogJSON LogFormat = "json"
)

// Decode parses one of the constants above.
func (v *LogFormat) Decode(text string) error { return choose(v, text, LogText, LogJSON) }

// OnOff is a switch.
type OnOff bool

// Decode parses on or off. It refuses other spellings of a truth value, so that NOD_REDACT=flase does not go
// unnoticed.
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
