package tmux

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// Oldest is the first version that nod works with: -N, which keeps a client from starting a server, is of 3.2.
const Oldest = "3.2"

// ErrNoProgram says that the tmux program is not in PATH.
var ErrNoProgram = errors.New("the tmux program is not in PATH; install tmux " + Oldest + " or later")

// Version is what the tmux program in PATH calls itself, such as "3.3a".
func Version(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "tmux", "-V")
	cmd.Env = environment()
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", ErrNoProgram
	case err != nil:
		return "", fmt.Errorf("ask tmux for its version: %w", err)
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "tmux "), nil
}

// TooOld reports whether nod can't work with a tmux that calls itself so. What can't be read, such as "master", is new enough.
func TooOld(version string) bool { return olderThan(version, Oldest) }

// Usable returns why nod can't work with the tmux program in PATH; nil: it can.
func Usable(ctx context.Context) error {
	version, err := Version(ctx)
	if err == nil && TooOld(version) {
		err = fmt.Errorf("tmux %s is too old: nod needs %s or later", version, Oldest)
	}
	return err
}

// olderThan reports whether a version is older than another one. What can't be read is not.
func olderThan(version, other string) bool {
	have, okHave := numbers(version)
	need, _ := numbers(other)
	return okHave && (have[0] < need[0] || have[0] == need[0] && have[1] < need[1])
}

// numbers reads 3 and 3 from "3.3a", "next-3.4" or "openbsd-7.5".
func numbers(version string) (n [2]int, ok bool) {
	if strings.HasPrefix(version, "openbsd-") {
		return n, false // the number is the system's
	}
	version = strings.TrimPrefix(version, "next-")
	major, minor, found := strings.Cut(version, ".")
	if i := strings.IndexFunc(minor, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		minor = minor[:i]
	}
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	return [2]int{a, b}, found && errA == nil && errB == nil
}
