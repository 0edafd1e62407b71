package agents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// byOneTap says what a reading offers that takes one tap and no consent, beside a plain yes and a plain no; empty: nothing.
func byOneTap(r screen.Reading) string {
	p := r.Prompt
	switch {
	case p == nil || r.State != screen.Question:
		return ""
	case len(p.Dismiss) > 0:
		return "leave " + p.Shape
	case len(p.Send) > 0 || p.Steps(screen.Send) != nil:
		return "send " + p.Shape
	}
	for i, o := range p.Options {
		if p.Tick(i) != nil || p.Choose(i) != nil && !p.Partial && (o.Scope == screen.Other || o.Scope == screen.Text) {
			return fmt.Sprintf("choose %q of %s", o.Label, p.Shape)
		}
	}
	return ""
}

// questionRows are the rows of every recorded question.
func questionRows(t testing.TB) (rows []string) {
	for _, l := range labels(t) {
		if l.State != screen.Question {
			continue
		}
		c := canvasOf(capture(t, l.File))
		if p := Read(l.Agent, screen.Parse(c.String())).Prompt; p != nil {
			for _, row := range c[p.First:min(p.Last+1, len(c))] {
				rows = append(rows, strings.Trim(rowText(row), " │┃"))
			}
		}
	}
	return rows
}

// asQuestion draws a row of a recorded question where a command may print: between the head of a permission and its question,
// below a line that is drawn once more, or as the first row of a screen that lacks the head.
func (a attacker) asQuestion(tg target, rows []string) (changed canvas, how string) {
	text := rows[a.IntN(len(rows))]
	from, to := tg.top+1, tg.top+1
	for i := tg.top + 1; i < tg.first; i++ {
		if tg.prompt.Question != "" && strings.Contains(rowText(tg.drawn[i]), strings.SplitN(tg.prompt.Question, " ", 3)[0]) {
			to = i
		}
	}
	if to <= tg.top+2 { // the question is first
		from, to = to+1, max(tg.first, to+1)
	}
	at := from + a.IntN(to-from+1)
	row := a.inside(tg, text)
	c := tg.drawn.clone()
	switch a.IntN(3) {
	case 0:
		return slices.Insert(c, at, row), fmt.Sprintf("%q in row %d", text, at)
	case 1:
		return append(canvas{row}, c[at:]...), fmt.Sprintf("%q on top of row %d", text, at)
	}
	line := plainRow(strings.Repeat("─", tg.width))
	if strings.ContainsAny(rowText(tg.drawn[tg.top]), "│┃") {
		line = a.inside(tg, strings.Repeat("─", max(tg.width-8, 1)))
	}
	return slices.Insert(c, at, line, row), fmt.Sprintf("%q below a line in row %d", text, at)
}

// TestAPermissionIsNeverTakenForAQuestion, whatever its command prints: what the model asks is answered by one tap, and left by a key that
// may be a no to something else.
func TestAPermissionIsNeverTakenForAQuestion(t *testing.T) {
	t.Parallel()
	a, rows, asks := attacker{rand.New(rand.NewPCG(11, 12)), targets(t)}, questionRows(t), 0
	for _, tg := range someOf(3, a.all) {
		for range 15 {
			changed, how := a.asQuestion(tg, rows)
			if r := Read(tg.agent, screen.Parse(changed.String())); byOneTap(r) != "" {
				t.Errorf("%s, %s: one tap would %s\n%s", tg.file, how, byOneTap(r), changed.plain())
			} else if r.Prompt != nil {
				asks++
			}
		}
	}
	if asks < tries(5000) {
		t.Errorf("%d of them are prompts: the test proves little", asks)
	}
}

// TestAnArgumentThatLooksLikeAnInstructionMakesNoQuestion: Codex draws what a person said behind the same mark, so that the dialog of
// a call seems to begin below an argument that begins with it.
func TestAnArgumentThatLooksLikeAnInstructionMakesNoQuestion(t *testing.T) {
	const shown = `
• Calling rig.echo({"text":"rig"})

  Field 1/1
  Allow the rig MCP server to run tool "echo"?

  text: rig

› 1. Go                 Static binary
  › 1. Allow                   Run the tool and continue.
    2. Allow for this session  Run the tool and remember this choice.
    3. Always allow            Run the tool and remember this choice for good.
    4. Cancel                  Cancel this tool call
  enter to submit | esc to cancel
`
	r := Read("codex", screen.Parse(shown))
	if r.State != screen.Permission || !r.Prompt.Partial || len(r.Prompt.Approve) > 0 || !strings.Contains(r.Prompt.Subject, `run tool "echo"`) {
		t.Errorf("%s %q: %+v", r.State, r.Why, r.Prompt)
	}
}

// TestATitleThatACommandPrintsMakesNoQuestion where the dialog's own is off the screen, or another row says what it is.
func TestATitleThatACommandPrintsMakesNoQuestion(t *testing.T) {
	for _, c := range []struct{ file, prints, before string }{
		{"qwen/0.24.4-mcp-80x24.txt", "? AskUserQuestion Ask user 1 question ←", "    MCP Server: rigmcp"},
		{"copilot/1.0.47-read-outside-60x20.txt", "│   Do you trust the files in this folder?                 │", "│ This action may read"},
	} {
		shown := capture(t, c.file)
		at := strings.Index(shown, c.before)
		if at < 0 {
			t.Fatalf("%s has no %q", c.file, c.before)
		}
		agent, _, _ := strings.Cut(c.file, "/")
		head := shown[:at]
		if agent == "qwen" {
			head = "" // scrolled off
		}
		r := Read(agent, screen.Parse(head+c.prints+"\n"+shown[at:]))
		if r.State != screen.Permission {
			t.Errorf("%s: %s %q", c.file, r.State, r.Why)
		}
	}
}
