package deploy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nod/detect/agents"
	"nod/internal/host/ordinary"
	"nod/internal/host/replace"
	"nod/internal/reason"
)

// A Hook says where and how one agent is told to call `nod hook AGENT` on its events.
type Hook struct {
	Agent string
	Path  string // the agent's settings file, or the plugin file that nod writes
	// Note says what the person must still do or should know; may be empty.
	Note string
	// Lacks lists the events that the hook leaves out. Older is a program that reads the same file and does
	// not know them.
	Lacks []string
	Older string

	edit editor
	root agents.Administrator
}

// An editor adds nod's lines to the text of a file and removes them. Both methods keep every other byte, and
// refuse a text that they do not understand.
type editor interface {
	install(text []byte, command string) ([]byte, error)
	remove(text []byte) ([]byte, error)
}

// HookState says whether an agent's settings file calls nod.
type HookState string

// The states of an agent's hooks.
const (
	Installed    HookState = "installed"
	NotInstalled HookState = "not installed"
	Outdated     HookState = "outdated" // it differs from what would be written now: other events, or another path to nod
	Broken       HookState = "broken"   // the file can't be read or does not parse
)

// Install makes the agent call `nod hook`; nod is the absolute path of the program. It reports whether the
// file changed. The first change leaves a copy of the file beside it, FILE.before-nod.
func (h Hook) Install(nod string) (changed bool, err error) {
	old, existed, err := h.read()
	if err != nil {
		return false, err
	}
	text, err := h.edit.install(old, h.command(nod))
	if err != nil {
		return false, h.refuse(err)
	}
	if existed && bytes.Equal(text, old) {
		return false, nil
	}
	if existed {
		if err := h.backup(old); err != nil {
			return false, err
		}
	}
	return true, h.write(text)
}

// Uninstall removes nod's lines and reports whether the file changed. A file that nod created is deleted. A
// file that has not changed since the installation is restored byte for byte. One that does not parse is no obstacle if it nowhere
// calls nod.
func (h Hook) Uninstall() (changed bool, err error) {
	old, existed, err := h.read()
	if err != nil || !existed {
		return false, err
	}
	text, err := h.edit.remove(old)
	switch {
	case err != nil && !bytes.Contains(old, []byte("hook "+h.Agent)):
		return false, nil
	case err != nil:
		return false, h.refuse(err)
	}
	if bytes.Equal(text, old) {
		return false, nil
	}
	if before, ok := h.before(old); ok {
		text = before
	}
	if blank(text) && !h.hasBackup() {
		return true, h.gone()
	}
	if err := h.write(text); err != nil {
		return false, err
	}
	return true, removeIfThere(h.backupPath())
}

// State returns the state of the file. The error says why it is Broken.
func (h Hook) State(nod string) (HookState, error) {
	old, existed, err := h.read()
	if err != nil {
		return Broken, err
	}
	bare, err := h.edit.remove(old)
	if err != nil {
		return Broken, h.refuse(err)
	}
	if !existed || bytes.Equal(bare, old) {
		return NotInstalled, nil
	}
	full, err := h.edit.install(old, h.command(nod))
	if err != nil {
		return Broken, h.refuse(err)
	}
	if !bytes.Equal(full, old) {
		return Outdated, nil
	}
	return Installed, nil
}

// Unasked returns the reasons why nod may hear less from the hook than usual, found in the user's settings
// and in the administrator's, which override them.
func (h Hook) Unasked() []reason.Why {
	var files []agents.SettingsFile
	for _, path := range agents.UserFiles(h.Agent, filepath.Dir(h.Path)) {
		text, _ := readOrdinary(path) // State reports why the hook's own file can't be read
		files = append(files, agents.SettingsFile{Path: path, Text: text})
	}
	return agents.UnaskedBy(h.Agent, append(files, h.root.Files(h.Agent)...)...)
}

func (h Hook) command(nod string) string { return ShellQuote(nod) + " hook " + h.Agent }

func (h Hook) refuse(err error) error {
	return fmt.Errorf("%s is left as it is: %w; mend the file, then try again", h.Path, err)
}

// read returns the text of the file, which is empty if the file does not exist.
func (h Hook) read() (text []byte, existed bool, err error) {
	text, err = readOrdinary(h.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read the settings of %s: %w", h.Agent, err)
	}
	return text, true, nil
}

// maxRead is far more than a settings file has.
const maxRead = 16 << 20

// readOrdinary reads a regular file and refuses anything else.
func readOrdinary(path string) ([]byte, error) {
	f, _, err := ordinary.Open(path)
	if errors.Is(err, ordinary.ErrOther) {
		return nil, fmt.Errorf("%s is no ordinary file", path)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if len(text) > maxRead {
		return nil, fmt.Errorf("%s is too large", path)
	}
	return text, err
}

// write replaces the file and keeps its mode. It follows a link and writes its target, which it creates if
// the target's folder exists.
func (h Hook) write(text []byte) error {
	path, mode := h.target()
	if path == h.Path {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make the folder of %s: %w", h.Path, err)
		}
	} else if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("%s is a link to %s, whose folder can't be used: %w; make it, or remove the link", h.Path, path, err)
	}
	if err := replace.Text(path, mode, text); err != nil {
		return fmt.Errorf("write %s: %w", h.Path, err)
	}
	return nil
}

// target follows the links of h.Path. It returns the file that they lead to and the mode that it has or will
// get.
func (h Hook) target() (path string, mode fs.FileMode) {
	path = h.Path
	for range 40 { // as many as Linux follows
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(path) + "/" + to // not cleaned: .. goes up from where a folder's link leads
		}
		path = to
	}
	if info, err := os.Stat(path); err == nil {
		return path, info.Mode().Perm()
	}
	return path, 0o600
}

func (h Hook) backupPath() string {
	path, _ := h.target()
	return path + ".before-nod"
}

func (h Hook) hasBackup() bool {
	_, err := os.Stat(h.backupPath())
	return err == nil
}

// backup saves the text as it was before nod's first change. Later changes don't touch the copy.
func (h Hook) backup(text []byte) error {
	if bare, err := h.edit.remove(text); err != nil || !bytes.Equal(bare, text) || h.hasBackup() {
		return nil
	}
	_, mode := h.target()
	if err := replace.Text(h.backupPath(), mode, text); err != nil {
		return fmt.Errorf("keep a copy of %s: %w", h.Path, err)
	}
	return nil
}

// before returns the text from before the installation if nothing but nod's own lines has changed since.
// Removing the lines can't tell whose each blank was; the copy can.
func (h Hook) before(installed []byte) ([]byte, bool) {
	before, err := readOrdinary(h.backupPath())
	if err != nil {
		return nil, false
	}
	a, errA := h.edit.remove(installed)
	full, errB := h.edit.install(before, "nod hook "+h.Agent)
	b, errC := h.edit.remove(full)
	return before, errors.Join(errA, errB, errC) == nil && bytes.Equal(a, b)
}

// blank reports whether nothing is left in a file that nod created.
func blank(text []byte) bool {
	rest := strings.Join(strings.Fields(string(text)), "")
	return rest == "" || rest == "{}"
}

// gone removes a file that only nod used, and a folder of plugins in which it was the last.
func (h Hook) gone() error {
	path, _ := h.target()
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove %s: %w", h.Path, err)
	}
	if _, plugin := h.edit.(pluginHooks); plugin && path == h.Path {
		_ = os.Remove(filepath.Dir(path)) // it fails if the folder holds anything
	}
	return removeIfThere(h.backupPath())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

// ShellQuote quotes s as one word for a POSIX shell: agents run hook commands with `sh -c`.
func ShellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
