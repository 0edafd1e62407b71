package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver/door"
	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

const hookPID = 555

// hook is a hook process that the agent started itself.
var hook = proc.Process{ID: proc.ID{PID: hookPID, Start: 9}, Comm: "nod", Exe: "/usr/bin/nod", Args: []string{"nod", "hook", "claude"}}

// permission returns the agent's hook event for the prompt on the screen claude-bash.
func permission(command string) detect.HookEvent {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return detect.HookEvent{
		Agent:    "claude",
		Event:    "PermissionRequest",
		Kind:     detect.Asks,
		Session:  "s",
		ToolCall: detect.ToolCall{Tool: "Bash", Input: input},
		Version:  "2.1.329",
		Origin:   detect.Origin{Pane: ref.ID, Socket: life.Socket, ServerPID: life.PID, Caller: hookPID},
	}
}

// waiting is a hook that waits at its door.
type waiting struct {
	doors   *door.Doors
	e       detect.HookEvent
	token   string
	printed chan string // what the hook prints; closed at its end
	mute    bool        // it does not say that it printed
	hangUp  func()
}

// waits opens a door for e and waits there. lineage are the processes above the hook.
func waits(t *testing.T, doors *door.Doors, e detect.HookEvent, lineage ...proc.Process) *waiting {
	t.Helper()
	w := &waiting{doors: doors, e: e, printed: make(chan string, 1)}
	w.token = doors.Open(e, detect.SenderOf(append([]proc.Process{hook}, lineage...)), time.Now())
	if w.token == "" {
		t.Fatal("no door was opened")
	}
	ctx, cancel := context.WithCancel(t.Context())
	w.hangUp = func() { cancel(); synctest.Wait() }
	go func() {
		defer close(w.printed)
		if text, err := doors.Wait(ctx, w.token, e.Caller); err == nil {
			w.printed <- text
			if !w.mute {
				doors.Printed(w.token, e.Caller)
			}
		}
	}()
	synctest.Wait()
	return w
}

// shown records a look at the pane that shows the prompt of r as the dialog of the hook's call.
func (w *waiting) shown(t *testing.T, r *Request) { w.shownAs(t, r, "claude") }

func (w *waiting) shownAs(t *testing.T, r *Request, agent string) {
	p := *promptOn(t, agent, agent+"-bash")
	p.Fingerprint = r.Fingerprint
	p.Call, p.Source, p.Partial = detect.CallName(w.e), screen.FromEvent, false
	w.doors.Saw(detect.Sighting{Whereabouts: detect.Whereabouts{Pane: ref}, State: screen.Permission, Prompt: &p})
	r.Call = p.Call
}

// TestTheDoorTakesTheAnswer, in the agent's own format, and no key is typed.
func TestTheDoorTakesTheAnswer(t *testing.T) {
	known := agents.HooksOf("claude").Door
	for decision, print := range map[screen.Decision]string{screen.Approve: known.Allow, screen.Deny: known.Deny} {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", "claude-bash")
			doors := &door.Doors{}
			w := waits(t, doors, permission("touch a"), processes["claude"])
			r := request(t, "claude", "claude-bash", decision)
			w.shown(t, &r)
			p.later(300*time.Millisecond, func() { p.show("claude-working") })
			var began begins
			res := p.typistAt(doors).Type(t.Context(), r, began.begin)
			check(t, p, res, began, want{Delivered, "", "", 1, ""})
			if got := <-w.printed; got != print || !res.Door {
				t.Errorf("printed %q, door %t", got, res.Door)
			}
		})
	}
}

// TestTheDoorSaysTheWords: the words of a denial go through the hook if the agent accepts words from it.
// Otherwise keys answer if the prompt has a field for words. Otherwise the words are left to the caller.
func TestTheDoorSaysTheWords(t *testing.T) {
	long := strings.Repeat("no ", 1000)
	for name, c := range map[string]struct {
		agent, event, words, printed, keys string
		said                               bool
	}{
		"taken":          {"claude", "PermissionRequest", "use \"the cache\"\n</b>", "The human denied this, and says: use \"the cache\"\n</b>", "", true},
		"none":           {"claude", "PermissionRequest", "", "The human denied this. Don't try the same another way: ask what to do instead.", "", false},
		"too many":       {"claude", "PermissionRequest", long, "The human denied this. Don't try the same another way: ask what to do instead.", "", false},
		"a field":        {"kilo", "permission.asked", because, "", "Escape Enter", true},
		"a field, none":  {"kilo", "permission.asked", "", "reject", "", false},
		"neither of two": {"opencode", "permission.asked", because, "reject", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, c.agent, c.agent+"-bash")
				if c.keys != "" {
					p = fieldPane(t, c.agent)
				}
				doors := &door.Doors{}
				e := permission("touch a")
				e.Agent, e.Event, e.Version = c.agent, c.event, agents.HooksOf(c.agent).Door.Proven[0]
				w := waits(t, doors, e, processes[c.agent])
				r := request(t, c.agent, c.agent+"-bash", screen.Deny)
				if c.keys != "" {
					r = denies(t, c.agent, c.words)
				}
				r.Because = Say(c.words)
				w.shownAs(t, &r, c.agent)
				if c.keys == "" {
					p.later(300*time.Millisecond, func() { p.show("claude-working") })
				}
				var began begins
				res := p.typistAt(doors).Type(t.Context(), r, began.begin)
				check(t, p, res, began, want{Delivered, "", c.keys, 1, ""})
				if res.Said != c.said || res.Door != (c.keys == "") {
					t.Errorf("said %t, door %t", res.Said, res.Door)
				}
				w.hangUp()
				if got := message(t, <-w.printed); got != c.printed {
					t.Errorf("printed %q, want %q", got, c.printed)
				}
			})
		})
	}
}

// message returns what the hook's output tells the model; for a plugin: the name of the answer.
func message(t *testing.T, printed string) string {
	t.Helper()
	if printed == "" {
		return ""
	}
	var plain string
	if json.Unmarshal([]byte(printed), &plain) == nil {
		return plain
	}
	var said struct {
		Output struct {
			Decision struct{ Behavior, Message string }
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(printed), &said); err != nil || said.Output.Decision.Behavior != "deny" {
		t.Errorf("printed %s: %v", printed, err)
	}
	return said.Output.Decision.Message
}

// TestNeverBothDoorAndKeys: a decision that was handed over without effect is unknown, and no key follows.
func TestNeverBothDoorAndKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		doors := &door.Doors{}
		w := waits(t, doors, permission("touch a"), processes["claude"])
		r := request(t, "claude", "claude-bash", screen.Approve)
		w.shown(t, &r)
		var began begins
		typist := p.typistAt(doors)
		res := typist.Type(t.Context(), r, began.begin)
		check(t, p, res, began, want{Unknown, Unsure, "", 1, "claude.tool_confirmation"})
		if !res.Door || <-w.printed == "" {
			t.Errorf("door %t", res.Door)
		}
	})
}

// TestAHookThatDiesWithTheAnswer leaves the outcome unknown, though another prompt comes: it may have printed the decision, or have been ended
// because somebody answered at the terminal. Nothing else answers.
func TestAHookThatDiesWithTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		doors := &door.Doors{}
		w := waits(t, doors, permission("touch a"), processes["claude"])
		w.mute = true
		r := request(t, "claude", "claude-bash", screen.Approve)
		w.shown(t, &r)
		found := doors.Find(r.Pane, r.Agent, r.Process, r.Call, r.Fingerprint)
		p.later(300*time.Millisecond, func() { p.show("claude-edit") })
		var began begins
		res := p.typistAt(doors).Type(t.Context(), r, began.begin)
		check(t, p, res, began, want{Unknown, Unsure, "", 1, "claude.tool_confirmation"})
		if !res.Door || res.Detail.Kind != reason.NotGivenOn {
			t.Errorf("%+v", res)
		}
		if _, ok := found.Hand(screen.Approve, ""); ok {
			t.Error("a second answer went through")
		}
		if again := doors.Find(r.Pane, r.Agent, r.Process, r.Call, r.Fingerprint); again != nil {
			t.Error("it is found again")
		}
		<-w.printed
	})
}

// TestKeysWhereTheDoorIsNotSure: the hook prints nothing, and the one right key answers.
func TestKeysWhereTheDoorIsNotSure(t *testing.T) {
	script := proc.Process{ID: proc.ID{PID: 556, Start: 9}, Comm: "bash", Exe: "/bin/bash", Args: []string{"bash", "install.sh"}}
	other := permission("touch a")
	other.Pane = "%8"
	for name, arrange := range map[string]func(t *testing.T, doors *door.Doors, r *Request){
		"no hook waits": func(*testing.T, *door.Doors, *Request) {},
		"the hook is gone": func(t *testing.T, doors *door.Doors, r *Request) {
			w := waits(t, doors, permission("touch a"), processes["claude"])
			w.shown(t, r)
			w.hangUp()
		},
		"two hooks for one request": func(t *testing.T, doors *door.Doors, r *Request) {
			waits(t, doors, permission("touch a"), processes["claude"])
			waits(t, doors, permission("touch a"), processes["claude"]).shown(t, r)
		},
		"the screen shows another call": func(t *testing.T, doors *door.Doors, r *Request) {
			waits(t, doors, permission("touch a"), processes["claude"])
			w := &waiting{doors: doors, e: permission("rm -rf /")}
			w.shown(t, r)
		},
		"the prompt was never seen with its call": func(t *testing.T, doors *door.Doors, r *Request) {
			r.Call = detect.CallName(waits(t, doors, permission("touch a"), processes["claude"]).e)
		},
		"the screen and the event disagree": func(t *testing.T, doors *door.Doors, r *Request) {
			w := waits(t, doors, permission("touch a"), processes["claude"])
			p := *promptOn(t, "claude", "claude-bash")
			p.Call, p.Partial = detect.CallName(w.e), true
			doors.Saw(detect.Sighting{Whereabouts: detect.Whereabouts{Pane: ref}, State: screen.Permission, Prompt: &p})
			r.Call = p.Call
		},
		"what the agent runs calls the hook": func(t *testing.T, doors *door.Doors, r *Request) {
			waits(t, doors, permission("touch a"), script, processes["claude"]).shown(t, r)
		},
		"another agent's hook": func(t *testing.T, doors *door.Doors, r *Request) {
			waits(t, doors, permission("touch a"), processes["codex"], processes["claude"]).shown(t, r)
		},
		"the hook of another pane": func(t *testing.T, doors *door.Doors, r *Request) {
			w := waits(t, doors, other, processes["claude"])
			w.e = permission("touch a")
			w.shown(t, r)
		},
		"the tool has run meanwhile": func(t *testing.T, doors *door.Doors, r *Request) {
			waits(t, doors, permission("touch a"), processes["claude"]).shown(t, r)
			ran := permission("touch a")
			ran.Kind = detect.Ran
			doors.Heard(ran)
		},
		"the next prompt is there": func(t *testing.T, doors *door.Doors, r *Request) {
			w := waits(t, doors, permission("touch a"), processes["claude"])
			w.shown(t, r)
			next := *promptOn(t, "claude", "claude-bash")
			next.Call, next.Source = "another", screen.FromEvent
			doors.Saw(detect.Sighting{Whereabouts: detect.Whereabouts{Pane: ref}, State: screen.Permission, Prompt: &next})
		},
		"an option is chosen": func(t *testing.T, doors *door.Doors, r *Request) {
			waits(t, doors, permission("touch a"), processes["claude"]).shown(t, r)
			r.Decision, r.Choice = "", &Choice{Index: 0, Label: promptOn(t, "claude", "claude-bash").Options[0].Label}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", "claude-bash")
				p.onKey = func(p *pane, _ string) { p.show("claude-working") }
				doors := &door.Doors{}
				r := request(t, "claude", "claude-bash", screen.Approve)
				arrange(t, doors, &r)
				var began begins
				res := p.typistAt(doors).Type(t.Context(), r, began.begin)
				check(t, p, res, began, want{Delivered, "", "1", 1, ""})
				if res.Door {
					t.Error("it says that a door took it")
				}
			})
		})
	}
}

// TestADoorThatShutsWhileItIsNoted: keys answer instead, and begin is called once.
func TestADoorThatShutsWhileItIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		p.onKey = func(p *pane, _ string) { p.show("claude-working") }
		doors := &door.Doors{}
		w := waits(t, doors, permission("touch a"), processes["claude"])
		r := request(t, "claude", "claude-bash", screen.Approve)
		w.shown(t, &r)
		var began begins
		res := p.typistAt(doors).Type(t.Context(), r, func() error { w.hangUp(); return began.begin() })
		check(t, p, res, began, want{Delivered, "", "1", 1, ""})
	})
}

// TestNothingGoesThroughUnnoted: if the start can't be recorded, no answer is given, by key as little as through the door, even if it
// could be a moment later.
func TestNothingGoesThroughUnnoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		doors := &door.Doors{}
		w := waits(t, doors, permission("touch a"), processes["claude"])
		r := request(t, "claude", "claude-bash", screen.Approve)
		w.shown(t, &r)
		full := errors.New("the disk is full")
		res := p.typistAt(doors).Type(t.Context(), r, func() (err error) { err, full = full, nil; return err })
		check(t, p, res, 0, want{Refused, Unreadable, "", 0, ""})
		w.hangUp()
		if text, ok := <-w.printed; ok {
			t.Errorf("it printed %q", text)
		}
	})
}

// TestTheTerminalsAnswerWins: another prompt is on the screen by now, so nothing is handed over.
func TestTheTerminalsAnswerWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		doors := &door.Doors{}
		w := waits(t, doors, permission("touch a"), processes["claude"])
		r := request(t, "claude", "claude-bash", screen.Approve)
		w.shown(t, &r)
		p.show("claude-edit")
		var began begins
		res := p.typistAt(doors).Type(t.Context(), r, began.begin)
		check(t, p, res, began, want{Refused, Changed, "", 0, ""})
		w.hangUp()
		if text, ok := <-w.printed; ok {
			t.Errorf("it printed %q", text)
		}
	})
}

// TestNothingBeginsWithoutADoorOrAKey: a request that both refuse is never noted as typed.
func TestNothingBeginsWithoutADoorOrAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		p.look.Pane.Synchronized = true
		var began begins
		res := p.typistAt(&door.Doors{}).Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), began.begin)
		check(t, p, res, began, want{Refused, Synchronized, "", 0, ""})
	})
}

// TestACallThatWasReportedNeedsNoWholeScreen: a person decided on the text of the event.
func TestACallThatWasReportedNeedsNoWholeScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, doors := newPane(t, "claude", "claude-bash"), &door.Doors{}
		w := waits(t, doors, permission("touch a"), processes["claude"])
		r := request(t, "claude", "claude-bash", screen.Approve)
		w.shown(t, &r)
		p.later(300*time.Millisecond, func() { p.show("claude-working") })
		typist := p.reading(func(read *screen.Reading) {
			if read.Prompt != nil {
				read.Prompt.Partial = true
			}
		})
		typist.cfg.Doors = doors
		var began begins
		res := typist.Type(t.Context(), r, began.begin)
		check(t, p, res, began, want{Delivered, "", "", 1, ""})
		w.hangUp()
	})
}

// typistAt is typist with doors.
func (p *pane) typistAt(doors *door.Doors) *Typist {
	t := p.typist()
	t.cfg.Doors = doors
	return t
}

// TestOutsideTmuxOnlyTheHookAnswers: an answer that the hook reports as printed is delivered, and one without
// a report is unknown. If the hook no longer waits, nothing was answered. No key is typed anywhere.
func TestOutsideTmuxOnlyTheHookAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		prints, gone bool
		late         time.Duration
		want         want
	}{
		"it prints":          {prints: true, want: want{Delivered, "", "", 1, ""}},
		"it comes late":      {prints: true, late: time.Second, want: want{Delivered, "", "", 1, ""}},
		"it comes too late":  {prints: true, late: time.Minute, want: want{Refused, Gone, "", 0, ""}},
		"it says nothing":    {want: want{Unknown, Unsure, "", 1, ""}},
		"it no longer waits": {gone: true, want: want{Refused, Gone, "", 0, ""}},
		"it never did wait":  {want: want{Refused, Gone, "", 0, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", "claude-bash")
				doors := &door.Doors{}
				e := permission("touch a")
				e.Pane = ""
				if name != "it never did wait" {
					token := doors.OpenOutside(e, detect.SenderOf([]proc.Process{hook, processes["claude"]}), "k3f", time.Now())
					ctx, cancel := context.WithCancel(t.Context())
					var waiting sync.WaitGroup
					waiting.Go(func() {
						time.Sleep(c.late)
						if _, err := doors.Wait(ctx, token, e.Caller); err == nil && c.prints {
							doors.Printed(token, e.Caller)
						}
					})
					defer waiting.Wait()
					defer cancel()
					synctest.Wait()
					if c.gone {
						cancel()
						synctest.Wait()
					}
				}
				r := Request{Nudge: "k3f", Process: processes["claude"].ID, Agent: "claude", Fingerprint: "f", Decision: screen.Approve}
				var began begins
				res := p.typistAt(doors).Type(t.Context(), r, began.begin)
				check(t, p, res, began, c.want)
				if res.Door != (c.want.outcome != Refused) {
					t.Errorf("door %t", res.Door)
				}
			})
		})
	}
}
