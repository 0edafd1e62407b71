// Package actor plays coding agents in a terminal from recorded screens, for demos and tests. An actor asks
// before it runs a command, reacts to keys as the real program does, and runs the command or not.
//
// What each key does was measured on Claude Code 2.1.329, Codex 0.169.0 and OpenCode 1.18.33.
package actor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"
)

// actor is one agent on one terminal. The goroutine of Run owns all of it.
type actor struct {
	script  Script
	program program
	out     *os.File
	log     *os.File

	state   state
	step    Step
	dialog  dialog
	set     *set     // only while it asks questions
	history []string // the drawn turns so far
	turns   int
	draft   string
	began   time.Time // when it began to work
	denied  bool      // the last answer was no
	always  bool
	tick    int
}

type state int

const (
	idle state = iota
	working
	asking
	questioning
	running
)

// Run plays a script on a terminal until the context ends or the terminal is gone.
func Run(ctx context.Context, s Script, in, out *os.File) error {
	a := &actor{script: s, program: programs[s.Agent], out: out}
	if s.Log != "" {
		var err error
		if a.log, err = os.OpenFile(s.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return fmt.Errorf("open log: %w", err)
		}
		defer a.log.Close()
	}
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return fmt.Errorf("play %s: it needs a terminal: %w", s.Agent, err)
	}
	defer term.Restore(int(in.Fd()), before) // the terminal may be gone
	// The alternate screen, a hidden cursor and bracketed paste, as in the real programs.
	fmt.Fprint(out, "\x1b[?1049h\x1b[?25l\x1b[?2004h")
	defer fmt.Fprint(out, "\x1b[?2004l\x1b[?25h\x1b[?1049l")
	return a.play(ctx, readKeys(in))
}

// readKeys reads keys from the terminal and closes the channel when the terminal is gone.
func readKeys(in *os.File) <-chan key {
	keys := make(chan key)
	go func() {
		defer close(keys)
		var r keyReader
		buf := make([]byte, 4096)
		for {
			n, err := in.Read(buf)
			if err != nil {
				return
			}
			for _, k := range r.read(string(buf[:n]), time.Now()) {
				keys <- k
			}
		}
	}()
	return keys
}

func (a *actor) play(ctx context.Context, keys <-chan key) error {
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	ran := make(chan error, 1)
	a.next()
	for {
		if err := a.draw(); err != nil {
			return err
		}
		for changed := false; !changed; {
			select {
			case <-ctx.Done():
				return nil
			case k, ok := <-keys:
				if !ok {
					return nil
				}
				changed = a.press(ctx, k, ran)
			case err := <-ran:
				a.finish(err)
				changed = true
			case <-tick.C:
				changed = a.pass(time.Now())
			case <-resized:
				changed = true
			}
		}
	}
}

// next begins the next step, if there is one whose gate is open, and reports whether it did.
func (a *actor) next() bool {
	a.state = idle
	if len(a.script.Steps) == 0 || !open(a.script.Steps[0].When) {
		return false
	}
	step := a.script.Steps[0]
	a.script.Steps = a.script.Steps[1:]
	a.begin(step)
	return true
}

// open reports whether the file that a step waits for exists.
func open(gate string) bool {
	if gate == "" {
		return true
	}
	_, err := os.Stat(gate)
	return err == nil
}

func (a *actor) begin(step Step) {
	a.step = step
	a.denied = false
	a.began = time.Now()
	a.state = working
	a.turns++
	a.remember(a.program.screens.turn)
}

// remember appends to the transcript.
func (a *actor) remember(draw func(view) []string) {
	a.history = append(a.history, draw(a.view(80))...)
}

// pass advances time. It reports whether the screen must be drawn.
func (a *actor) pass(now time.Time) bool {
	a.tick++
	switch {
	case a.state == idle && a.draft == "":
		return a.next()
	case a.state == working && now.Sub(a.began) >= a.step.Think:
		a.ask()
		return true
	case a.state == asking && a.step.Swap != "":
		if !open(a.step.SwapWhen) {
			return false
		}
		a.step.Command, a.step.Swap = a.step.Swap, ""
		a.note(Event{Kind: "swapped", Command: a.step.Command})
		a.ask()
		return true
	}
	return (a.state == working || a.state == running) && a.tick%3 == 0
}

func (a *actor) ask() {
	if len(a.step.Questions) > 0 {
		a.state, a.set = questioning, newSet(a.step.Questions)
		a.note(Event{Kind: "asks", Command: a.set.asks()})
		return
	}
	a.state = asking
	a.dialog = dialog{shown: time.Now()}
	a.note(Event{Kind: "asks", Command: a.step.Command})
}

// press handles a key. It reports whether the screen must be drawn.
func (a *actor) press(ctx context.Context, k key, ran chan<- error) bool {
	a.note(Event{Kind: "key", Key: k.name, Text: k.text})
	if a.state == questioning {
		return a.answer(k)
	}
	if a.state != asking {
		return a.edit(k)
	}
	switch v := a.program.press(&a.dialog, k); v {
	case once, widened:
		a.always = v == widened
		a.state = running
		a.began = time.Now()
		command := a.step.Command
		go func() { ran <- runCommand(ctx, a.script.Dir, command) }()
		return true
	case denied:
		a.note(Event{Kind: "denied", Command: a.step.Command})
		a.denied = true
		a.remember(a.program.screens.denied)
		a.next()
		return true
	case redraw:
		return true
	}
	return false
}

// answer handles a key while questions are open. It reports whether the screen must be drawn.
func (a *actor) answer(k key) bool {
	switch a.set.press(k) {
	case ignored:
		return false
	case turned:
		a.note(Event{Kind: "asks", Command: a.set.asks()})
	case sent:
		a.note(Event{Kind: "answered", Text: a.set.said()})
		a.remember(a.program.screens.answered)
		a.next()
	case declined:
		a.note(Event{Kind: "denied", Command: a.set.asks()})
		a.denied = true
		a.remember(a.program.screens.declined)
		a.next()
	}
	return true
}

func runCommand(ctx context.Context, dir, command string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = dir
	return cmd.Run()
}

// finish handles the end of the command.
func (a *actor) finish(err error) {
	e := Event{Kind: "ran", Command: a.step.Command, Always: a.always}
	if err != nil {
		e.Error = err.Error()
	}
	a.note(e)
	a.remember(a.program.screens.ran)
	a.next()
}

// edit handles a key in the input box. It reports whether the screen must be drawn.
func (a *actor) edit(k key) bool {
	switch {
	case k.name == "paste":
		a.draft += k.text
	case k.name == "Enter":
		text := strings.TrimSpace(a.draft)
		if text == "" || a.state != idle {
			return false
		}
		a.draft = ""
		a.note(Event{Kind: "told", Text: text})
		a.begin(noteStep(text))
	case k.name == "BSpace":
		r := []rune(a.draft)
		a.draft = string(r[:max(0, len(r)-1)])
	case k.name == "C-u":
		a.draft = ""
	case k.name == "C-j":
		a.draft += "\n"
	case len([]rune(k.name)) == 1:
		a.draft += k.name
	default:
		return false
	}
	return true
}

func (a *actor) note(e Event) {
	if a.log == nil {
		return
	}
	e.At = time.Now()
	line, err := json.Marshal(e)
	if err != nil {
		return // plain strings always marshal
	}
	_, _ = a.log.Write(append(line, '\n')) // a log that can't be written must not stop the agent
}

func (a *actor) view(width int) view {
	v := view{
		width: width, dir: a.script.Dir, title: filepath.Base(a.script.Dir),
		instruction: a.step.Instruction, command: a.step.Command, doing: a.step.Doing, why: a.step.Why, done: a.step.Done,
		highlight: a.dialog.highlight, confirming: a.dialog.confirming,
		running: a.state == running, denied: a.denied, always: a.always, turns: a.turns, draft: a.draft,
		elapsed: int(time.Since(a.began).Seconds()), seconds: 1 + int(time.Since(a.began).Seconds()),
		spinner: a.program.working[a.tick/3%len(a.program.working)],
	}
	if a.set != nil {
		v.sheet, v.answers = a.set.sheet(), strings.Split(a.set.said(), "; ")
	}
	v.rows = a.program.rows(v, v.confirming)
	return v
}

// page returns the current screen, row by row.
func (a *actor) page(width, height int) []string {
	s := a.program.screens
	foot := map[state]func(view) []string{idle: s.idle, working: s.working, asking: s.ask, questioning: s.questions, running: s.working}[a.state]
	v := a.view(width)
	return layout(slices.Concat(s.head(v), a.history, foot(v)), width, height)
}

func (a *actor) draw() error {
	width, height, err := term.GetSize(int(a.out.Fd()))
	if err != nil {
		return fmt.Errorf("ask the terminal for its size: %w", err)
	}
	rows := a.page(width, height)
	title := a.program.title
	if a.state == asking || a.state == questioning {
		title = a.program.askTitle
	}
	title = strings.ReplaceAll(title, "%s", filepath.Base(a.script.Dir))
	var b strings.Builder
	fmt.Fprintf(&b, "\x1b]2;%s\x07\x1b[H", title)
	for i := range height {
		if i > 0 {
			b.WriteString("\r\n")
		}
		if i < len(rows) {
			b.WriteString("\x1b[0m" + rows[i])
		}
		b.WriteString("\x1b[0m\x1b[K")
	}
	_, err = a.out.WriteString(b.String())
	return err
}
