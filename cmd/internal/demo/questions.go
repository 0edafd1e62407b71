package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/internal/actor"
	"nod/internal/botapi"
)

// setTime is the time limit for the scene with a set of questions: each of its five taps is typed and proven.
const setTime = 30 * time.Second

// releaseQuestions is a set that contains a check list.
var releaseQuestions = []actor.Question{
	{Header: "Version", Text: "Which version is this release?", Choices: []actor.Choice{
		{Label: "1.4.1", Note: "Fixes alone"}, {Label: "1.5.0", Note: "The new importer is in it"},
	}},
	{Header: "Channels", Text: "Where should the release be announced?", Several: true, Choices: []actor.Choice{
		{Label: "Changelog", Note: "In the repository"}, {Label: "Mailing list", Note: "1,200 readers"}, {Label: "Website", Note: "On the front page"},
	}},
}

// answerTheQuestions answers one question, ticks two boxes of the next one, unticks one of them, and sends
// the list.
func (p *playing) answerTheQuestions(ctx context.Context) error {
	if err := p.open("questions"); err != nil {
		return err
	}
	m, err := p.shows(ctx, 0, "Which version", "Question 1 of 2")
	if err != nil {
		return err
	}
	for _, step := range []struct {
		tap   string
		shows []string
	}{
		{"2. 1.5.0", []string{"Where should", "Question 2 of 2", "☐ Changelog", "☐ Website"}},
		{"☐ Changelog", []string{"☑ Changelog", "☐ Website"}},
		{"☐ Website", []string{"☑ Changelog", "☑ Website"}},
		{"☑ Changelog", []string{"☐ Changelog", "☑ Website"}},
		{"➡ Next", []string{"Review your answers", "→ 1.5.0", "→ Website"}},
	} {
		if m, err = p.tapped(ctx, m, step.tap, step.shows...); err != nil {
			return err
		}
	}
	if _, err := p.person.Tap(m.ID, "1. Submit answers"); err != nil {
		return err
	}
	p.say("Ann taps 1. Submit answers")
	const want = "Version: 1.5.0; Channels: Website"
	err = poll(ctx, "claude never got the answers", func() bool {
		return slices.ContainsFunc(p.events("claude"), func(e actor.Event) bool { return e.Kind == "answered" })
	})
	if err != nil {
		return err
	}
	for _, e := range p.events("claude") {
		if e.Kind == "answered" && e.Text != want {
			return fmt.Errorf("claude heard %q, not %q", e.Text, want)
		}
	}
	p.say("✓ only then claude heard %q", want)
	return nil
}

// tapped taps a button and waits until its effect is shown.
func (p *playing) tapped(ctx context.Context, m botapi.Record, button string, shows ...string) (botapi.Record, error) {
	if _, err := p.person.Tap(m.ID, button); err != nil {
		return m, err
	}
	p.say("Ann taps %s", button)
	return p.shows(ctx, m.ID, shows...)
}

// shows waits for a message with buttons, not older than the message from, whose text contains all parts.
func (p *playing) shows(ctx context.Context, from int, parts ...string) (botapi.Record, error) {
	m, err := p.person.Await(ctx, func(m botapi.Record) bool {
		for _, part := range parts {
			if !strings.Contains(m.Text, part) {
				return false
			}
		}
		return p.fromBot(m) && m.Markup != nil && m.ID >= from
	})
	if err != nil {
		return m, fmt.Errorf("no message says %q", parts)
	}
	p.say("nod shows: %s", strings.Join(parts, " · "))
	select {
	case <-time.After(readingTime):
	case <-ctx.Done():
	}
	return m, nil
}
