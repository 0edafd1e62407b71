package agents

import "nod/detect/screen"

// elsewhere are dialogs whose question alone does not say what is asked about: that is above them, below their answers or beside those.
var elsewhere = []unseenScreen{
	{"a framed question below the call", "newagent", `
 ● Bash(rm -rf build)

╭──────────────────────────────────────╮
│ Do you want to proceed?              │
│                                      │
│ ❯ Yes                                │
│   No                                 │
╰──────────────────────────────────────╯
`, screen.Permission, "newagent.prompt", "● Bash(rm -rf build)\nDo you want to proceed?", "Down Up Enter", "Down Enter", true},
	{"a question below a rule and the call", "newagent", `
 ● Bash(rm -rf build)

──────────────────────────────────────────────────────
 Do you want to proceed?
 ❯ 1. Yes
   2. No
`, screen.Permission, "newagent.prompt", "● Bash(rm -rf build)\nDo you want to proceed?", "Down Up Enter", "Down Enter", true},
	{"a question that names what it is about", "newagent", `
 ● I will clean up.

╭──────────────────────────────────────╮
│ Run "rm -rf build"?                  │
│ ❯ Yes                                │
│   No                                 │
╰──────────────────────────────────────╯
`, screen.Permission, "newagent.prompt", `Run "rm -rf build"?`, "Down Up Enter", "Down Enter", false},
	{"the call in a frame below the question", "newagent", `
╭──────────────────────────────────────╮
│ Run this command?                    │
│ ❯ 1. Yes                             │
│   2. No                              │
╰──────────────────────────────────────╯
╭─ Command ────────────────────────────╮
│ rm -rf build && make                 │
╰──────────────────────────────────────╯
`, screen.Question, "newagent.prompt", "Run this command?", "", "", true},
	{"the call below the answers", "newagent", `
╭──────────────────────────────────────╮
│ Run this command?                    │
│ ❯ 1. Yes                             │
│   2. No                              │
│                                      │
│ $ rm -rf build                       │
╰──────────────────────────────────────╯
`, screen.Permission, "newagent.prompt", "$ rm -rf build", "Down Up Enter", "Down Enter", true},
	{"a yes that is explained", "newagent", `
╭──────────────────────────────────────╮
│ Run this command?                    │
│ $ rm -rf build                       │
│ ❯ 1. Yes                             │
│      Applies to the next 5 calls too │
│   2. No                              │
│      Stops here                      │
╰──────────────────────────────────────╯
`, screen.Permission, "newagent.prompt", "Applies to the next 5 calls too", "Down Up Enter", "Down Enter", false},
	{"a second column in the frame", "newagent", `
╭──────────────────────┬──────────────────────╮
│ Apply this edit?     │ - old                │
│ a.go                 │ + new                │
│ ❯ Yes                │ + and more           │
│   No                 │ + rm -rf build       │
╰──────────────────────┴──────────────────────╯
`, screen.Permission, "newagent.prompt", "│ + and more\n│ + rm -rf build", "Down Up Enter", "Down Enter", true},
	{"a frame around the answers alone", "newagent", `
 ● Bash(rm -rf build)
╭─ Permission required ────────────────╮
│ > 1. Yes                             │
│   2. No                              │
╰─ ↑↓ move · enter choose ─────────────╯
`, screen.Question, "newagent.prompt", "Bash(rm -rf build)", "", "", true},
	{"a row that begins as a transcript's between the question and its answers", "newagent", `
 Run this command?
 ● rm -rf build
 ❯ Yes
   No
`, screen.Question, "newagent.prompt", "Run this command?\n● rm -rf build", "", "", true},
	{"a dialog below another one, with nothing marked and its answers right below the call", "newagent", `
╭──────────────────────────────────────╮
│ Run this command?                    │
│ rm -rf build                         │
│ ❯ Yes                                │
│   No                                 │
╰──────────────────────────────────────╯
╭──────────────────────────────────────╮
│ Run this command?                    │
│ make                                 │
│   Yes                                │
│   No                                 │
╰──────────────────────────────────────╯
`, screen.Permission, "newagent.prompt", "make", "", "", true},
	{"a question from right to left", "newagent", `
╭──────────────────────────────────────╮
│ هل تريد تشغيل الأمر؟                 │
│ rm -rf build                         │
│ ❯ نعم                                │
│   لا                                 │
╰──────────────────────────────────────╯
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", false},
	{"a question of ssh", "newagent", `
Cloning into 'api'
The authenticity of host 'git.example (192.0.2.1)' is not known.
Are you sure you want to continue connecting (yes/no/[fingerprint])?
`, screen.Permission, "newagent.typed", "The authenticity of host", "", "", true},
	{"a program that waits for Enter", "newagent", `
The update is there.
Press [Enter] to continue...
`, screen.Question, "newagent.notice", "The update is there.", "", "", true},
	{"a row of an input box about Enter", "newagent", `
The update is there.
press enter to send
`, screen.Silent, "", "", "", "", false},
	{"words below the answers, in their frame and its edge", "newagent", `
 words before

╭──────────────────────────────────────╮
│ Run this command?                    │
│ rm -rf build                         │
│   1) Allow                           │
│ → 2) No, cancel                      │
│                                      │
│ on host api                          │
╰─ and make all ───────────────────────╯
`, screen.Permission, "newagent.prompt", "on host api\nand make all", "Up Enter", "Up Down Enter", false},
	{"a column of changes at the right of the answers, in their frame", "newagent", `
╭──────────────────────────────────────────────╮
│ Apply the change?            + one           │
│ src/a.go                     + two           │
│ ❯ Yes                        + three         │
│   No                                         │
│                              + four          │
╰──────────────────────────────────────────────╯
`, screen.Permission, "newagent.prompt", "+ three\n+ four", "Down Up Enter", "Down Enter", false},
	{"a change at the right of answers side by side", "newagent", `
╭──────────────────────────────────────────────╮
│ Apply the change?            + one           │
│ src/a.go                     + two           │
│ ❯ Yes      No                + three         │
╰──────────────────────────────────────────────╯
`, screen.Permission, "newagent.prompt", "+ three", "Right Left Enter", "Right Enter", false},
	{"answers behind a bar that are explained in words which may belong to them", "newagent", `
 ┃ Command: rm -rf build
 ┃ Permission required
 ┃   1. Yes, just this once
 ┃      because of the build
 ┃ → 2. Refuse
 ┃      because of the rest

 ~/src/app · gpt-5 · 12%
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", true},
}
