package message

import (
	"fmt"
	"slices"
	"strings"

	"nod/internal/text/plural"
	"nod/nudge"
)

// editsLine counts an agent's changes; empty: none were reported.
func editsLine(t nudge.TurnEnded) string {
	if len(t.Edits) == 0 {
		return ""
	}
	var files []string
	added, removed := 0, 0
	for _, e := range t.Edits {
		added, removed = added+e.Added, removed+e.Removed
		if !slices.Contains(files, e.Path) {
			files = append(files, e.Path)
		}
	}
	return fmt.Sprintf("%s, +%d −%d", plural.Of(len(files), "file", "files"), added, removed)
}

// diffRoom is how much of a diff fits into a message.
const diffRoom = MaxText - 400

// Diff shows an agent's changes in its turn, folded. A diff that is too long for a message goes into a file,
// sent before the message. ok is false if no changes are stored.
func (r Renderer) Diff() (out Outgoing, ok bool) {
	t, _ := r.About.(nudge.TurnEnded)
	if len(t.Edits) == 0 {
		return Outgoing{}, false
	}
	var diff strings.Builder
	cut := false
	for i, e := range t.Edits {
		if i > 0 {
			diff.WriteString("\n")
		}
		diff.WriteString(e.Path + "\n" + e.Diff)
		cut = cut || e.Cut
	}
	text := strings.TrimRight(ForeignText(r.Style.Redact(diff.String())), "\n")
	p := &out.Page
	p.Text("📝 ").Bold(r.Title + ": ").Text(editsLine(t)).Line()
	if cut {
		p.Text("Some lines were too many to keep: they are left out.").Line()
	}
	if shown := Cut(text, diffRoom); shown != text {
		p.Text("All of it is in the file nod-" + r.ID + ".diff.").Line()
		out.File = &file{Name: "nod-" + r.ID + ".diff", Data: []byte(text + "\n")}
		text = Cut(text, diffRoom/2)
	}
	p.foldedCode(text)
	r.sign(p)
	return out, true
}
