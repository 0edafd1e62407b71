package main

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

	"github.com/spf13/cobra"

	"nod/deploy"
)

func (p *program) hooksCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "hooks install|uninstall|status [AGENT…]",
		Short: "let agents tell nod at once when they wait",
		Long: `Puts calls of ` + "`nod hook`" + ` into the agents' own settings files, takes them out again, or tells where they
are. Everything else in such a file keeps every byte; the first change leaves a copy, FILE.before-nod.
A file that does not parse is left alone. Without AGENT: every agent that has a settings folder here.

nod works without hooks. With them it hears of a prompt in a moment instead of at the next look.`,
		ValidArgs: append([]string{"install", "uninstall", "status"}, deploy.HookAgents()...),
		Args:      cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			nod, err := programPath()
			if err != nil {
				return err
			}
			verbs := map[string]func(deploy.Hook) (string, error){
				"install": func(h deploy.Hook) (string, error) {
					changed, err := h.Install(nod)
					return done(changed, "installed", "was installed already"), err
				},
				"uninstall": func(h deploy.Hook) (string, error) {
					changed, err := h.Uninstall()
					return done(changed, "removed", "was not installed"), err
				},
				"status": func(h deploy.Hook) (string, error) {
					state, err := h.State(nod)
					return string(state), err
				},
			}
			verb, ok := verbs[args[0]]
			if !ok {
				return misuse("%q is none of install, uninstall and status", args[0])
			}
			hooks, err := p.hooks(cmd.Context(), args[1:])
			if err != nil {
				return err
			}
			return p.eachHook(hooks, args[0] == "install", verb)
		},
	}
	return c
}

func done(changed bool, yes, no string) string {
	if changed {
		return yes
	}
	return no
}

// eachHook does one thing to every hook: one agent's broken file does not keep the others from it.
func (p *program) eachHook(hooks []deploy.Hook, notes bool, verb func(deploy.Hook) (string, error)) error {
	failed := false
	for _, h := range hooks {
		said, err := verb(h)
		if err != nil {
			failed = true
			fmt.Fprintf(p.out, "%-9s failed: %s\n", h.Agent, err)
			continue
		}
		fmt.Fprintf(p.out, "%-9s %s  %s\n", h.Agent, said, h.Path)
		if notes && h.Note != "" {
			fmt.Fprintf(p.out, "%-9s %s\n", "", h.Note)
		}
	}
	if failed {
		return &failure{code: exitFailed, err: errors.New("not every agent's file could be changed"), quiet: true}
	}
	return nil
}

// hooks are those of the named agents, else of every agent that keeps its settings here.
func (p *program) hooks(ctx context.Context, agents []string) ([]deploy.Hook, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("find the agents' settings: %w; set HOME", err)
	}
	at := deploy.Place{Home: home, Getenv: os.Getenv, Version: func(agent string) string { return versionOf(ctx, agent) }}
	named := len(agents) > 0
	if !named {
		agents = deploy.HookAgents()
	}
	var hooks []deploy.Hook
	for _, agent := range agents {
		h, ok := deploy.HookFor(agent, at)
		if !ok {
			return nil, misuse("nod has no hooks for %q; it has for %s", agent, strings.Join(deploy.HookAgents(), ", "))
		}
		if named || hasFolder(h) {
			hooks = append(hooks, h)
		}
	}
	if len(hooks) == 0 {
		return nil, &failure{code: exitFailed, err: errors.New("no agent that has hooks keeps its settings here"),
			hint: "name one: nod hooks install claude"}
	}
	return hooks, nil
}

// hasFolder reports whether the agent has been used here: its settings folder exists.
func hasFolder(h deploy.Hook) bool {
	dir := filepath.Dir(h.Path)
	if filepath.Base(dir) == "plugin" {
		dir = filepath.Dir(dir)
	}
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// versionOf asks an agent's program which version it is; empty where it does not say so soon.
func versionOf(ctx context.Context, agent string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	program, err := exec.LookPath(agent)
	if err != nil {
		// Where Claude Code's own installers put it; a service's PATH lacks both.
		home, _ := os.UserHomeDir()
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

// programPath is the absolute path that hooks call. One below a temporary folder would soon be gone.
func programPath() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find nod's own path: %w", err)
	}
	if parts := strings.Split(path, "/"); slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(p, "go-build") }) {
		return "", errors.New("`go run` leaves no program to call: build nod first, then install its hooks")
	}
	return path, nil
}
