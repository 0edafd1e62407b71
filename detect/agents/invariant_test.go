package agents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// plainYes are the labels that may be approved, written down by hand and apart from the rules under test.
var plainYes = set2(
	"yes", "yes, proceed", "yes, just this once", "yes, allow once", "allow once", "allow", "yes, but ask again next time", "run command",
	"continue", "run (once)", "run", "proceed", "yes, single permission", "yes, run command", "approve once", "approve", "accept", "✅ yes, once", "run once", "yes, allow",
	"yes, run",                                      // of "Yes, run command", whose row a change may cut
	"once", "index this workspace for this session", // Auggie's consent, by name
)

func set2(labels ...string) map[string]bool {
	m := map[string]bool{}
	for _, l := range labels {
		m[l] = true
	}
	return m
}

// chosen follows steps through the list of p, as the agent does, and tells which option they take; -1 for
// Escape, and an error where they take none.
func chosen(p *screen.Prompt, steps []screen.Step) (int, error) {
	at := p.Highlighted
	for i, s := range steps {
		last := i == len(steps)-1
		if s.Last != last {
			return 0, fmt.Errorf("step %d of %v: Last is %v", i, steps, s.Last)
		}
		switch s.Key {
		case "Down", "Right":
			at++
		case "Up", "Left":
			at--
		case "Escape":
			if s.Opens == "kilo.reject" && len(steps) == 2 && steps[1].Key == "Enter" {
				return -1, nil
			}
			if !last || i > 0 {
				return 0, fmt.Errorf("Escape among %v", steps)
			}
			for k, o := range p.Options {
				if o.Key == "Escape" {
					return k, nil
				}
			}
			return -1, nil
		case "Enter":
			if s.Opens == "kilo.reject" && i == len(steps)-2 && steps[i+1].Key == "Enter" && p.Options[at].Scope == screen.No {
				return at, nil
			}
			if !last || p.Highlighted < 0 || at < 0 || at >= len(p.Options) {
				return 0, fmt.Errorf("%v from %d", steps, p.Highlighted)
			}
			return at, nil
		default:
			if len(steps) != 1 {
				return 0, fmt.Errorf("key %q among %v", s.Key, steps)
			}
			found := -1
			for k, o := range p.Options {
				if o.Key == s.Key {
					if found >= 0 {
						return 0, fmt.Errorf("key %q belongs to two options", s.Key)
					}
					found = k
				}
			}
			if found < 0 {
				return 0, fmt.Errorf("key %q belongs to no option", s.Key)
			}
			return found, nil
		}
	}
	return 0, fmt.Errorf("no step")
}

// keys are those of steps.
func keys(steps []screen.Step) (keys []string) {
	for _, s := range steps {
		keys = append(keys, s.Key)
	}
	return keys
}

// safe checks what must hold of every reading of any screen.
func safe(r screen.Reading, known func(label string) bool) error {
	p := r.Prompt
	if p == nil {
		return nil
	}
	approve, deny := p.Steps(screen.Approve), p.Steps(screen.Deny)
	if !slices.Equal(p.Approve, keys(approve)) || !slices.Equal(p.Deny, keys(deny)) {
		return fmt.Errorf("keys %q %q are not those of the steps %v %v", p.Approve, p.Deny, approve, deny)
	}
	if r.State != screen.Permission && len(p.Approve)+len(p.Deny) > 0 {
		return fmt.Errorf("a %s with keys", r.State)
	}
	if len(approve) > 0 {
		i, err := chosen(p, approve)
		if err != nil || i < 0 {
			return fmt.Errorf("approve: %d %v", i, err)
		}
		o := p.Options[i]
		once := o.Scope == screen.Once || p.Shape == "auggie.consent" && o.Scope == screen.Session
		if !once || !known(o.Label) {
			return fmt.Errorf("approve takes %+v", o)
		}
		for k, other := range p.Options {
			if k != i && other.Scope == o.Scope {
				return fmt.Errorf("approve takes %+v, but %+v says the same", o, other)
			}
		}
	} else if r.State == screen.Permission && p.Why.IsZero() {
		return fmt.Errorf("no approve key, and no reason")
	}
	if len(deny) > 0 {
		i, err := chosen(p, deny)
		if err != nil {
			return fmt.Errorf("deny: %v", err)
		}
		if i >= 0 && p.Options[i].Scope != screen.No && deny[0].Key != "Escape" {
			return fmt.Errorf("deny takes %+v", p.Options[i])
		}
	}
	reached := len(p.Options) == 0 || p.TextField
	for i := range p.Options {
		reached = reached || p.Choose(i) != nil || p.Tick(i) != nil
	}
	if p.AtTerminal == reached {
		return fmt.Errorf("answered at the terminal alone: %v, and nod can choose an option: %v", p.AtTerminal, reached)
	}
	for i := range p.Options {
		steps := p.Choose(i)
		if steps == nil {
			continue
		}
		if got, err := chosen(p, steps); err != nil || got != i && got != -1 {
			return fmt.Errorf("choosing %d takes %d: %v", i, got, err)
		}
	}
	return nil
}

// harmlessLabel is the looser check for labels that a fuzzer invents: none of the words that make a yes last.
func harmlessLabel(label string) bool {
	low := strings.ToLower(label)
	if plainYes[low] {
		return true
	}
	for _, w := range []string{"always", "session", "again for", "don't", "never", "mode", "trust", "remember", "all ", "every", "future", "forever", "no,", "deny", "reject"} {
		if strings.Contains(low, w) {
			return false
		}
	}
	return label != ""
}

// mutate changes a screen as a later version, another size, an unlucky moment or a hostile command might.
func mutate(rng *rand.Rand, shown string) string {
	rows := strings.Split(strings.TrimRight(shown, "\n"), "\n")
	pick := func() int { return max(len(rows)-1-rng.IntN(min(len(rows), 14)), 0) }
	for range 1 + rng.IntN(3) {
		i, j := pick(), pick()
		switch rng.IntN(15) {
		case 0:
			rows[i], rows[j] = rows[j], rows[i]
		case 1:
			rows = slices.Delete(rows, i, i+1)
		case 2:
			rows = slices.Insert(rows, i, rows[j])
		case 3:
			rows = rows[:max(len(rows)-1-rng.IntN(5), 1)]
		case 4:
			rows = rows[rng.IntN(len(rows)):]
		case 5: // labels shuffled, numbers kept
			a, b, okA := strings.Cut(rows[i], ". ")
			c, d, okC := strings.Cut(rows[j], ". ")
			if okA && okC {
				rows[i], rows[j] = a+". "+d, c+". "+b
			}
		case 6:
			wide := 10 + rng.IntN(90)
			for k := range rows {
				if r := []rune(rows[k]); len(r) > wide && !strings.Contains(rows[k], "\x1b") {
					rows[k] = string(r[:wide])
				}
			}
		case 7:
			rows[i] = strings.NewReplacer("❯", " ", "›", " ", "●", " ").Replace(rows[i])
		case 8:
			rows[i] = strings.Replace(rows[i], "  ", "❯ ", 1)
		case 9:
			rows[i] = strings.Replace(rows[i], "Yes", []string{"Yes, always", "Yes and more", "No", "Yes…"}[rng.IntN(4)], 1)
		case 10:
			rows[i] = strings.NewReplacer("48;5;", "38;5;", "215", "234", "178", "234").Replace(rows[i])
		case 11:
			rows[i] = strings.Replace(rows[i], "No", []string{"Yes", "No, never", "Not now", "Allow once"}[rng.IntN(4)], 1)
		case 12:
			rows[i] = strings.NewReplacer("│", " ", "┃", " ", "╰", " ").Replace(rows[i])
		case 13:
			rows = slices.Insert(rows, i, "", "   "+[]string{"5. Yes", "❯ 1. Yes", "1. Allow once", "(y) Yes", "everything from now on"}[rng.IntN(5)])
		case 14:
			coverRows(rows[i:], rng.IntN(12), 4+rng.IntN(30))
		}
		if len(rows) == 0 {
			return ""
		}
	}
	return strings.Join(rows, "\n") + "\n"
}

// coverRows draws a framed notice over the first rows, from a column on. It leaves rows with colours as they are.
func coverRows(rows []string, col, wide int) {
	line := strings.Repeat("─", wide)
	for i, drawn := range []string{"╭" + line + "╮", "│" + strings.Repeat("n", wide) + "│", "╰" + line + "╯"} {
		if i >= len(rows) || strings.Contains(rows[i], "\x1b") {
			return
		}
		under := []rune(rows[i] + strings.Repeat(" ", col+wide+2))
		rows[i] = strings.TrimRight(string(under[:col])+drawn+string(under[col+wide+2:]), " ")
	}
}

// TestApproveNeverBeyondOnce walks every captured and every invented screen, and thousands of changed ones:
// what approves takes the one option that says yes once, and what denies never takes a yes.
func TestApproveNeverBeyondOnce(t *testing.T) {
	t.Parallel()
	var screens []struct{ agent, text string }
	for _, l := range labels(t) {
		for _, file := range []string{l.File, l.coloured()} {
			if l.State.Asks() || l.State == screen.Overlay || strings.HasSuffix(file, "80x24.txt") {
				screens = append(screens, struct{ agent, text string }{l.Agent, capture(t, file)})
			}
		}
	}
	for _, u := range everyUnseen() {
		screens = append(screens, struct{ agent, text string }{u.agent, strings.TrimPrefix(u.shown, "\n")})
	}
	check := func(agent, text string) bool {
		r := Read(agent, screen.Parse(text))
		if err := safe(r, func(l string) bool { return plainYes[strings.ToLower(l)] }); err != nil {
			t.Errorf("as %q: %v; %q\n%s", agent, err, r.Why, text)
		}
		return len(approval(r)) > 0
	}
	rng := random(t)
	approvable := 0
	for _, s := range someOf(rng.Uint64(), screens) {
		for _, agent := range []string{s.agent, "", "nobody"} {
			check(agent, s.text)
		}
		for range 6 {
			if check(s.agent, mutate(rng, s.text)) {
				approvable++
			}
		}
		check("", mutate(rng, s.text))
		check("nobody", mutate(rng, s.text))
		if t.Failed() {
			return
		}
	}
	if approvable < tries(1000) {
		t.Errorf("only %d of the changed screens could be approved: the test proves little", approvable)
	}
}

func approval(r screen.Reading) []string {
	if r.Prompt == nil {
		return nil
	}
	return r.Prompt.Approve
}

func FuzzRead(f *testing.F) {
	for i, l := range labels(f) {
		if i%10 == 0 && l.State.Asks() {
			f.Add(l.Agent, capture(f, l.File))
			f.Add(l.Agent, capture(f, l.coloured()))
		}
	}
	for _, u := range everyUnseen() {
		f.Add(u.agent, u.shown)
	}
	f.Add("", "\x1b[\x1b]8;;\x1b(0\x0e\xff\x1b")
	f.Fuzz(func(t *testing.T, agent, text string) {
		s := screen.Parse(text)
		for _, row := range s.Rows {
			if strings.ContainsAny(row.Text, "\x1b\n\r\x07") {
				t.Errorf("a control character is left in %q", row.Text)
			}
		}
		r := Read(agent, s)
		if err := safe(r, harmlessLabel); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		if again := Read(agent, s); r.Prompt != nil && !r.Prompt.Same(again.Prompt) {
			t.Errorf("two readings of one screen differ")
		}
		if p := r.Prompt; p != nil && (p.First < 0 || p.First > p.Last || p.Last >= len(s.Rows)) {
			t.Errorf("rows %d to %d of %d", p.First, p.Last, len(s.Rows))
		}
		if words := LastWords(agent, s, r); strings.TrimSpace(words) != words || words != "" && r.State.Asks() {
			t.Errorf("the last words are %q", words)
		}
		if r.State.Asks() != (r.Prompt != nil && r.State != screen.Overlay) {
			t.Errorf("state %s, prompt %v", r.State, r.Prompt)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for _, file := range []string{"claude/2.1.329-bash-120x40.ansi", "claude/2.1.329-bash-200x50.ansi", "codex/0.169.0-escalate-200x50.ansi", "opencode/1.18.33-bash-80x24.ansi", "qwen/0.24.4-longcmd-80x24.ansi", "crush/main-37f36e93-bash-80x24.ansi", "grok/1.0.41-bash-80x24.ansi", "kimi/2.1.0-bash-80x24.ansi", "claude/2.1.329-idle-120x40.ansi", "opencode/1.18.33-idle-80x24.ansi"} {
		agent, _, _ := strings.Cut(file, "/")
		text := capture(b, file)
		b.Run(file, func(b *testing.B) {
			for b.Loop() {
				Read(agent, screen.Parse(text))
			}
		})
		b.Run("nameless/"+file, func(b *testing.B) {
			for b.Loop() {
				Read("", screen.Parse(text))
			}
		})
	}
}
