package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nod/internal/host/replace"
)

// Change sets one variable in the settings file. An empty value removes its line.
type Change struct{ Variable, Value string }

// Save applies changes to the settings file at path, or creates the file, readable by its owner only. Every
// other line is kept byte for byte. The file is replaced atomically, so readers see either the old or the new
// one.
func Save(path string, changes []Change) error {
	if path == "" {
		return errors.New("write the settings: no folder for them is known: set HOME or NOD_CONFIG")
	}
	for _, c := range changes {
		if strings.ContainsAny(c.Value, "\r\n") { // it would set other variables
			return fmt.Errorf("write the settings: %s must be one line", c.Variable)
		}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // keep a symlink, which may lead into somebody's dotfiles
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the settings: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the settings' folder: %w", err)
	}
	if err := replace.Text(path, 0o600, []byte(edit(string(old), changes))); err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	return nil
}

// Holds reports whether the settings file at path already has all changes.
func Holds(path string, changes []Change) bool {
	text, err := readPrivate(path)
	return err == nil && edit(text, changes) == text
}

// edit applies changes to the text of a settings file. It changes a variable's first line in place, and
// appends new variables.
func edit(text string, changes []Change) string {
	var b strings.Builder
	done := make([]bool, len(changes))
	for line := range strings.Lines(text) {
		i := slices.IndexFunc(changes, func(c Change) bool { return c.Variable == keyOf(line) })
		switch {
		case i < 0:
			b.WriteString(line)
			continue
		case !done[i] && changes[i].Value != "":
			b.WriteString(changes[i].line())
		}
		done[i] = true
	}
	if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
		b.WriteString("\n")
	}
	for i, c := range changes {
		if !done[i] && c.Value != "" {
			b.WriteString(c.line())
		}
	}
	return b.String()
}

func (c Change) line() string { return c.Variable + "=" + c.Value + "\n" }

// keyOf returns the variable that a line sets, by the rules of parseFile; empty for a comment or a blank
// line.
func keyOf(line string) string {
	line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
	if strings.HasPrefix(line, "#") {
		return ""
	}
	key, _, _ := strings.Cut(strings.TrimPrefix(line, "export "), "=")
	return strings.TrimSpace(key)
}

// ReadToken reads a token from a file, or from a pipe or terminal such as /dev/stdin. It refuses a file that
// others can read: whoever has the token controls the bot.
func ReadToken(path string) (Secret, error) {
	read := readPrivate
	if info, err := os.Stat(path); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0 {
		read = readPipe
	}
	text, err := read(path)
	if err != nil {
		return "", err
	}
	return ParseToken(text)
}

// readPipe reads the output of another program, which nobody else can read there.
func readPipe(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", openProblem(path, err)
	}
	defer f.Close()
	text := make([]byte, 4096)
	n, err := f.Read(text)
	if err != nil {
		return "", openProblem(path, err)
	}
	return string(text[:n]), nil
}

// ParseToken parses a token as @BotFather prints it, with or without blanks around it. The error never
// contains the text.
func ParseToken(text string) (Secret, error) {
	secret, err := parseToken(strings.TrimSpace(text))
	if err != nil {
		return "", fmt.Errorf("that is no token: it %w", err)
	}
	return secret, nil
}
