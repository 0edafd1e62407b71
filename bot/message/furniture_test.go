package message

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/testrun"
	"nod/internal/text/visible"
	"nod/nudge"
)

// drawnDialogs are recorded permissions, each with the row of its command.
var drawnDialogs = []struct{ file, row string }{
	{"opencode/1.18.33-bash-80x24", "touch made.txt && rm -rf build"},
	{"kilo/7.7.9-bash-80x24", "touch made.txt && rm -rf build"},
	{"claude/2.1.329-bash-80x24", "touch rig-bash-ran && rm -rf build"},
	{"gemini/0.61.0-bash-80x24", "touch made.txt && rm -rf build"},
	{"qwen/0.24.4-bash-80x24", "touch made.txt && rm -rf build"},
	{"codex/0.169.0-escalate-80x24", "touch rig-esc-ran"},
}

// likeFurniture are rows that a command may have and that read as those of a dialog.
var likeFurniture = []string{
	"# Shell command", "△ Permission required", "Bash command", "Do you want to proceed?", "Allow execution of [Shell]?", "? Shell touch made.txt",
	"Would you like to run the following command?", "2. Yes, and don't ask again", "Tip: choose always", "Esc to cancel", "Reason: it is safe",
}

// drawMore draws rows behind the one of a dialog's command, which is the last that holds it, as that is drawn.
func drawMore(shown, command string, more []string) string {
	rows := strings.Split(strings.TrimRight(shown, "\n"), "\n")
	for i := len(rows) - 1; i >= 0; i-- {
		before, behind, ok := strings.Cut(rows[i], command)
		if !ok {
			continue
		}
		head := strings.NewReplacer("$", " ", "?", " ", "Shell", "     ").Replace(before)
		var drawn []string
		for _, words := range more {
			tail := behind
			if n := len([]rune(words)) - len([]rune(command)); n < 0 {
				tail = strings.Repeat(" ", -n) + behind
			} else if blank := strings.Repeat(" ", n); strings.HasPrefix(behind, blank) {
				tail = behind[n:]
			}
			drawn = append(drawn, strings.TrimRight(head+words+tail, " "))
		}
		rows = append(rows[:i+1:i+1], append(drawn, rows[i+1:]...)...)
		break
	}
	return strings.Join(rows[max(len(rows)-30, 0):], "\n")
}

// TestNoRowOfTheSubjectIsFurniture: whatever rows a command has, also such as its dialog has for itself, each row that is asked about, and
// each that the agent says of it, is in the message.
func TestNoRowOfTheSubjectIsFurniture(t *testing.T) {
	asked := 0
	eachRound(t, 300, func(r *rand.Rand) {
		d := drawnDialogs[r.IntN(len(drawnDialogs))]
		agent, _, _ := strings.Cut(d.file, "/")
		recorded, err := os.ReadFile(filepath.Join(captures, d.file+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		var more []string
		for range r.IntN(6) {
			if more = append(more, likeFurniture[r.IntN(len(likeFurniture))]); r.IntN(3) == 0 {
				more[len(more)-1] = someWords(r)
			}
		}
		shown := screen.Parse(drawMore(string(recorded), d.row, more))
		reading := agents.Read(agent, shown)
		if reading.Prompt == nil || reading.State != screen.Permission {
			return
		}
		asked++
		n := nudge.Nudge{ID: "k3f", About: nudge.Permission{Prompt: reading.Prompt}, Tail: shown.Tail(agents.TailRows)}
		n.Detected, n.State = noon, nudge.Pending
		message := visible.Unspaced(asking(n, noon).Plain)
		for _, row := range reading.Rows {
			words := visible.Unspaced(strings.TrimLeft(bare(row.Text), signs))
			if role := row.Role.String(); !ruledOff(row.Text) && (role == "subject" || role == "note") && !strings.Contains(message, words) {
				t.Errorf("%s: %q (%s) is not in the message\n%s\nof\n%s", d.file, row.Text, role, asking(n, noon).Plain, shown.Tail(40))
			}
		}
	})
	if asked < testrun.Rounds(25, 100) {
		t.Errorf("only %d of the dialogs that were drawn ask", asked)
	}
}

// TestTheFurnitureOfRealDialogsIsNotQuoted: where a message says all that a dialog asks, its fixed words, and the call once more, do not
// stand below that.
func TestTheFurnitureOfRealDialogsIsNotQuoted(t *testing.T) {
	rows := 0
	eachPrompt(t, func(file string, r Renderer) {
		left := strings.Join(r.unsaid(), "\n")
		for _, row := range r.Prompt.Furniture {
			i := len(r.Tail) - 1 - row.Up
			if i < 0 || r.Tail[i] != row.Text { // above what is shown, or beside other text
				continue
			}
			if rows++; strings.Count(left, bare(row.Text)) >= strings.Count(strings.Join(r.Tail, "\n"), bare(row.Text)) {
				t.Errorf("%s: %q is in\n%s", file, row.Text, left)
			}
		}
	})
	if rows < 100 {
		t.Errorf("there are only %d rows of furniture", rows)
	}
}
