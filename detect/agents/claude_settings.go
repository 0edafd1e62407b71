package agents

import "nod/internal/reason"

// claudeManaged is the folder of the administrator's settings for Claude Code on a system.
func claudeManaged(system string) string {
	if system == "darwin" {
		return "Library/Application Support/ClaudeCode"
	}
	return "etc/claude-code"
}

// claudeSettled says what files of Claude Code's settings mean for the calls that it asks about. A later file overrides an earlier
// one, setting by setting; which hooks may run is only the administrator's to say. Its arguments override the mode that it starts in, and
// neither they nor that setting switch bypass permissions on where any file forbids that (2.1.330). Not every version obeys denyInsteadOfPrompting.
func claudeSettled(files []SettingsFile) (s Settled) {
	s.Starts, s.StartsBy, _ = latest[string](files, "permissions.defaultMode", nil)
	_, s.Barred, _ = latest(files, "permissions.disableBypassPermissionsMode", func(_ SettingsFile, value string) bool { return value == "disable" })
	if deny, by, _ := latest[bool](files, "permissions.denyInsteadOfPrompting", nil); deny {
		s.Found = append(s.Found, reason.Why{Kind: reason.HookMayAsk, What: by})
	}
	off, by, managed := latest[bool](files, "disableAllHooks", nil)
	only, onlyBy, _ := latest(files, "allowManagedHooksOnly", func(file SettingsFile, _ bool) bool { return file.Managed })
	switch {
	case off && managed:
		s.Found = append(s.Found, reason.Why{Kind: reason.HooksForbidden, What: by})
	case only:
		s.Found = append(s.Found, reason.Why{Kind: reason.HooksForbidden, What: onlyBy})
	case off:
		s.Found = append(s.Found, reason.Why{Kind: reason.HooksOff, What: by})
	}
	return s
}
