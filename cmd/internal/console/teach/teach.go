// Package teach asks a person about a dialog that nod can't answer: where it begins, which rows are its
// answers, which of them means yes for this once and which means no. It stores the result for the running
// bot, and prints at once how nod now reads the screen.
package teach

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"nod/cmd/internal/console"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/detect/taught"
	"nod/internal/host/ansi"
	"nod/internal/words"
)

// rowsShown is how many rows of a screen are shown during teaching.
const rowsShown = 30

// Config is the data known before the first question.
type Config struct {
	In     io.Reader
	Out    io.Writer
	Folder taught.Folder
	Agent  string
	Screen string // with its colours; it is stored beside the dialog, so its secrets are masked
	Name   string // of the dialog; if empty, teach asks for it
}

// teaching is one conversation that teaches a dialog.
type teaching struct {
	Config
	*console.Console
	layout *screen.Layout
}

// Run asks about a dialog, stores the result, and prints how nod now reads the screen. On an error nothing
// was stored.
func Run(ctx context.Context, cfg Config) error {
	t := teaching{Config: cfg, Console: console.New(cfg.In, cfg.Out, false), layout: screen.Lay(screen.Parse(cfg.Screen))}
	lesson, err := t.ask(ctx)
	if err != nil {
		return fmt.Errorf("nothing was kept: %w", err)
	}
	learnt := t.try(lesson)
	path, err := cfg.Folder.Write(lesson, cfg.Screen)
	if err != nil {
		return fmt.Errorf("nothing was kept: %w", err)
	}
	t.sayKept(path, lesson.Name, learnt)
	return nil
}

// ask asks about the dialog.
func (t teaching) ask(ctx context.Context) (agents.Taught, error) {
	lesson := agents.Taught{Name: "untitled", Agent: t.Agent, On: time.Now()}
	before := agents.Read(t.Agent, screen.Parse(t.Screen))
	if err := t.check(before); err != nil {
		return lesson, err
	}
	if err := t.askDialog(ctx, &lesson, t.show(before), before.Prompt); err != nil {
		return lesson, err
	}
	if err := t.askMeanings(ctx, &lesson); err != nil {
		return lesson, err
	}
	var err error
	if lesson.Keys, err = t.askKeys(ctx, lesson, t.try(lesson)); err != nil {
		return lesson, err
	}
	if lesson.Name = t.Name; lesson.Name == "" {
		lesson.Name, err = t.askName(ctx)
	}
	return lesson, err
}

// check refuses, before the first question, input that would be refused after the last one.
func (t teaching) check(before screen.Reading) error {
	if t.Name != "" {
		if err := taught.CheckName(t.Name); err != nil {
			return err
		}
	}
	switch {
	case before.State == screen.Idle:
		return fmt.Errorf("there is nothing to teach: %s is idle, and its input box is open", ansi.OneLine(t.Agent))
	case before.State == screen.Permission && len(before.Prompt.Approve) > 0 && len(before.Prompt.Deny) > 0:
		return fmt.Errorf("there is nothing to teach: nod answers this dialog by itself, yes with %s and no with %s", effect(before.Prompt.Approve), effect(before.Prompt.Deny))
	}
	return nil
}

// try reads the dialog on the screen with a lesson.
func (t teaching) try(lesson agents.Taught) *screen.Prompt {
	return agents.ReadTaught([]agents.Taught{lesson}, t.Agent, screen.Parse(t.Screen)).Prompt
}

// show prints the lowest rows with words, each with its number, and nod's reading of them. It returns their
// lines.
func (t teaching) show(r screen.Reading) []int {
	var lines []int
	for i := range t.layout.Lines {
		if t.layout.Lines[i].Kind == screen.Words {
			lines = append(lines, i)
		}
	}
	lines = lines[max(len(lines)-rowsShown, 0):]
	fmt.Fprintf(t.Out, "The screen of %s, which nod reads as: %s\n\n", ansi.OneLine(t.Agent), r.State)
	for n, i := range lines {
		fmt.Fprintf(t.Out, "%3d  %s%s\n", n+1, strings.Repeat(" ", min(t.layout.Lines[i].Col, 20)), ansi.OneLine(t.layout.Lines[i].Text))
	}
	fmt.Fprintln(t.Out)
	return lines
}

// sayKept prints how nod now reads the screen.
func (t teaching) sayKept(path, name string, learnt *screen.Prompt) {
	fmt.Fprintf(t.Out, "\nKept in %s. On this screen that makes\n  yes, for this once: %s\n  no:                 %s\n", path, effect(learnt.Approve), effect(learnt.Deny))
	for _, doubt := range learnt.Doubts {
		t.Say("An approval asks for your consent: %s", words.Why(doubt))
	}
	t.Say("A running bot reads it within a minute. To give it to everybody, in a clone of nod:")
	t.Say("  make taught NAME=%s && gh pr create --fill", name)
}

// effect names the keys of an answer, or says that there are none.
func effect(keys []string) string {
	if len(keys) == 0 {
		return "no key is proven: answer at the terminal"
	}
	return strings.Join(keys, " ")
}
