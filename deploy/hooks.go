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
	"syscall"

	"nod/detect/agents"
	"nod/internal/host/replace"
	"nod/internal/reason"
)

// A Hook is where and how one agent is told to call `nod hook AGENT` on its events.
type Hook struct {
	Agent string
	Path  string // the agent's own settings file, or the plugin file that nod writes
	// Note is what the person must still do, or should know; empty: nothing.
	Note string
	// Lacks are the events that it leaves out, and Older tells which program that reads the same file does not know them.
	Lacks []string
	Older string

	edit editor
	root agents.Administrator
}

// An editor puts nod's lines into a file's text and takes them out again. Both leave every other
// byte as it was, and refuse a text that they do not understand.
type editor interface {
	install(text []byte, command string) ([]byte, error)
	remove(text []byte) ([]byte, error)
}

// HookState says what an agent's settings file holds of nod.
type HookState string

// The states of an agent's hooks.
const (
	Installed    HookState = "installed"
	NotInstalled HookState = "not installed"
	Outdated     HookState = "outdated" // other events, or another path to nod, than would be written now
	Broken       HookState = "broken"   // the file can't be read or does not parse
)

// Install makes the agent call `nod hook`, where nod is the absolute path of the program. It reports
// whether the file changed. The first change leaves a copy of the file beside it, FILE.before-nod.
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

// Uninstall takes nod's lines out again and reports whether the file changed. A file that nod made
// goes; one that has not changed since is as it was before, byte for byte.
func (h Hook) Uninstall() (changed bool, err error) {
	old, existed, err := h.read()
	if err != nil || !existed {
		return false, err
	}
	text, err := h.edit.remove(old)
	if err != nil {
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

// State tells what the file holds now. The error says why it is Broken.
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

// Unasked says what the file, and the administrator's settings, which override it, mean for what nod hears by the hook.
func (h Hook) Unasked() []reason.Why {
	var files []agents.SettingsFile
	for _, path := range agents.UserFiles(h.Agent, filepath.Dir(h.Path)) {
		text, _ := readOrdinary(path) // State tells why the hook's own can't be read
		files = append(files, agents.SettingsFile{Path: path, Text: text})
	}
	return agents.UnaskedBy(h.Agent, append(files, h.root.Files(h.Agent)...)...)
}

func (h Hook) command(nod string) string { return ShellQuote(nod) + " hook " + h.Agent }

func (h Hook) refuse(err error) error {
	return fmt.Errorf("%s is left as it is: %w; mend the file, then try again", h.Path, err)
}

// read returns the file's text, empty where there is none yet.
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

// readOrdinary reads a file. Whatever else is at path is refused: a pipe would hold nod up until somebody writes to it.
func readOrdinary(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no ordinary file", path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// write replaces the file, which keeps its mode. A link stays one: the file that it leads to is written, or made where its
// folder exists.
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

// target is the file that h.Path leads to, links followed, and the mode that it has or gets.
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

// backup keeps the text from before nod's first change; later changes leave it alone.
func (h Hook) backup(text []byte) error {
	if bare, err := h.edit.remove(text); err != nil || !bytes.Equal(bare, text) || h.hasBackup() {
		return nil
	}
	_, mode := h.target()
	if err := os.WriteFile(h.backupPath(), text, mode); err != nil {
		return fmt.Errorf("keep a copy of %s: %w", h.Path, err)
	}
	return nil
}

// before returns the text from before the installation, if nothing but nod's own lines has changed
// since: taking them out may not know which blank was whose, the copy does.
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

// blank reports whether the text holds nothing: what is left of a file that nod itself made.
func blank(text []byte) bool {
	rest := strings.Join(strings.Fields(string(text)), "")
	return rest == "" || rest == "{}"
}

// gone removes the file that only nod had a use for.
func (h Hook) gone() error {
	path, _ := h.target()
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove %s: %w", h.Path, err)
	}
	return removeIfThere(h.backupPath())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

// ShellQuote makes s one word of a POSIX shell: agents run hook commands with `sh -c`.
func ShellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
