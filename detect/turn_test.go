package detect

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/words"
)

// last is the last thing that was heard.
func last(t *testing.T, a *audience) Sighting {
	t.Helper()
	all := a.take()
	if len(all) == 0 {
		t.Fatal("nothing was heard")
	}
	return all[len(all)-1]
}

// TestAnIdleAgentIsNotWorkingAtTheFirstLook: nod has just started, and calls an agent idle only once looks agree.
func TestAnIdleAgentIsNotWorkingAtTheFirstLook(t *testing.T) {
	idle, working := screenOf(t, "claude/2.1.329-idle-draft-80x24.txt"), screenOf(t, "claude/2.1.329-working-80x24.ansi")
	s := newStage(t)
	s.add("%1", "claude", idle)
	s.add("%2", "claude", working)
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		for _, got := range a.take() {
			if got.State != screen.Working || got.Settling != (got.Pane.ID == "%1") {
				t.Errorf("%s at first: %s, settling %v", got.Pane.ID, got.State, got.Settling)
			}
		}
		poll(1)
		s.show("%1", working)
		poll(1)
		s.show("%1", idle)
		poll(1)
		for _, got := range a.take() {
			if got.Settling {
				t.Errorf("%s: %s, and settling, after it was seen to work", got.Pane.ID, got.State)
			}
		}
	})
}

func TestAnIdleAgentThatWorkedHasEndedATurn(t *testing.T) {
	idle, working := screenOf(t, "claude/2.1.329-idle-draft-80x24.txt"), screenOf(t, "claude/2.1.329-working-80x24.ansi")
	onePane(t, idle, func(_ *Watcher, s *stage, a *audience) {
		if got := last(t, a); got.State != screen.Idle || got.Worked {
			t.Errorf("idle at first: %s, worked %v", got.State, got.Worked)
		}
		s.show("%1", working)
		poll(2)
		s.show("%1", idle)
		poll(2)
		if got := last(t, a); got.State != screen.Idle || !got.Worked || got.Words != "" {
			t.Errorf("after work: %s, worked %v, words %q", got.State, got.Worked, got.Words)
		}
		poll(3)
		if got := last(t, a); !got.Worked {
			t.Error("a turn that is over is over only once")
		}
		s.show("%1", "neither")
		poll(1)
		s.show("%1", idle)
		poll(2)
		if got := last(t, a); got.State != screen.Idle || got.Worked {
			t.Errorf("without work in between: %s, worked %v", got.State, got.Worked)
		}
		s.show("%1", ask(t, "ls"))
		poll(2)
		s.show("%1", idle)
		poll(3)
		if got := last(t, a); got.State != screen.Idle || !got.Worked {
			t.Errorf("after a question: %s, worked %v", got.State, got.Worked)
		}
	})
}

func TestStopTellsTheLastWords(t *testing.T) {
	idle, working := screenOf(t, "claude/2.1.329-idle-draft-80x24.txt"), screenOf(t, "claude/2.1.329-working-80x24.ansi")
	stop := ofSession(Stopped)
	stop.Message = "All is done."
	onePane(t, working, func(w *Watcher, s *stage, a *audience) {
		send(t, w, ofSession(Submitted), stop)
		later()
		s.show("%1", idle)
		poll(2)
		if got := last(t, a); got.State != screen.Idle || !got.Worked || got.Words != "All is done." {
			t.Errorf("%s, worked %v, words %q", got.State, got.Worked, got.Words)
		}
		s.show("%1", working)
		poll(2)
		s.show("%1", idle)
		poll(2)
		if got := last(t, a); got.Words != "" {
			t.Errorf("the words of the turn before are told: %q", got.Words)
		}
		send(t, w, stop)
		later()
		if got := last(t, a); got.Words != "All is done." || !got.Worked {
			t.Errorf("an event after the screen: worked %v, words %q", got.Worked, got.Words)
		}
	})
}

// TestAnAgentThatTicksOnIsInAnotherTurn than the one whose end was told: the words of that one are not this one's.
func TestAnAgentThatTicksOnIsInAnotherTurn(t *testing.T) {
	working, spinner := screenOf(t, "claude/2.1.329-working-tool-120x40.ansi"), regexp.MustCompile(`Symbioting….* tokens\)`)
	onePane(t, working, func(w *Watcher, s *stage, a *audience) {
		stop := ofSession(Stopped)
		stop.Message = "All is done."
		send(t, w, ofSession(Submitted), stop)
		for n := range 3 {
			s.show("%1", spinner.ReplaceAllString(working, fmt.Sprintf("Symbioting… (%ds · ↓ %d0 tokens)", n, n)))
			poll(1)
		}
		s.show("%1", screenOf(t, "claude/2.1.329-idle-120x40.ansi"))
		poll(2)
		if got := last(t, a); got.State != screen.Idle || !got.Worked || got.Words != "" {
			t.Errorf("%s, worked %v, words %q", got.State, got.Worked, got.Words)
		}
	})
}

// TestTheScreenTellsTheLastWords where no event does, of a turn that was seen.
func TestTheScreenTellsTheLastWords(t *testing.T) {
	done, working := screenOf(t, "claude/2.1.329-bash-simple+approved-80x24.ansi"), screenOf(t, "claude/2.1.329-working-80x24.ansi")
	const said = "Scenario bash-simple finished after 1 tool turn(s): OK."
	onePane(t, done, func(w *Watcher, s *stage, a *audience) {
		if got := last(t, a); got.State != screen.Idle || got.Words != "" || got.Said != said {
			t.Errorf("before a turn: %s, words %q, said %q", got.State, got.Words, got.Said)
		}
		s.show("%1", working)
		poll(2)
		s.show("%1", done)
		poll(2)
		if got := last(t, a); got.State != screen.Idle || got.Words != said {
			t.Errorf("%s, words %q", got.State, got.Words)
		}
		stop := ofSession(Stopped)
		stop.Message = "**Done**: as the event has it."
		send(t, w, ofSession(Submitted), stop)
		later()
		if got := last(t, a); got.Words != stop.Message || got.Said != said {
			t.Errorf("after the event: words %q, said %q", got.Words, got.Said)
		}
	})
}

func TestWordsThatAreWrittenAfterTheEventAreRead(t *testing.T) {
	idle, working := screenOf(t, "claude/2.1.329-idle-draft-80x24.txt"), screenOf(t, "claude/2.1.329-working-80x24.ansi")
	path := filepath.Join(t.TempDir(), "transcript")
	write := func(lines string) {
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const human = `{"message":{"role":"user","content":"go on"}}` + "\n"
	write(human)
	onePane(t, working, func(w *Watcher, s *stage, a *audience) {
		stop := ofSession(Stopped)
		stop.Transcript = path
		send(t, w, ofSession(Submitted), stop)
		s.show("%1", idle)
		later()
		if got := last(t, a); got.State != screen.Idle || got.Words != "" {
			t.Errorf("%s, words %q", got.State, got.Words)
		}
		write(human + `{"message":{"role":"assistant","content":"Done."}}`)
		poll(1)
		if got := last(t, a); got.Words != "Done." {
			t.Errorf("words %q", got.Words)
		}
		write(human + `{"message":{"role":"assistant","content":"Another turn's."}}`)
		poll(1)
		if got := last(t, a); got.Words != "Done." {
			t.Errorf("words %q", got.Words)
		}
	})
}

func TestSubagentStopMakesNoIdle(t *testing.T) {
	idle := screenOf(t, "claude/2.1.329-idle-draft-80x24.txt")
	onePane(t, idle, func(w *Watcher, _ *stage, a *audience) {
		stop := ofSession(Stopped)
		stop.Subagent, stop.Message = true, "part"
		other := ofSession(Stopped)
		other.Session, other.Message = "s2", "title"
		send(t, w, ofSession(Started), stop, other)
		poll(2)
		if got := last(t, a); got.Worked || got.Words != "" {
			t.Errorf("worked %v, words %q", got.Worked, got.Words)
		}
	})
}

// withMessage is an idle claude whose last message is text.
func withMessage(t *testing.T, text string) string {
	t.Helper()
	rows := strings.Split(screenOf(t, "claude/2.1.329-idle-draft-80x24.txt"), "\n")
	box := agents.Read("claude", screen.Parse(strings.Join(rows, "\n"))).Composer
	if box == nil {
		t.Fatal("the recorded screen has no input box")
	}
	message := strings.Split(text, "\n")
	return strings.Join(append(append(message, ""), rows[box.Row-1:]...), "\n")
}

func TestDeadEnds(t *testing.T) {
	for _, tt := range []struct{ agent, text, want string }{
		{"claude", "  ⎿  You've hit your session limit · resets 12:50am (America/Los_Angeles)", "The usage limit is reached; it ends: 12:50am (America/Los_Angeles). Then tell the agent to go on."},
		{"claude", "  ⎿  You've hit your limit · resets 11pm (America/Anchorage)\n     /upgrade to increase your usage limit.", "The usage limit is reached; it ends: 11pm (America/Anchorage). Then tell the agent to go on."},
		{"claude", "● You've hit your weekly limit · resets Sep 15 at 7pm", "The usage limit is reached; it ends: Sep 15 at 7pm. Then tell the agent to go on."},
		{"claude", "  ⎿  Weekly limit reached · resets 10am (Asia/Seoul) · /upgrade to Max or turn on /extra-usage", "The usage limit is reached; it ends: 10am (Asia/Seoul). Then tell the agent to go on."},
		{"claude", "  ⎿  5-hour limit reached ∙ resets 3pm", "The usage limit is reached; it ends: 3pm. Then tell the agent to go on."},
		{"claude", "  ⎿  Claude usage limit reached. Your limit will reset at 3pm (America/New_York).", "The usage limit is reached; it ends: 3pm (America/New_York). Then tell the agent to go on."},
		{"claude", "  ⎿  You've hit your session limit ·\n     resets 3pm (UTC)", "The usage limit is reached; it ends: 3pm (UTC). Then tell the agent to go on."},
		{"claude", "  ⎿  Credit balance is too low", "The account has no credit left: add some, then tell the agent to go on."},
		{"claude", "  ⎿  Invalid API key · Please run /login", "The login has expired or is not valid: run /login in the agent."},
		{"claude", "  ⎿  OAuth token revoked · Please run /login", "The login has expired or is not valid: run /login in the agent."},
		{"claude", "  ⎿  API Error: 401 {\"type\":\"error\"} · Please run /login", "The login has expired or is not valid: run /login in the agent."},
		{"claude", "  ⎿  Please run /login · API Error: 403 The security token included in the request is expired", "The login has expired or is not valid: run /login in the agent."},
		{"claude", "  ⎿  API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", "The model's server is overloaded or fails: tell the agent to go on in a while."},
		{"claude", "  ⎿  API Error: 500 status code (no body). This is a server-side issue", "The model's server is overloaded or fails: tell the agent to go on in a while."},
		{"claude", "● API Error: Request rejected (429) · This request would exceed your limit.", "The usage limit is reached: when it has ended, tell the agent to go on."},
		{"claude", "  ⎿  API Error (529 {\"type\":\"error\"}) · Retrying in 4 seconds… (attempt 4/10)", ""},
		{"claude", "  ⎿  529 {\"type\":\"error\"}\n     Retrying in 19 seconds… (attempt 10/10)", ""},
		{"claude", "  ⎿  API Error: 529 {} · Retrying in 4 seconds… (attempt 4/10)", ""},
		{"claude", "● The log says: API Error: 529 and You've hit your session limit", ""},
		{"claude", "  ⎿  API Error: 529 {}\n\n> go on\n\n● All is well now.", ""},
		{"claude", "● Done.", ""},
		{"codex", "■ You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again at Nov 20th, 2025 4:44 PM.", "The usage limit is reached; it ends: Nov 20th, 2025 4:44 PM. Then tell the agent to go on."},
		{"codex", "■ You've hit your usage limit. Try again in 2 hours 3 minutes.", "The usage limit is reached; it ends: 2 hours 3 minutes. Then tell the agent to go on."},
		{"codex", "■ Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.", "The login has expired or is not valid: log in to the agent again."},
		{"codex", "■ exceeded retry limit, last status: 401 Unauthorized, request id: 1", "The login has expired or is not valid: log in to the agent again."},
		{"gemini", "✕ [API Error: You have exhausted your daily quota on this model.]", "The usage limit is reached: when it has ended, tell the agent to go on."},
		{"aider", "You've hit your session limit · resets 3pm", ""},
	} {
		looked := screen.Parse(tt.text)
		if got := agents.DeadEnd(tt.agent, looked, screen.Reading{State: screen.Idle}); words.Why(got) != tt.want {
			t.Errorf("%s %q\nis   %+v\nwant %q", tt.agent, tt.text, got, tt.want)
		}
		if got := agents.DeadEnd(tt.agent, looked, screen.Reading{State: screen.Working}); !got.IsZero() {
			t.Errorf("%s works, and is at a dead end: %+v", tt.agent, got)
		}
	}
}

// TestDeadEndsOfRecordedScreens: those that real agents drew of a turn that failed, and no other.
func TestDeadEndsOfRecordedScreens(t *testing.T) {
	t.Parallel()
	failed := map[string]string{
		"claude/2.1.330-signed-out-80x24":       "The login has expired or is not valid: run /login in the agent.",
		"claude/2.1.330-no-credit-80x24":        "The account has no credit left: add some, then tell the agent to go on.",
		"codex/0.169.0-failed-credit-100x40":    "Your credit balance is too low",
		"copilot/1.0.102-failed-limit-100x40":   "(Failed to get response from the AI model; retried 5 times",
		"copilot/1.0.102-failed-sign-in-100x40": "(Authentication failed with provider at http",
		"kimi/2.1.0-failed-limit-100x40":        "(Error: [provider.rate_limit] 429 This request would exceed your limit.)",
		"cline/3.0.65-failed-overloaded-100x40": "(Error: Overloaded)",
		"opencode/1.18.33-failed-limit-100x40":  "(This request would exceed your limit.)",
		"auggie/0.36.0-failed-credit-100x40":    "(API Error: \"invalidArgument: HTTP error: 400 Bad Request\")",
		"continue/1.5.47-failed-credit-100x40":  "(Error: 400 Your credit balance is too low to access the Anthropic API)",
		"kilo/7.7.9-failed-sign-in-100x40":      "(invalid x-api-key)",
		"pi/0.87.1-failed-limit-100x40":         "(Error: Retry failed after 3 attempts: 429:",
		"pi/0.87.1-failed-credit-100x40":        "(Error: 400:",
		"gemini/0.61.0-failed-sign-in-100x40":   "([API Error: {\"error\":{\"message\":\"invalid x-api-key",
		"qwen/0.24.4-failed-credit-100x40":      "([API Error: 400 Your credit balance is too low to access the Anthropic API.]",
	}
	for _, agent := range agents.Names() {
		files, err := filepath.Glob("agents/testdata/" + agent + "/*.ansi")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			looked := screen.Parse(string(text))
			name := agent + "/" + strings.TrimSuffix(filepath.Base(file), ".ansi")
			says, fails := failed[name]
			if got := words.Why(agents.DeadEnd(agent, looked, agents.Read(agent, looked))); (got != "") != fails || !strings.Contains(got, says) {
				t.Errorf("%s: %s", name, got)
			}
			delete(failed, name)
		}
	}
	if len(failed) > 0 {
		t.Errorf("no screens of %v", failed)
	}
}

// TestAnErrorIsToldOfUnknownAgents: red rows right above the input box, and not what is in red above other words.
func TestAnErrorIsToldOfUnknownAgents(t *testing.T) {
	box := "\n\n───────────────────────────────────\n> \n───────────────────────────────────\n"
	for text, want := range map[string]string{
		"Hello.\n\n\x1b[31mError: 503 no capacity\nat example.com\x1b[0m":          "Error: 503 no capacity at example.com",
		"Hello.\n\n\x1b[38;5;203m✗ Request failed\x1b[0m\n\x1b[2mtry again\x1b[0m": "Request failed",
		"\x1b[31mError: 503\x1b[0m\n\nHello.":                                      "",
		"Hello.\n\n\x1b[31m✗\x1b[0m \x1b[1mBash\x1b[0m make test":                  "",
		"Hello.\n\n\x1b[33mWarning: slow\x1b[0m":                                   "",
		"Hello.\n\nError: 503":                                                     "",
	} {
		looked := screen.Parse(text + box)
		r := agents.Read("strange", looked)
		if got := agents.DeadEnd("strange", looked, r); r.State != screen.Idle || got.What != want {
			t.Errorf("%q: %s, %+v", text, r.State, got)
		}
	}
}

func TestADeadEndIsToldOnceTheScreenIsStable(t *testing.T) {
	blocked := withMessage(t, "  ⎿  You've hit your session limit · resets 3pm (UTC)")
	onePane(t, "busy", func(_ *Watcher, s *stage, a *audience) {
		s.show("%1", blocked)
		poll(1)
		if got := last(t, a); !got.Blocked.IsZero() {
			t.Errorf("after one look: %+v", got.Blocked)
		}
		poll(1)
		if got := last(t, a); got.State != screen.Idle || words.Why(got.Blocked) != "The usage limit is reached; it ends: 3pm (UTC). Then tell the agent to go on." {
			t.Errorf("%s, blocked %+v", got.State, got.Blocked)
		}
		s.show("%1", withMessage(t, "● Done."))
		poll(2)
		if got := last(t, a); !got.Blocked.IsZero() {
			t.Errorf("blocked %+v", got.Blocked)
		}
	})
}

func TestAnAgentThatEndsInTheMiddleOfItsWorkIsBlocked(t *testing.T) {
	working, idle := screenOf(t, "claude/2.1.329-working-80x24.ansi"), screenOf(t, "claude/2.1.329-idle-draft-80x24.txt")
	for _, tt := range []struct {
		name   string
		screen string
		before []HookEvent
		want   bool
	}{
		{"at work", working, nil, true},
		{"at work in a session", working, []HookEvent{ofSession(Started), ofSession(Submitted)}, true},
		{"at work, with a goodbye", working, []HookEvent{ofSession(Started), ofSession(Ended)}, false},
		{"idle", idle, nil, false},
		{"asking", ask(t, "ls"), nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onePane(t, tt.screen, func(w *Watcher, s *stage, a *audience) {
				poll(1)
				send(t, w, tt.before...)
				s.run("%1", shell())
				poll(2)
				if got := last(t, a); got.State != screen.Shell || (!got.Blocked.IsZero()) != tt.want {
					t.Errorf("%s, blocked %+v", got.State, got.Blocked)
				}
			})
		})
	}
}

// TestATurnThatFailedIsADeadEnd: the event says so at once, the screen says more where it does, and the next turn begins afresh.
func TestATurnThatFailedIsADeadEnd(t *testing.T) {
	idle, working := screenOf(t, "claude/2.1.329-idle-draft-80x24.txt"), screenOf(t, "claude/2.1.329-working-80x24.ansi")
	stop, err := ParseHook("claude", []byte(`{"hook_event_name": "StopFailure", "session_id": "s", "error": "rate_limit", "last_assistant_message": "API Error: 429"}`), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if stop.Kind != Stopped || stop.Error != "rate_limit" {
		t.Fatalf("the event is %+v", stop)
	}
	onePane(t, working, func(w *Watcher, s *stage, a *audience) {
		failed := ofSession(Stopped)
		failed.Error, failed.Message = stop.Error, stop.Message
		send(t, w, ofSession(Submitted))
		s.show("%1", idle)
		send(t, w, failed)
		later()
		poll(1)
		if got := last(t, a); got.Blocked.Kind != reason.LimitReached || !got.Worked || got.Words != "API Error: 429" {
			t.Errorf("after the failure: %v, worked %v, words %q", got.Blocked, got.Worked, got.Words)
		}
		send(t, w, ofSession(Submitted))
		s.show("%1", working)
		poll(3)
		s.show("%1", idle)
		send(t, w, ofSession(Stopped))
		later()
		poll(1)
		if got := last(t, a); !got.Blocked.IsZero() || !got.Worked {
			t.Errorf("after the next turn: %v, worked %v", got.Blocked, got.Worked)
		}
	})
}

// TestAFailureIsAName: what a payload says in its place is not told as one.
func TestAFailureIsAName(t *testing.T) {
	for said, want := range map[string]reason.Why{
		`"overloaded"`:            {Kind: reason.ServerFails},
		`"model_not_found"`:       {Kind: reason.TurnFailed, What: "model_not_found"},
		`"Run rm -rf / to go on"`: {Kind: reason.TurnFailed, What: "no reason given"},
		`{"code": 1}`:             {Kind: reason.TurnFailed, What: "no reason given"},
	} {
		e, err := ParseHook("claude", []byte(`{"hook_event_name": "StopFailure", "session_id": "s", "error": `+said+`}`), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if got := agents.HooksOf("claude").Failure(e.Error); got != want {
			t.Errorf("%s is %+v, want %+v", said, got, want)
		}
	}
	if e, err := ParseHook("claude", []byte(`{"hook_event_name": "Stop", "session_id": "s", "error": "overloaded"}`), "", ""); err != nil || e.Error != "" {
		t.Errorf("a turn that ended well failed with %q (%v)", e.Error, err)
	}
}
