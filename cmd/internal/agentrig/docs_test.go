//go:build agents

package agentrig

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"nod/cmd/internal/agentrig/model"
	"nod/detect/agents"
)

const docsFile = "../../../docs/agents.md"

var writeDocs = flag.Bool("docs", false, "write docs/agents.md from testdata")

// notRun are the agents that nod knows and that are not driven here.
var notRun = []struct{ name, why, from string }{
	{"crush", "no npm package", "the real program, main at 37f36e93, recorded and tried by hand"},
	{"grok", "no npm package", "the real program, 1.0.41, recorded and tried by hand"},
	{"cursor", "needs an account", "the detectors of thrum, CLI Agent Orchestrator and herdr"},
	{"kiro-cli", "needs an account", "the detectors and fixtures of thrum, CLI Agent Orchestrator and herdr"},
	{"goose", "no npm package", "the detectors of herdr and Relayer"},
	{"aider", "no npm package", "the detectors of Relayer and claude-squad"},
	{"amp", "needs an account", "the detectors of herdr, muxy and supacode"},
	{"droid", "needs an account, or its air-gapped mode", "the real program, 0.215.0, in that mode, tried by hand, and the detector of herdr"},
}

// notRunVersions says of an agent that is driven which of its versions are not, and why.
var notRunVersions = map[string]string{
	"kilo":     "7.8.1, of which npm has the launcher and no program for Linux; and what is older than 7.0.33, of which it has nothing.",
	"cline":    "1.0, a launcher for two programs that talk over gRPC: only 2.18.0 and later were tried.",
	"opencode": "1.0.0, which installs its provider from npm when it starts.",
	"copilot":  "0.0.423 and before, which take no model but GitHub's and so need an account.",
	"pi":       "0.99.1 to 1.5.2, most of which lack a dependency on npm (pi-codemode or chord, of the same version).",
}

const docsHead = `# Which agents, and what is proven

Made by ` + "`make test-agents`" + `: do not edit. It installs the agents from npm, drives the real programs with a scripted model on
loopback, and answers their prompts with nod's own binary. No account is used.

*prompts*: how many were shown, over all versions. *approved once*: after ` + "`y`" + ` what was asked for had happened, once. *asked
again*: the yes held for that one time. *denied*: after ` + "`n`" + ` it had not happened. Where a prompt has no yes that is for once,
` + "`y`" + ` must type nothing, and that counts. *hook*: the agent's own hook told nod of a prompt within two seconds. *disguises*: commands
with a row that looks as if it were none (a rule, a label, the edge of a box), of how many nothing ran unseen. What
each word means in full stands [at the end](#what-the-words-mean).

`

const docsWords = `## What the words mean

A row of the folded tables is one prompt. *seen*: nod nudged with this shape and the right subject; *in part*: not all of it
is on the screen, so ` + "`y`" + ` alone was refused and ` + "`nod reply --unseen`" + ` approved. *approved once*: after ` + "`y`" + ` what was asked for had
happened once and only once. *asked again*: the agent asked when the same came up once more, so the yes held for one
invocation. *denied*: after ` + "`n`" + ` it had not happened. *no key*: the prompt has no yes that is for one invocation only, so
nod refuses ` + "`y`" + ` and types nothing.

*Hooks*: ` + "`nod hooks install`" + ` was run on the agent's home, and nod then looked by itself only once a minute. *by hook*: the agent's
own hook told nod of the prompt within two seconds, or so long after it. *removed*: after ` + "`nod hooks uninstall`" + ` the
settings had nothing of nod, and everything else. Codex runs new hooks only after a review in its /hooks, which was
skipped here with its own flag.

*Answered by its own hook*: nod's hook or plugin in the agent hands the answer over, bound to that very request, and no key is
typed. It held for that version with an allow that asked again, a denial, a key at the terminal that came first, calls in parallel, a
sub-agent, and with the hook, nod or the agent killed, in tmux and outside. nod answers this way in every version since the oldest
of that agent in which it was proven. Keys answer where the one that runs is older, or can't be told (Claude Code tells it to its
hook or in its transcript, OpenCode and Kilo to their plugin), and wherever else nod is not sure.

*Disguises*: *shown, and ran*: the row stood in the message that a plain ` + "`y`" + ` answered. *asks for consent*: nod was not sure to
see all of it, so nothing ran. *not asked*: the agent asked nobody.
`

// proofs is all that was seen of the agents.
type proofs struct {
	rows      []row
	hooks     []hookRow
	disguises []disguiseRow
}

// of is what was seen of one version.
func (p proofs) of(a Agent) proofs {
	var own proofs
	for _, r := range p.rows {
		if r.Agent == a.Name && r.Version == a.Version {
			own.rows = append(own.rows, r)
		}
	}
	for _, r := range p.hooks {
		if r.Agent == a.Name && r.Version == a.Version {
			own.hooks = append(own.hooks, r)
		}
	}
	for _, r := range p.disguises {
		if r.Agent == a.Name && r.Version == a.Version {
			own.disguises = append(own.disguises, r)
		}
	}
	return own
}

// unproven names what one version was asked and what of it does not hold.
func (p proofs) unproven() []string {
	var lacking []string
	for _, r := range p.rows {
		switch {
		case r.Seen == no:
			lacking = append(lacking, r.Asked+" (not seen)")
		case r.Approved == no:
			lacking = append(lacking, r.Asked+" (not approved)")
		case r.Again == no:
			lacking = append(lacking, r.Asked+" (not asked again)")
		case r.Denied == no:
			lacking = append(lacking, r.Asked+" (not denied)")
		}
	}
	return lacking
}

// hooked says whether a's hook told of its prompt.
func (p proofs) hooked(a Agent) string {
	switch {
	case len(p.hooks) > 0:
		return p.hooks[0].Nudged
	case hasHooks(a):
		return "not tried"
	}
	return "none known"
}

func (p proofs) undisguised() string {
	good := 0
	for _, r := range p.disguises {
		if r.Ended != no {
			good++
		}
	}
	if len(p.disguises) == 0 {
		return "not tried"
	}
	return fmt.Sprintf("%d of %d", good, len(p.disguises))
}

// answeredBy is by what nod answers a version, and whether its own hook was tried where that answers.
func answeredBy(a Agent) string {
	by := agents.ProfileOf(a.Name).AnsweredBy
	switch door := agents.HooksOf(a.Name).Door; {
	case door == nil || !door.Takes(a.Version):
		return by
	case !slices.Contains(door.Proven, a.Version):
		return "its own hook (not tried), else " + by
	}
	return "its own hook, else " + by
}

func renderDocs(p proofs) string {
	var b strings.Builder
	b.WriteString(docsHead)
	renderSummary(&b, p)
	b.WriteString("\n<details><summary>Version by version</summary>\n\n")
	table(&b, "agent", "version", "prompts", "proven", "not proven", "hook", "disguises", "answered by")
	for _, a := range Agents() {
		own := p.of(a)
		lacking := own.unproven()
		cells(&b, a.Name, a.Version, fmt.Sprint(len(own.rows)), fmt.Sprint(len(own.rows)-len(lacking)), orNothing(strings.Join(lacking, ", ")),
			own.hooked(a), own.undisguised(), answeredBy(a))
	}
	b.WriteString("\n</details>\n")
	b.WriteString("\n## What to know of each\n")
	var done []string
	for _, a := range Agents() {
		if !slices.Contains(done, a.Name) {
			done = append(done, a.Name)
			renderAgent(&b, p, a.Name)
		}
	}
	for _, n := range notRun {
		renderProfile(&b, n.name)
		fmt.Fprintf(&b, "\nNot run here: %s. Its screens come from %s. A key is typed only where the label on the screen says what it does.\n", n.why, n.from)
	}
	b.WriteString("\n" + docsWords)
	return b.String()
}

// renderSummary is a row an agent: its newest version, and what was proven of all of them.
func renderSummary(b *strings.Builder, p proofs) {
	table(b, "agent", "newest", "oldest", "prompts", "approved once", "asked again", "denied", "hook", "disguises", "answered by")
	all := Agents()
	for i, newest := range all {
		if i > 0 && all[i-1].Name == newest.Name {
			continue
		}
		var of proofs
		oldest := newest
		for _, a := range all {
			if a.Name == newest.Name {
				own := p.of(a)
				of.rows, of.disguises, oldest = append(of.rows, own.rows...), append(of.disguises, own.disguises...), a
			}
		}
		held := func(is func(row) string) string {
			good := 0
			for _, r := range of.rows {
				if is(r) != no {
					good++
				}
			}
			return fmt.Sprint(good)
		}
		cells(b, newest.Name, newest.Version, oldest.Version, fmt.Sprint(len(of.rows)), held(func(r row) string { return r.Approved }),
			held(func(r row) string { return r.Again }), held(func(r row) string { return r.Denied }), p.of(newest).hooked(newest), of.undisguised(), answeredBy(newest))
	}
	for _, n := range notRun {
		cells(b, n.name, "not run", n.why, "", "", "", "", "", "", agents.ProfileOf(n.name).AnsweredBy)
	}
}

func renderProfile(b *strings.Builder, name string) {
	about := agents.ProfileOf(name)
	fmt.Fprintf(b, "\n### %s\n\n%s\n\nWhat its answers mean that say yes: %s\n", name, about.About, about.Yes)
}

// renderAgent is an agent's section: what to know of it, and every prompt of every version, folded.
func renderAgent(b *strings.Builder, all proofs, name string) {
	renderProfile(b, name)
	if versions := notRunVersions[name]; versions != "" {
		fmt.Fprintf(b, "\nNot run here: %s\n", versions)
	}
	b.WriteString("\n<details><summary>Every prompt of every version</summary>\n\n")
	table(b, "version", "asked for", "pane", "shape", "seen", "approved once", "asked again", "denied")
	var of []proofs
	for _, a := range Agents() {
		if a.Name == name {
			of = append(of, all.of(a))
		}
	}
	hooks, disguises := 0, 0
	for _, p := range of {
		for _, r := range p.rows {
			cells(b, r.Version, r.Asked, r.Size, r.Shape, r.Seen, r.Approved, r.Again, r.Denied)
		}
		hooks, disguises = hooks+len(p.hooks), disguises+len(p.disguises)
	}
	if hooks > 0 {
		b.WriteString("\n")
		table(b, "version", "by hook", "approved once", "removed")
		for _, p := range of {
			for _, r := range p.hooks {
				cells(b, r.Version, r.Nudged, r.Approved, r.Removed)
			}
		}
	}
	if disguises > 0 {
		b.WriteString("\n")
		renderDisguises(b, of)
	}
	b.WriteString("\n</details>\n")
}

// renderDisguises is a row a version, a column a disguise.
func renderDisguises(b *strings.Builder, of []proofs) {
	heads := []string{"version"}
	for _, d := range model.Disguises() {
		heads = append(heads, d.Like)
	}
	table(b, heads...)
	for _, p := range of {
		if len(p.disguises) == 0 {
			continue
		}
		row := []string{p.disguises[0].Version}
		for _, d := range model.Disguises() {
			at := slices.IndexFunc(p.disguises, func(r disguiseRow) bool { return r.Like == d.Like })
			if at < 0 {
				row = append(row, "not tried")
				continue
			}
			row = append(row, p.disguises[at].Ended)
		}
		cells(b, row...)
	}
}

func table(b *strings.Builder, heads ...string) {
	cells(b, heads...)
	b.WriteString(strings.Repeat("| --- ", len(heads)) + "|\n")
}

func cells(b *strings.Builder, texts ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(texts, " | "))
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

func TestDocsSayWhatWasProven(t *testing.T) {
	want := renderDocs(proofs{readRows[row](t, provenFile), readRows[hookRow](t, hooksFile), readRows[disguiseRow](t, disguisesFile)})
	if *writeDocs {
		must(t, os.WriteFile(docsFile, []byte(want), 0o644))
	}
	got, err := os.ReadFile(docsFile)
	must(t, err)
	if string(got) != want {
		t.Errorf("%s is not what testdata says; go test -tags agents ./cmd/internal/agentrig -run Docs -docs writes it", docsFile)
	}
}

func TestDocsNameEveryAgentThatNodKnows(t *testing.T) {
	docs, err := os.ReadFile(docsFile)
	must(t, err)
	for _, name := range agents.Names() {
		if !strings.Contains(string(docs), "\n| "+name+" |") {
			t.Errorf("%s has no row for %s", docsFile, name)
		}
	}
}
