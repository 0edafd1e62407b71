package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/ansi"
	"nod/internal/text/wrap"
	"nod/internal/words"
)

func (p *program) checkCommand() *cobra.Command {
	var agent string
	var asJSON, explained bool
	c := &cobra.Command{
		Use:   "check [PANE]",
		Short: "what nod makes of a screen",
		Long: `Prints how nod reads a pane, or a screen on standard input: plain, or with colours as tmux
capture-pane -e prints them. It needs neither a running bot nor settings.

approve and deny are the keys to press, in order, on exactly this screen. If there are none, nod has no
key that means just that.`,
		Example:           "  nod check main:2.0\n  tmux capture-pane -ep | nod check --agent claude --json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.misspelt(agent); err != nil {
				return err
			}
			reading, shown, err := p.readScreen(cmd.Context(), args, agent)
			if err != nil {
				return err
			}
			result := control.CheckOf(reading)
			if explained {
				result.Why, result.Rows = append(reading.Why, promptReasons(reading.Prompt)...), reading.Rows
				if reading.Prompt == nil {
					result.Why = append(result.Why, shown.WhyNoDialog()...)
				}
				if about := agents.ProfileOf(reading.Agent).About; about != "" {
					result.Why = append(result.Why, about)
				}
			}
			if asJSON {
				return printJSON(p.out, result)
			}
			printCheck(p.out, result)
			printRows(p.out, result.Rows)
			return nil
		},
	}
	c.Flags().StringVar(&agent, "agent", "", "the agent's `NAME`, as in claude; found from the pane or its screen where it is left out")
	completeAgents(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&explained, "explain", false, "say which rules matched, and what each row is taken for")
	return c
}

// promptReasons says why a prompt is seen only in part, and why no key approves it.
func promptReasons(p *screen.Prompt) (said []string) {
	if p == nil {
		return nil
	}
	for _, doubt := range p.Doubts {
		said = append(said, "partial: "+words.Why(doubt))
	}
	if !p.Why.IsZero() {
		said = append(said, "no key approves: "+words.Why(p.Why))
	}
	return said
}

// readScreen reads a pane, or the screen on standard input.
func (p *program) readScreen(ctx context.Context, args []string, agent string) (reading screen.Reading, shown screen.Screen, err error) {
	if len(args) == 1 {
		look, err := p.look(ctx, args[0])
		if err != nil {
			return reading, shown, err
		}
		return detect.ReadPane(look, agent, p.readTaught), screen.Parse(look.Capture), nil
	}
	if isTerminal(p.in) {
		return reading, shown, &failure{code: exitUsage, err: fmt.Errorf("there is no screen to check"), hint: "name a pane, or pipe a screen in: `tmux capture-pane -ep | nod check`"}
	}
	text, err := io.ReadAll(io.LimitReader(p.in, maxScreen))
	if err != nil {
		return reading, shown, fmt.Errorf("read the screen: %w", err)
	}
	shown = screen.Parse(string(text))
	return p.readTaught(agent, shown), shown, nil
}

// maxScreen is a size limit in bytes, far above a screen of 500 by 200 cells that each have their own colour.
const maxScreen = 16 << 20

func printCheck(w io.Writer, r control.Check) {
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-11s %s\n", name, value)
		}
	}
	line("agent", orDash(ansi.OneLine(r.Agent)))
	line("state", string(r.State))
	if prompt := r.Prompt; prompt != nil {
		line("shape", prompt.Shape)
		line("question", ansi.OneLine(prompt.Question))
		for i, row := range strings.Split(ansi.Harmless(prompt.Subject), "\n") {
			line(map[bool]string{true: "subject"}[i == 0], row)
		}
		if prompt.Partial {
			line("", "(a part of it is not on this screen)")
		}
		for i, option := range prompt.Options {
			cursor := "  "
			if prompt.Highlighted != nil && *prompt.Highlighted == i {
				cursor = "> "
			}
			line(map[bool]string{true: "options"}[i == 0], fmt.Sprintf("%s%-6s %-9s %s", cursor, orDash(option.Key), option.Scope, ansi.OneLine(option.Label)))
		}
		line("approve", orDash(strings.Join(prompt.Approve, " ")))
		line("deny", orDash(strings.Join(prompt.Deny, " ")))
		line("fingerprint", prompt.Fingerprint)
	}
	for i, why := range r.Why {
		line(map[bool]string{true: "because"}[i == 0], wrap.Text(ansi.OneLine(why), checkIndent, paper(w)))
	}
}

// roleColours are the terminal colours of the roles.
var roleColours = map[screen.Role]string{
	screen.Unplaced: "\x1b[33m", screen.Subject: "\x1b[33m", screen.Note: "\x1b[33m", screen.Button: "\x1b[33m", screen.Title: "\x1b[36m", screen.Asked: "\x1b[32m",
	screen.Choice: "\x1b[35m",
}

// checkIndent is the column in which values and the rows of a screen begin.
const checkIndent = 12

// paper returns the number of columns of w; 0 if it is no terminal, so that nothing is broken there.
func paper(w io.Writer) int {
	if _, drawn := w.(*frame); drawn || isTerminal(w) {
		return width(w)
	}
	return 0
}

// printRows prints the rows of a dialog, each with its role. A terminal is often as wide as the pane, and has no room for
// the roles beside it: there, what is drawn across is cut, and any other row goes on in the next one.
func printRows(w io.Writer, rows []screen.Drawn) {
	columns := paper(w)
	room := max(columns-checkIndent, 8)
	for i, row := range rows {
		if i == 0 {
			fmt.Fprintln(w)
		}
		role, text := fmt.Sprintf("%-9s", row.Role), strings.TrimRight(ansi.Harmless(row.Text), " ")
		if code := roleColours[row.Role]; code != "" && colour(w) {
			role = code + role + "\x1b[0m"
		}
		first, more := text, ""
		if columns > 0 {
			first = runewidth.Truncate(text, room, "")
			more = text[len(first):]
		}
		fmt.Fprintln(w, strings.TrimRight(role+" │ "+first, " "))
		for more != "" && row.Role != screen.Border && row.Role != screen.Drawing {
			first = runewidth.Truncate(more, room, "")
			fmt.Fprintln(w, strings.Repeat(" ", checkIndent-2)+"┆ "+first)
			more = more[len(first):]
		}
	}
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
