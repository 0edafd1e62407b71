package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"nod/detect"
	"nod/internal/redact"
)

func (p *program) recordCommand() *cobra.Command {
	var file, agent string
	c := &cobra.Command{
		Use:   "record PANE",
		Short: "write a screen as a test case or bug report",
		Long: `Writes what a pane shows, with colours and with secrets masked, into a file that can be a test
case or go into a bug report, and says what nod makes of it. Read the file before you send it:
a secret that looks like none is not masked. It needs no running bot.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			server, pane, err := findPane(cmd.Context(), p.localServers(), args[0])
			if err != nil {
				return err
			}
			look, err := server.Look(cmd.Context(), pane.ID)
			if err != nil {
				return err
			}
			if agent == "" {
				agent = agentIn(look.Pane)
			}
			screen := maskColoured(harmlessColours(look.Capture)) + "\n"
			reading := checkResultOf(detect.Read(agent, detect.ParseScreen(screen)))
			if file == "" {
				file = fmt.Sprintf("%s-%s-%dx%d.ansi", fileWord(agent), reading.State, look.Pane.Width, look.Pane.Height)
			}
			if file == "-" {
				fmt.Fprint(p.out, screen)
				return nil
			}
			if err := writeNew(file, screen); err != nil {
				return err
			}
			fmt.Fprintf(p.out, "wrote %s; nod reads it as\n\n", file)
			reading.print(p.out)
			return nil
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "write to `FILE`, - for standard output; else named by agent, state and size")
	c.Flags().StringVar(&agent, "agent", "", "the agent's `NAME`, where nod does not find it")
	return c
}

// maskColoured masks the secrets of a screen that holds colour sequences, also where one stands
// within a secret. It rests on redact's promise to keep the number of characters.
func maskColoured(screen string) string {
	masked := []rune(redact.Mask(harmless(screen)))
	var b strings.Builder
	at := 0
	eachRun(screen, func(run string, isEscape bool) {
		if isEscape {
			b.WriteString(run)
			return
		}
		n := len([]rune(run))
		b.WriteString(string(masked[at : at+n]))
		at += n
	})
	return b.String()
}

func fileWord(agent string) string {
	if agent == "" {
		return "unknown"
	}
	return strings.Map(func(r rune) rune {
		if r == '/' || r <= ' ' || r == '.' {
			return '_'
		}
		return r
	}, agent)
}

// writeNew writes a file for its owner alone, and never over one that exists.
func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return &failure{code: exitFailed, err: fmt.Errorf("%s exists already and was left as it is", path), hint: "name another file with -o"}
	}
	if err != nil {
		return fmt.Errorf("write the capture: %w", err)
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
