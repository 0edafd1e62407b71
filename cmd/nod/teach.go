package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"nod/cmd/internal/console/teach"
	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/detect/taught"
	"nod/internal/host/ansi"
	"nod/internal/settings"
	"nod/internal/text/redact"
)

func (p *program) teachCommand() *cobra.Command {
	var agent, file, name, forget string
	var list, check, asJSON bool
	c := &cobra.Command{
		Use:   "teach PANE",
		Short: "teach nod a dialog that it can't answer",
		Long: `Shows how nod reads a pane, row by row, and asks which answer means yes for this once and which means
no. It stores that in a small file beside the settings, for the agent's dialog with this heading and
these answers, and prints at once how it now reads the screen. A running bot reads the file within a
minute.

The rules for keys hold here too: an answer whose words say that it lasts can't mean yes for
this once, and Enter is pressed only where the screen shows which answer it takes. An agent can't
teach.`,
		Example: "  nod teach main:2.0 --agent acme\n  nod teach --from acme-question-80x24.ansi --agent acme\n  nod teach --check",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := p.taughtFolder()
			switch {
			case folder == "":
				return fmt.Errorf("no folder for settings is known: set HOME or NOD_CONFIG")
			case asJSON && !list:
				return misuse("--json goes with --list")
			case list:
				return p.listTaught(folder, asJSON)
			case check:
				return p.checkTaught(folder)
			case forget != "":
				if err := p.onlyHumans(cmd.Context()); err != nil {
					return err
				}
				return p.forgetTaught(folder, forget)
			case len(args) == 0 && file == "":
				return misuse("name a pane, as in `nod teach %%12`, or a screen that `nod record` wrote: --from FILE")
			}
			if err := p.misspelt(agent); err != nil {
				return err
			}
			text, agent, err := p.screenToTeach(cmd.Context(), args, file, agent)
			if err != nil {
				return err
			}
			if err := p.onlyHumans(cmd.Context()); err != nil {
				return err
			}
			return teach.Run(cmd.Context(), teach.Config{In: p.in, Out: p.out, Folder: folder, Agent: agent, Screen: text, Name: name})
		},
	}
	c.Flags().StringVar(&agent, "agent", "", "the agent's `NAME`, where nod does not find it")
	completeAgents(c)
	c.Flags().StringVar(&file, "from", "", "teach from the screen in `FILE`, as nod record writes it")
	c.Flags().StringVar(&name, "name", "", "call the dialog `NAME`; asked for where it is left out")
	c.Flags().BoolVar(&list, "list", false, "list what was taught")
	c.Flags().BoolVar(&check, "check", false, "try every dialog on the screen that it was taught on")
	c.Flags().BoolVar(&asJSON, "json", false, "with --list: print JSON")
	c.Flags().StringVar(&forget, "forget", "", "remove the dialog `NAME`")
	c.MarkFlagsMutuallyExclusive("list", "check", "forget", "from")
	return c
}

// taughtFolder is the folder of taught dialogs, beside the settings file.
func (p *program) taughtFolder() taught.Folder {
	file := settings.File(p.env)
	if file == "" {
		return ""
	}
	return taught.Folder(filepath.Join(filepath.Dir(file), "taught"))
}

// readTaught reads a screen of an agent with the taught dialogs. It prints problems with their files to
// standard error.
func (p *program) readTaught(agent string, s screen.Screen) screen.Reading {
	lessons, problems := p.taughtFolder().All()
	for _, problem := range problems {
		fmt.Fprintln(p.err, "nod:", problem)
	}
	return agents.ReadTaught(lessons, agent, s)
}

// screenToTeach returns the screen of a pane or a file, with secrets masked, and the agent that drew it.
func (p *program) screenToTeach(ctx context.Context, args []string, file, agent string) (text, name string, err error) {
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", "", fmt.Errorf("read the screen: %w", err)
		}
		text = string(b)
	} else {
		look, err := p.look(ctx, args[0])
		if err != nil {
			return "", "", err
		}
		if agent == "" {
			agent = detect.AgentIn(look.Pane)
		}
		text = look.Capture + "\n"
	}
	if agent == "" {
		return "", "", &failure{code: exitUsage, err: errors.New("no agent that nod knows draws it"), hint: "name it with --agent, by the name that nod watch gets"}
	}
	return redact.Coloured(text), agent, nil
}

func (p *program) listTaught(folder taught.Folder, asJSON bool) error {
	lessons, problems := folder.Read()
	if asJSON {
		rows := []map[string]string{}
		for _, l := range lessons {
			rows = append(rows, map[string]string{"name": l.Name, "agent": l.Agent, "taught": l.Day(), "yes": l.Once, "no": l.No})
		}
		return errors.Join(printJSON(p.out, rows), p.wrong(problems))
	}
	for _, l := range lessons {
		fmt.Fprintf(p.out, "%-20s %-12s taught on %-7s yes: %q, no: %q\n", l.Name, ansi.OneLine(l.Agent), l.Day(), ansi.OneLine(l.Once), ansi.OneLine(l.No))
	}
	if len(lessons)+len(problems) == 0 {
		fmt.Fprintln(p.out, "nothing was taught")
	}
	return p.wrong(problems)
}

// checkTaught prints for each dialog whether it works on the screen on which it was taught.
func (p *program) checkTaught(folder taught.Folder) error {
	lessons, problems := folder.Read()
	failed := false
	for _, l := range lessons {
		use, prompt := teach.Try(folder, l)
		switch use {
		case teach.Untried:
			fmt.Fprintf(p.out, "%-20s good; the screen that it was taught on is gone\n", l.Name)
		case teach.Useless:
			failed = true
			fmt.Fprintf(p.out, "%-20s not found again on its own screen: teach it again, or `nod teach --forget %s`\n", l.Name, l.Name)
		case teach.Unneeded:
			fmt.Fprintf(p.out, "%-20s no longer needed: nod reads it by itself; `nod teach --forget %s`\n", l.Name, l.Name)
		case teach.Good:
			fmt.Fprintf(p.out, "%-20s good: yes %s, no %s\n", l.Name, orDash(strings.Join(prompt.Approve, " ")), orDash(strings.Join(prompt.Deny, " ")))
		}
	}
	if len(lessons)+len(problems) == 0 {
		fmt.Fprintln(p.out, "nothing was taught")
	}
	if err := p.wrong(problems); err != nil || !failed {
		return err
	}
	return errors.New("a taught dialog is of no use")
}

// wrong prints the problems and fails if there are any.
func (p *program) wrong(problems []taught.Problem) error {
	for _, problem := range problems {
		fmt.Fprintln(p.err, "nod:", problem)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d of the files can't be used", len(problems))
	}
	return nil
}

func (p *program) forgetTaught(folder taught.Folder, name string) error {
	was, err := folder.Forget(name)
	switch {
	case err != nil:
		return fmt.Errorf("forget %s: %w", name, err)
	case !was:
		return &failure{code: exitFailed, err: fmt.Errorf("nothing was taught under the name %q", name), hint: "nod teach --list lists the names"}
	}
	fmt.Fprintf(p.out, "forgot %s\n", name)
	return nil
}
