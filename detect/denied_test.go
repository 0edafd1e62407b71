package detect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
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

// TestLooksAgreeOnDeniedCallsWhateverElseChanges: a screen on which only other rows have changed agrees. The look that shows a stop for the
// first time says when it was.
func TestLooksAgreeOnDeniedCallsWhateverElseChanges(t *testing.T) {
	var r review
	now := time.Now()
	denied := agents.DeniedCalls{Turn: "t", Calls: []agents.DeniedCall{{Text: "rm"}}}
	for range agreed {
		r.take(denied, now)
	}
	if r.looks != agreed || !r.stopped.IsZero() {
		t.Errorf("%d looks agree, and somebody stopped it at %v", r.looks, r.stopped)
	}
	denied.Stops = 1
	if r.take(denied, now.Add(time.Second)); !r.stopped.Equal(now.Add(time.Second)) {
		t.Errorf("somebody stopped it at %v", r.stopped)
	}
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

// TestEscapeIsReadInTheTranscript of an agent that has become idle after its guard denied a call: no event tells it.
func TestEscapeIsReadInTheTranscript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	lines := func(at time.Time, text, more string) string {
		return strings.Join([]string{
			`{"type":"user","message":{"role":"user","content":"[Request interrupted by user]"},"timestamp":"` + at.Add(time.Minute).Format(time.RFC3339Nano) + `"}`,
			`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"` + text + `"}]}` + more + `,"timestamp":"` + at.Format(time.RFC3339Nano) + `"}`,
			`{"type":"permission-mode","timestamp":"` + at.Format(time.RFC3339Nano) + `"}`,
		}, "\n") + "\n"
	}
	const stopped = "[Request interrupted by user]"
	for name, c := range map[string]struct {
		text, more string
		late       time.Duration
		by         HookKind
		told       bool
	}{
		"while it answered":   {text: stopped, told: true},
		"while a tool ran":    {text: "[Request interrupted by user for tool use]", told: true},
		"of a sub-agent":      {text: stopped, more: `,"isSidechain":true`},
		"something else":      {text: "The PermissionDenied hook indicated you may retry this tool call."},
		"not yet":             {text: stopped, late: time.Hour},
		"nothing was denied":  {text: stopped, by: Before},
		"of a call that asks": {text: stopped, by: Asks, told: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.add("%1", "claude", screenOf(t, "claude/2.1.329-working-80x24.ansi"))
			watch(t, []*stage{s}, func(w *Watcher, a *audience) {
				poll(2)
				at := time.Now().Add(c.late).Truncate(time.Millisecond)
				if err := os.WriteFile(path, []byte(lines(at, c.text, c.more)), 0o600); err != nil {
					t.Fatal(err)
				}
				e := event(Blocked, "git push", "")
				e.Transcript = path
				if e.Kind = c.by; e.Kind == "" {
					e.Kind = Blocked
				}
				send(t, w, e)
				s.show("%1", screenOf(t, "claude/2.1.329-idle-draft-80x24.txt"))
				poll(3)
				var escaped time.Time
				for _, s := range a.take() {
					if s.State == screen.Idle {
						escaped = s.Escaped
					}
				}
				if escaped.Equal(at) != c.told || escaped.IsZero() == c.told {
					t.Errorf("told %v, of %v", escaped, at)
				}
			})
		})
	}
}

// TestCodexIsNotStoppedByAPersonWhereItGivesUp at the third denial: its transcript notes both alike, and often calls the third call aborted, which is told
// by the screen then.
func TestCodexIsNotStoppedByAPersonWhereItGivesUp(t *testing.T) {
	const gaveUp, wentOn = "codex/0.171.0-auto-review-gave-up-160x40.ansi", "codex/0.169.0-auto-review-went-on-160x40.ansi"
	for name, c := range map[string]struct {
		then  string
		told  bool
		calls int
	}{"it gives up": {gaveUp, false, 3}, "a person stops it": {wentOn, true, 2}} {
		t.Run(name, func(t *testing.T) {
			path, at := filepath.Join(t.TempDir(), "rollout.jsonl"), time.Time{}
			s := newStage(t)
			s.add("%1", "codex", screenOf(t, "codex/0.169.0-working-80x24.ansi"))
			watch(t, []*stage{s}, func(w *Watcher, a *audience) {
				poll(2)
				at = time.Now().Truncate(time.Millisecond)
				lines := []string{`{"type":"turn_context","payload":{"turn_id":"t1"}}`}
				for i, out := range []string{"This action was rejected due to unacceptable risk.\\nReason: no\\nThe agent must not", "This action was rejected due to unacceptable risk.\\nReason: no\\nThe agent must not", "aborted by user"} {
					lines = append(lines, fmt.Sprintf(`{"type":"response_item","payload":{"type":"function_call","arguments":"{\"cmd\":\"a\"}","call_id":"c%d"}}`, i),
						fmt.Sprintf(`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c%d","output":"%s"}}`, i, out))
				}
				lines = append(lines, `{"timestamp":"`+at.Format(time.RFC3339Nano)+`","type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}`)
				if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				e := event(Asks, "a", "")
				e.Agent, e.Transcript, e.Session = "codex", path, "s"
				send(t, w, e)
				s.show("%1", screenOf(t, c.then))
				poll(4)
				looks := a.take()
				last := looks[len(looks)-1]
				if last.Escaped.Equal(at) != c.told || last.Escaped.IsZero() == c.told || len(last.Denied.Calls) != c.calls {
					t.Errorf("told of %v, and of %+v", last.Escaped, last.Denied)
				}
			})
		})
	}
}

// TestEscapeIsReadOnTheScreen where no transcript tells it: first when it shows, and once more when what it shows to be denied has been told.
func TestEscapeIsReadOnTheScreen(t *testing.T) {
	const denied, escaped, gaveUp = "codex/0.169.0-auto-review-denied-80x24.ansi", "codex/0.169.0-auto-review-escaped-80x24.ansi", "codex/0.169.0-auto-review-gave-up-80x24.ansi"
	for name, c := range map[string]struct {
		first, then string
		told        bool
	}{
		"Codex":                  {denied, escaped, true},
		"Codex gave up":          {denied, gaveUp, false},
		"nobody":                 {denied, denied, false},
		"Qwen":                   {"qwen/0.24.4-auto-blocked-80x24.ansi", "qwen/0.24.4-auto-escaped-80x24.ansi", true},
		"Qwen, in its dialog":    {"qwen/0.24.4-auto-repeat-80x24.ansi", "qwen/0.24.4-auto-limit-denied-80x24.ansi", true},
		"Qwen, while a tool ran": {"qwen/0.24.4-auto-blocked-80x24.ansi", "qwen/0.24.4-auto-run-escaped-80x24.ansi", true},
	} {
		t.Run(name, func(t *testing.T) {
			agent, _, _ := strings.Cut(c.first, "/")
			s := newStage(t)
			s.add("%1", agent, screenOf(t, c.first))
			watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
				poll(3)
				a.take()
				begun := time.Now()
				s.show("%1", screenOf(t, c.then))
				poll(5)
				var all []time.Time
				looks := a.take()
				for _, seen := range looks {
					if len(all) == 0 || !seen.Escaped.Equal(all[len(all)-1]) {
						all = append(all, seen.Escaped)
					}
				}
				if d := looks[len(looks)-1].Denied; len(d.Calls) == 0 {
					t.Errorf("told of no denied call: %+v", d)
				}
				last := all[len(all)-1]
				if len(all) != map[bool]int{true: 2, false: 1}[c.told] || c.told && (last.Before(begun) || !last.After(all[0])) || !c.told && !last.IsZero() {
					t.Errorf("told %v", all)
				}
			})
		})
	}
}
