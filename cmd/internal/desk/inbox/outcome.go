package inbox

import (
	"errors"
	"fmt"
	"strings"

	"nod/cmd/internal/desk"
)

// said are what is said of an act that was done.
var said = map[desk.Act]string{
	desk.Yes: "Approved, this once", desk.No: "Denied", desk.DenyWords: "Denied, with your words", desk.Choose: "Chosen", desk.Tick: "Ticked", desk.Send: "Sent",
	desk.Leave: "Left", desk.Words: "Answered", desk.Tell: "Told", desk.Skip: "It stands behind the others now", desk.Snooze: "Put off",
	desk.Allow: "Allowed once", desk.LeaveIt: "Left as it is", desk.SendWish: "Sent", desk.DropWish: "Dropped",
}

// sentence says what became of a reply. An outcome that is not known is an error.
func (a answer) sentence(r desk.Reply) (string, error) {
	text := said[r.Do]
	switch {
	case a.Outcome == "unknown":
		return "", errors.New(strings.TrimSpace("The outcome is not known. " + a.Detail))
	case r.Do == desk.Tell && (a.Position > 1 || a.Held != ""):
		return strings.TrimSpace(fmt.Sprintf("Queued as number %d. %s", a.Position, a.Held)), nil
	case a.Ticked != nil:
		text += ". Ticked now: " + strings.Join(a.Ticked, ", ")
	case a.Way == "door":
		text += ", through its own hook"
	case len(a.Keys) > 0:
		text += ": typed " + strings.Join(a.Keys, " ")
	}
	return text + ".", nil
}
