package agents

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"
)

// SettingsFile is a file of an agent's settings.
type SettingsFile struct {
	Path    string
	Text    []byte
	Managed bool // the administrator's, for every user of the machine

	all map[string]any // that is in Text, in JSON or TOML
}

// parse takes in what is in Text; nothing, where it is neither JSON nor TOML.
func (f *SettingsFile) parse() {
	if json.Unmarshal(f.Text, &f.all) != nil && toml.Unmarshal(f.Text, &f.all) != nil {
		f.all = nil
	}
}

// says is what a file says of a setting, whose name is the way to it: "tools.approvalMode"; nil: nothing.
func (f SettingsFile) says(name string) (value any) {
	value = f.all
	for part := range strings.SplitSeq(name, ".") {
		table, _ := value.(map[string]any)
		value = table[part]
	}
	return value
}

// latest is what the last file says of a setting that counts, where not all do, and the setting's name, with that file where it is the
// administrator's.
func latest[T any](files []SettingsFile, name string, counts func(file SettingsFile, value T) bool) (value T, by string, managed bool) {
	for _, file := range slices.Backward(files) {
		value, said := file.says(name).(T)
		switch {
		case !said || counts != nil && !counts(file, value):
			continue
		case file.Managed:
			name += " in " + file.Path
		}
		return value, name, file.Managed
	}
	return value, "", false
}

// Administrator keeps settings for every user of a machine. The zero value keeps none.
type Administrator struct {
	Root string // the folder that paths begin at
	UID  int    // whose files they have to be
}

// Root is the administrator of this machine.
var Root = Administrator{Root: "/"}

// managedLimit is the greatest length, in bytes, of an administrator's file. A longer one is ignored.
const managedLimit = 1 << 20

// Files are the administrator's settings for an agent; a later one overrides those before it.
func (a Administrator) Files(agent string) (files []SettingsFile) {
	folder := byName(agent).policy.managed
	if a.Root == "" || folder == nil {
		return nil
	}
	base := filepath.Join(a.Root, folder(runtime.GOOS))
	further, _ := filepath.Glob(filepath.Join(base, "managed-settings.d", "[^.]*.json")) // sorted; its one error is of the pattern
	for _, path := range slices.Concat([]string{filepath.Join(base, "managed-settings.json")}, further) {
		if text := a.read(path); text != nil {
			files = append(files, SettingsFile{Path: path, Text: text, Managed: true})
		}
	}
	return files
}

// read is the text of a file that only the administrator can write; nil: none.
func (a Administrator) read(path string) []byte {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0) // the opening of a pipe would wait until somebody writes to it
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0 {
		return nil
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != a.UID {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, managedLimit))
	if err != nil {
		return nil
	}
	return text
}
