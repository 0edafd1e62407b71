package message

import (
	"nod/detect/screen"
	"nod/nudge"
)

// asPage is the first question of a set of three.
func asPage(n *nudge.Nudge) {
	asQuestion(n)
	n.About = nudge.Question{Prompt: &screen.Prompt{
		Content: screen.Content{
			Agent: "claude", Shape: "claude.ask_user", Question: "Which colour should the button be?",
			Subject: "Which colour should the button be?\n←  ☐ Colour  ☐ Sizes  ☐ Font  ✔ Submit  →", Lead: 1,
			Options: []screen.Option{
				{Key: "1", Label: "Red", Scope: screen.Other}, {Key: "2", Label: "Blue", Scope: screen.Other},
				{Label: "Type something.", Scope: screen.Text}, {Key: "4", Label: "Chat about this", Scope: screen.Other},
			},
			Notes: []string{"Warm", "Cool", "", ""},
		},
		Ways:  screen.Ways{Dismiss: []string{"Escape"}},
		Field: screen.Field{Writes: 3},
		InSet: screen.InSet{Page: 1, Pages: 3, Tabs: "←  ☐ Colour  ☐ Sizes  ☐ Font  ✔ Submit  →"},
	}}
	n.Tail = []string{
		"←  ☐ Colour  ☐ Sizes  ☐ Font  ✔ Submit  →", "", "Which colour should the button be?", "", "❯ 1. Red", "     Warm", "  2. Blue", "     Cool",
		"  3. Type something.", "  4. Chat about this", "", "Enter to select · Tab/Arrow keys to navigate · Esc to cancel",
	}
}

// asBoxes is the second, a check list with one box ticked.
func asBoxes(n *nudge.Nudge) {
	asPage(n)
	n.Prompt().Writes = 0
	n.Prompt().Shape, n.Prompt().Question, n.Prompt().Page = "claude.ask_user_multi", "Which sizes do you want?", 2
	n.Prompt().Subject = "Which sizes do you want?\n←  ☒ Colour  ☒ Sizes  ☐ Font  ✔ Submit  →"
	n.Prompt().Options = []screen.Option{
		{Label: "[ ] Small", Scope: screen.Other, Tick: screen.Off}, {Label: "[✔] Large", Scope: screen.Other, Tick: screen.On},
		{Label: "[ ] Extra large, made to measure", Scope: screen.Other, Tick: screen.Off},
		{Label: "[ ] Type something", Scope: screen.Text, Tick: screen.Off}, {Key: "5", Label: "Chat about this", Scope: screen.Other},
	}
	n.Prompt().Notes = []string{"S", "L", "XL", "Next", ""}
	n.Prompt().Tickable, n.Prompt().Send = true, []string{"Tab"}
	n.Tail = []string{
		"←  ☒ Colour  ☒ Sizes  ☐ Font  ✔ Submit  →", "", "Which sizes do you want?", "", "❯ 1. [ ] Small", "         S", "  2. [✔] Large", "         L",
		"  3. [ ] Extra large, made to measure", "         XL", "  4. [ ] Type something", "     Next", "  5. Chat about this", "",
		"Enter to select · Tab/Arrow keys to navigate · Esc to cancel",
	}
}

// asOneList is a check list that is the only question, with nothing ticked.
func asOneList(n *nudge.Nudge) {
	asBoxes(n)
	n.Prompt().Page, n.Prompt().Pages, n.Prompt().Send = 1, 1, nil
	n.Prompt().Subject = "Which sizes do you want?\n←  ☐ Sizes  ✔ Submit  →"
	n.Prompt().Options[1].Tick, n.Prompt().Options[1].Label = screen.Off, "[ ] Large"
	n.Prompt().Notes[3], n.Tail[0] = "Submit", "←  ☐ Sizes  ✔ Submit  →"
	n.Tail[6], n.Tail[11] = "  2. [ ] Large", "     Submit"
}

// asLastList is a check list on the last page of a set that no page reviews.
func asLastList(n *nudge.Nudge) {
	asBoxes(n)
	n.Agent, n.Prompt().Agent, n.Prompt().Shape = "copilot", "copilot", "copilot.ask_user_multi"
	n.Prompt().Subject, n.Prompt().Page, n.Prompt().Pages = "What is the button to look like?\n Colour  [Sizes]\nSizes:\nWhich sizes do you want?", 2, 2
	n.Prompt().Options = []screen.Option{
		{Label: "Small", Scope: screen.Other, Tick: screen.Off}, {Label: "Large", Scope: screen.Other, Tick: screen.On},
		{Label: "Other (type your answer)", Scope: screen.Text, Tick: screen.Off},
	}
	n.Prompt().Notes, n.Prompt().Send, n.Prompt().Ends, n.Tail = nil, []string{"Enter"}, true, nil
}

// asScrolledList is a check list below whose rows more may stand.
func asScrolledList(n *nudge.Nudge) {
	asLastList(n)
	n.Agent, n.Prompt().Agent, n.Prompt().Shape = "gemini", "gemini", "gemini.ask_user_multi"
	n.Prompt().Subject, n.Prompt().Page, n.Prompt().Pages = "Which sizes do you want?\n(Select all that apply)", 0, 0
	n.Prompt().Options[2] = screen.Option{Label: "Huge", Scope: screen.Other, Tick: screen.Off}
	n.Prompt().Send, n.Prompt().Ends, n.Prompt().More = []string{"Up", "Enter"}, false, true
}

// asReview is the page at the end of the set.
func asReview(n *nudge.Nudge) {
	asPage(n)
	n.Prompt().Writes = 0
	n.Prompt().Shape, n.Prompt().Question, n.Prompt().Page = "claude.ask_user_review", "● Which colour should the button be?", 0
	n.Prompt().Subject = "Review your answers\n\n ● Which colour should the button be?\n   → Red\n ● Which sizes do you want?\n   → Large\n ● Which font?\n   → Sans\n←  ☒ Colour  ☒ Sizes  ☒ Font  ✔ Submit  →"
	n.Prompt().Lead = 8
	n.Prompt().Notes = nil
	n.Prompt().Options = []screen.Option{{Key: "1", Label: "Submit answers", Scope: screen.Other}, {Key: "2", Label: "Cancel", Scope: screen.Other}}
	n.Tail = nil
}

// asSentReview is the page at the end of a set of OpenCode's, which has no answers to choose from.
func asSentReview(n *nudge.Nudge) {
	asReview(n)
	n.Agent, n.Prompt().Agent, n.Prompt().Shape = "opencode", "opencode", "opencode.ask_user_review"
	n.Prompt().Question, n.Prompt().Subject, n.Prompt().Lead = "Review", "Review\n\nColour: Red\n\nSizes: Small\n Colour   Sizes   Confirm", 5
	n.Prompt().Options, n.Prompt().Pages, n.Prompt().Send = nil, 2, []string{"Enter"}
}

// asPlan is a plan, each of whose answers grants something.
func asPlan(n *nudge.Nudge) {
	asQuestion(n)
	n.Prompt().Question = "Claude has written up a plan and is ready to execute. Would you like to proceed?"
	n.Prompt().Subject = "Ready to code?\nRig plan\n\n1. Create a file\n2. Run the tests"
	n.Prompt().Options = []screen.Option{
		{Key: "1", Label: "Yes, and use auto mode", Scope: screen.Mode}, {Key: "2", Label: "Yes, manually approve edits", Scope: screen.Mode},
		{Label: "Tell Claude what to change", Scope: screen.Text},
	}
	n.Prompt().Dismiss, n.Tail = []string{"Escape"}, nil
}

// answeredWith is a decision on a question, and what became of it.
func answeredWith(d screen.Decision, s nudge.State) func(*nudge.Nudge) {
	return func(n *nudge.Nudge) { claimed(n, s, d) }
}
