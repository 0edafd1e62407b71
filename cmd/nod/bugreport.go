package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nod/cmd/internal/console/doctor"
	"nod/cmd/internal/console/record"
	"nod/deploy"
	"nod/internal/text/redact"
)

// reportedEvents is the number of audit trail events in a report.
const reportedEvents = 200

func (p *program) bugreportCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "bugreport [PANE…]",
		Short: "all that a bug report needs, in one file with secrets masked",
		Long: `Writes one text file with the version, the settings, what doctor finds, the panes, the last events of
the log, and what each PANE shows and nod reads there. Secrets are masked, and commands and names are
in it: read it before you send it. It works without a running bot, with less in it.`,
		Example:           "  nod bugreport main:2.0",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, panes []string) error {
			now := time.Now().UTC()
			report := redact.Mask(p.bugreport(cmd.Context(), panes, now))
			if file == "-" {
				_, err := fmt.Fprint(p.out, report)
				return err
			}
			file = cmp.Or(file, "nod-bugreport-"+now.Format("20060102-150405")+".txt")
			if err := writeNew(file, report); err != nil {
				return err
			}
			fmt.Fprintf(p.out, "wrote %s\nRead it before you send it: nod masks only what looks like a secret.\n", file)
			return nil
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "write to `FILE`, - for standard output; else named by the time")
	return c
}

// bugreport returns the text of the report, not masked yet. A part that fails contains its error.
func (p *program) bugreport(ctx context.Context, panes []string, now time.Time) string {
	var report strings.Builder
	part := func(title string, write func(*program) error) {
		var text bytes.Buffer
		inner := *p
		inner.out = &text
		if err := write(&inner); err != nil {
			fmt.Fprintf(&text, "not known: %v\n", err)
		}
		fmt.Fprintf(&report, "## %s\n\n%s\n", title, text.String())
	}
	part("nod bug report of "+now.Format(time.RFC3339), func(p *program) error {
		fmt.Fprintln(p.out, fullVersion())
		return nil
	})
	part("Settings", func(p *program) error {
		s, err := p.settings()
		if err == nil {
			p.printSettings(compareSettings(s.Rows(), nil), true)
		}
		return err
	})
	part("Doctor", func(p *program) error {
		program, err := deploy.Program()
		if err != nil {
			program = "nod" // as for `nod doctor`
		}
		p.printReport(doctor.Examine(ctx, doctor.Machine{Env: p.env, ServiceEnv: p.env.ForService(), Program: program, Version: version()}))
		return nil
	})
	part("Status", func(p *program) error {
		s, err := p.readStatus(ctx)
		if err == nil {
			p.printStatus(s, now)
		}
		return err
	})
	part("Log", func(p *program) error {
		client, err := p.bot()
		if err != nil {
			return err
		}
		defer client.Close()
		print := logPrinter{out: p.out, client: client}
		return print.page(ctx, reportedEvents)
	})
	for _, pane := range panes {
		part("Screen of "+pane, func(p *program) error {
			look, err := p.look(ctx, pane)
			if err != nil {
				return err
			}
			recorded := record.Of(look, "", "")
			printCheck(p.out, recorded.Check)
			fmt.Fprintf(p.out, "\n%s\n%s\n", look.Text(0, false), recorded.Label)
			return nil
		})
	}
	return report.String()
}
