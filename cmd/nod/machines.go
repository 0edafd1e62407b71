package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/cmd/internal/fleet"
	"nod/cmd/internal/fleet/pipe"
	"nod/internal/host/ansi"
	"nod/internal/text/elapsed"
	"nod/internal/text/wrap"
)

func (p *program) machinesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "machines",
		Short: "the other machines that this bot serves, and how they are",
		Long: `Lists the machines that NOD_MACHINES names and those that have joined: whether each is here or away and since when, how long ago it was heard, its version of
nod, how far its clock is off, how many agents run there, and what is wrong. A machine is away when nothing was heard of
it for 15 seconds; nod tries again at least once a minute.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list []control.Machine
			if err := p.call(cmd.Context(), "machine.list", nil, &list); err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.out, list)
			}
			if len(list) == 0 {
				fmt.Fprintln(p.out, wrap.Text("There is no other machine: name some in NOD_MACHINES, as in `nod config set NOD_MACHINES dev,gpu1`, and start nod again, or let one join with `nod hub invite`.", 0, width(p.out)))
				return nil
			}
			rows := [][]string{{"MACHINE", "STATE", "HEARD", "VERSION", "CLOCK", "AGENTS"}}
			for _, m := range list {
				rows = append(rows, machineRow(m, time.Now()))
			}
			table(p.out, width(p.out), rows)
			fmt.Fprintf(p.out, "Away after %d seconds without a word; dialled again within %d seconds.\n", int(fleet.AwayAfter.Seconds()), int(pipe.MostWait.Seconds()))
			for _, m := range list {
				for _, why := range m.Troubles {
					fmt.Fprintln(p.out, wrap.Text(ansi.OneLine("✗ "+m.Name+": "+why), 2, width(p.out)))
				}
			}
			return nil
		},
	}
	c.AddCommand(p.forgetCommand())
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func machineRow(m control.Machine, now time.Time) []string {
	state, heard, clock := m.State, "never", ""
	if m.Away != nil {
		state += " since " + m.Away.Local().Format("15:04")
	}
	if m.Heard != nil {
		heard = elapsed.Short(now.Sub(*m.Heard)) + " ago"
		clock = "right"
		if skew := time.Duration(m.SkewMS) * time.Millisecond; skew.Abs() >= 2*time.Second {
			clock = elapsed.Short(skew.Abs()) + " behind"
			if skew < 0 {
				clock = elapsed.Short(skew.Abs()) + " ahead"
			}
		}
	}
	return []string{m.Name, state, heard, m.Version, clock, strconv.Itoa(m.Agents)}
}
