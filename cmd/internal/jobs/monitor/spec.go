package monitor

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"nod/detect"
	"nod/internal/text/lazy"
)

// Spec says what a monitor watches and looks for, as requested.
type Spec struct {
	Name     string
	Match    string        // RE2, matched with each line without its escape sequences
	Debounce time.Duration // shortest time between two messages
	Argv     []string      // a child that is run without a shell; or Pane
	Cwd      string
	Env      []string        // "K=V", added to the bot's own
	Pane     *detect.PaneRef // a pane whose new lines are read
	Where    string          // the pane's place
}

const (
	shortestDebounce = 30 * time.Second
	longestDebounce  = 24 * time.Hour
	// DefaultDebounce is the time between two messages by default.
	DefaultDebounce = time.Minute

	longestMatch = 4 << 10
	largestArgs  = 64 << 10
)

var (
	nameForm = lazy.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)
	envForm  = lazy.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
)

// Check says in a sentence what is wrong with a spec.
func (s Spec) Check() error {
	_, err := s.check()
	return err
}

// check completes a spec and says in a sentence what is wrong with it.
func (s *Spec) check() (*regexp.Regexp, error) {
	s.Debounce = cmp.Or(s.Debounce, DefaultDebounce)
	match, err := regexp.Compile(s.Match)
	switch {
	case !nameForm().MatchString(s.Name):
		return nil, fmt.Errorf("%q is no name for a monitor: letters, digits, dots, dashes and underscores, 40 at most", s.Name)
	case s.Match == "":
		return nil, errors.New("say with --match which lines are to be told")
	case len(s.Match) > longestMatch:
		return nil, fmt.Errorf("the expression has %d KB: 4 are the most", len(s.Match)>>10)
	case err != nil:
		return nil, fmt.Errorf("the expression can't be read: %w (it is RE2: https://github.com/google/re2/wiki/Syntax)", err)
	case s.Debounce < shortestDebounce || s.Debounce > longestDebounce:
		return nil, fmt.Errorf("the debounce is %s: it must be between %s and %s", s.Debounce, shortestDebounce, longestDebounce)
	case s.Pane != nil && len(s.Argv) > 0:
		return nil, errors.New("a monitor reads a pane or a command's output, not both")
	case s.Pane != nil:
		return match, nil
	case len(s.Argv) == 0:
		return nil, errors.New("name the command behind --, or a pane with --pane")
	}
	return match, s.checkCommand()
}

func (s *Spec) checkCommand() error {
	size := 0
	for _, text := range append(s.Argv, s.Env...) {
		size += len(text)
		if strings.ContainsRune(text, 0) {
			return errors.New("an argument holds a zero byte")
		}
	}
	if size > largestArgs {
		return fmt.Errorf("the arguments have %d KB: %d are the most", size>>10, largestArgs>>10)
	}
	for _, e := range s.Env {
		if !envForm().MatchString(e) {
			return fmt.Errorf("%q is no setting of the environment: it is --env NAME=VALUE", cutAt(e, "="))
		}
	}
	if info, err := os.Stat(s.Cwd); err != nil || !info.IsDir() || !filepath.IsAbs(s.Cwd) {
		return fmt.Errorf("there is no folder %q to run it in: --cwd names one", s.Cwd)
	}
	_, err := s.program()
	return err
}

// program returns the path of the command's program.
func (s *Spec) program() (string, error) {
	name := s.Argv[0]
	if !strings.Contains(name, "/") {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("there is no command %q where the bot looks for it: give its path", name)
		}
		return path, nil
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Cwd, path)
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		return "", fmt.Errorf("there is no command %q, or it can't be run", name)
	}
	return path, nil
}

// redactedEnv returns the environment for display.
func (s *Spec) redactedEnv() []string {
	var shown []string
	for _, e := range s.Env {
		shown = append(shown, cutAt(e, "=")+"=[redacted]")
	}
	return shown
}

func cutAt(text, sep string) string {
	before, _, _ := strings.Cut(text, sep)
	return before
}
