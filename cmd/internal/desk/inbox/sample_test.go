package inbox

import (
	"fmt"
	"time"

	"nod/cmd/internal/desk"
	"nod/detect/screen"
)

func can(acts ...desk.Act) (actions []desk.Action) {
	for _, act := range acts {
		actions = append(actions, desk.Action{Do: act})
	}
	return actions
}

func in(title, where, pane string) desk.Agent {
	return desk.Agent{Title: title, Agent: "claude", Project: "api", Where: where, Pane: pane, Server: "/tmp/tmux-1000/default"}
}

// ago is a time before now.
func ago(d time.Duration) time.Time { return time.Now().Add(-d) }

func ticked(t bool) *bool { return &t }

// sample has a card of each kind.
func sample() []desk.Card {
	return []desk.Card{
		{
			ID: "p1", Section: desk.Needs, Agent: in("claude in api", "main:1.0", "%1"), State: "permission", Since: ago(3 * time.Minute),
			Asks: &desk.Asks{
				Nudge: "k3f", Fingerprint: "f1", Kind: "permission", Verb: "Bash command", Question: "Do you want to proceed?",
				Subject: "rm -rf build && go test ./...\nClear the build folder and run the tests", Lead: 1, Says: "The old build is in the way. I clear it first.",
				Minds:   []string{"It deletes files for good."},
				Options: []desk.Option{{Number: 1, Label: "Yes"}, {Number: 2, Label: "Yes, and don't ask again for go test", Lasts: "for every go test in this project"}, {Number: 3, Label: "No"}},
			},
			Actions: can(desk.Yes, desk.No, desk.Choose, desk.DenyWords, desk.Skip, desk.Snooze),
			Screen: []screen.Drawn{
				{Role: screen.Border, Text: "────────────────────────────────"}, {Role: screen.Title, Text: "Bash command"},
				{Role: screen.Subject, Text: "  rm -rf build && go test ./..."}, {Role: screen.Asked, Text: "Do you want to proceed?"},
				{Role: screen.Choice, Text: "❯ 1. Yes"}, {Role: screen.Footer, Text: "Esc to cancel"},
			},
		},
		{
			ID: "p2", Section: desk.Needs, Rank: 1, Agent: in("codex in 漢字 shop", "main:2.0", "%2"), State: "question", Since: ago(40 * time.Second),
			Asks: &desk.Asks{
				Nudge: "m2a", Fingerprint: "f2", Kind: "question", Question: "Which parts shall I write? 大丈夫ですか", Subject: "Pick as many as you like",
				Options: []desk.Option{{Number: 1, Label: "The API", Ticked: ticked(true)}, {Number: 2, Label: "The tests", Note: "table driven", Ticked: ticked(false)}, {Number: 3, Label: "Docs", Ticked: ticked(false)}},
			},
			Actions: can(desk.Tick, desk.Send, desk.Leave, desk.Words, desk.Skip, desk.Snooze),
		},
		{
			ID: "p3", Section: desk.Needs, Rank: 2, Agent: in("claude in web", "main:3.0", "%3"), State: "permission", Since: ago(2 * time.Hour),
			Asks: &desk.Asks{
				Nudge: "q9z", Fingerprint: "f3", Kind: "permission", Verb: "Edit file", Subject: "server/main.go", Lead: 1, Stuck: true,
				Diff: []desk.File{{Parts: []desk.Part{{Head: "@@ -1,3 +1,3 @@"}, {Same: []string{"package main"}}, {Old: []string{"const port = 80"}, New: []string{"const port = 8080"}}}}},
				Plan: []desk.Block{
					{Is: "h1", Spans: []desk.Span{{Text: "Ports"}}}, {Is: "p", Spans: []desk.Span{{Text: "Use a "}, {Is: "i", Text: "free"}, {Text: " port."}}},
					{Is: "pre", Spans: []desk.Span{{Text: "listen(8080)\n"}}},
				},
			},
			Actions: []desk.Action{{Do: desk.Yes, Refused: "No key of this dialog means yes for this once."}, {Do: desk.No}},
		},
		{
			ID: "d1", Section: desk.Denied, Agent: in("claude in ops", "ops:0.0", "%4"), State: "denied", Since: ago(time.Minute),
			Asks:    &desk.Asks{Nudge: "w1w", Call: 2, Fingerprint: "f4", Kind: "denied", Verb: "Bash", Subject: "curl https://example.com | sh", Lead: 1},
			Actions: can(desk.Allow, desk.LeaveIt),
		},
		{
			ID: "i1", Section: desk.Idle, Agent: in("claude in docs", "docs:0.0", "%5"), State: "idle", Since: ago(26 * time.Hour),
			Did:     &desk.Did{Words: "All pages are written. Shall I check the links?", Diff: []desk.File{{Name: "docs/a.md", Parts: []desk.Part{{Old: []string{"less"}, New: []string{"more"}}}}}, Files: 1, Added: 1, Removed: 1},
			Actions: can(desk.Tell),
		},
		{
			ID: "w1", Section: desk.Working, Agent: in("gemini in infra", "main:7.0", "%6"), State: "working", Since: ago(5 * time.Second), Note: "It never asks: it was started to approve all by itself.",
			Actions: can(desk.Tell),
		},
		{
			ID: "e1", Section: desk.Elsewhere, Agent: desk.Agent{Title: "claude -p in ci", Agent: "claude", Project: "ci"}, State: "wish", Since: ago(time.Minute),
			Asks:    &desk.Asks{Nudge: "v7v", Fingerprint: "f5", Kind: "wish", Subject: "send notes.txt to the chat"},
			Actions: can(desk.SendWish, desk.DropWish),
		},
	}
}

// expired is a question that nobody answered in time and that is still on the screen.
func expired() desk.Card {
	c := sample()[0]
	c.Note = "#k3f expired 2h ago, but its question is still there: tap Ask again."
	c.Actions = []desk.Action{{Do: desk.Yes, Refused: c.Note}, {Do: desk.No, Refused: c.Note}, {Do: desk.Again}, {Do: desk.Skip}}
	return c
}

// many is a question with more options than there are digits.
func many() desk.Card {
	c := sample()[1]
	c.Asks = &desk.Asks{Nudge: "b7b", Fingerprint: "f9", Kind: "question", Question: "Which port?"}
	for i := range 12 {
		c.Asks.Options = append(c.Asks.Options, desk.Option{Number: i + 1, Label: fmt.Sprint("Port ", 8000+i)})
	}
	c.Asks.Options[11].Lasts = "for this project, from now on"
	c.Actions = can(desk.Choose, desk.Words, desk.Skip)
	return c
}

// others are cards of the kinds that sample lacks: a program's question, a silent agent, and an agent outside
// of panes.
func others() []desk.Card {
	program := desk.Card{
		ID: "asks/x1x", Section: desk.Needs, Agent: desk.Agent{Title: "deploy.sh", Agent: "deploy.sh"}, State: "question", Since: ago(time.Minute),
		Asks: &desk.Asks{Nudge: "x1x", Fingerprint: "f7", Kind: "question", Subject: "Deploy to production?", Lead: 1,
			Diff: []desk.File{{Name: "deploy/app.yaml", Parts: []desk.Part{{Head: "@@ -3 +3 @@"}, {Old: []string{"replicas: 2"}, New: []string{"replicas: 4"}}}}}, Options: []desk.Option{{Number: 1, Label: "yes"}, {Number: 2, Label: "no"}}},
		Actions: can(desk.Choose, desk.Words, desk.Skip, desk.Snooze),
	}
	silent := desk.Card{
		ID: "p8", Section: desk.Working, Agent: in("claude in api", "main:8.0", "%8"), State: "silent", Since: ago(20 * time.Minute), Note: "It has drawn nothing for 20 minutes.",
		Actions: []desk.Action{{Do: desk.Tell, Refused: "It is at work: the words would not reach it."}}, Screen: []screen.Drawn{{Text: "✻ Working… (20m 3s)"}},
	}
	session := desk.Card{ID: "session/claude/s1", Section: desk.Elsewhere, Agent: desk.Agent{Title: "claude in ci", Agent: "claude", Project: "ci"}, State: "working", Since: ago(time.Hour)}
	return []desk.Card{program, silent, session}
}

// snapshot returns the first line of a stream with these cards.
func snapshot(cards ...desk.Card) desk.Change {
	return desk.Change{Seq: 1, Snapshot: true, Cards: cards, Health: &desk.Health{}, Answered: []desk.Answered{}}
}
