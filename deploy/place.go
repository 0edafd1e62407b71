package deploy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nod/detect/agents"
)

// Place says where agents keep their settings on a machine.
type Place struct {
	Home string
	// Getenv reads the environment: some agents have a variable for their folder.
	Getenv func(string) string
	// Readers returns the programs of an agent that read its settings here; nil if none are known.
	Readers func(agent string) []Reader
	// Root holds the settings that apply to every user of the machine.
	Root agents.Administrator
}

// Here returns the Place of this machine and of nod's own user.
func Here(ctx context.Context) (Place, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Place{}, fmt.Errorf("find the agents' settings: %w; set HOME", err)
	}
	at := Place{Home: home, Getenv: os.Getenv, Root: agents.Root}
	at.Readers = func(agent string) []Reader { return at.readers(ctx, agent) }
	return at, nil
}

// folder returns the folder that the environment variable names, else name in the home directory.
func (at Place) folder(variable, name string) string {
	if dir := at.Getenv(variable); variable != "" && filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(at.Home, name)
}

// Program returns the absolute path of this program, for others to call. It refuses a program below a
// temporary folder, because that would soon be gone.
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
