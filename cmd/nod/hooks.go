package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nod/deploy"
	"nod/detect/agents"
	"nod/internal/text/near"
	"nod/internal/text/wrap"
	"nod/internal/words"
)

func (p *program) hooksCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "hooks install|uninstall|status [AGENT…]",
		Short: "have agents tell nod at once when they wait",
		Long: `Puts calls of ` + "`nod hook`" + ` into the agents' own settings files, takes them out again, or shows where they
are. Everything else in such a file keeps every byte; the first change leaves a copy, FILE.before-nod.
A file that does not parse, or that has a name twice which nod would have to choose from, is left alone.
A link stays one: the file that it leads to is changed, or made where its folder exists. Without AGENT:
every agent that has a settings folder here.

nod works without hooks. With them it hears of a prompt in a moment instead of at the next look. An
agent can't uninstall them. AGENT is one of ` + listed(agents.Hooked(), "and") + `.`,
		Example:           "  nod hooks install\n  nod hooks install claude codex\n  nod hooks status",
		ValidArgsFunction: completeHooks,
		Args:              cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			nod, err := deploy.Program()
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
			if asJSON && args[0] != "status" {
				return misuse("--json goes with status")
			}
			if args[0] == "uninstall" {
				if err := p.onlyHumans(cmd.Context()); err != nil {
					return err
				}
			}
			hooks, err := hooksOf(cmd.Context(), args[1:])
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				rows := hookRows(hooks, nod)
				return errors.Join(printJSON(p.out, rows), unread(rows))
			case len(hooks) == 0 && args[0] == "status":
				fmt.Fprintln(p.out, noneHooked)
				return nil
			case len(hooks) == 0 && args[0] == "install":
				return &failure{code: exitFailed, err: errors.New(noneHooked), hint: "name one: `nod hooks install claude`"}
			}
			return p.eachHook(hooks, args[0] == "install", args[0] != "uninstall", verb)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "with status: print JSON")
	return c
}

const noneHooked = "no agent that has hooks keeps its settings here"

// hookRow is the state of one agent's hooks.
type hookRow struct {
	Agent   string           `json:"agent"`
	State   deploy.HookState `json:"state"`
	Path    string           `json:"path"`
	Missing string           `json:"missing,omitempty"` // the events that are left out, in a sentence
	Unasked []string         `json:"unasked,omitempty"` // settings that keep calls from nod, a sentence each
	Error   string           `json:"error,omitempty"`
}

func hookRows(hooks []deploy.Hook, nod string) []hookRow {
	rows := []hookRow{}
	for _, h := range hooks {
		state, err := h.State(nod)
		row := hookRow{Agent: h.Agent, State: state, Path: h.Path, Missing: h.Missing(), Unasked: unaskedBy(h)}
		if err != nil {
			row.Error = err.Error()
		}
		rows = append(rows, row)
	}
	return rows
}

// unread is the failure of a list in which the hooks of an agent could not be read.
func unread(rows []hookRow) error {
	if !slices.ContainsFunc(rows, func(row hookRow) bool { return row.Error != "" }) {
		return nil
	}
	return &failure{code: exitFailed, err: errors.New("not every agent's file could be read"), quiet: true}
}

// unaskedBy lists, a sentence each, the settings of an agent that keep calls from nod's hook.
func unaskedBy(h deploy.Hook) (said []string) {
	for _, why := range h.Unasked() {
		said = append(said, words.Why(why))
	}
	return said
}

func done(changed bool, yes, no string) string {
	if changed {
		return yes
	}
	return no
}

// eachHook calls verb for every hook; an error of one does not stop the others. With notes it prints what the
// person still has to do, with lacks the events that are left out.
func (p *program) eachHook(hooks []deploy.Hook, notes, lacks bool, verb func(deploy.Hook) (string, error)) error {
	failed, columns := false, 0
	if isTerminal(p.out) {
		columns = width(p.out)
	}
	row := func(agent, said string) { fmt.Fprintf(p.out, "%-9s %s\n", agent, wrap.Text(said, 10, columns)) }
	below := func(said string) { row("", said) }
	for _, h := range hooks {
		said, err := verb(h)
		if err != nil {
			failed = true
			row(h.Agent, "failed: "+err.Error())
			continue
		}
		fmt.Fprintf(p.out, "%-9s %s  %s\n", h.Agent, said, h.Path)
		if notes && h.Note != "" {
			below(h.Note)
		}
		if missing := h.Missing(); lacks && missing != "" && said != string(deploy.NotInstalled) {
			below(missing)
		}
		if !lacks {
			continue
		}
		for _, said := range unaskedBy(h) {
			below(said)
		}
	}
	if failed {
		return &failure{code: exitFailed, err: errors.New("not every agent's file could be changed"), quiet: true}
	}
	return nil
}

// hooksOf returns the hooks of the named agents, or of every agent that has been used here.
func hooksOf(ctx context.Context, names []string) ([]deploy.Hook, error) {
	at, err := deploy.Here(ctx)
	if err != nil {
		return nil, err
	}
	var hooks []deploy.Hook
	for _, name := range names {
		h, ok := deploy.HookFor(name, at)
		if !ok {
			err := misuse("nod has no hooks for %q; it has for %s", name, strings.Join(agents.Hooked(), ", "))
			if meant := near.To(name, agents.Hooked()); meant != "" {
				err.hint = "did you mean " + meant + "?"
			}
			return nil, err
		}
		hooks = append(hooks, h)
	}
	if len(names) == 0 {
		hooks = deploy.HooksInUse(at)
	}
	return hooks, nil
}
