package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nod/detect"
	"nod/internal/tmux"
)

func (p *program) checkCommand() *cobra.Command {
	var agent string
	var asJSON, explained bool
	c := &cobra.Command{
		Use:   "check [PANE]",
		Short: "what nod makes of a screen",
		Long: `Says what nod makes of a pane, or of a screen on standard input: plain, or with colours as
tmux capture-pane -e gives them. It needs neither a running bot nor settings.

approve and deny are the keys to press in order from this very screen; where there is none,
nod has no key that means just that.`,
		Example:           "  nod check main:2.0\n  tmux capture-pane -ep | nod check --agent claude --json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			reading, err := p.readScreen(cmd.Context(), args, agent)
			if err != nil {
				return err
			}
			result := checkResultOf(reading)
			if explained {
				result.Why = reading.Why
			}
			if asJSON {
				return printJSON(p.out, result)
			}
			result.print(p.out)
			return nil
		},
	}
	c.Flags().StringVar(&agent, "agent", "", "the agent's `NAME`, as in claude; found from the pane or its screen where it is left out")
	completeAgents(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&explained, "explain", false, "say which rules matched")
	return c
}

func (p *program) readScreen(ctx context.Context, args []string, agent string) (detect.Reading, error) {
	if len(args) == 1 {
		server, pane, err := findPane(ctx, p.localServers(), args[0])
		if err != nil {
			return detect.Reading{}, err
		}
		look, err := server.Look(ctx, pane.ID)
		if err != nil {
			return detect.Reading{}, err
		}
		return readLook(look, agent), nil
	}
	if isTerminal(p.in) {
		return detect.Reading{}, &failure{code: exitUsage, err: fmt.Errorf("there is no screen to check"), hint: "name a pane, or pipe a screen in: `tmux capture-pane -ep | nod check`"}
	}
	screen, err := io.ReadAll(io.LimitReader(p.in, maxScreen))
	if err != nil {
		return detect.Reading{}, fmt.Errorf("read the screen: %w", err)
	}
	return detect.Read(agent, detect.ParseScreen(string(screen))), nil
}

// maxScreen is far more than a screen of 500 by 200 cells takes, each with its own colour.
const maxScreen = 16 << 20

// readLook reads a pane as it was seen. An empty agent is found from the pane; where no agent runs in
// it, a shell or another program owns it.
func readLook(look tmux.Look, agent string) detect.Reading {
	if agent == "" {
		agent = agentIn(look.Pane)
	}
	if agent == "" {
		return detect.Reading{State: detect.Shell, Why: []string{"no agent that nod knows runs in the pane's foreground"}}
	}
	return detect.Read(agent, detect.ParseScreen(look.Capture))
}

// checkResult is a reading as `nod check --json` and pane.check give it. What only a prompt has is
// left out for the other states.
type checkResult struct {
	Agent string       `json:"agent"`
	State detect.State `json:"state"`
	*promptResult
	Why []string `json:"why,omitempty"`
}

type promptResult struct {
	Shape       string          `json:"shape"`
	Question    string          `json:"question"`
	Subject     string          `json:"subject"`
	Partial     bool            `json:"partial"`
	Options     []detect.Option `json:"options"`
	Highlighted *int            `json:"highlighted"` // from 0; null where none is proven
	Approve     []string        `json:"approve"`
	Deny        []string        `json:"deny"`
	Fingerprint string          `json:"fingerprint"`
}

func checkResultOf(r detect.Reading) checkResult {
	result := checkResult{Agent: r.Agent, State: r.State}
	if r.Prompt == nil || !r.State.Asks() {
		return result
	}
	prompt := r.Prompt
	result.promptResult = &promptResult{
		Shape: prompt.Shape, Question: prompt.Question, Subject: prompt.Subject, Partial: prompt.Partial,
		Options: slices.Concat([]detect.Option{}, prompt.Options), Approve: []string{}, Deny: []string{},
		Fingerprint: prompt.Fingerprint,
	}
	if prompt.Highlighted >= 0 {
		result.Highlighted = &prompt.Highlighted
	}
	if r.State == detect.Permission {
		result.Approve = append(result.Approve, prompt.Approve...)
		result.Deny = append(result.Deny, prompt.Deny...)
	}
	return result
}

func (r checkResult) print(w io.Writer) {
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-11s %s\n", name, value)
		}
	}
	line("agent", orDash(oneLine(r.Agent)))
	line("state", string(r.State))
	if prompt := r.promptResult; prompt != nil {
		line("shape", prompt.Shape)
		line("question", oneLine(prompt.Question))
		for i, row := range strings.Split(harmless(prompt.Subject), "\n") {
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
			line(map[bool]string{true: "options"}[i == 0], fmt.Sprintf("%s%-6s %-9s %s", cursor, orDash(option.Key), option.Scope, oneLine(option.Label)))
		}
		line("approve", orDash(strings.Join(prompt.Approve, " ")))
		line("deny", orDash(strings.Join(prompt.Deny, " ")))
		line("fingerprint", prompt.Fingerprint)
	}
	for i, why := range r.Why {
		line(map[bool]string{true: "because"}[i == 0], oneLine(why))
	}
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
