package message

import (
	"strings"

	"nod/detect/screen"
	"nod/nudge"
)

// AskReason asks for the reason of a denial. Nothing is typed before the reply.
func (r Renderer) AskReason(chat int64, seal Sealer) Outgoing {
	out := Outgoing{Keys: Keys{{seal.Tap("❌ Deny without a word", Tap{Verb: VerbDeny, ID: r.ID, reason: true}, chat).styled(red)}}, WantsReply: true}
	r.about(&out.Page, "✍ Deny, and say why: ")
	out.Page.Text("Reply to this message with your reason: nod denies, and passes it on.")
	r.sign(&out.Page)
	return out
}

// HowToAnswer returns a hint for a reply that is no answer to a permission which waits; false: there is none.
func HowToAnswer(a nudge.Answer, n nudge.Nudge, seal Sealer) (out Outgoing, ok bool) {
	if n.State != nudge.Pending || n.Kind() != screen.Permission {
		return Outgoing{}, false
	}
	words := strings.Fields(strings.ToLower(a.Text) + " .")
	decision, id, _ := nudge.ParseWord(strings.TrimRight(words[0], ".,!:;"), nudge.ByReply)
	switch denies := decision == screen.Deny && id == "" && len(words) > 2; {
	case !n.TakesReason():
		return Sentence(notUnderstood + "Answer this with y or n and nothing else, or tap a button."), true
	case denies:
		out = Sentence("Nothing was typed. To deny it and give your words to the agent, tap ✍ Deny… and reply with them; n alone denies it.")
	default:
		out = Sentence(notUnderstood + "Answer this with y or n and nothing else, or tap a button. To deny it and give your words to the agent, tap ✍ Deny… and reply with them.")
	}
	out.Keys = Keys{{seal.Button("✍ Deny…", VerbWhy, n.ID, ChatOf(a.Place))}}
	return out, true
}

const notUnderstood = "I didn't understand that, so nothing was typed. "

// NotUnderstood is the answer to words that answer nothing which is known.
func NotUnderstood() Outgoing {
	return Sentence(notUnderstood + "Answer a question with y or n, or with the number of a button that has one, and nothing else. " +
		"To give an agent an instruction, reply to its done message, or use /tell.")
}
