// Package taught keeps the dialogs that a person taught nod: a file of TOML for each in a folder beside the settings, and beside it the
// screen that it was taught on. What a file says is checked every time that it is read: one that is wrong teaches nothing, and the
// others stay. Those that people gave to everybody are a part of the program, in the folder shared.
package taught

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/BurntSushi/toml"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/ordinary"
	"nod/internal/host/replace"
	"nod/internal/text/lazy"
)

// Folder is where dialogs that were taught are kept. It need not exist.
type Folder string

// Problem is what is wrong with one file, in a sentence that ends with what to do.
type Problem struct {
	File string
	err  error
}

func (p Problem) Error() string {
	remove := "the file"
	if name := nameOf(p.File); CheckName(name) == nil { // somebody may paste the command into a shell
		remove = "it with `nod teach --forget " + name + "`"
	}
	return fmt.Sprintf("%s: %v; mend it, or remove %s: until then nothing is answered by it", p.File, p.err, remove)
}

func (p Problem) Unwrap() error { return p.err }

//go:embed shared
var shared embed.FS

// All are the dialogs of the folder, and those that everybody has whose names none of them has.
func (f Folder) All() ([]agents.Taught, []Problem) {
	all, problems := f.Read()
	files, err := fs.Glob(shared, "shared/*"+suffix)
	if err != nil {
		return all, problems
	}
	for _, path := range files {
		own := slices.ContainsFunc(all, func(t agents.Taught) bool { return t.Name == nameOf(path) })
		data, err := fs.ReadFile(shared, path)
		if own || err != nil {
			continue
		}
		if t, err := parse(nameOf(path), data); err == nil {
			all = append(all, t)
		}
	}
	return all, problems
}

// explains heads every file, for whoever opens it.
const explains = `# A dialog that nod was taught: it is known by its head and labels, drawn by that agent.
# once is the label that means yes for this once, no the one that means no. below are rows that
# stand under the answers, keys the keys of labels where the screen shows none. Check it with:
# nod teach --check

`

const (
	suffix       = ".toml"
	screenSuffix = ".ansi"
)

// Read reads all files of the folder, by their names, and what is wrong with those that teach nothing.
func (f Folder) Read() ([]agents.Taught, []Problem) {
	entries, err := os.ReadDir(string(f))
	if errors.Is(err, fs.ErrNotExist) || f == "" {
		return nil, nil
	}
	if err != nil {
		return nil, []Problem{{string(f), err}}
	}
	var all []agents.Taught
	var problems []Problem
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), suffix) {
			continue
		}
		path := filepath.Join(string(f), entry.Name())
		t, err := readFile(path)
		if err != nil {
			problems = append(problems, Problem{path, err})
			continue
		}
		all = append(all, t)
	}
	return all, problems
}

func readFile(path string) (agents.Taught, error) {
	data, mode, err := readPlain(path)
	switch {
	case err != nil:
		return agents.Taught{}, err
	case mode&0o022 != 0:
		return agents.Taught{}, fmt.Errorf("others may write it (mode %#o), and it decides what is approved: chmod 600 it", mode)
	}
	return parse(nameOf(path), data)
}

// maxFile is far more than a dialog, or a screen with all its colours, takes.
const maxFile = 1 << 20

// readPlain reads an ordinary file of a limited size.
func readPlain(path string) (data []byte, mode fs.FileMode, err error) {
	f, info, err := ordinary.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if info.Size() > maxFile {
		return nil, 0, errors.New("it is too large for a dialog")
	}
	data, err = io.ReadAll(io.LimitReader(f, maxFile))
	return data, info.Mode().Perm(), err
}

// parse reads the dialog of that name from its file.
func parse(name string, data []byte) (agents.Taught, error) {
	t := agents.Taught{Name: name}
	md, err := toml.Decode(string(data), &t)
	if err != nil {
		var wrong toml.ParseError
		if errors.As(err, &wrong) {
			return agents.Taught{}, fmt.Errorf("line %d is no TOML: %s", wrong.Position.Line, wrong.Message)
		}
		return agents.Taught{}, err
	}
	if unknown := md.Undecoded(); len(unknown) > 0 {
		return agents.Taught{}, fmt.Errorf("%q is nothing that such a file says", unknown[0].String())
	}
	if err := CheckName(t.Name); err != nil {
		return agents.Taught{}, err
	}
	return t, t.Check()
}

func nameOf(path string) string { return strings.TrimSuffix(filepath.Base(path), suffix) }

var namePattern = lazy.MustCompile(`^[a-z0-9][a-z0-9-]{0,47}$`)

const nameRule = "small letters, digits and hyphens, as in deploy-prompt"

// CheckName reports why a dialog can't be called so: its name is that of a file.
func CheckName(name string) error {
	if !namePattern().MatchString(name) {
		return fmt.Errorf("%q can't be its name: %s", name, nameRule)
	}
	return nil
}

// Write keeps a dialog and the screen that it was taught on, for the owner of the folder alone. A dialog of that name is replaced. It
// returns the path of its file.
func (f Folder) Write(t agents.Taught, screen string) (string, error) {
	if err := CheckName(t.Name); err != nil {
		return "", err
	}
	if err := t.Check(); err != nil {
		return "", err
	}
	var b bytes.Buffer
	b.WriteString(explains)
	t.On = t.On.UTC().Truncate(time.Second)
	if err := toml.NewEncoder(&b).Encode(t); err != nil {
		return "", fmt.Errorf("write the dialog as TOML: %w", err)
	}
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return "", fmt.Errorf("make the folder of taught dialogs: %w", err)
	}
	path := filepath.Join(string(f), t.Name)
	if err := replace.Text(path+screenSuffix, 0o600, []byte(screen)); err != nil {
		return "", err
	}
	return path + suffix, replace.Text(path+suffix, 0o600, b.Bytes())
}

// Screen is the screen that the dialog of that name was taught on; empty where it is gone.
func (f Folder) Screen(name string) string {
	b, _, err := readPlain(filepath.Join(string(f), name+screenSuffix))
	if err != nil {
		return ""
	}
	return string(b)
}

// Forget removes a dialog and its screen, also where its file is broken. It reports whether there was one.
func (f Folder) Forget(name string) (bool, error) {
	if CheckName(name) != nil {
		return false, nil
	}
	path := filepath.Join(string(f), name)
	err := os.Remove(path + suffix)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := os.Remove(path + screenSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true, err
	}
	return true, nil
}

// Holder keeps the dialogs that a running bot was taught, and reads them again when their files change.
type Holder struct {
	folder  Folder
	log     *slog.Logger
	current atomic.Pointer[[]agents.Taught]

	mu   sync.Mutex
	read bool // it was read once
	seen string
}

// NewHolder makes a Holder, which knows nothing before its first Refresh.
func NewHolder(folder Folder, log *slog.Logger) *Holder {
	h := &Holder{folder: folder, log: log}
	h.current.Store(new([]agents.Taught))
	return h
}

// Refresh reads the folder again if one of its files changed since the last time. What is wrong is logged then, once.
func (h *Holder) Refresh() {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.folder.stamp()
	if h.read && now == h.seen {
		return
	}
	h.read, h.seen = true, now
	taught, problems := h.folder.All()
	for _, p := range problems {
		h.log.Error("a taught dialog is not used", "problem", p)
	}
	if len(taught) > 0 || len(*h.current.Load()) > 0 {
		h.log.Info("taught dialogs read", "dialogs", len(taught))
	}
	h.current.Store(&taught)
}

// Current are the dialogs that were read last. They are behind another pointer once they have changed.
func (h *Holder) Current() *[]agents.Taught { return h.current.Load() }

// Read reads one screen of an agent by what was taught.
func (h *Holder) Read(agent string, s screen.Screen) screen.Reading {
	return agents.ReadTaught(*h.current.Load(), agent, s)
}

// stamp changes with the files.
func (f Folder) stamp() string {
	entries, err := os.ReadDir(string(f))
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.HasSuffix(entry.Name(), suffix) {
			fmt.Fprintln(&b, entry.Name(), info.Size(), info.Mode(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}
