package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"nod/deploy"
	"nod/internal/settings"
)

// settingsFile reports whether the settings can be used.
func (e *examination) settingsFile(context.Context) []Finding {
	const check = "settings"
	file := cmp.Or(settings.File(e.Env), "the environment") // without HOME there is no file
	if e.wrong != nil {
		if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o077 != 0 {
			return problems(check, e.wrong, "`nod config` then shows what holds") // the sentence names the command
		}
		return problems(check, e.wrong, "mend it in "+file+"; `nod config` then shows what holds")
	}
	if err := e.settings.Ready(); err != nil {
		if _, missing := os.Stat(file); errors.Is(missing, fs.ErrNotExist) && !e.anySet() {
			return []Finding{{check, Broken, "nothing is set up yet: " + file + " does not exist", "run `nod setup`"}}
		}
		return problems(check, err, "run `nod setup`, or write it into "+file)
	}
	found := append([]Finding{ok(check, "%s", file)}, e.onlyHere(file)...)
	for _, p := range e.Env.Misspelt() {
		found = append(found, Finding{check, Note, p.String(), "write it right, or take it out of this shell's environment"})
	}
	return append(found, e.restartNeeded()...)
}

// onlyHere names the settings that a nod running as a service would lack or see differently.
func (e *examination) onlyHere(file string) []Finding {
	its := map[string]string{}
	serviceSettings, err := settings.Load(e.ServiceEnv)
	if err == nil {
		for _, row := range serviceSettings.Rows() {
			its[row.Variable] = row.Value
		}
	}
	sameToken := serviceSettings.TelegramToken == e.settings.TelegramToken
	var found []Finding
	for _, row := range e.settings.Rows() {
		differs := its[row.Variable] != row.Value || row.Variable == "NOD_TELEGRAM_TOKEN" && !sameToken
		if row.Source == settings.FromEnvironment && differs {
			found = append(found, Finding{"settings", Note, row.Variable + " comes from this shell's environment, which a service does not see", "write it into " + file})
		}
	}
	return found
}

// anySet reports whether any setting has a value other than by default.
func (e *examination) anySet() bool {
	return slices.ContainsFunc(e.settings.Rows(), func(r settings.Row) bool { return r.Source != settings.FromDefault })
}

// restartNeeded names the changed settings that the running nod uses only after a restart.
func (e *examination) restartNeeded() []Finding {
	used := map[string]string{}
	for _, row := range e.running.settings {
		used[row.Variable] = row.Value
	}
	var found []Finding
	for _, row := range e.settings.Rows() {
		if value, known := used[row.Variable]; known && row.Restart && value != row.Value {
			found = append(found, Finding{"settings", Note, row.Variable + " was changed, and the running nod still uses the old value", "end it and start it again; a service: `nod service restart`"})
		}
	}
	return found
}

// problems makes a finding of each problem with the settings.
func problems(check string, err error, next string) []Finding {
	wrong := (*settings.Error)(nil)
	if !errors.As(err, &wrong) {
		return []Finding{{check, Broken, err.Error(), next}}
	}
	var found []Finding
	for _, p := range wrong.Problems {
		found = append(found, Finding{check, Broken, p.String(), next})
	}
	return found
}

// files reports who else can read or replace nod's files. Package settings checks the settings file itself.
func (e *examination) files(context.Context) []Finding {
	const check = "files"
	var found []Finding
	if folder := filepath.Dir(settings.File(e.Env)); folder != "." {
		found = append(found, guarded(check, folder, 0o022, "chmod go-w")...)
	}
	if e.wrong == nil {
		state := string(e.settings.StateDir)
		if info, err := os.Stat(state); err == nil && !info.IsDir() {
			return append(found, Finding{check, Broken, state + " is to hold what nod keeps, and is no folder", "move it away, or set NOD_STATE_DIR to another path"})
		}
		found = append(found, guarded(check, state, 0o077, "chmod 700")...)
		found = append(found, guarded(check, filepath.Join(state, "nod.db"), 0o077, "chmod 600")...)
	}
	if found == nil {
		return []Finding{ok(check, "nobody else can read or replace what nod keeps")}
	}
	return found
}

// guarded complains about a file that does not belong to this user, or whose mode has one of the bits.
func guarded(check, path string, bits fs.FileMode, mend string) []Finding {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it will be created private
	}
	if err != nil {
		return []Finding{{check, Broken, fmt.Sprintf("%s can't be looked at: %s", path, reason(err)), "see to it that it and the folders above belong to you"}}
	}
	if stat, known := info.Sys().(*syscall.Stat_t); known && int(stat.Uid) != os.Getuid() {
		return []Finding{{check, Broken, path + " belongs to another user", fmt.Sprintf("sudo chown -R %d %s", os.Getuid(), deploy.ShellQuote(path))}}
	}
	if mode := info.Mode().Perm(); mode&bits != 0 {
		return []Finding{{check, Note, fmt.Sprintf("%s is open to others (mode %04o)", path, mode), mend + " " + deploy.ShellQuote(path)}}
	}
	if info.IsDir() && info.Mode().Perm()&0o300 != 0o300 {
		return []Finding{{check, Broken, fmt.Sprintf("nod can't write into %s (mode %04o)", path, info.Mode().Perm()), "chmod u+rwx " + deploy.ShellQuote(path)}}
	}
	return nil
}

// reason returns an error without the path that it begins with.
func reason(err error) string {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
