// Command nod tells you on Telegram when a coding agent in tmux waits for you, and types your
// answer into its pane.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	_ "time/tzdata" // quiet hours have a time zone, and small systems have no time zone data

	"nod/cmd/internal/jobs/monitor"
	"nod/internal/settings"
)

func main() {
	runtime.MemProfileRate = 0                                // a profile of memory would take 1.4 MB, and nothing reads it
	if len(os.Args) > 2 && os.Args[1] == monitor.JobCommand { // keeps the environment unchanged
		if err := monitor.Job(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, "nod:", err)
			os.Exit(exitFailed)
		}
		return
	}
	// First of all, so that no child process inherits the token.
	env := settings.TakeEnvironment()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, env, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
