package bot

import (
	"nod/detect/screen"
	"nod/nudge"
	"strings"
)

// reasonMessage asks why something is denied. Nothing is typed before the reply to it.
func (r renderer) reasonMessage(chat int64, seal sealer) outgoing {
	out := outgoing{keys: keys{{seal.press("❌ Deny without a word", press{verb: verbDeny, id: r.ID, reason: true}, chat).styled(red)}}, wantsReply: true}
	r.about(&out.page, "✍ ", "Deny, and say why: ")
	given := "at once where it asks for some, else as “Denied: …” when its input box is empty."
	if r.Program != nil {
		given = "with that."
	}
	out.page.line().text("Nothing was typed yet. Reply to this message with your words: it is denied, and the agent is given them " + given)
	return out
}

// howToDeny answers words behind a no, in reply to a permission that can be denied.
func howToDeny(a nudge.Answer, n nudge.Nudge, seal sealer) (outgoing, bool) {
	words := strings.Fields(strings.ToLower(a.Text))
	if len(words) < 2 || n.State != nudge.Pending || !n.TakesReason() {
		return outgoing{}, false
	}
	if decision, id, ok := nudge.ParseWord(strings.TrimRight(words[0], ".,!:;"), nudge.ByReply); !ok || id != "" || decision != screen.Deny {
		return outgoing{}, false
	}
	out := sentence("Nothing was typed. To deny it and give your words to the agent, tap ✍ Deny… and reply with them; n alone denies it.")
	out.keys = keys{{seal.button("✍ Deny…", verbWhy, n.ID, chatOf(a.Place))}}
	return out, true
}
