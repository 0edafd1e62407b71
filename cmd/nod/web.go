package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/internal/text/plural"
)

func (p *program) webCommand() *cobra.Command {
	var open, watch, revoke bool
	c := &cobra.Command{
		Use:   "web",
		Short: "a link to the page, where all that waits is answered in a browser",
		Long: `Prints a link to the page that the running bot serves at NOD_WEB. It works once, within a minute;
the browser that opened it is signed in until nothing is answered there for twelve hours, or until nod
is started again. Over ssh, forward the port to the same one: ` + "`ssh -L 7777:127.0.0.1:7777 HOST`" + `.

Only a human gets a link, and an answer from a browser that an agent started is refused, as ` + "`nod reply`" + ` is.
nod can't distinguish you from an agent that you let into your own browser.`,
		Example: "  nod web --open",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if revoke && (open || watch) {
				return misuse("--revoke gives no link: leave out --open and --watch")
			}
			if revoke {
				var ended control.Revoked
				if err := p.call(cmd.Context(), "web.revoke", nil, &ended); err != nil {
					return notFound(err, p.noPage())
				}
				fmt.Fprintln(p.out, plural.Of(ended.Sessions, "session", "sessions")+" ended, and every link that nobody has opened")
				return nil
			}
			var made control.Link
			if err := p.call(cmd.Context(), "web.link", control.LinkParams{Watch: watch}, &made); err != nil {
				return notFound(err, p.noPage())
			}
			if open {
				err := openBrowser(cmd.Context(), made.Link)
				if err == nil {
					return nil
				}
				fmt.Fprintf(p.err, "No browser could be started (%v): open the link yourself.\n", err)
			}
			fmt.Fprintln(p.out, made.Link)
			return nil
		},
	}
	c.Flags().BoolVar(&open, "open", false, "open the link in your browser, and print it only where that fails")
	c.Flags().BoolVar(&watch, "watch", false, "a link to a page that shows all and can't answer")
	c.Flags().BoolVar(&revoke, "revoke", false, "end all sessions of the page, those in Telegram too")
	return c
}

// noPage returns the next step if nod serves no page.
func (p *program) noPage() string {
	if s, err := p.settings(); err == nil && s.Web != "" {
		return "it was started before NOD_WEB was set: end it and `nod run`, or `nod service restart`"
	}
	return "`nod config set NOD_WEB 127.0.0.1:7777`"
}

// openerWait is how long to wait for the program that opens links, which may itself become the browser.
const openerWait = 3 * time.Second

// openBrowser opens a link. On Linux every user can read the link for a minute, but the page accepts it only
// from our own user. The browser keeps no tie to this terminal, so later programs in the pane are not related
// to it.
func openBrowser(ctx context.Context, link string) error {
	opener := exec.CommandContext(context.WithoutCancel(ctx), "xdg-open", link)
	if runtime.GOOS == "darwin" { // other users can see a command's arguments there, so the link is not among them
		opener = exec.CommandContext(context.WithoutCancel(ctx), "osascript")
		opener.Stdin = strings.NewReader(fmt.Sprintf("open location %q\n", link))
	}
	opener.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	opener.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TMUX=") || strings.HasPrefix(v, "TMUX_PANE=") })
	if err := opener.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- opener.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(openerWait):
		return nil
	}
}
