//go:build agents

package agentrig

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"nod/cmd/internal/agentrig/model"
)

// obj and list are JSON as it is written by hand.
type (
	obj  = map[string]any
	list = []any
)

// home is all that one run of an agent has: a HOME of its own, a small git project, and a model.
type home struct {
	root    string // holds the rest
	dir     string // HOME
	runtime string // XDG_RUNTIME_DIR
	install string // where the agent is installed
	version string
	url     string // of the model
	mcp     []string
	options Options
	project model.Project
}

// newHome makes the folders of a run below root, which exists.
func newHome(root string) (*home, error) {
	h := &home{
		root: root,
		dir:  filepath.Join(root, "home"),
		// Short: a socket's path has room for 107 bytes.
		runtime: filepath.Join(root, "run"),
		project: model.Project{
			Dir:     filepath.Join(root, "project"),
			Outside: outside,
		},
	}
	files := map[string]string{
		filepath.Join(h.project.Dir, "README.md"):    "# A project\n",
		filepath.Join(h.project.Dir, model.EditFile): editLine + "\n",
		filepath.Join(h.project.Dir, "build", "a.o"): "",
	}
	for path, text := range files {
		if err := writeFile(path, text); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(h.dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.Mkdir(h.runtime, 0o700); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "README.md", model.EditFile},
		{"-c", "user.name=rig", "-c", "user.email=rig@localhost", "commit", "-q", "-m", "A project"},
	} {
		git := exec.Command("git", args...)
		git.Dir = h.project.Dir
		git.Env = []string{"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := git.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return h, nil
}

const (
	editLine = "alpha"
	// A file that is on every machine, with a word that is in it. Copilot reads below /tmp unasked.
	outside     = "/etc/hosts"
	outsideText = "localhost"
)

// write writes a settings file below HOME: text as it is, anything else as JSON.
func (h *home) write(name string, settings any) error {
	text, ok := settings.(string)
	if !ok {
		b, err := json.MarshalIndent(settings, "", "  ")
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		text = string(b) + "\n"
	}
	return writeFile(filepath.Join(h.dir, name), text)
}

// addHook has an agent's settings call the hook that is not nod's; timeout is in the agent's own unit.
func (h *home) addHook(settings obj, event string, timeout int) {
	if command := h.options.OtherHook; command != "" {
		settings["hooks"] = obj{event: list{obj{"matcher": "*", "hooks": list{obj{"type": "command", "command": command, "timeout": timeout}}}}}
	}
}

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// bin is a folder of HOME that is in the agent's PATH.
func (h *home) bin() string { return filepath.Join(h.dir, "bin") }

// module is a path inside an installed npm package.
func (h *home) module(path ...string) string {
	return filepath.Join(append([]string{h.install, "node_modules"}, path...)...)
}

// either is the first of the paths that is there, and the last where none is: versions of an agent have their program in
// other places.
func either(paths ...string) string {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return paths[len(paths)-1]
}

// native is a path inside the package that holds an agent's program for this machine.
func (h *home) native(prefix string, path ...string) string {
	return h.module(append([]string{prefix + "-linux-" + arch()}, path...)...)
}

// node is the program that runs agents written in JavaScript: node 22 where it is installed beside
// the agent, else the machine's.
func (h *home) node() (string, error) {
	path := filepath.Join(h.install, node22.folder, "node_modules", node22.name, "bin", "node")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	path, err := exec.LookPath("node")
	if err != nil {
		return "", fmt.Errorf("the agents need node 18 or newer in PATH: %w", err)
	}
	return path, nil
}
