//go:build agents

package agentrig

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// The proof's results are kept in provenFile, one row for each prompt of each agent, in hooksFile, one for each agent
// that has hooks, and in disguisesFile, one for each command that looks like something else, so that a run of a part of
// it replaces only those rows. docs/agents.md is made from them.
const (
	provenFile    = "testdata/proven.json"
	hooksFile     = "testdata/hooks.json"
	disguisesFile = "testdata/disguises.json"
)

// row is what was seen of one prompt of one agent.
type row struct {
	Agent    string `json:"agent"`
	Version  string `json:"version"`
	Asked    string `json:"asked"` // the scenario
	Size     string `json:"size"`
	Shape    string `json:"shape"`
	Seen     string `json:"seen"`
	Approved string `json:"approved"`
	Again    string `json:"again"`
	Denied   string `json:"denied"`
}

// What a row may say.
const (
	yes    = "yes"
	no     = "**no**"
	inPart = "in part" // a part of what is asked about is not on the screen, and y alone typed nothing
	noKey  = "no key"  // the prompt has no yes for one invocation, and y typed nothing
)

// hookRow is what was seen of one agent that nod's hooks were installed into.
type hookRow struct {
	Agent    string `json:"agent"`
	Version  string `json:"version"`
	Nudged   string `json:"nudged"`   // a hook, and no look that was due, found the prompt
	Approved string `json:"approved"` // what was asked for happened once
	Removed  string `json:"removed"`  // its settings were then as before
}

// proven is a row of either kind.
type proven interface {
	of() string // what the row is about: it replaces the one that is about the same
	rank() int  // its agent's place in Agents; below 0 where that is not pinned any more
}

func (r row) of() string     { return strings.Join([]string{r.Agent, r.Version, r.Asked, r.Size}, " ") }
func (r hookRow) of() string { return r.Agent + " " + r.Version }

func (r row) rank() int     { return rank(r.Agent, r.Version) }
func (r hookRow) rank() int { return rank(r.Agent, r.Version) }

func rank(name, version string) int {
	return slices.IndexFunc(Agents(), func(a Agent) bool { return a.Name == name && a.Version == version })
}

func readRows[R proven](t testing.TB, file string) []R {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	var rows []R
	must(t, json.Unmarshal(text, &rows))
	return rows
}

// merge puts fresh rows into the place of old ones, and drops those of agents that are not pinned any
// more. The agents are in the order of Agents.
func merge[R proven](old, fresh []R) []R {
	all := slices.DeleteFunc(slices.Clone(old), func(r R) bool { return r.rank() < 0 })
	for _, r := range fresh {
		if i := slices.IndexFunc(all, func(o R) bool { return o.of() == r.of() }); i >= 0 {
			all[i] = r
		} else {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b R) int { return a.rank() - b.rank() })
	return all
}

func TestMergeReplacesOnlyWhatWasRun(t *testing.T) {
	old := []row{
		{Agent: "codex", Version: "0.0.1", Asked: "run", Seen: yes},
		{Agent: "codex", Version: "0.169.0", Asked: "run", Seen: no},
		{Agent: "codex", Version: "0.169.0", Asked: "edit", Seen: yes},
	}
	fresh := []row{
		{Agent: "codex", Version: "0.169.0", Asked: "run", Seen: yes},
		{Agent: "claude", Version: "2.1.329", Asked: "run", Seen: yes},
	}
	var got []string
	for _, r := range merge(old, fresh) {
		got = append(got, r.Agent+" "+r.Asked+" "+r.Seen)
	}
	if want := []string{"claude run yes", "codex run yes", "codex edit yes"}; !slices.Equal(got, want) {
		t.Errorf("merged %q, want %q", got, want)
	}
}
