package agentrig

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"nod/detect"
)

// The proof's results are kept in provenFile, one row for each prompt of each agent, and in hooksFile, one
// for each agent that has hooks, so that a run of a part of it replaces only those rows. docs/agents.md is
// made from them.
const (
	provenFile = "testdata/proven.json"
	hooksFile  = "testdata/hooks.json"
	docsFile   = "../../docs/agents.md"
)

var writeDocs = flag.Bool("docs", false, "write docs/agents.md from "+provenFile+" and "+hooksFile)

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
// more. The agents stand in the order of Agents.
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

// notRun are the agents that nod knows and that are not driven here.
var notRun = []struct{ name, why, from string }{
	{"cursor", "needs an account", "the detectors of thrum, CLI Agent Orchestrator and herdr"},
	{"kiro-cli", "needs an account", "the detectors and fixtures of thrum, CLI Agent Orchestrator and herdr"},
	{"auggie", "needs an account", "the detector of thrum"},
	{"goose", "no npm package", "the detectors of herdr and Relayer"},
	{"aider", "no npm package", "the detectors of Relayer and claude-squad"},
	{"amp", "needs an account", "the detectors of herdr, muxy and supacode"},
	{"droid", "needs an account", "the detector of herdr"},
	{"cline", "driven by hand only", "the real program, 3.0.65: `y` ran it, `n` and Escape did not"},
}

const docsHead = `# Which agents, and what is proven

Made by ` + "`make test-agents`" + `: do not edit. It installs the agents from npm, drives the real programs
with a scripted model on loopback, and answers their prompts with nod's own binary. No account is used.

A row is one prompt. *seen*: nod nudged with this shape and the right subject; *in part*: not all of it is
on the screen, so ` + "`y`" + ` alone was refused and ` + "`nod reply --unseen`" + ` approved. *approved once*: after ` + "`y`" + `
what was asked for had happened once and only once. *asked again*: the agent asked when the same came up
once more, so the yes held for one invocation. *denied*: after ` + "`n`" + ` it had not happened. *no key*: the
prompt has no yes that is for one invocation only, so nod refuses ` + "`y`" + ` and types nothing.

`

const docsHooks = `
## Hooks

` + "`nod hooks install`" + ` was run on the agent's home, and nod then looked by itself only once a minute. *by hook*:
the agent's own hook told nod of the prompt within two seconds, or so long after it. *approved once*: as
above. *removed*: after ` + "`nod hooks uninstall`" + ` the settings had nothing of nod, and everything else. Codex runs new
hooks only after a review in its /hooks, which was skipped here with its own flag.

| agent | version | by hook | approved once | removed |
| --- | --- | --- | --- | --- |
`

func renderDocs(rows []row, hooks []hookRow) string {
	var b strings.Builder
	b.WriteString(docsHead)
	b.WriteString("| agent | version | asked for | pane | shape | seen | approved once | asked again | denied |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join([]string{
			r.Agent, r.Version, r.Asked, r.Size, r.Shape, r.Seen, r.Approved, r.Again, r.Denied,
		}, " | "))
	}
	b.WriteString(docsHooks)
	for _, r := range hooks {
		fmt.Fprintf(&b, "| %s |\n", strings.Join([]string{r.Agent, r.Version, r.Nudged, r.Approved, r.Removed}, " | "))
	}
	b.WriteString("\n## Not run\n\nThese screens are recognised, and no program has proven it here. A key is typed into them only where the\n" +
		"label on the screen says what it does.\n\n| agent | why | where its screens come from |\n| --- | --- | --- |\n")
	for _, n := range notRun {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", n.name, n.why, n.from)
	}
	return b.String()
}

func TestDocsSayWhatWasProven(t *testing.T) {
	want := renderDocs(readRows[row](t, provenFile), readRows[hookRow](t, hooksFile))
	if *writeDocs {
		must(t, os.WriteFile(docsFile, []byte(want), 0o644))
	}
	got, err := os.ReadFile(docsFile)
	must(t, err)
	if string(got) != want {
		t.Errorf("%s is not what %s and %s say; go test ./internal/agentrig -run Docs -docs writes it", docsFile, provenFile, hooksFile)
	}
}

func TestDocsNameEveryAgentThatNodKnows(t *testing.T) {
	docs, err := os.ReadFile(docsFile)
	must(t, err)
	for _, name := range detect.Agents() {
		if !strings.Contains(string(docs), "\n| "+name+" |") {
			t.Errorf("%s has no row for %s", docsFile, name)
		}
	}
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
