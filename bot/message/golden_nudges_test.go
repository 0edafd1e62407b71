package message

import (
	"strings"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge"
)

// goldenNudge is a pending permission; change makes another of it.
func goldenNudge(change func(*nudge.Nudge)) nudge.Nudge {
	n := nudge.Nudge{
		ID: "k3f", Whereabouts: detect.Whereabouts{Agent: "claude", Project: "api", Where: "main:2.0"},
		About: nudge.Permission{Prompt: &screen.Prompt{
			Content: screen.Content{
				Agent: "claude", Shape: "claude.tool_confirmation", Question: "Do you want to proceed?", Subject: "touch /tmp/x && rm -rf build",
				Options: []screen.Option{
					{Key: "1", Label: "Yes", Scope: screen.Once},
					{Key: "2", Label: "Yes, and don't ask again for touch commands", Scope: screen.Always},
					{Key: "3", Label: "No", Scope: screen.No},
				},
			},
			Ways: screen.Ways{Approve: []string{"1"}, Deny: []string{"3"}},
		}},
		Tail: []string{
			"╭──────────────────────────────────────╮", "│ touch /tmp/x && rm -rf build         │",
			"│ Do you want to proceed?              │", "│ ❯ 1. Yes                             │",
			"│   2. Yes, and don't ask again for    │", "│      touch commands                  │", "│   3. No                              │",
			"╰──────────────────────────────────────╯",
		},
		Telling:   nudge.Telling{Detected: noon, Cadence: make([]time.Duration, 6), Reminder: 1},
		Answering: nudge.Answering{State: nudge.Pending},
	}
	if change != nil {
		change(&n)
	}
	return n
}

// onMachine is a nudge of another machine, as its project says.
func onMachine(n *nudge.Nudge) { n.Pane.Machine, n.Project = "gpu1", "gpu1:api" }

func claimed(n *nudge.Nudge, s nudge.State, d screen.Decision) {
	n.State, n.Ended = s, noon.Add(70*time.Second)
	n.Claim = &nudge.Claim{Said: nudge.Said{Decision: d}, By: nudge.Person{ID: "4242", Name: "Ann"}, Way: nudge.ByReply, Ref: nudge.Ref{Place: "4242", Message: 12}}
}

// withLabels is a command with a description that the agent sets apart.
func withLabels(n *nudge.Nudge) {
	n.Prompt().Subject, n.Prompt().Lead = "touch /tmp/x && rm -rf build\nRemove the build folder", 1
	n.Tail = []string{" Bash command", "", "   touch /tmp/x && rm -rf build", "   Remove the build folder", " Do you want to proceed?", " ❯ 1. Yes", "   2. No"}
}

func asQuestion(n *nudge.Nudge) {
	p := *n.Prompt()
	n.About = nudge.Question{Prompt: &p}
	n.Prompt().Shape, n.Prompt().Question, n.Prompt().Subject = "claude.plan", "Would you like to proceed?", ""
	n.Prompt().Approve, n.Prompt().Deny = nil, nil
	n.Prompt().Options = []screen.Option{
		{Key: "1", Label: "Yes, and auto-accept edits", Scope: screen.Mode},
		{Key: "2", Label: "Yes", Scope: screen.Once},
		{Key: "3", Label: "No", Scope: screen.No},
		{Key: "4", Label: "Tell Claude what to change", Scope: screen.Text},
	}
}

// asIdle is an agent that is done, and asks nothing.
func asIdle(words string) func(*nudge.Nudge) {
	return func(n *nudge.Nudge) {
		n.About = nudge.TurnEnded{Words: words}
		n.Tail = []string{"● Done.", "", "", strings.Repeat("─", 80), "❯ ", strings.Repeat("─", 80), "  ? for shortcuts"}
	}
}

func about(a nudge.About) func(*nudge.Nudge) { return func(n *nudge.Nudge) { n.About = a } }

// asSilent is an agent that may be stuck, or is at a dead end.
func asSilent(blocked string) func(*nudge.Nudge) {
	return func(n *nudge.Nudge) {
		n.About = nudge.Silence{Blocked: reason.Why{Said: blocked}}
		n.Pane.ID, n.Tail = "%12", []string{"Please choose:", "", "  (a) red", "  (b) blue"}
	}
}

// toldWords is an answer in words, and what became of it.
func toldWords(text string, s nudge.State) func(*nudge.Nudge) {
	return func(n *nudge.Nudge) {
		claimed(n, s, "")
		n.Claim.Text = text
	}
}

func both(changes ...func(*nudge.Nudge)) func(*nudge.Nudge) {
	return func(n *nudge.Nudge) {
		for _, change := range changes {
			change(n)
		}
	}
}

// asChoice is a question whose options have every scope.
func asChoice(n *nudge.Nudge) {
	asQuestion(n)
	n.Prompt().Shape, n.Prompt().Question = "claude.question", "Which way?"
	n.Prompt().Options = []screen.Option{
		{Key: "1", Label: "Red", Scope: screen.Other},
		{Key: "2", Label: "Yes, for this session", Scope: screen.Session},
		{Key: "3", Label: "Always", Scope: screen.Always},
		{Key: "4", Label: "Never ask again", Scope: screen.NoAlways},
		{Key: "5", Label: "Type something", Scope: screen.Text},
	}
	n.Prompt().TextField = true
}

func because(n *nudge.Nudge) { n.Claim.Because = deliver.Say("use the cache") }

// edited is an agent that is done with a turn in which it has changed something.
func edited(words string) func(*nudge.Nudge) {
	return func(n *nudge.Nudge) {
		n.About = nudge.TurnEnded{Words: words, Edits: []detect.Edit{
			{Path: "auth/login.go", Added: 2, Removed: 1, Diff: "@@ -12,4 +12,5 @@\n func login(user string) error {\n-\treturn nil\n+\tif user == \"\" {\n+\t\treturn errNoUser\n"},
			{Path: "auth/login_test.go", Added: 1, Diff: "@@\n+// <a test>\n"},
		}}
	}
}

// goldenGroup are questions of several agents, one of which was answered.
func goldenGroup(n nudge.Nudge) []nudge.Nudge {
	long, done, question := n, n, n
	p := *n.Prompt()
	p.Subject = "cat <<EOF >a\none line\nEOF"
	long.ID, long.About = "l2n", nudge.Permission{Prompt: &p}
	done.ID = "d7e"
	claimed(&done, nudge.Delivered, screen.Approve)
	question.ID = "q5s"
	asQuestion(&question)
	return []nudge.Nudge{n, long, done, question}
}
