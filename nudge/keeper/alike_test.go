package keeper

import (
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// TestALookThatTellsMoreIsNotAlike: a look is left out only if it repeats the one before in everything that records are made of.
func TestALookThatTellsMoreIsNotAlike(t *testing.T) {
	base := func() detect.Sighting {
		s := detect.Sighting{State: screen.Permission, Since: time.Unix(1000, 0), Prompt: &screen.Prompt{Fingerprint: "f"}}
		s.Prompt.Subject, s.Prompt.Rows, s.Prompt.Width, s.Prompt.Call, s.Prompt.Exact, s.Prompt.Doubts = "make", []string{"make"}, 80, "c", "x", []reason.Why{{Kind: reason.AgentExited}}
		s.Process.PID, s.Words, s.Said, s.Session = 7, "done", "go", "s"
		return s
	}
	if !alike(base(), base()) {
		t.Error("a look is not like itself")
	}
	for name, change := range map[string]func(s *detect.Sighting){
		"state":       func(s *detect.Sighting) { s.State = screen.Question },
		"settling":    func(s *detect.Sighting) { s.Settling = true },
		"process":     func(s *detect.Sighting) { s.Process.PID++ },
		"since":       func(s *detect.Sighting) { s.Since = s.Since.Add(1) },
		"worked":      func(s *detect.Sighting) { s.Worked = true },
		"last words":  func(s *detect.Sighting) { s.Words = "failed" },
		"Escape":      func(s *detect.Sighting) { s.Escaped = time.Unix(2000, 0) },
		"edits":       func(s *detect.Sighting) { s.Edits = []detect.Edit{{Path: "a.go"}} },
		"human input": func(s *detect.Sighting) { s.Said = "stop" },
		"denied":      func(s *detect.Sighting) { s.Denied.Turn = "t" },
		"session":     func(s *detect.Sighting) { s.Session = "other" },
		"dead end":    func(s *detect.Sighting) { s.Blocked = reason.Why{Kind: reason.AgentExited} },
		"no prompt":   func(s *detect.Sighting) { s.Prompt = nil },
		"fingerprint": func(s *detect.Sighting) { s.Prompt.Fingerprint = "g" },
		"call":        func(s *detect.Sighting) { s.Prompt.Call = "d" },
		"exact call":  func(s *detect.Sighting) { s.Prompt.Exact = "y" },
		"subject":     func(s *detect.Sighting) { s.Prompt.Subject = "make x" },
		"partial":     func(s *detect.Sighting) { s.Prompt.Partial = true },
		"doubts":      func(s *detect.Sighting) { s.Prompt.Doubts = nil },
		"width":       func(s *detect.Sighting) { s.Prompt.Width = 100 },
		"rows":        func(s *detect.Sighting) { s.Prompt.Rows = []string{"make", ""} },
	} {
		s := base()
		if change(&s); alike(s, base()) || alike(base(), s) {
			t.Errorf("another %s passes for the same look", name)
		}
	}
}
