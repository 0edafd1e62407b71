package agents

import (
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// auggie is Augment's CLI. Its dialogs were captured from 0.36.0, whose tenant was a script: no account was used.
var auggie = agent{
	name: "auggie",
	profile: Profile{
		About: "Auggie asks only where a rule of its settings says so, shows of a change the path alone, and takes one " +
			"letter at a time. Before its first screen it asks whether it may index the folder, where `y` is for this " +
			"session: there is nothing narrower.",
		Yes: "An approval is for once, there is no other. Of the consent, `Always index this workspace` lasts for good.",
	},
	program:  proc.Program{Names: []string{"auggie"}, Packages: []string{"@augmentcode/auggie"}},
	environ:  []string{"AUGMENT_AGENT"}, // 0.36.0
	dialog:   dialogs(auggieAsks),
	overlay:  []cover{{"tips of the first start", shows(sign{within: 1, holds: []string{"Press return to continue, or esc to skip"}}), nil}},
	voice:    screen.Voice{Mark: "●", Above: "›>", Tool: screen.HuedMark, Stopped: "Interrupted by the user"},
	composer: screen.Input{Ruled: "›", Framed: "›", Open: "›", Within: screen.StatusRows, Hints: []string{"Try '"}}.In,
	signs: signs{
		working:  shows(sign{within: screen.WorkRows, holds: []string{"esc to interrupt"}}),
		volatile: changes(sign{spins: true}, sign{holds: []string{"esc to interrupt"}}),
		mark: shows(
			sign{within: screen.MarkRows, holds: []string{"Always index this workspace", auggieTitle, "Augment"}},
			sign{within: screen.FooterRows, holds: []string{"[A]llow [D]eny"}},
		),
	},
}

// auggieGap is how many lines below the frame of a call the options stand (auggie/0.36.0-mlcmd-80x24).
const auggieGap = 2

const auggieTitle = "Tool Approval Required"

// auggieAsks: the letter of an answer acts at once, one letter at a time. The consent is the one dialog without a narrower yes than one
// for the session: that one is the yes, by name.
var auggieAsks = asking{menu: screen.Lettered, shapes: []shape{
	{
		Shape: screen.Shape{
			Name: "consent", State: screen.Permission, Verb: "index", SessionYes: true, Keys: screen.Keys{Letters: true, Escape: true, Escapes: true},
			Means: means([]meaning{
				{"Always ", screen.Always}, {"Never ", screen.NoAlways}, {"Index this workspace for this session", screen.Session}, {"Skip ", screen.No},
			}, otherwise),
		},
		fits: auggieConsent,
	},
	{
		Shape: screen.Shape{Name: "tool_approval", State: screen.Permission, Ask: auggieTitle, Keys: screen.Keys{Letters: true}, Asks: []string{auggieTitle}},
		fits:  auggieTool, fix: auggieCall,
	},
}}

// auggieTool: a frame with the call, and the options right below it. Other boxes of Auggie's have letters too, with which
// a D means to move down: these two labels alone are the answers to a call.
func auggieTool(d *screen.Dialog) bool {
	if !d.Labelled("Allow", "Deny") || d.HasWords(d.Last+1, len(d.Lines)-1) {
		return false
	}
	for _, f := range d.Frames() {
		if f.Bottom >= d.First || d.First-f.Bottom > auggieGap {
			continue
		}
		d.Within(f)
		if f.Open {
			// A command that is taller than the pane pushes the title off the screen (auggie/0.36.0-mlcmd-80x24).
			return f.Top < 0
		}
		title, at := d.Head()
		if title != auggieTitle {
			return false
		}
		d.Ask(at, at)
		d.AnotherHead(func(i int) bool { return d.Lines[i].Text == auggieTitle })
		return true
	}
	return false
}

// auggieCall places the row of the call, if its head is seen: its kind, and what is asked about. A command that wraps squeezes letters out of
// its kind: "Termina: touch …" (auggie/0.36.0-longcmd-80x24). Of a file only the path is shown, of an MCP tool only its name.
func auggieCall(d *screen.Dialog) string {
	f := d.Frame()
	if f.Open {
		return ""
	}
	call := d.NextWords(d.AskedEnd+1, f.Bottom)
	d.Place(screen.Subject, call, f.Bottom-1)
	if d.Mark(call, "Terminal: ", "Termina: ", "Termin: ", "Termi: ", "Term: ") {
		return ""
	}
	if text := d.Lines[call].Text; !screen.Starts(text, "Web Fetch: ", "Remove Files: ") && !strings.HasSuffix(text, ": read file") {
		d.DoubtOf("Auggie", reason.NoChange)
	}
	return "use"
}

// auggieConsent is the question whether a folder may be indexed.
func auggieConsent(d *screen.Dialog) bool {
	if !screen.Starts(d.Entries[0].Label, "Always index this workspace") {
		return false
	}
	d.TakeHeading()
	folder := func(i int) bool { return screen.Starts(d.Lines[i].Text, "Workspace: ") }
	if i := begin(d, folder); i >= 0 { // what is above it is fixed, and higher than many panes
		d.Mark(i, "Workspace: ")
		d.Place(screen.Subject, i, i)
	}
	return true
}
