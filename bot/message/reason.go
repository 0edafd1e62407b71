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

// HowToDeny returns a hint for a reply with words after a "no" to a permission that can be denied; false: the
// reply is something else.
func HowToDeny(a nudge.Answer, n nudge.Nudge, seal Sealer) (Outgoing, bool) {
	words := strings.Fields(strings.ToLower(a.Text))
	if len(words) < 2 || n.State != nudge.Pending || !n.TakesReason() {
		return Outgoing{}, false
	}
	if decision, id, ok := nudge.ParseWord(strings.TrimRight(words[0], ".,!:;"), nudge.ByReply); !ok || id != "" || decision != screen.Deny {
		return Outgoing{}, false
	}
	out := Sentence("Nothing was typed. To deny it and give your words to the agent, tap ✍ Deny… and reply with them; n alone denies it.")
	out.Keys = Keys{{seal.Button("✍ Deny…", VerbWhy, n.ID, ChatOf(a.Place))}}
	return out, true
}
