package agents

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// tally is what became of one agent's recorded screens when its entry was left out of the catalogue.
type tally struct {
	prompts, told    int // prompts, and those that were told
	answers, yes, no int // permissions that keys are proven for, and those that y and n answer
	wrong            int // keys that take another answer
	others, taken    int // screens that ask nothing, and those that were taken for a prompt
}

func (w *tally) add(v tally) {
	w.prompts, w.told, w.answers = w.prompts+v.prompts, w.told+v.told, w.answers+v.answers
	w.yes, w.no = w.yes+v.yes, w.no+v.no
	w.wrong, w.others, w.taken = w.wrong+v.wrong, w.others+v.others, w.taken+v.taken
}

func (w tally) String() string {
	share := func(n, of int) string { return fmt.Sprintf("%4d of %4d (%3d %%)", n, of, 100*n/max(of, 1)) }
	return fmt.Sprintf("%s  %s  %s  %5d  %s", share(w.told, w.prompts), share(w.yes, w.answers), share(w.no, w.answers), w.wrong, share(w.taken, w.others))
}

// leftOut reads one recorded screen as that of an agent that nobody has catalogued.
func leftOut(t *testing.T, l label) (w tally) {
	r := unknown("nobody").read(screen.Parse(capture(t, l.coloured())))
	if !l.State.Asks() {
		w.others++
		// A menu that is there is live, whoever has opened it: told without keys it is no wrong prompt.
		if r.State.Asks() && (len(l.Options) == 0 || len(r.Prompt.Approve)+len(r.Prompt.Deny) > 0) {
			w.taken++
			t.Logf("taken for a prompt: %s, %s", l.File, l.State)
		}
		return w
	}
	w.prompts++
	if !r.State.Asks() {
		t.Logf("not told: %s, %s", l.File, l.State)
	} else {
		w.told++
	}
	proven := l.State == screen.Permission && len(l.Approve) > 0
	if proven {
		w.answers++
	}
	if !r.State.Asks() {
		return w
	}
	for scope, d := range map[screen.Scope]screen.Decision{screen.Once: screen.Approve, screen.No: screen.Deny} {
		proof := l.Approve
		if d == screen.Deny {
			proof = l.Deny
		}
		steps := r.Prompt.Steps(d)
		right := listed(keys(steps), proof) || takes(r.Prompt, steps, l, scope)
		switch {
		case len(steps) > 0 && !right:
			w.wrong++
			t.Errorf("%s: %q to %s", l.File, keys(steps), d)
		case !proven || !right:
		case d == screen.Approve:
			w.yes++
		default:
			w.no++
		}
	}
	return w
}

func listed(keys []string, proven []sequence) bool {
	return slices.ContainsFunc(proven, func(s sequence) bool { return slices.Equal(s, keys) })
}

// takes reports whether steps choose an option that, by the label of the screen, has this scope.
func takes(p *screen.Prompt, steps []screen.Step, l label, scope screen.Scope) bool {
	i, err := chosen(p, steps)
	if err != nil || i < 0 || len(p.Options) != len(l.Options) {
		return false
	}
	starts, label := strings.TrimSpace(l.Options[i].Starts), p.Options[i].Label
	return l.Options[i].Scope == scope && (strings.HasPrefix(label, starts) || strings.HasPrefix(starts, label))
}

// TestLeaveOneOut reads the recorded screens of each agent as if nobody had catalogued it. With -v it prints a table.
func TestLeaveOneOut(t *testing.T) {
	t.Parallel()
	of := map[string]*tally{}
	all := &tally{}
	for _, l := range labels(t) {
		if l.cutOff() {
			continue
		}
		if of[l.Agent] == nil {
			of[l.Agent] = &tally{}
		}
		w := leftOut(t, l)
		of[l.Agent].add(w)
		all.add(w)
	}
	names := make([]string, 0, len(of))
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	t.Logf("%-10s  %-20s  %-20s  %-20s  %s  %s", "left out", "prompts told", "answered by y", "answered by n", "wrong", "others taken for one")
	for _, name := range names {
		t.Logf("%-10s  %s", name, of[name])
	}
	t.Logf("%-10s  %s", "all", all)
	switch {
	case all.told*100 < all.prompts*99:
		t.Errorf("%d of %d prompts are told, want 99 %%", all.told, all.prompts)
	case all.yes*100 < all.answers*90 || all.no*100 < all.answers*88:
		t.Errorf("of %d permissions %d are answered by y and %d by n, want 90 %% and 88 %%", all.answers, all.yes, all.no)
	case all.taken > 0:
		t.Errorf("%d of %d other screens are taken for a prompt", all.taken, all.others)
	}
}
