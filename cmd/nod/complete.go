package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/detect/agents"
	"nod/internal/host/ansi"
	"nod/internal/settings"
	"nod/internal/text/lazy"
)

// completeFor is how long a shell waits for completions: a bot that does not answer must not block typing.
const completeFor = time.Second

var (
	// safeWord matches words that every shell takes literally and nod never takes for a flag.
	safeWord = lazy.MustCompile(`^[A-Za-z0-9_.:%@/+][A-Za-z0-9_.:%@/+-]*$`)
	flagWord = lazy.MustCompile(`^--[a-z][a-z-]*$`)

	unsafeChar = lazy.MustCompile(`[^A-Za-z0-9_.:%@/+ -]`)
	unsafeRuns = lazy.MustCompile(`[^A-Za-z0-9_.:%@/+-]+`)
)

// offers filters completions for a shell. The shell inserts them into the command line, and cobra's scripts
// make the shell evaluate that line again, so a session's name could become a command. Words that don't match
// safeWord are dropped, and descriptions have only the same characters.
type offers struct {
	out   io.Writer
	flags bool // the shell asks for names of flags
}

// offersFor returns the filter for a command line that cobra completes.
func offersFor(out io.Writer, args []string) offers {
	last := len(args) - 1
	return offers{out, strings.HasPrefix(args[last], "-") && !strings.Contains(args[last], "=") && !slices.Contains(args[:last], "--")}
}

// Write takes one line of cobra's output: a word, a tab and its description, or the directive at the end.
func (o offers) Write(line []byte) (int, error) {
	word, says, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
	if !safeWord().MatchString(word) && !(o.flags && flagWord().MatchString(word)) {
		return len(line), nil
	}
	if says = strings.Trim(unsafeRuns().ReplaceAllString(strings.ReplaceAll(says, "'", ""), " "), " -"); says != "" {
		word += "\t" + says
	}
	if _, err := io.WriteString(o.out, word+"\n"); err != nil {
		return 0, err
	}
	return len(line), nil
}

// offer makes a completion of a word with a description that others wrote. It replaces unsafe characters in
// the description with underscores, so that it can't look like another command.
func offer(word, says string) cobra.Completion {
	return cobra.CompletionWithDesc(word, unsafeChar().ReplaceAllString(ansi.OneLine(says), "_"))
}

// completeFirst completes the first argument with the results of find. It ignores errors.
func completeFirst(cmd *cobra.Command, args []string, find func(context.Context) []cobra.Completion) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completeFor)
	defer cancel()
	return find(ctx), cobra.ShellCompDirectiveNoFileComp
}

// completeSettings completes the first argument with names of settings.
func completeSettings(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return completeFirst(cmd, args, func(context.Context) (found []cobra.Completion) {
		for _, v := range settings.Variables() {
			found = append(found, offer(v.Name, v.Meaning))
		}
		return found
	})
}

// completeNudges completes the first argument with ids of waiting nudges.
func (p *program) completeNudges(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return completeFirst(cmd, args, func(ctx context.Context) (found []cobra.Completion) {
		queue, _ := p.queue(ctx)
		for _, n := range queue {
			found = append(found, offer(n.ID, n.Agent+" in "+n.Project+": "+asked(n)))
		}
		return found
	})
}

// completePanes completes the first argument with the panes that nod sees: by place, or by id if the place is
// no safeWord.
func (p *program) completePanes(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return completeFirst(cmd, args, func(ctx context.Context) (found []cobra.Completion) {
		var panes []control.Pane
		_ = p.call(ctx, "pane.list", nil, &panes)
		for _, pane := range panes {
			word := placeOf(pane.Machine, pane.Where)
			if !safeWord().MatchString(word) {
				word = placeOf(pane.Machine, pane.Pane)
			}
			found = append(found, offer(word, nameOf(pane)+": "+pane.State))
		}
		return found
	})
}

// completeMonitors completes the first argument with names of monitors.
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

// completeHooks completes the first argument with what can be done with hooks, the others with agents that are not named yet.
func completeHooks(_ *cobra.Command, args []string, _ string) (found []cobra.Completion, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		return []cobra.Completion{"install", "uninstall", "status"}, cobra.ShellCompDirectiveNoFileComp
	}
	for _, name := range agents.Hooked() {
		if !slices.Contains(args[1:], name) {
			found = append(found, name)
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeAgents completes --agent with the agents that nod knows.
func completeAgents(c *cobra.Command) {
	err := c.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(agents.Names(), cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // only if the flag does not exist
	}
}
