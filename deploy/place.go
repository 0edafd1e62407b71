package deploy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Place is where agents keep their settings on a machine.
type Place struct {
	Home string
	// Getenv reads the environment: some agents let it move their folder.
	Getenv func(string) string
	// Version runs `AGENT --version` and returns what it printed; empty where it can't be known.
	Version func(agent string) string
}

// Here is this machine, for the user that nod runs as.
func Here(ctx context.Context) (Place, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Place{}, fmt.Errorf("find the agents' settings: %w; set HOME", err)
	}
	return Place{Home: home, Getenv: os.Getenv, Version: func(agent string) string { return versionOf(ctx, home, agent) }}, nil
}

// versionOf asks an agent's program which version it is; empty where it does not say so soon.
func versionOf(ctx context.Context, home, agent string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	program, err := exec.LookPath(agent)
	if err != nil {
		// Where Claude Code's own installers put it; a service's PATH lacks both.
		program = filepath.Join(home, ".local", "bin", agent)
		if _, err := os.Stat(program); err != nil {
			program = filepath.Join(home, "."+agent, "local", agent)
		}
	}
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// folder is the folder that the variable names, if there is one, else the one in the home directory.
func (at Place) folder(variable, name string) string {
	if dir := at.Getenv(variable); variable != "" && filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(at.Home, name)
}

// Program is the absolute path of this program, for others to call. One below a temporary folder is
// refused: it would soon be gone.
func Program() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find nod's own path: %w", err)
	}
	if slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool { return strings.HasPrefix(part, "go-build") }) {
		return "", errors.New("`go run` leaves no program to call: build nod first, then install its hooks")
	}
	return path, nil
}
