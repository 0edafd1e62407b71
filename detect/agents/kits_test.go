package agents

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
	"nod/internal/testrun"
)

// Around the dialogs of random_test.go stands what agents draw around theirs: spinners, timers, modes, models, counters, panels. None
// of it is taken from an agent that nod knows.

var (
	kitVerbs  = []string{"Working", "Thinking", "Pondering", "Waiting for you", "Running tool", "Generating"}
	kitSigns  = []string{" · ", " | ", " • ", " — ", " ⋅ ", " :: ", " / ", " ┊ ", " ◆ ", " ~ ", " » ", " ∙ "}
	kitModels = []string{"gpt-5-mini", "qwen3:14b", "rig-model", "o4-mini high", "deepseek-r1", "llama-4 70b"}
	kitPlaces = []string{"~/src/app", "/tmp/proj (main)", "app on main*", "~/work (feat/x ✗)"}
	kitCounts = []string{"12,034 tokens", "ctx 31%", "$0.02", "3 files +12 -4", "1 error (ctrl+o for details)", "queue: 0", "2 todos left", "100% context left"}
	kitModes  = []string{"▶ normal mode on", "auto-edit: off (shift + tab)", "⏵⏵ plan mode", "⏸ auto-approve off", "INSERT", "sandbox: none", "mode: ask"}
)

func kitSpinner(rng *rand.Rand) string {
	verb, time := pick(rng, kitVerbs), 1+rng.IntN(90)
	return pick(rng, []string{
		fmt.Sprintf("⠋ %s… %ds", verb, time), fmt.Sprintf("✻ %s… (%ds)", verb, time), fmt.Sprintf("%s... [%d:%02d]", verb, time/60, time%60),
		fmt.Sprintf("◐ %s (%ds)", verb, time), fmt.Sprintf("(     ●)  %s...", verb), fmt.Sprintf("⣾ %s…", verb), fmt.Sprintf("▰▰▰▱▱▱▱ %s", verb), fmt.Sprintf("- %s %ds", verb, time),
	})
}

func kitStatus(rng *rand.Rand) string {
	parts := []string{pick(rng, kitModels), pick(rng, kitPlaces), pick(rng, kitCounts), pick(rng, kitModes)}
	rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return strings.Join(parts[:1+rng.IntN(len(parts))], pick(rng, kitSigns))
}

func kitKeys(rng *rand.Rand) string {
	return pick(rng, []string{
		"", "y/a/p/n shortcuts", "Press a number", "Use ↑/↓ to move, Enter to choose, Esc to go back", "↑↓ move   ⏎ pick   esc back", "[↑/↓] Navigate [Enter] Select [Esc] Cancel",
		"(enter = select, esc = cancel)", "Enter: confirm", "j/k or arrows to move", "1-4 choose · q quit", "<enter> select <esc> cancel", "Press Escape to cancel", "Tab/↓ next  Shift+Tab/↑ previous",
	})
}

// kitBeneath is what is below the dialog.
func kitBeneath(rng *rand.Rand) []string {
	var rows []string
	rules := 1
	for range rng.IntN(4) {
		if rng.IntN(2) == 0 {
			rows = append(rows, "")
		}
		switch rng.IntN(7) {
		case 0:
			rows = append(rows, kitSpinner(rng))
		case 1, 2:
			rows = append(rows, kitStatus(rng))
		case 3:
			if rules--; rules < 0 { // two of them are an empty input box
				continue
			}
			rows = append(rows, strings.Repeat(pick(rng, []string{"─", "━", "═"}), 80))
		case 4:
			rows = append(rows, pick(rng, []string{"Using 1 MCP server", "Using: 2 MCP servers (ctrl+t to view)", "1 background task", "Queued messages: 0", "No changes detected"}))
		case 5:
			panel := " " + pick(rng, kitCounts)
			rows = append(rows, "┌ Tasks "+strings.Repeat("─", 30)+"┐", "│"+panel+strings.Repeat(" ", 37-cells(panel))+"│", "└"+strings.Repeat("─", 37)+"┘")
		case 6:
			rows = append(rows, kitKeys(rng))
		}
	}
	return rows
}

func kitAsk(rng *rand.Rand) []string {
	switch rng.IntN(8) {
	case 0:
		return []string{pick(rng, []string{"The agent wants to run this command", "This needs your approval", "Permission needed", "Approval required", "Confirm this action", "rm wants to change files"})}
	case 1:
		return []string{"Do you want to allow this command to run in the current working dire…"}
	case 2:
		for {
			if row := kitSpinner(rng); row[0] != '-' {
				return []string{row + "  Allow this to run? " + fmt.Sprint(rng.IntN(60)) + "s"}
			}
		}
	case 3:
		return []string{"Do you want to allow this command to run", "in the current folder?"}
	default:
		return []string{pick(rng, []string{"Do you want to run this?", "Allow this?", "Execute tool \"bash\"?", "Proceed?", "Run it now? (y/n)", "Ok to run?", "Approve the command above:"})}
	}
}

// inventKit is a dialog of an agent that nobody has seen, and what it draws around it.
func inventKit(rng *rand.Rand) *randomDialog {
	d := inventDialog(rng)
	d.title = pick(rng, []string{"Tool call", "bash", "⚒ execute_bash", "Shell Command", "? Shell", "Command:", "◇ Tool use"})
	d.ask, d.beneath = kitAsk(rng), kitBeneath(rng)
	if rng.IntN(2) == 0 {
		d.keysRow = kitKeys(rng)
	}
	if d.keysRow != "" && !strings.ContainsAny(d.keysRow, "1") && strings.Contains(d.keysRow, "number") && !strings.HasPrefix(d.list, "1") {
		d.keysRow = ""
	}
	d.above = pick(rng, []string{"● I will do it now.\n\n", "I will do it now.\n\n", "user\nplease\n\n", "⏺ Run bash\n  ⎿ waiting\n\n", "● I will do it now.\n\n" + kitSpinner(rng) + "\n\n"})
	if rng.IntN(8) == 0 && !d.across() && d.around != "popup" {
		d.side = []string{"Tasks", "", "1 open", pick(rng, kitCounts), ""}
	}
	d.colour(rng)
	for i := range d.options {
		switch d.options[i].scope {
		case screen.Once:
			d.options[i].label = pick(rng, append([]string{"Yes, execute this tool", "Yes, run it", "Execute", "Yes, go ahead", "✓ Yes", "Approve this call"}, onceLabels...))
		case screen.No:
			d.options[i].label = pick(rng, append([]string{"No, cancel execution", "No, and keep going", "✗ No", "Cancel execution", "Reject this call"}, noLabels...))
		}
	}
	return d
}

// colour draws the marked option in a colour, where only a glyph marks it, and what stands around the dialog in grey.
func (d *randomDialog) colour(rng *rand.Rand) {
	if highlights[d.mark] == "" {
		if d.lit = rng.IntN(4) > 0; !d.lit {
			d.side = nil
			return
		}
	}
	for i, row := range d.beneath {
		if row != "" && rng.IntN(2) == 0 {
			d.beneath[i] = "\x1b[90m" + row + "\x1b[0m"
		}
	}
}

var misses = flag.Int("misses", 1, "how many dialogs that are not told are printed")

// TestAnUnknownAgentIsTold: a live menu below the last output is told, whatever else is on the screen.
func TestAnUnknownAgentIsTold(t *testing.T) {
	t.Parallel()
	rng := random(t)
	told, yes, no, shown := 0, 0, 0, 0
	kits := testrun.Rounds(draws, 10*draws)
	for range kits {
		d := inventKit(rng)
		text := d.String()
		r := Read("nobody", screen.Parse(text))
		if r.State.Asks() {
			told++
		} else if shown++; shown <= *misses {
			t.Logf("%s %q\n%s", r.State, r.Why, strings.Join(screen.Parse(text).Tail(40), "\n"))
		}
		accepted, refused := *d, *d
		if took := accepted.answer(screen.Approve); took >= 0 {
			if yes++; d.options[took].scope != screen.Once {
				t.Fatalf("y takes %q\n%s", d.options[took].label, text)
			}
		}
		if took := refused.answer(screen.Deny); took >= 0 {
			if no++; d.options[took].scope != screen.No {
				t.Fatalf("n takes %q\n%s", d.options[took].label, text)
			}
		}
	}
	t.Logf("of %d dialogs %.1f %% are told, %.1f %% answered by y, %.1f %% by n", kits, share(told, kits), share(yes, kits), share(no, kits))
	if told*100 < kits*99 {
		t.Errorf("%d of %d are not told", kits-told, kits)
	}
	// A fifth of those whose options print keys has dead ones, and a mark that is no ground of its own proves nothing.
	least := 79 - 400*math.Sqrt(0.79*0.21/float64(kits)) // the mean of many rounds, less four standard deviations of so many
	if share(yes, kits) < least || share(no, kits) < least {
		t.Errorf("of %d dialogs %d are answered by y and %d by n", kits, yes, no)
	}
}

func share(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// later is a screen one second later: what moves has moved.
func later(shown string) string {
	shown = strings.NewReplacer("⠋", "⠙", "⣾", "⣽", "✻", "✶", "◐", "◓", "(     ●)", "(  ●   )", "▰▰▰▱▱▱▱", "▰▰▰▰▱▱▱").Replace(shown)
	return regexp.MustCompile(`\d+s\b|:\d\d\]`).ReplaceAllStringFunc(shown, func(time string) string {
		if time[0] == ':' {
			return ":59]"
		}
		last := time[len(time)-2]
		return time[:len(time)-2] + string(rune('0'+('9'-last))) + "s"
	})
}

// TestWhatMovesChangesNoDialog: spinners and timers in and around a dialog make no new one of it, so that it stands still long enough to be
// told, and is the same when it is answered.
func TestWhatMovesChangesNoDialog(t *testing.T) {
	rng, moved := random(t), 0
	for range 3 * draws {
		shown := inventKit(rng).String()
		after := later(shown)
		p, q := Read("nobody", screen.Parse(shown)).Prompt, Read("nobody", screen.Parse(after)).Prompt
		if p == nil || shown == after {
			continue
		}
		moved++
		if q == nil {
			t.Fatalf("gone\n%s", after)
		}
		if !p.Same(q) || !q.Draws(p.Rows, p.Width) {
			t.Fatalf("%q %q\n%q %q\n%s", p.Question, p.Subject, q.Question, q.Subject, shown)
		}
	}
	if moved < draws {
		t.Errorf("%d moved: the test proves little", moved)
	}
}

// TestAnExtraRowInAPanelSilencesNoAgent: a row that an agent which draws panels was not seen to draw below the answers, before or behind what
// says the keys, in the panel or below it, silences none, and leaves no key.
func TestAnExtraRowInAPanelSilencesNoAgent(t *testing.T) {
	rng, told, all := random(t), 0, 0
	for _, l := range labels(t) {
		if l.State != screen.Permission || !byName(l.Agent).closed && l.Agent != "crush" {
			continue
		}
		c := canvasOf(capture(t, l.coloured()))
		before := Read(l.Agent, screen.Parse(c.String())).Prompt
		if strings.HasSuffix(before.Shape, "_inline") { // it is a part of the conversation, which goes on
			continue
		}
		extra := pick(rng, []string{"Using 1 MCP server", "3 background tasks", "queue: 0", "1 error (ctrl+o)"})
		at := min(before.Last+rng.IntN(2), len(c))
		row := slices.Clone(c[before.Last])
		edge := 0
		for k := range row {
			if strings.ContainsRune("┃│", row[k].char) {
				edge = k
				break
			}
		}
		for k := edge + 1; k < len(row); k++ {
			if !strings.ContainsRune("┃│", row[k].char) {
				row[k].char = ' '
			}
		}
		canvas{row}.write(0, edge+2, extra)
		changed := Read(l.Agent, screen.Parse(slices.Insert(c.clone(), at, row).String()))
		if all++; !changed.State.Asks() {
			t.Logf("%s above %q: %s %q", l.File, extra, changed.State, changed.Why)
			continue
		}
		told++
		if p := changed.Prompt; len(p.Approve) > 0 && !slices.Equal(p.Approve, before.Approve) || len(p.Deny) > 0 && !slices.Equal(p.Deny, before.Deny) {
			t.Errorf("%s above %q: approve %q, deny %q, without it %q and %q", l.File, extra, p.Approve, p.Deny, before.Approve, before.Deny)
		}
	}
	t.Logf("of %d permissions %d are told", all, told)
	if told*100 < all*98 {
		t.Errorf("of %d permissions %d are told, want 98 %%", all, told)
	}
}

// TestAnExtraRowBelowSilencesNoAgent: a row that an agent was not seen to draw below its dialogs silences none that nod knows, and is
// answered with no other key.
func TestAnExtraRowBelowSilencesNoAgent(t *testing.T) {
	rng, told, all := random(t), 0, 0
	for _, l := range labels(t) {
		if l.State != screen.Permission || byName(l.Agent).closed || l.Agent == "crush" {
			continue
		}
		text := capture(t, l.coloured())
		s := screen.Parse(text)
		before := Read(l.Agent, s).Prompt
		rows := strings.Split(strings.TrimRight(text, "\n"), "\n")
		end := before.Last + 1
		for end < len(s.Rows) && strings.ContainsAny(s.Rows[end].Text, "╰└│") {
			end++
		}
		extra := "\x1b[0m " + pick(rng, []string{"Using 1 MCP server", "Using: 2 MCP servers (ctrl+t to view)", "3 background tasks", "queue: 0", "1 error (ctrl+o for details)"})
		r := Read(l.Agent, screen.Parse(strings.Join(rows[:end], "\n")+"\n"+extra+"\n"+strings.Join(rows[end:], "\n")+"\n"))
		if all++; !r.State.Asks() {
			continue
		}
		told++
		if a := r.Prompt.Approve; len(a) > 0 && !slices.Equal(a, before.Approve) {
			t.Errorf("%s above %q: approve %q, without it %q", l.File, extra, a, before.Approve)
		}
	}
	t.Logf("of %d permissions %d are told", all, told)
	if told*100 < all*98 {
		t.Errorf("of %d permissions %d are told, want 98 %%", all, told)
	}
}
