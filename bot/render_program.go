package bot

import (
	"fmt"
	"time"

	"nod/internal/text/elapsed"
)

// untilWhen says what becomes of a program's question that nobody answers.
func (r renderer) untilWhen(now time.Time) string {
	at := clock(r.Expires, now, r.style.zone)
	if r.Program.Door {
		return "It runs outside tmux: nod can't tell whether somebody sits there. It waits until " + at + "."
	}
	if r.Program.Default == "" {
		return "It waits until " + at + "."
	}
	return fmt.Sprintf("If nobody answers until %s, the program takes “%s”.", at, r.byDefault())
}

// lateAnswer says what became of a program's question that nobody answered.
func (r renderer) lateAnswer(at string) string {
	late := fmt.Sprintf("Time was up at %s: no answer came for %s.", at, elapsed.Short(r.Ended.Sub(r.Detected)))
	if r.Program.Default == "" {
		return late
	}
	return late + fmt.Sprintf(" The program took its default, “%s”.", r.byDefault())
}

func (r renderer) byDefault() string {
	return cut(oneLine(r.style.redact(r.Program.Default)), lineRoom)
}
