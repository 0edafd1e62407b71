package agents

import (
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// Crush asks in a box over the conversation, which goes on beside it:
//
//	                ╭──────────────────────────────────────╮
//	                │ Permission Required                  │    crushTitle
//	  the text of   │                                      │
//	  the           │ Tool bash                            │
//	  conversation  │ Desc Run a scripted command          │
//	                │                                      │
//	                │   rm -rf build                       │
//	                │                                      │
//	                │  Allow   Allow for Session   Deny    │    the letter of each is underlined
//	                │                                      │
//	 > Working...   │ ←/→ choose • enter confirm           │    crushInput
//	:::             ╰──────────────────────────────────────╯
//	esc cancel • tab focus chat                                 crushWaits

// crush is Charm's Crush. Its dialog was captured from main at 37f36e93.
var crush = agent{
	name: "crush",
	profile: Profile{
		About: "Crush asks in a box over the conversation, which goes on beside it; the key of an answer is the letter " +
			"that is underlined. What does not fit scrolls inside the box, and Ctrl+C asks whether to quit.",
		Yes: "`Allow for Session` lasts for the session.",
	},
	policy:   policy{modes: []mode{yolo()}},
	program:  proc.Program{Names: []string{"crush"}, Packages: []string{"@charmland/crush"}},
	environ:  []string{"CRUSH"}, // other programs' lists of such variables
	dialog:   dialogs(crushAsks),
	overlay:  []cover{{"asks whether to quit", shows(sign{holds: []string{"│  Are you sure you want to quit?  │"}}), nil}}, // what its keys do was not proven
	voice:    screen.Voice{Col: 3, Above: "│✓×●", Ends: "◇", Bare: true},
	composer: crushInput.In,
	signs: signs{
		working: crushWaits,
		mark:    shows(sign{within: 1, begins: []string{"esc cancel", "tab focus", "/ or ctrl+p"}, holds: []string{" • ", "…"}}),
	},
}

// crushFoot is how many blank rows are above the buttons of a box that is not full.
const crushFoot = 2

const crushTitle = "Permission Required"

// crushAsks is the one dialog that Crush has for every tool: a box in the middle of the screen, over the conversation and the input box. In
// a small pane it takes the place of everything. A text that shows such a box is further in, and has Crush's input box below it. The
// underlined letter of a button acts at once; Escape denies too. Where the screen has colours, the ground of one proves that they are buttons.
var crushAsks = asking{
	part: popUp(crushTitle, crushWaits), list: buttons("Allow", "Allow for Session", "Deny"), told: true,
	shapes: []shape{{
		Shape: screen.Shape{
			Name: "permission", State: screen.Permission, Ask: crushTitle, Titles: []string{crushTitle}, Keys: screen.Keys{Letters: true, Escape: true},
			Scrolls: reason.Why{Kind: reason.ScrollsRest, Agent: "Crush"},
		},
		keys: []string{"choose"}, fits: func(d *screen.Dialog) bool { return d.MarkButton() || !d.Coloured() }, fix: crushCall,
	}},
}

// crushWaits reports whether the lowest row is Crush's own while it works or asks.
var crushWaits = shows(sign{within: 1, begins: []string{"esc cancel"}, holds: []string{" • ", "…"}})

// crushCall places what is asked for: the rows that name the tool, and below a gap what it is called with.
func crushCall(d *screen.Dialog) string {
	_, head := d.Head()
	tool := d.NextWords(head+1, d.First)
	first, bottom := d.ParagraphEnd(tool)+1, d.First-1
	last := d.AboveBlanks(bottom, first)
	switch name, _ := strings.CutPrefix(d.Lines[tool].Text, "Tool "); name {
	case "bash":
		d.Place(screen.Subject, first, last)
		return ""
	case "write", "edit", "multiedit":
		if bottom-last < crushFoot {
			d.DoubtOf("Crush", reason.CutsChange)
		}
		return "edit"
	}
	return "use"
}

// crushInput: a row that begins with ">" and rows that begin with ":::".
var crushInput = screen.Input{Sign: ">", Margin: 4, Within: screen.InputRows, Goes: ":::", Says: []string{
	"Ready!", "Ready...", "Ready?", "Ready for instructions", "Working!", "Working...", "Brrrrr...", "Prrrrrrrr...", "Processing...",
	"Thinking...", "Yolo mode!",
}}
