package deploy

import (
	"fmt"
	"strings"
)

// TmuxLines returns lines for tmux.conf that show nod's status in the status line and bind a key to `nod
// next`. The output of `nod next` is discarded: tmux would open a view over the pane, and nod types into no
// pane that shows one. It can't go into a tmux message either, since tmux expands commands in it.
func TmuxLines(nod string) string {
	quoted := strings.ReplaceAll(ShellQuote(nod), "#", "##")
	return fmt.Sprintf(`# nod: what waits for you is in the status line, and prefix g goes to the pane that waits.
set -g status-interval 5
set -ag status-right " #(%s status --tmux)"
bind-key g run-shell -b "%[1]s next >/dev/null 2>&1 || tmux display-message 'nod has no pane to go to: see nod status'"
`, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`).Replace(quoted))
}
