package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nod/detect/agents"
	"nod/internal/text/near"
)

// This file explains wrong command lines.

// misuse is the error for a wrong command line. report adds the usage of the command.
func misuse(format string, args ...any) *failure {
	return &failure{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// usageOf returns a command's usage line, with its subcommands.
func usageOf(cmd *cobra.Command) string {
	line := strings.ReplaceAll(cmd.UseLine(), " [flags]", "")
	var below []string
	for _, c := range cmd.Commands() {
		below = append(below, c.Name())
	}
	if len(below) == 1 {
		return line + " [" + below[0] + "]"
	}
	return strings.TrimSpace(line + " " + strings.Join(below, "|"))
}

// noCommand refuses words that name no command. cobra would ignore them for a command that can run by itself.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := misuse("there is no command %q", args[0])
	if args[0] == "uninstall" && !cmd.HasParent() {
		err.hint = "`deploy/install.sh --uninstall` takes nod off this machine, and `apt remove nod` where the package put it there"
		return err
	}
	if meant := meantBelow(cmd, args[0]); meant != "" {
		err.hint = "did you mean `" + cmd.CommandPath() + " " + meant + "`?"
	}
	return err
}

// meantBelow returns the command below cmd that a wrong word probably means: one that begins with it, else
// one that is spelt much the same.
func meantBelow(cmd *cobra.Command, word string) string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name, word) {
			return name
		}
	}
	return near.To(word, names)
}

// explained wraps check so that its error says what is wrong with the arguments.
func explained(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		check = cobra.NoArgs
	}
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if said := (*failure)(nil); err == nil || errors.As(err, &said) {
			return err
		}
		names := needed(cmd)
		switch {
		case cmd.HasSubCommands():
			return noCommand(cmd, args)
		case len(args) < len(names):
			f := misuse("missing %s", listed(strings.Split(names[len(args)], "|"), "or"))
			if names[len(args)] == "ID" {
				f.hint = "an id is written without its #, which begins a comment in a shell: `nod reply k3f y`"
			}
			return f
		case len(args) == len(names) && len(cmd.ValidArgs) > 0:
			return misuse("%q is none of %s", args[0], listed(cmd.ValidArgs, "and"))
		}
		return misuse("%q is one argument too many", args[len(args)-1])
	}
}

// needed returns the required arguments of a command, as its usage line names them.
func needed(cmd *cobra.Command) (names []string) {
	for _, word := range strings.Fields(cmd.Use)[1:] {
		if word == "|" || strings.HasPrefix(word, "[") || strings.HasPrefix(word, "--") {
			break
		}
		names = append(names, strings.TrimSuffix(word, "…"))
	}
	return names
}

// listed joins words as in "a, b and c".
func listed(words []string, and string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " " + and + " " + words[last]
}

// takes says what value a flag needs, by its type.
var takes = map[string]string{"int": "a whole number", "duration": "a time such as 10m", "bool": "true or false"}

// wrongFlag says what is wrong with a flag.
func wrongFlag(cmd *cobra.Command, err error) error {
	value, unknown := (*pflag.InvalidValueError)(nil), (*pflag.NotExistError)(nil)
	switch {
	case errors.As(err, &value) && takes[value.GetFlag().Value.Type()] != "":
		return misuse("%q is no value for --%s: it takes %s", value.GetValue(), value.GetFlag().Name, takes[value.GetFlag().Value.Type()])
	case errors.As(err, &unknown):
		f := misuse("%w", err)
		var names []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		if meant := near.To(unknown.GetSpecifiedName(), names); meant != "" {
			f.hint = "did you mean --" + meant + "?"
		}
		return f
	}
	return misuse("%w", err)
}

// misspelt refuses an unknown agent name that probably is a typing error. Other unknown names are allowed:
// nod reads those agents like any unknown one. A name of three letters is one edit away from other agents' names (amp, omp).
func (p *program) misspelt(agent string) error {
	meant := near.To(agent, slices.DeleteFunc(agents.Names(), func(name string) bool { return len(name) < 4 && name != agent }))
	if meant == "" || meant == agent || p.teaches(agent) {
		return nil
	}
	err := misuse("nod knows no agent %q", agent)
	err.hint = "did you mean " + meant + "?"
	return err
}

// teaches reports whether a dialog of that agent was taught.
func (p *program) teaches(agent string) bool {
	lessons, _ := p.taughtFolder().All()
	for _, l := range lessons {
		if l.Agent == agent {
			return true
		}
	}
	return false
}
