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

// claudeSettled says what files of Claude Code's settings mean for the calls that it asks about. A later file overrides an earlier
// one, setting by setting; which hooks may run is only the administrator's to say. Its arguments override the mode that it starts in, and
// neither they nor that setting switch bypass permissions on where any file forbids that (2.1.330).
func claudeSettled(files []SettingsFile) (s Settled) {
	deny, off, managedOnly := setting{name: "permissions.denyInsteadOfPrompting"}, setting{name: "disableAllHooks"}, setting{name: "allowManagedHooksOnly"}
	starts, barred := setting{name: "permissions.defaultMode"}, setting{name: "permissions.disableBypassPermissionsMode"}
	for _, file := range files {
		var given struct {
			DisableAllHooks       *bool `json:"disableAllHooks"`
			AllowManagedHooksOnly *bool `json:"allowManagedHooksOnly"`
			Permissions           struct {
				DenyInsteadOfPrompting *bool   `json:"denyInsteadOfPrompting"`
				DefaultMode            *string `json:"defaultMode"`
				DisableBypass          string  `json:"disableBypassPermissionsMode"`
			} `json:"permissions"`
		}
		if json.Unmarshal(file.Text, &given) != nil {
			continue
		}
		deny.set(given.Permissions.DenyInsteadOfPrompting, file)
		off.set(given.DisableAllHooks, file)
		if file.Managed {
			managedOnly.set(given.AllowManagedHooksOnly, file)
		}
		if mode := given.Permissions.DefaultMode; mode != nil {
			s.Starts, starts.by = *mode, file
		}
		if given.Permissions.DisableBypass == "disable" {
			barred.on, barred.by = true, file
		}
	}
	s.StartsBy = starts.String()
	if barred.on {
		s.Barred = barred.String()
	}
	if deny.on {
		s.Found = append(s.Found, reason.Why{Kind: reason.OnlyHookAsks, What: deny.String()})
	}
	switch {
	case off.on && off.by.Managed:
		s.Found = append(s.Found, reason.Why{Kind: reason.HooksForbidden, What: off.String()})
	case managedOnly.on:
		s.Found = append(s.Found, reason.Why{Kind: reason.HooksForbidden, What: managedOnly.String()})
	case off.on:
		s.Found = append(s.Found, reason.Why{Kind: reason.HooksOff, What: off.String()})
	}
	return s
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
