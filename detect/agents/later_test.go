package agents

import (
	"nod/detect/screen"
)

// laterVersions are dialogs of known agents as a later version might draw them.
var laterVersions = []unseenScreen{
	{"signs before the labels", "claude", `
────────────────────────────────────────────────────────────────────────────────
 Bash command

   rm -rf build

 Claude needs your OK. Run it?
 ❯ 1. ✅ Yes, once
   2. ✅ Yes, until I close this terminal
   3. ⏭ Skip
   4. 🛑 Stop the agent

 Esc to cancel
`, screen.Permission, "claude.tool_confirmation", "rm -rf build", "1", "3", false},
	{"a later claude begins on a lasting yes", "claude", `
────────────────────────────────────────────────────────────────────────────────
 Bash command

   rm -rf build

 Do you want to proceed?
   1. No
 ❯ 2. Yes, and don't ask again for rm
   3. Yes

 Esc to cancel
`, screen.Permission, "claude.tool_confirmation", "rm -rf build", "3", "1", false},
	{"a later gemini with other words", "gemini", `
╭──────────────────────────────────────────────────────────────╮
│ ? Shell  rm -rf build                                        │
│                                                              │
│ rm -rf build                                                 │
│                                                              │
│ May I run [rm]?                                              │
│                                                              │
│ ● 1. Run once                                                │
│   2. Run and trust rm                                        │
│   3. Do not run                                              │
╰──────────────────────────────────────────────────────────────╯
`, screen.Permission, "gemini.tool_confirmation", "rm -rf build", "1", "3", false},
	{"a later codex with a frame", "codex", `
╭──────────────────────────────────────────────────────────────╮
│ Would you like to run the following command?                 │
│                                                              │
│ $ rm -rf build                                               │
│                                                              │
│ › 1. Yes, proceed (y)                                        │
│   2. Yes, for this session (a)                               │
│   3. No, and tell Codex what to do differently (esc)         │
│                                                              │
│ Press enter to confirm or esc to cancel                      │
╰──────────────────────────────────────────────────────────────╯
`, screen.Permission, "codex.prompt", "rm -rf build", "Down Up Enter", "Escape", false},
}
