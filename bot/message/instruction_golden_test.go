package message

import (
	"testing"
	"time"

	"nod/detect"
	"nod/internal/reason"
	"nod/nudge"
)

// TestInstructionMessages: what is said of queued instructions.
func TestInstructionMessages(t *testing.T) {
	now := noon.Add(5 * time.Minute)
	queued := func(id string, change func(*nudge.Instruction)) nudge.Instruction {
		i := nudge.Instruction{
			ID: id, Addressee: nudge.Addressee{Whereabouts: detect.Whereabouts{Agent: "claude", Project: "api", Where: "main:2.0"}}, Text: "run the tests\nand <lint>", Course: nudge.Course{State: nudge.Queued},
			Submitted: noon, Timeout: 10 * time.Minute,
		}
		if change != nil {
			change(&i)
		}
		return i
	}
	over := func(state nudge.InstructionState, detail string) func(*nudge.Instruction) {
		return func(i *nudge.Instruction) {
			i.State, i.Sent, i.Ended, i.Detail = state, noon, noon.Add(200*time.Second), reason.Why{Said: detail}
		}
	}
	one := func(i nudge.Instruction) Outgoing {
		return Instruction(i, goldenChat, goldenSeal, goldenStyle())
	}
	sent := queued("a2b", func(i *nudge.Instruction) { i.State, i.Sent = nudge.Sent, noon.Add(time.Minute) })
	for name, out := range map[string]Outgoing{
		"instruction-completed": one(queued("a2b", all(over(nudge.Completed, ""), func(i *nudge.Instruction) {
			i.Words, i.Next, i.Behind = "All 212 tests pass.\nLint is clean.", "open the PR", 3
		}))),
		"instruction-late":        one(queued("a2b", over(nudge.TimeoutWaiting, ""))),
		"instruction-interrupted": one(queued("a2b", over(nudge.Interrupted, "nod was stopped while the agent had it. It is not sent again: look at what became of it."))),
		"instruction-dropped": one(queued("a2b", all(over(nudge.Cancelled, "The pane is gone, or is not watched any more."), func(i *nudge.Instruction) {
			i.Also = []string{"open the PR", "write\nnotes"}
		}))),
		"instruction-queued": Queued(nudge.Placed{Instruction: queued("a2b", nil), Position: 2, Held: reason.Why{Said: "claude is at work."}}, goldenChat, goldenSeal, goldenStyle()),
		"next": Next([]nudge.Placed{
			{Instruction: sent},
			{Instruction: queued("c3d", nil), Position: 1, Held: reason.Why{Said: "claude is at work on #a2b."}},
			{Instruction: queued("e4f", nil), Position: 2},
		}, []nudge.Wish{{ID: "w7k", Text: "! make <clean>"}}, "claude in api", goldenChat, goldenSeal, goldenStyle(), now),
		"next-limit": Next([]nudge.Placed{
			{Instruction: queued("c3d", nil), Position: 1, Held: reason.Why{Kind: reason.LimitHolds, Agent: "claude", What: "3pm (UTC)"}},
			{Instruction: queued("e4f", func(i *nudge.Instruction) { i.AfterLimit = true }), Position: 2},
		}, nil, "claude in api", goldenChat, goldenSeal, goldenStyle(), now),
		"next-nothing": Next(nil, nil, "claude in api", goldenChat, goldenSeal, goldenStyle(), now),
	} {
		t.Run(name, func(t *testing.T) { compareGolden(t, name, out) })
	}
}

func all(a, b func(*nudge.Instruction)) func(*nudge.Instruction) {
	return func(i *nudge.Instruction) { a(i); b(i) }
}
