package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nod/internal/actor"
	"nod/internal/botapi"
)

// sceneTime is the time limit for one scene, which takes two or three seconds.
const sceneTime = 11 * time.Second

// readingTime is how long Ann reads a message before she answers.
const readingTime = 700 * time.Millisecond

// playing is one run of `nod demo --auto`.
type playing struct {
	*demo
	out   io.Writer
	began time.Time
}

// play plays the person in six scenes, and checks after each the result on disk and in the agent's own log of
// keys.
func (d *demo) play(ctx context.Context, out io.Writer) error {
	p := &playing{demo: d, out: out, began: time.Now()}
	p.say("3 agents run in tmux, beside the real bot and an emulated Telegram")
	if p.far != nil {
		p.say("one of them runs on a second machine, %s, which an edge of nod watches", farName)
	}
	scenes := []struct {
		name string
		run  func(context.Context) error
		long time.Duration
	}{
		{"approve with the button", p.approveByButton, sceneTime},
		{"deny with a threaded reply", p.denyByReply, sceneTime},
		{"approve with a fresh y", p.approveByFreshMessage, sceneTime},
		{"answer questions and tick boxes", p.answerTheQuestions, setTime},
		{"answer a prompt that was swapped", p.answerTheSwapped, sceneTime},
		{"kill -9 the bot, then answer", p.answerAfterRestart, sceneTime},
	}
	failed := 0
	for _, s := range scenes {
		fmt.Fprintf(out, "\n%s\n", s.name)
		limited, cancel := context.WithTimeout(ctx, s.long)
		err := s.run(limited)
		cancel()
		if ctx.Err() != nil {
			return errors.New("the demo was stopped before its end")
		}
		if err != nil {
			failed++
			p.say("✗ %v", err)
		}
	}
	fmt.Fprintln(out)
	if failed == 0 {
		p.say("✓ every answer landed as decided")
		return nil
	}
	p.tellLog()
	return fmt.Errorf("%d of %d scenes went wrong", failed, len(scenes))
}

// say prints one line with the time since the start.
func (p *playing) say(format string, args ...any) {
	fmt.Fprintf(p.out, "%5.1fs  %s\n", time.Since(p.began).Seconds(), fmt.Sprintf(format, args...))
}

// tellLog prints the end of the bot's log, which is removed with the demo.
func (p *playing) tellLog() {
	data, err := os.ReadFile(p.botLog)
	if err != nil {
		return
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	fmt.Fprintf(p.out, "The bot's log ends with:\n  %s\n", strings.Join(lines[max(0, len(lines)-25):], "\n  "))
}

func (p *playing) approveByButton(ctx context.Context) error {
	m, err := p.asked(ctx, "approve", "touch approved.txt && rm -rf build")
	if err != nil {
		return err
	}
	tap, err := p.person.Tap(m.ID, "✅ Approve")
	if err != nil {
		return err
	}
	p.say("Ann taps ✅ Approve")
	toast, err := tap.Answer(ctx)
	if err != nil {
		return errors.New("the tap was never answered: its button spins for ever")
	}
	p.say("nod says: %s", toast.Text)
	return p.landed(ctx, m, "claude", landing{kind: "ran", command: "touch approved.txt && rm -rf build",
		keys: []string{"1"}, there: []string{"api/approved.txt"}, absent: []string{"api/build"}})
}

func (p *playing) denyByReply(ctx context.Context) error {
	m, err := p.asked(ctx, "deny", "touch denied.txt")
	if err != nil {
		return err
	}
	p.person.ReplyTo(m.ID, "n")
	p.say("Ann replies n to it")
	return p.landed(ctx, m, "codex", landing{kind: "denied", command: "touch denied.txt",
		keys: []string{"Escape"}, absent: []string{"web/denied.txt"}})
}

func (p *playing) approveByFreshMessage(ctx context.Context) error {
	m, err := p.asked(ctx, "fresh", "touch fresh.txt")
	if err != nil {
		return err
	}
	if p.far != nil && !strings.Contains(m.Text, farName+":infra") {
		return fmt.Errorf("the message does not say that it comes from %s: %q", farName, m.Text)
	}
	p.person.Say("y")
	p.say("Ann writes y, in reply to nothing")
	return p.landed(ctx, m, "opencode", landing{kind: "ran", command: "touch fresh.txt",
		keys: []string{"Enter"}, there: []string{"infra/fresh.txt"}})
}

// answerTheSwapped approves a command when another has already taken its place. Nothing may be typed; nod
// asks about the second command, which is denied.
func (p *playing) answerTheSwapped(ctx context.Context) error {
	first, err := p.asked(ctx, "swap", "touch first.txt")
	if err != nil {
		return err
	}
	before := p.keys("claude")
	if err := p.open("swapped"); err != nil {
		return err
	}
	if err := p.until(ctx, "claude", "swapped", "touch second.txt"); err != nil {
		return err
	}
	p.say("in the pane, `touch second.txt` takes the place of `touch first.txt`")
	yes := p.person.ReplyTo(first.ID, "y")
	p.say("Ann replies y to the first")
	refusal, err := p.person.Await(ctx, func(m botapi.Record) bool { return p.fromBot(m) && m.ReplyID == yes.ID })
	if err != nil {
		return errors.New("nod never said what became of the y")
	}
	p.say("nod says: %s", firstLine(refusal.Text))
	second, err := p.told(ctx, "touch second.txt")
	if err != nil {
		return err
	}
	if after := p.keys("claude"); len(after) != len(before) {
		return fmt.Errorf("a key was typed for a command that nobody saw: %v", after[len(before):])
	}
	p.say("✓ no key was typed")
	p.person.ReplyTo(second.ID, "n")
	p.say("Ann replies n to the second")
	return p.landed(ctx, second, "claude", landing{kind: "denied", command: "touch second.txt",
		keys: []string{"4"}, absent: []string{"api/first.txt", "api/second.txt"}})
}

// answerAfterRestart kills the bot between a nudge and its answer.
func (p *playing) answerAfterRestart(ctx context.Context) error {
	const command = "touch restarted.txt"
	m, err := p.asked(ctx, "restart", command)
	if err != nil {
		return err
	}
	// If it was killed before it recorded the message as sent, the bot would rightly send it again.
	if err := p.noted(ctx, m); err != nil {
		return err
	}
	if err := p.bot.kill(); err != nil {
		return err
	}
	p.say("the bot is killed with kill -9")
	p.person.ReplyTo(m.ID, "y")
	p.say("Ann replies y to it, while nod is not running")
	if err := p.startBot(); err != nil {
		return err
	}
	p.say("the bot is started again")
	if err := p.landed(ctx, m, "codex", landing{kind: "ran", command: command,
		keys: []string{"y"}, there: []string{"web/restarted.txt"}}); err != nil {
		return err
	}
	if n := p.asks(command); n != 1 {
		return fmt.Errorf("the same question was asked %d times", n)
	}
	p.say("✓ the question was asked once, and the answer typed once")
	return nil
}

// noted waits until the bot's log says that it has sent a message.
func (p *playing) noted(ctx context.Context, m botapi.Record) error {
	return poll(ctx, "the bot never noted that it sent its message", func() bool {
		data, err := os.ReadFile(p.botLog)
		return err == nil && strings.Contains(string(data), fmt.Sprintf(" message=%d\n", m.ID))
	})
}

// poll waits until ready is true. If ctx ends first, the error says what never happened.
func poll(ctx context.Context, never string, ready func() bool) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ready() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New(never)
		}
	}
	return nil
}

// asked lets a step begin and waits for the message about it.
func (p *playing) asked(ctx context.Context, gate, command string) (botapi.Record, error) {
	if err := p.open(gate); err != nil {
		return botapi.Record{}, err
	}
	return p.told(ctx, command)
}

func (p *playing) open(gate string) error {
	if err := os.WriteFile(p.gate(gate), nil, 0o600); err != nil {
		return fmt.Errorf("let the agent go on: %w", err)
	}
	return nil
}

// told waits for a message with buttons about a command.
func (p *playing) told(ctx context.Context, command string) (botapi.Record, error) {
	m, err := p.person.Await(ctx, func(m botapi.Record) bool { return p.asksAbout(m, command) && m.Markup != nil })
	if err != nil {
		return m, fmt.Errorf("no message about `%s` came", command)
	}
	p.say("nod writes: %s", firstLine(m.Text))
	select {
	case <-time.After(readingTime):
	case <-ctx.Done():
	}
	return m, nil
}

func (p *playing) fromBot(m botapi.Record) bool { return m.From.IsBot && m.ForwardOrigin == nil }

func (p *playing) asksAbout(m botapi.Record, command string) bool {
	return p.fromBot(m) && strings.Contains(firstLine(m.Text), command)
}

// asks counts the messages that ask about a command, including reminders but not edits.
func (p *playing) asks(command string) (n int) {
	for _, m := range p.person.Messages() {
		if p.asksAbout(m, command) && (m.Markup != nil || len(m.Before) > 0) {
			n++
		}
	}
	return n
}

// landing is the expected state after an answer.
type landing struct {
	kind, command string   // as in the agent's log
	keys          []string // exactly the keys typed into the pane since the question
	there, absent []string // files, by project
}

// landed waits until the agent's log and the chat show the answer, then checks the keys and the files.
func (p *playing) landed(ctx context.Context, m botapi.Record, agent string, want landing) error {
	if err := p.until(ctx, agent, want.kind, want.command); err != nil {
		return err
	}
	p.say("%s: `%s` %s", agent, want.command, map[string]string{"ran": "was run", "denied": "was not run"}[want.kind])
	ending, err := p.person.Await(ctx, func(now botapi.Record) bool {
		return now.ID == m.ID && now.Markup == nil && len(now.Before) > 0
	})
	if err != nil {
		return errors.New("the message kept its buttons")
	}
	lines := strings.Split(ending.Text, "\n")
	p.say("the message now says: %s", lines[max(0, len(lines)-2)]) // the line above the place
	if got := p.keysFor(agent, want.command); !slices.Equal(got, want.keys) {
		return fmt.Errorf("the keys typed for `%s` were %q, not %q", want.command, got, want.keys)
	}
	for _, name := range want.there {
		if _, err := os.Stat(filepath.Join(p.dir, "work", name)); err != nil {
			return fmt.Errorf("%s is not there: %w", name, err)
		}
	}
	for _, name := range want.absent {
		if _, err := os.Stat(filepath.Join(p.dir, "work", name)); !os.IsNotExist(err) {
			return fmt.Errorf("%s is there", name)
		}
	}
	p.say("✓ key %s, and the files say the same", strings.Join(want.keys, " "))
	return nil
}

// until waits for a line in an agent's log.
func (p *playing) until(ctx context.Context, agent, kind, command string) error {
	never := fmt.Sprintf("%s never came to %q for `%s`", agent, kind, command)
	return poll(ctx, never, func() bool {
		return slices.ContainsFunc(p.events(agent), func(e actor.Event) bool { return e.Kind == kind && e.Command == command })
	})
}

func (p *playing) events(agent string) []actor.Event {
	all, err := actor.ReadLog(p.logOf(agent))
	if err != nil {
		return nil // it is read again, or reported as missing
	}
	return all
}

// keys returns all keys that an agent has received.
func (p *playing) keys(agent string) (keys []string) {
	for _, e := range p.events(agent) {
		if e.Kind == "key" {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

// keysFor returns the keys that an agent received while it asked about a command.
func (p *playing) keysFor(agent, command string) (keys []string) {
	about := ""
	for _, e := range p.events(agent) {
		switch e.Kind {
		case "asks":
			about = e.Command
		case "key":
			if about == command {
				keys = append(keys, e.Key)
			}
		}
	}
	return keys
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
