package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nod/bot"
	"nod/internal/settings"
)

//go:generate sh -c "go run . docs > ../../docs/reference.md"

// docsCommand prints docs/reference.md, which therefore always matches the program.
func (p *program) docsCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "docs",
		Short:  "print the reference as Markdown",
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(p.out, reference(cmd.Root()))
			return err
		},
	}
}

func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(`# Reference

This page is printed by nod itself: ` + "`go generate ./cmd/nod`" + ` writes it again.

## Commands

PANE is a tmux pane id (` + "`%12`" + `) or ` + "`session:window.pane`" + `, matched exactly, on the only server or with
` + "`@SOCKET`" + ` after it. A session, a ` + "`session:window`" + `, a name or a project means its only pane. What fits several is refused.

Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 69 nod is not running, 75 time was up, 78 wrong
settings, or a database that a newer nod has written.
Colour is shown only on a terminal, and never where ` + "`NO_COLOR`" + ` is set.

`)
	for _, c := range root.Commands() {
		if !c.Hidden && c.Name() != "help" {
			describe(&b, c)
		}
	}
	describeChat(&b)
	describeSettings(&b)
	return b.String()
}

func describe(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "### %s\n\n", strings.TrimSuffix(c.UseLine(), " [flags]"))
	text := c.Long
	if text == "" {
		text = c.Short
	}
	b.WriteString(text + "\n\n")
	if c.Example != "" {
		fmt.Fprintf(b, "```\n%s\n```\n\n", dedent(c.Example))
	}
	rows := ""
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		if !slices.Contains([]string{"", "false", "[]", "0", "0s"}, f.DefValue) {
			usage += "; the default is " + strings.TrimSuffix(f.DefValue, "0s")
		}
		rows += fmt.Sprintf("| `%s` | %s |\n", strings.TrimSpace("--"+f.Name+" "+kind), usage)
	})
	if rows != "" {
		b.WriteString("| flag | meaning |\n| --- | --- |\n" + rows + "\n")
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			describe(b, sub)
		}
	}
}

func dedent(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}

func describeChat(b *strings.Builder) {
	b.WriteString("## In the chat\n\n| command | does |\n| --- | --- |\n")
	names, help := bot.Commands()
	for i, name := range names {
		fmt.Fprintf(b, "| `%s` | %s |\n", name, help[i])
	}
	b.WriteString("\n")
}

func describeSettings(b *strings.Builder) {
	b.WriteString(`## Settings

Settings come from the environment and, for what that lacks, from the settings file
` + "`$XDG_CONFIG_HOME/nod/nod.env`" + ` (` + "`NOD_CONFIG`" + ` names another): ` + "`KEY=value`" + ` lines, readable by its owner
alone (` + "`chmod 600`" + `). The file is read again when it changes and on SIGHUP; settings marked * take
effect when nod is started again.

| setting | default | meaning |
| --- | --- | --- |
`)
	for _, v := range settings.Variables() {
		star := ""
		if v.Restart {
			star = " *"
		}
		fmt.Fprintf(b, "| `%s`%s | %s | %s |\n", v.Name, star, v.Default, v.Meaning)
	}
}
