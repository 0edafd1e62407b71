package detect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod/detect/agents"
)

// lastDenied are the denied calls that the newest look told of.
func lastDenied(a *audience) (d agents.DeniedCalls) {
	for _, s := range a.take() {
		d = s.Denied
	}
	return d
}

// TestDeniedCallsAreToldWhenTwoLooksAgree, by the screen where no event has told of a transcript.
func TestDeniedCallsAreToldWhenTwoLooksAgree(t *testing.T) {
	s := newStage(t)
	s.add("%1", "codex", screenOf(t, "codex/0.169.0-auto-review-denied-80x24.ansi"))
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		if d := lastDenied(a); len(d.Calls) > 0 {
			t.Errorf("told at the first look: %+v", d)
		}
		poll(2)
		if d := lastDenied(a); len(d.Calls) != 1 || d.Calls[0].Text != "touch rig-esc-ran" || !d.All {
			t.Errorf("told %+v", d)
		}
		s.show("%1", screenOf(t, "codex/0.169.0-denials-80x24.ansi"))
		poll(2)
		if d := lastDenied(a); len(d.Calls) != 1 {
			t.Errorf("under the list, told %+v", d)
		}
	})
}

// TestDeniedCallsAreReadInTheTranscript that an event of the session names, whole, while a call may be denied.
func TestDeniedCallsAreReadInTheTranscript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rollout.jsonl")
	call := strings.Join([]string{
		`{"type":"turn_context","payload":{"turn_id":"t1"}}`,
		`{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"touch a\\ntouch b\"}","call_id":"c"}}`,
	}, "\n") + "\n"
	result := call + `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"This action was rejected due to unacceptable risk.\nReason: not asked for\nThe agent must not"}}` + "\n"
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := newStage(t)
	s.add("%1", "codex", screenOf(t, "codex/0.169.0-auto-review-denied-80x24.ansi"))
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(2)
		e := event(Asks, "touch a", "")
		e.Agent, e.Transcript, e.Session = "codex", path, "s"
		write(call)
		send(t, w, e)
		poll(1)
		if d := lastDenied(a); d.Turn != "t1" || len(d.Calls) > 0 {
			t.Errorf("before its result, told %+v", d)
		}
		write(result)
		poll(1)
		if d := lastDenied(a); len(d.Calls) != 1 || d.Calls[0] != (agents.DeniedCall{Text: "touch a\ntouch b", Reason: "not asked for"}) {
			t.Errorf("told %+v", d)
		}
		write("")
		poll(3)
		if d := lastDenied(a); len(d.Calls) != 1 {
			t.Errorf("read again, though no call waits: %+v", d)
		}
	})
}
