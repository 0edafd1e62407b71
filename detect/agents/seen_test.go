package agents

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"nod/detect/screen"
)

// target is a recorded permission that can be approved: between which of its rows a command may have drawn anything.
type target struct {
	agent, file string
	drawn       canvas
	prompt      *screen.Prompt
	top, first  int // the dialog's first row, and the row of its first option
	width       int
	left, right int // the sides of a pop-up, beside which the conversation stands; 0: it is none
}

// targets are all recorded permissions with a key that approves without consent, each read as its agent's.
func targets(t testing.TB) []target {
	ownTargets.Do(func() { ownTargets.all = targetsAs(t, func(l label) string { return l.Agent }) })
	return ownTargets.all
}

// ownTargets are read once for all tests. Those who draw on one clone it.
var ownTargets struct {
	sync.Once
	all []target
}

// targetsAs is targets, read as the agent that as names.
func targetsAs(t testing.TB, as func(label) string) []target {
	var all []target
	for _, l := range labels(t) {
		if l.State != screen.Permission {
			continue
		}
		for _, file := range []string{l.File, l.coloured()} {
			c := canvasOf(capture(t, file))
			p := Read(as(l), screen.Parse(c.String())).Prompt
			if p == nil || len(p.Approve) == 0 || p.Partial {
				continue
			}
			tg := target{agent: as(l), file: file, drawn: c, prompt: p, top: p.First, first: p.Last}
			for i := p.Last; i > p.First; i-- {
				if strings.Contains(rowText(c[i]), p.Options[0].Label) {
					tg.first = i
				}
				if len(p.Options[0].Key) == 1 && p.Options[0].Key >= "0" && p.Options[0].Key <= "9" && strings.Contains(rowText(c[i]), p.Options[0].Key+". "+p.Options[0].Label) {
					break
				}
			}
			for _, row := range c {
				tg.width = max(tg.width, runewidth.StringWidth(rowText(row)))
			}
			if edge := []rune(rowText(c[max(tg.top-1, 0)])); l.Agent == "crush" {
				tg.left, tg.right = max(slices.Index(edge, '╭'), 0), max(slices.Index(edge, '╮'), 0)
			}
			all = append(all, tg)
		}
	}
	return all
}

// attacker draws what it has drawn at random.
type attacker struct {
	*rand.Rand
	all []target
}

// attack draws a token somewhere between the head and the options of a target, as text, as a row that looks like a drawing or a
// label, or above a head that is drawn once more. What it draws with comes from the recorded screens themselves.
func (a attacker) attack(tg target) (changed canvas, token, how string) {
	for {
		changed, token, how = a.try(tg)
		if tg.right == 0 || changed.shows(token, tg.left, tg.right) {
			return changed, token, how
		}
		// What is beside a pop-up is the conversation's.
	}
}

// try is one attack, which may miss a pop-up.
func (a attacker) try(tg target) (changed canvas, token, how string) {
	token = "zq"
	for range 5 {
		token += string(rune('a' + a.IntN(26)))
	}
	c := tg.drawn.clone()
	at := tg.top + 1 + a.IntN(tg.first-tg.top)
	row := tg.top + a.IntN(tg.first-tg.top)
	insert := func(rows ...[]cell) { c = slices.Insert(c, at, rows...) }
	kind := a.IntN(10)
	if kind == 6 && tg.right > 0 {
		kind = 0 // what is there is the conversation's
	}
	switch kind {
	case 0:
		col := a.IntN(max(tg.width-len(token), 1))
		if tg.right > 0 {
			col = tg.left + 1 + a.IntN(tg.right-tg.left-len(token)-1)
		}
		c.write(row, col, token)
		how = fmt.Sprintf("over row %d, column %d", row, col)
	case 1:
		col := a.IntN(max(tg.width-len(token), 1))
		insert(plainRow(strings.Repeat(" ", col) + token))
		how = fmt.Sprintf("row %d, text in column %d", at, col)
	case 2:
		insert(a.inside(tg, token))
		how = fmt.Sprintf("row %d, inside of the dialog", at)
	case 3:
		text := a.disguised(tg.width, token)
		if tg.right > 0 || a.IntN(3) > 0 {
			insert(a.inside(tg, text))
		} else {
			insert(plainRow(strings.Repeat(" ", a.IntN(6)) + text))
		}
		how = fmt.Sprintf("row %d, like a rule or a label: %s", at, text)
	case 4:
		insert(plainRow(a.edge(tg.width, token)))
		how = fmt.Sprintf("row %d, like an edge", at)
	case 5:
		text := a.borrowed(token)
		insert(plainRow(text))
		how = fmt.Sprintf("row %d, borrowed: %s", at, text)
	case 6:
		c.write(row, len(c[row])+2+a.IntN(30), token)
		how = fmt.Sprintf("row %d, far to the right", row)
	case 7:
		n := 1 + a.IntN(min(tg.first-tg.top, 4))
		insert(append([][]cell{a.inside(tg, token), nil}, tg.drawn[max(tg.top-1, 0):tg.top+n].clone()...)...)
		how = fmt.Sprintf("row %d, above the head drawn once more (%d rows)", at, n)
	case 8:
		other := a.kin(tg)
		insert(a.forged(tg, other, token)...)
		how = fmt.Sprintf("row %d, above a whole dialog as %s draws it", at, other.file)
	default:
		other := a.kin(tg)
		n := 1 + a.IntN(min(other.first-other.top, 5))
		insert(append([][]cell{a.inside(tg, token)}, other.drawn[max(other.top-1-a.IntN(2), 0):other.top+n].clone()...)...)
		how = fmt.Sprintf("row %d, above the head of %s", at, other.file)
	}
	return c, token, how
}

// inside is a row of the dialog with other words in it: its frame stands, and its look.
func (a attacker) inside(tg target, text string) []cell {
	row := slices.Clone(tg.drawn[tg.top+a.IntN(tg.first-tg.top)])
	words := []rune(text)
	left, right := tg.left, len(row)-1
	if tg.right > 0 {
		right = tg.right
	}
	n := 0
	for k := range row {
		if strings.ContainsRune("│┃║|█", row[k].char) || k < left+2 || k >= right-1 {
			continue
		}
		row[k].char = ' '
		if k > left+3 && n < len(words) {
			row[k].char = words[n]
			n++
		}
	}
	if n < len(words) {
		return plainRow(strings.Repeat(" ", a.IntN(4)) + text)
	}
	return row
}

// forged are rows as a command of tg could print them: the token, the answers of another dialog with what is below them, and
// that dialog's head.
func (a attacker) forged(tg, other target, token string) [][]cell {
	end := min(other.prompt.Last+1+a.IntN(4), len(other.drawn))
	n := 1 + a.IntN(min(other.first-other.top, 6))
	copied := slices.Concat(other.drawn[other.first:end], make([][]cell, a.IntN(2)), other.drawn[max(other.top-a.IntN(3), 0):other.top+n])
	unframed := a.IntN(2) == 0
	rows := [][]cell{a.inside(tg, token)}
	for _, row := range copied {
		text := []rune(rowText(row))
		if unframed {
			text = []rune(strings.TrimLeft(string(text), " │┃║"))
		}
		rows = append(rows, a.inside(tg, string(text[:min(len(text), max(tg.width-8, 0))])))
	}
	return rows
}

// disguised is a text that looks like a rule or a label.
func (a attacker) disguised(width int, token string) string {
	runes := []rune("─━═╌┄▔▁│╎-=_")
	r := string(runes[a.IntN(len(runes))])
	rule := strings.Repeat(r, 3+a.IntN(max(width-20, 4)))
	texts := []string{
		rule + "; " + token + " #" + r + r, rule + token, token + rule, "# " + token + " " + rule,
		"Reason: " + token, "Description: " + token, "Environment: " + token, "Tip: " + token,
	}
	return texts[a.IntN(len(texts))]
}

// edge is a row like the edge of a frame, with a title.
func (a attacker) edge(width int, token string) string {
	edges := []string{"╭╮", "╰╯", "├┤", "┌┐", "└┘", "││", "┏┓", "╚╝"}
	e := []rune(edges[a.IntN(len(edges))])
	return strings.Repeat(" ", a.IntN(4)) + string(e[0]) + "── " + token + " " + strings.Repeat("─", max(width-len(token)-6-a.IntN(5), 2)) + string(e[1])
}

// borrowed is a row of another screen with the token before or behind it.
func (a attacker) borrowed(token string) string {
	other := a.all[a.IntN(len(a.all))].drawn
	text := rowText(other[a.IntN(len(other))])
	if a.IntN(2) == 0 {
		return strings.Repeat(" ", a.IntN(5)) + token + " " + text
	}
	return text + " " + token
}

// kin is another target of the same agent, as far as a few tries find one.
func (a attacker) kin(tg target) target {
	other := tg
	for range 50 {
		if other = a.all[a.IntN(len(a.all))]; filepath.Dir(other.file) == filepath.Dir(tg.file) {
			return other
		}
	}
	return other
}

// attacked says what is wrong with what is read of an attacked screen; empty: nothing. asked reports whether it could be approved without
// consent.
func attacked(tg target, changed canvas, token string) (wrong string, asked bool) {
	p := Read(tg.agent, screen.Parse(changed.String())).Prompt
	switch {
	case p == nil || len(p.Approve) == 0:
		return "", false
	case p.Fingerprint == tg.prompt.Fingerprint:
		return "the fingerprint is the same", true
	case !p.Partial && !strings.Contains(p.Subject, token):
		return fmt.Sprintf("it is not shown: %q", p.Subject), true
	}
	return "", !p.Partial
}

// TestApproveNeverUnseen draws on every recorded permission, between its head and its options, what a command could print, and more: what
// is drawn there is in the subject, or the prompt is partial, or no key approves; and its fingerprint is another one.
func TestApproveNeverUnseen(t *testing.T) {
	t.Parallel()
	all := targets(t)
	neverUnseen(t, attacker{rand.New(rand.NewPCG(3, 4)), all}, all, 15, 5000)
}

// TestApproveNeverUnseenOfAnUnknownAgent is the same, with every screen read by structure alone.
func TestApproveNeverUnseenOfAnUnknownAgent(t *testing.T) {
	t.Parallel()
	all := targetsAs(t, func(label) string { return "nobody" })
	neverUnseen(t, attacker{rand.New(rand.NewPCG(5, 6)), all}, all, 20, 5000)
}

// neverUnseen attacks each of these targets so many times, and more than least in all (of some of them, by tries).
func neverUnseen(t *testing.T, a attacker, on []target, times, least int) {
	t.Helper()
	attacks, asked := 0, 0
	for _, tg := range someOf(1, on) {
		for range times {
			changed, token, how := a.attack(tg)
			wrong, at := attacked(tg, changed, token)
			if wrong != "" {
				t.Errorf("%s, %s: %s\n%s", tg.file, how, wrong, changed.plain())
			}
			attacks++
			if at {
				asked++
			}
		}
	}
	if attacks < tries(least) || asked < attacks/4 {
		t.Errorf("%d attacks, of which %d could be approved at once: the test proves little", attacks, asked)
	}
}

// FuzzApproveNeverUnseen is the same with attacks of any seed.
func FuzzApproveNeverUnseen(f *testing.F) {
	all := targets(f)
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, which, seed uint64) {
		tg := all[which%uint64(len(all))]
		changed, token, how := attacker{rand.New(rand.NewPCG(seed, which)), all}.attack(tg)
		if wrong, _ := attacked(tg, changed, token); wrong != "" {
			t.Errorf("%s, %s: %s\n%s", tg.file, how, wrong, changed.plain())
		}
	})
}

// TestApproveNeverScrolledOff takes the top of every recorded dialog off the screen, row by row: what is left is doubted, or it is all
// that was asked.
func TestApproveNeverScrolledOff(t *testing.T) {
	t.Parallel()
	cuts := 0
	for _, tg := range someOf(6, targets(t)) {
		for at := tg.top + 1; at < tg.first; at++ {
			cuts++
			p := Read(tg.agent, screen.Parse(tg.drawn[at:].clone().String())).Prompt
			if p == nil || len(p.Approve) == 0 || p.Partial {
				continue
			}
			if p.Subject != tg.prompt.Subject || p.Title != tg.prompt.Title {
				t.Errorf("%s from row %d on: %q is asked, and only %q is shown", tg.file, at, tg.prompt.Subject, p.Subject)
			}
		}
	}
	if cuts < tries(2000) {
		t.Errorf("only %d cuts: the test proves little", cuts)
	}
}

// TestNoNeedlessConsent: of the recorded permissions that show all of what they ask, hardly any is called partial, or people learn to
// tap consent away.
func TestNoNeedlessConsent(t *testing.T) {
	whole, partial := 0, 0
	for _, l := range labels(t) {
		if l.State != screen.Permission || l.Hidden != "" {
			continue
		}
		whole++
		if p := asRead(t, l.Agent, l.coloured()).Prompt; p != nil && p.Partial {
			partial++
			t.Logf("%s: %+v", l.File, p.Doubts)
		}
	}
	if partial*100 > whole*2 {
		t.Errorf("%d of %d permissions that show all are called partial", partial, whole)
	}
}

// TestNoNeedlessConsentOfAnUnknownAgent is the same of agents that draw an edge above their dialogs, read by structure alone: where
// nothing is drawn, the beginning of a dialog is a guess.
func TestNoNeedlessConsentOfAnUnknownAgent(t *testing.T) {
	edged := []string{"claude", "continue", "copilot", "crush", "gemini", "grok", "kilo", "opencode", "pi"}
	whole, partial := 0, 0
	for _, l := range labels(t) {
		if l.State != screen.Permission || l.Hidden != "" || !slices.Contains(edged, l.Agent) {
			continue
		}
		whole++
		if p := Read("nobody", screen.Parse(capture(t, l.coloured()))).Prompt; p != nil && p.Partial {
			partial++
			t.Logf("%s: %+v", l.File, p.Doubts)
		}
	}
	if partial*100 > whole*3 {
		t.Errorf("%d of %d permissions that show all are called partial", partial, whole)
	}
}

// TestCharactersThatShowNothingAreDoubted: an agent may have cut as many others for them, and nothing on the screen tells.
func TestCharactersThatShowNothingAreDoubted(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	hidden := []rune("\u200b\u200d\u2060\u202e\u2066\u00ad\ufe0f\U000e0041")
	for _, tg := range targets(t) {
		first := strings.TrimSpace(strings.SplitN(tg.prompt.Leading(), "\n", 2)[0])
		row := tg.top
		for row < tg.first && !strings.Contains(rowText(tg.drawn[row]), first) {
			row++
		}
		if row == tg.first || first == "" {
			continue
		}
		c := tg.drawn.clone()
		at := strings.Index(rowText(c[row]), first)
		at = utf8.RuneCountInString(rowText(c[row])[:at]) + 1 + random.IntN(utf8.RuneCountInString(first))
		r := hidden[random.IntN(len(hidden))]
		c[row] = slices.Insert(c[row], at, cell{char: r})
		p := Read(tg.agent, screen.Parse(c.String())).Prompt
		if p != nil && len(p.Approve) > 0 && !p.Partial {
			t.Errorf("%s: %U in row %d is not doubted: %q", tg.file, r, row, p.Subject)
		}
	}
}
