package habits

import (
	"slices"
	"testing"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge"
)

// textsOf returns the calls and forms of habits, sorted.
func textsOf(habits []Habit) (texts []string) {
	for _, h := range habits {
		texts = append(texts, h.Text)
	}
	slices.Sort(texts)
	return texts
}

// TestAFormIsOfCommandsThatWereApproved: several plain ones, often enough, none of which was denied.
func TestAFormIsOfCommandsThatWereApproved(t *testing.T) {
	edit := func(n *nudge.Nudge) { yes(n); n.Prompt().Verb = "edit" }
	one, two, three := habitual("npm test one", yes), habitual("npm test two", yes), habitual("npm test three", yes)
	for name, c := range map[string]struct {
		all   []nudge.Nudge
		least int
		want  []string
	}{
		"two":                {[]nudge.Nudge{one, two}, 2, []string{"npm test …"}},
		"not often enough":   {[]nudge.Nudge{one, two}, 3, nil},
		"one of three no":    {[]nudge.Nudge{one, two, three, habitual("npm test three", no)}, 2, nil},
		"short ones":         {[]nudge.Nudge{habitual("ls", yes), habitual("pwd", yes)}, 1, []string{"ls", "pwd"}},
		"several programs":   {[]nudge.Nudge{habitual("npm test a; b", yes), habitual("npm test a; c", yes)}, 2, nil},
		"no commands":        {[]nudge.Nudge{habitual("a file one", edit), habitual("a file two", edit)}, 2, nil},
		"of nobody":          {[]nudge.Nudge{habitual("ls", func(n *nudge.Nudge) { yes(n); n.Agent = "" })}, 1, nil},
		"one is not over":    {[]nudge.Nudge{habitual("ls", yes), habitual("ls", func(n *nudge.Nudge) { n.State = nudge.Pending })}, 1, []string{"ls"}},
		"one is denied here": {[]nudge.Nudge{one, two, habitual("npm test one", no)}, 1, []string{"npm test two"}},
	} {
		if got := textsOf(Of(c.all, nil, c.least)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestWhichAnswerIsAYes: one for this once that reached the agent, by whatever way. Any other option is none, and a no or words are a no.
func TestWhichAnswerIsAYes(t *testing.T) {
	scopes := []screen.Scope{screen.Once, screen.Always, screen.No, screen.NoAlways, screen.Text}
	chose := func(index int, state nudge.State) func(*nudge.Nudge) {
		return func(n *nudge.Nudge) {
			n.Prompt().Options = nil
			for _, scope := range scopes {
				n.Prompt().Options = append(n.Prompt().Options, screen.Option{Scope: scope})
			}
			n.State, n.Claim = state, &nudge.Claim{Said: nudge.Said{Choice: &deliver.Choice{Index: index}}}
		}
	}
	proven := func(state nudge.State) func(*nudge.Nudge) {
		return func(n *nudge.Nudge) { n.State, n.Proof = state, "approved" }
	}
	for name, c := range map[string]struct {
		end     func(*nudge.Nudge)
		yes, no bool
	}{
		"once": {chose(0, nudge.Delivered), true, false}, "always": {chose(1, nudge.Delivered), false, false}, "no": {chose(2, nudge.Delivered), false, true},
		"never": {chose(3, nudge.Delivered), false, true}, "words": {chose(4, nudge.Delivered), false, true},
		"an option that is none": {chose(5, nudge.Delivered), false, false}, "one before the first": {chose(-1, nudge.Delivered), false, false},
		"perhaps typed": {chose(0, nudge.Unknown), false, false}, "perhaps typed, and it ran": {func(n *nudge.Nudge) { chose(0, nudge.Unknown)(n); n.Effect = new(nudge.Effect) }, true, false},
		"always, and it ran": {func(n *nudge.Nudge) { chose(1, nudge.Unknown)(n); n.Effect = new(nudge.Effect) }, false, false},
		"at the terminal":    {proven(nudge.Recovered), true, false}, "proven of one that expired": {proven(nudge.Expired), false, false},
	} {
		n := habitual("ls", c.end)
		if saidYes(&n) != c.yes || saidNo(&n) != c.no {
			t.Errorf("%s: yes %t, no %t", name, saidYes(&n), saidNo(&n))
		}
	}
	doubt := habitual("ls", func(n *nudge.Nudge) { yes(n); n.Prompt().Doubts = []reason.Why{{Kind: reason.CallNotWhole}} })
	if got := Of([]nudge.Nudge{doubt}, nil, 1); len(got) != 1 || got[0].NoEntry.Kind != reason.CallNotWhole {
		t.Errorf("what was doubted: %+v", got)
	}
}

// TestTheValueOfAnOptionIsAName inside the project, in the same word or in the next.
func TestTheValueOfAnOptionIsAName(t *testing.T) {
	for command, harmless := range map[string]bool{
		"go test -run=TestX": true, "go test -run TestX ./...": true, "go test -run=/etc/x": false, "go test -run=../x": false, "go test -run=/etc/x name": false, "go test -run ../x": false, "go test -run /etc/x": false,
		"go test -run": false, "go test -run -v": false, "pytest -k": false, "go test -toolexec": false, "": false, "rm": false,
	} {
		if isHarmless(command) != harmless {
			t.Errorf("%q is harmless: %t", command, !harmless)
		}
	}
}
