package main

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/detect/agents"
	"nod/internal/host/ansi"
	"nod/internal/settings"
)

// completeFor is how long a shell waits for what it could complete: a bot that does not answer must
// not hold up somebody's typing.
const completeFor = time.Second

var (
	// safeWord is what every shell takes for one word and nothing more, and no command of nod for a flag.
	safeWord = regexp.MustCompile(`^[A-Za-z0-9_.:%@/+][A-Za-z0-9_.:%@/+-]*$`)
	flagWord = regexp.MustCompile(`^--[a-z][a-z-]*$`)

	unsafeChar = regexp.MustCompile(`[^A-Za-z0-9_.:%@/+ -]`)
	unsafeRuns = regexp.MustCompile(`[^A-Za-z0-9_.:%@/+-]+`)
)

// offers passes on what completion offers to a shell. The shell puts it into the line that somebody types, and cobra's scripts
// have the shell read that line again, so a session's name could be a command: what is no safeWord is left out, and descriptions
// have the same characters.
type offers struct {
	out   io.Writer
	flags bool // the shell asks for the names of flags
}

// offersFor are the offers for a command line that cobra completes.
func offersFor(out io.Writer, args []string) offers {
	last := len(args) - 1
	return offers{out, strings.HasPrefix(args[last], "-") && !strings.Contains(args[last], "=") && !slices.Contains(args[:last], "--")}
}

// Write gets one line of cobra's: what is offered, a tab and its description, or the directive at the end.
func (o offers) Write(line []byte) (int, error) {
	word, says, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
	if !safeWord.MatchString(word) && !(o.flags && flagWord.MatchString(word)) {
		return len(line), nil
	}
	if says = strings.Trim(unsafeRuns.ReplaceAllString(strings.ReplaceAll(says, "'", ""), " "), " -"); says != "" {
		word += "\t" + says
	}
	if _, err := io.WriteString(o.out, word+"\n"); err != nil {
		return 0, err
	}
	return len(line), nil
}

// offer is one word with a description that others wrote: each character that can't be shown is an underscore, so that
// a command does not read like another one.
func offer(word, says string) cobra.Completion {
	return cobra.CompletionWithDesc(word, unsafeChar.ReplaceAllString(ansi.OneLine(says), "_"))
}

// completeFirst completes the first argument with what find finds. It is silent about errors.
func completeFirst(cmd *cobra.Command, args []string, find func(context.Context) []cobra.Completion) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completeFor)
	defer cancel()
	return find(ctx), cobra.ShellCompDirectiveNoFileComp
}

// completeSettings completes the first argument with the names of the settings.
func completeSettings(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return completeFirst(cmd, args, func(context.Context) (found []cobra.Completion) {
		for _, v := range settings.Variables() {
			found = append(found, offer(v.Name, v.Meaning))
		}
		return found
	})
}

// completeNudges completes the first argument with the ids of what waits.
func (p *program) completeNudges(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return completeFirst(cmd, args, func(ctx context.Context) (found []cobra.Completion) {
		queue, _ := p.queue(ctx)
		for _, n := range queue {
			found = append(found, offer(n.ID, n.Agent+" in "+n.Project+": "+asked(n)))
		}
		return found
	})
}

// completePanes completes the first argument with the panes that nod sees, each by its place or, where that is no safeWord, by its id.
func (p *program) completePanes(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return completeFirst(cmd, args, func(ctx context.Context) (found []cobra.Completion) {
		var panes []control.Pane
		_ = p.call(ctx, "pane.list", nil, &panes)
		for _, pane := range panes {
			word := pane.Where
			if !safeWord.MatchString(word) {
				word = pane.Pane
			}
			found = append(found, offer(word, nameOf(pane)+": "+pane.State))
		}
		return found
	})
}

// completeMonitors completes the first argument with the monitors' names.
func (p *program) completeMonitors(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return completeFirst(cmd, args, func(ctx context.Context) (found []cobra.Completion) {
		var list []control.Monitor
		_ = p.call(ctx, "monitor.list", control.MonitorsParams{All: true}, &list)
		for _, m := range list {
			found = append(found, offer(m.Name, m.Status))
		}
		return found
	})
}

// completeAgents offers the agents that nod knows for --agent.
func completeAgents(c *cobra.Command) {
	err := c.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(agents.Names(), cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist, whatever the user does
	}
}
