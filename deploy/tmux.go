package deploy

import (
	"fmt"
	"strings"
)

// TmuxLines are lines for tmux's settings that put nod's status into the status line, and nod next on a key. What nod next
// prints is thrown away: tmux would open a view over the pane, and nod types into no pane that shows one. It is put into no
// message either, since tmux runs commands that are in one.
func TmuxLines(nod string) string {
	quoted := strings.ReplaceAll(ShellQuote(nod), "#", "##")
	return fmt.Sprintf(`# nod: what waits for you stands in the status line, and prefix g goes to the pane that waits.
set -g status-interval 5
set -ag status-right " #(%s status --tmux)"
bind-key g run-shell -b "%[1]s next >/dev/null 2>&1 || tmux display-message 'nod has no pane to go to: see nod status'"
`, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`).Replace(quoted))
}
