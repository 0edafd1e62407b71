package control

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestOtherProgramsFindWhatTheyRead: programs that use the socket know these results by their names.
func TestOtherProgramsFindWhatTheyRead(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for names, result := range map[string]any{
		"status problems uptime_ms version":                        Health{},
		"pane server session agent name project state since nudge": Pane{},
		"content": Capture{},
		"typed":   Sent{},
		"outcome": TellResult{},
		"id pane server agent shape subject state reason detected reminder due by": Nudge{},
		"outcome keys way":             ReplyResult{},
		"id position":                  Submitted{},
		"state words elapsed_ms":       Waited{},
		"id pane text state submitted": Instruction{},
		"name pid":                     MonitorStarted{},
		"name status pid match match_count recent_matches env": Monitor{},
		"logs":                                   Logs{},
		"name pane":                              Session{},
		"state":                                  State{},
		"link":                                   Link{},
		"code":                                   Invite{},
		"name away_since version skew_ms agents": Machine{Away: &now, Version: "v1"},
		"id":                                     Asked{},
		"answer state":                           AskAnswer{},
		"agent state":                            Check{},
		"shape question subject partial options": Prompt{},
		"highlighted approve deny fingerprint options": Prompt{},
	} {
		text, err := json.Marshal(result)
		var fields map[string]json.RawMessage
		if err != nil || json.Unmarshal(text, &fields) != nil {
			t.Fatalf("%T is %s, %v", result, text, err)
		}
		if lost := slices.DeleteFunc(strings.Fields(names), func(name string) bool { return fields[name] != nil }); len(lost) > 0 {
			t.Errorf("%T lacks %q", result, lost)
		}
	}
}
