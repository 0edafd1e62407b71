package agents

import (
	"encoding/json"

	"nod/internal/reason"
)

// claudeManaged is the folder of the administrator's settings for Claude Code on a system.
func claudeManaged(system string) string {
	if system == "darwin" {
		return "Library/Application Support/ClaudeCode"
	}
	return "etc/claude-code"
}

// claudeUnaskedBy says what files of Claude Code's settings mean for the calls that it asks about. A later file overrides an earlier
// one, setting by setting; which hooks may run is only the administrator's to say.
func claudeUnaskedBy(files []SettingsFile) (found []reason.Why) {
	deny, off, managedOnly := setting{name: "permissions.denyInsteadOfPrompting"}, setting{name: "disableAllHooks"}, setting{name: "allowManagedHooksOnly"}
	for _, file := range files {
		var s struct {
			DisableAllHooks       *bool `json:"disableAllHooks"`
			AllowManagedHooksOnly *bool `json:"allowManagedHooksOnly"`
			Permissions           struct {
				DenyInsteadOfPrompting *bool `json:"denyInsteadOfPrompting"`
			} `json:"permissions"`
		}
		if json.Unmarshal(file.Text, &s) != nil {
			continue
		}
		deny.set(s.Permissions.DenyInsteadOfPrompting, file)
		off.set(s.DisableAllHooks, file)
		if file.Managed {
			managedOnly.set(s.AllowManagedHooksOnly, file)
		}
	}
	if deny.on {
		found = append(found, reason.Why{Kind: reason.OnlyHookAsks, What: deny.String()})
	}
	switch {
	case off.on && off.by.Managed:
		found = append(found, reason.Why{Kind: reason.HooksForbidden, What: off.String()})
	case managedOnly.on:
		found = append(found, reason.Why{Kind: reason.HooksForbidden, What: managedOnly.String()})
	case off.on:
		found = append(found, reason.Why{Kind: reason.HooksOff, What: off.String()})
	}
	return found
}

// setting is one that is on or off, and the file that says so.
type setting struct {
	name string
	on   bool
	by   SettingsFile
}

func (s *setting) set(on *bool, by SettingsFile) {
	if on != nil {
		s.on, s.by = *on, by
	}
}

// String names the setting, and its file where that is not the user's.
func (s *setting) String() string {
	if s.by.Managed {
		return s.name + " in " + s.by.Path
	}
	return s.name
}
