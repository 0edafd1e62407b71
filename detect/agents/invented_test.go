package agents

import (
	"nod/detect/screen"
)

// invented are screens of agents that do not exist, or that nobody could run: the layouts that lists of answers
// come in, one each.
var invented = []unseenScreen{
	{"buttons with a row of keys", "charm", `
╭──────────────────────────────────────────────────────────────────────────╮
│ Permission Required ╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱ │
│                                                                          │
│ Tool  bash                                                               │
│ Path  ~/proj                                                             │
│                                                                          │
│ Desc  Remove the build                                                   │
│                                                                          │
│  rm -rf build                                                            │
│                                                                          │
│                          Allow      Allow for Session      Deny          │
│                                                                          │
│ ←/→ choose • enter confirm • a allow • s session • d deny • esc cancel   │
╰──────────────────────────────────────────────────────────────────────────╯
`, screen.Permission, "charm.prompt", "rm -rf build", "a", "d", false},
	{"a question at the end of a line", "interpreter", `
  rm -rf build


  Would you like to run this code? (y/n)
`, screen.Permission, "interpreter.typed", "rm -rf build", "", "", true},
	{"a line with its default", "someagent", `
Agent wants to run: rm -rf build
Proceed? [y/N]
`, screen.Permission, "someagent.typed", "rm -rf build", "", "", true},
	{"a line with three words", "someagent", `
● Running tool shell
  rm -rf build
Execute this command? (yes/no/always) 
`, screen.Permission, "someagent.typed", "rm -rf build", "", "", true},
	{"numbers with a colon", "newagent", `
  Run this command?

    rm -rf build

  ❯ 1: Yes
    2: Yes, always
    3: No

  esc to cancel
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Down Enter", true},
	{"numbers in brackets", "newagent", `
 Allow bash to run?
   rm -rf build
  ▸ [1] Allow once
    [2] Allow always
    [3] Deny
 Press 1-3 or use arrows
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Down Enter", true},
	{"numbers without a cursor, and a footer that says to press them", "newagent", `
 The agent wants to run a command:
   rm -rf build

  1. Allow once
  2. Allow for session
  3. Deny

 Press 1, 2 or 3
`, screen.Permission, "newagent.prompt", "rm -rf build", "1", "3", true},
	{"a double frame with a line across", "newagent", `
╔════════════════════════════════════════╗
║ Tool call: shell                       ║
║ rm -rf build                           ║
╠════════════════════════════════════════╣
║ ▶ Accept                               ║
║   Accept all in this session           ║
║   Reject                               ║
╚════════════════════════════════════════╝
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Down Enter", false},
	{"a star for a cursor", "newagent", `
 Do you approve this command?
   rm -rf build
 * Yes
   No
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Enter", true},
	{"an arrow of two characters", "newagent", `
 Do you approve this command?
   rm -rf build
 -> Yes
    No
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Enter", true},
	{"a line that begins with a question mark", "newagent", `
? Run command rm -rf build? (Y/n) 
`, screen.Permission, "newagent.typed", "", "", "", true},
	{"answers that are explained in the same column", "newagent", `
  Permission needed

  bash: rm -rf build

  ❯ Allow once
    Run this command now; ask again next time
    Allow always
    Never ask for this command again
    Deny
    Tell the agent no

  ↑/↓ navigate · enter select · esc cancel
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "", true},
	{"blank lines between the answers", "newagent", `
  Permission needed

  bash: rm -rf build

  ❯ Allow once

    Allow always

    Deny

  ↑/↓ navigate · enter select · esc cancel
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Down Enter", true},
	{"answers that are explained beside them", "newagent", `
  Permission needed
  bash: rm -rf build

  ❯ Allow once      run this one time
    Allow session   until you quit
    Deny            do not run

  ↑/↓ navigate · enter select
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Down Enter", true},
	{"another language", "newagent", `
 Soll dieser Befehl ausgeführt werden?
   rm -rf build
 ❯ 1. Ja
   2. Ja, immer
   3. Nein
 Esc zum Abbrechen
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", true},
	{"goose explains the marked row, so that its label is no plain yes", "goose", `
─── shell ──────────────────────────
command: rm -rf build

◆  Goose would like to call the above tool, do you allow?
│  ● Allow (Allow the tool call once)
│  ○ Always Allow
│  ○ Deny
│  ○ Cancel
└  
`, screen.Question, "goose.prompt", "rm -rf build", "", "", true},
	{"amp", "amp", `
╭─────────────────────────────────────────────────────────────────────────╮
│ Run this command?                                                       │
│                                                                         │
│ rm -rf build                                                            │
│                                                                         │
│ ▸ Approve                                                               │
│   Allow All for This Session                                            │
│   Allow All for Every Session                                           │
│   Deny with feedback                                                    │
╰─────────────────────────────────────────────────────────────────────────╯
 waiting for approval
`, screen.Permission, "amp.prompt", "rm -rf build", "Enter", "Down Down Down Enter", false},
	{"a title in the frame", "vibe", `
╭ Permission for the bash tool ────────────────────────────────────────────────╮
│ command: rm -rf build                                                        │
│                                                                              │
│ › 1. Yes                                                                     │
│   2. Yes and always allow bash for this session                              │
│   3. No and tell the agent what to do instead                                │
│                                                                              │
│ ↑↓ navigate  Enter select  ESC reject                                        │
╰──────────────────────────────────────────────────────────────────────────────╯
`, screen.Permission, "vibe.prompt", "rm -rf build", "Down Up Enter", "", false},
	{"a row of keys", "maki", `
 permission required
 bash rm -rf build

 y allow   n deny   a always allow
`, screen.Permission, "maki.prompt", "rm -rf build", "y", "n", true},
	{"a row that says what is pending", "mcode", `
  Approval needed
  Run this command?
    rm -rf build
  ❯ 1. Allow once
    2. Allow for this conversation
    3. Always allow this action
    4. Deny
  permission: pending
`, screen.Permission, "mcode.prompt", "rm -rf build", "Down Up Enter", "Down Down Down Enter", true},
	{"lower case, and the command in the column of the answers", "devin", `
 Devin wants to run
   rm -rf build
 > approve once
   approve for session
   deny
 ↑↓ select  ↵ confirm  esc cancel
`, screen.Permission, "devin.prompt", "rm -rf build", "Down Up Enter", "Down Down Enter", true},
	{"another language in a frame", "iflow", `
╭──────────────────────────────────────────────────────────────────╮
│ ?  Shell rm -rf build                                            │
│                                                                  │
│ rm -rf build                                                     │
│                                                                  │
│ 是否允许执行: 'rm'?                                              │
│                                                                  │
│ ● 1. 是，允许一次                                                │
│   2. 是，总是允许 "rm ..."                                       │
│   3. 否 (esc)                                                    │
╰──────────────────────────────────────────────────────────────────╯
`, screen.Question, "iflow.prompt", "rm -rf build", "", "", false},
	{"buttons in brackets with a row of keys", "newagent", `
 Execute command?

   rm -rf build

   [ Yes ]   [ No ]

 ←/→ toggle • enter submit • y Yes • n No
`, screen.Permission, "newagent.prompt", "rm -rf build", "y", "n", true},
	{"a list in a label that wraps", "claude", `
────────────────────────────────────────────────────────────────────────────────
 Fetch

   http://127.0.0.1:9/page
   Claude wants to fetch content from 127.0.0.1

 Do you want to allow Claude to fetch this content?
 ❯ 1. Yes
   2. Yes, and don't ask again for 127.0.0.1
      › 1. Yes (2)
      2. No
   3. No, and tell Claude what to do differently (esc)
`, screen.Permission, "claude.tool_confirmation", "127.0.0.1", "", "3", false},
	{"a list in the last label, which wraps", "claude", `
────────────────────────────────────────────────────────────────────────────────
 Read file

   Read(/tmp/x)

 Do you want to proceed?
 ❯ 1. Yes
   2. Yes, and don't ask again for reads of
      ❯ 1. Yes (2)
      2. No

 Esc to cancel
`, screen.Question, "claude.prompt", "Read(/tmp/x)", "", "", true},
	{"the same, as an agent that nobody knows draws it", "newagent", `
────────────────────────────────────────────────────────────────────────────────
 Read file

   Read(/tmp/x)

 Do you want to proceed?
 ❯ 1. Yes
   2. Yes, and don't ask again for reads of
      ❯ 1. Yes (2)
      2. No

 Esc to cancel
`, screen.Question, "newagent.prompt", "Read(/tmp/x)", "", "", false},
	{"letters in the last label, which wraps", "newagent", `
 Shell command
   rm -rf build
 Let it run this now?
 ❯ 1. Yes, for the rest of this session
   2. No
   3. Yes
   4. Yes, and never ask again for
      5. Yes
      [2] Yes  [n] No

 Esc to cancel
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", true},
	{"buttons in brackets that are cut off", "newagent", `
 Execute command?

   rm -rf build

   [ Yes… ]   [ No ]

 ←/→ toggle • enter submit • y Yes • n No
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", true},
	{"a title in the frame, with a sign", "hermes", `
╭─ ⚠️  Dangerous Command ──────────────────────────╮
│ rm -rf build                                      │
│                                                   │
│ ❯ Allow once                                      │
│   Allow for this session                          │
│   Add to permanent allowlist                      │
│   Deny                                            │
╰───────────────────────────────────────────────────╯
`, screen.Permission, "hermes.prompt", "rm -rf build", "Down Up Enter", "Down Down Down Enter", false},
	{"a frame without a cursor", "superagent", `
╭──────────────────────────────────────────────────────────╮
│ Bash(rm -rf build)                                       │
│                                                          │
│ Do you want to proceed?                                  │
│ 1. Yes                                                   │
│ 2. Yes, and don't ask again this session                 │
│ 3. No                                                    │
│ 4. No, with feedback                                     │
│                                                          │
│ ↑/↓ navigate • Enter select • Esc cancel                 │
╰──────────────────────────────────────────────────────────╯
`, screen.Permission, "superagent.prompt", "rm -rf build", "1", "3", false},
	{"keys far to the right", "newagent", `
 Allow this command?
   rm -rf build

 ❯ Allow once                                y
   Allow for session                         s
   Deny                                      n

 ↑↓ select · enter confirm
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Down Enter", true},
	{"a row for the answer above a row of status", "newagent", `
I will do it now.

command: rm -rf build

Run it?
  [y] Yes
  [a] Always
  [n] No
Your choice:
tokens 1200 · 12s
`, screen.Permission, "newagent.prompt", "rm -rf build", "", "", true},
	{"a row for the answer in other words, above two rows of status", "newagent", `
I will do it now.

command: rm -rf build

Run it?
  [y] Yes
  [a] Always
  [n] No
Pick one of these letters:

ctx 12% · main
tokens 1200 · 12s
`, screen.Permission, "newagent.prompt", "rm -rf build", "", "", true},
	{"two marks before one label", "newagent", `
? Run rm -rf build?
❯ ◉ Yes
  Always
  No

↑↓ navigate • ⏎ submit
`, screen.Question, "newagent.prompt", "Run rm -rf build?", "", "", true},
	{"a raw list of inquirer", "newagent", `
I will do it now.

? Which one?
  1) Tests
  2) Linter
  3) Docs
`, screen.Question, "newagent.prompt", "Which one?", "", "", true},
	{"a raw list of inquirer with a yes and a no", "newagent", `
I will do it now.

? Run rm -rf build?
  1) Yes
  2) Yes, always
  3) No
`, screen.Permission, "newagent.prompt", "rm -rf build", "", "", true},
	{"a raw list of an older inquirer", "newagent", `
I will do it now.

? Which one?
  1) Tests
  2) Linter
  3) Docs
  Answer:
`, screen.Question, "newagent.prompt", "Which one?", "", "", true},
	{"bash's select", "newagent", `
I will do it now.

1) Tests
2) Linter
3) Docs
#?
`, screen.Question, "newagent.prompt", "I will do it now.", "", "", true},
	{"bash's select with a question", "newagent", `
I will do it now.

1) Yes
2) Always
3) No
Run rm -rf build?
`, screen.Permission, "newagent.prompt", "", "", "", true},
	{"a list of enquirer", "newagent", `
I will do it now.

? Which one? …
▸ Tests
  Linter
  Docs
`, screen.Question, "newagent.prompt", "Which one?", "", "", true},
	{"a list of prompts", "newagent", `
I will do it now.

? Which one? › - Use arrow-keys. Return to submit.
❯   Tests
    Linter
    Docs
`, screen.Question, "newagent.prompt", "Which one?", "", "", true},
	{"a check list of inquirer", "newagent", `
I will do it now.

? Which parts do you want?
❯◯ Tests
 ◯ Linter
 ◯ Docs

↑↓ navigate • space select • a all • i invert • ⏎ submit
`, screen.Question, "newagent.prompt", "Which parts", "", "", true},
	{"a check list of clack", "newagent", `
I will do it now.

│
◆  Which parts do you want?
│  ◻ Tests
│  ◼ Linter
│  ◻ Docs
│  ↑/↓ to navigate • Space: select • Enter: confirm
└
`, screen.Question, "newagent.prompt", "Which parts", "", "", true},
	{"a list of clack with the key of each option on a ground", "newagent", `
I will do it now.

│
◆  Which one?
│   a  Tests
│   b  Linter
└
`, screen.Question, "newagent.notice", "a  Tests", "", "", false},
	{"a check list of clack in groups", "newagent", `
I will do it now.

◆  Which parts do you want?
│  ◻ Tests
│  │ ◻ unit
│  └ ◻ browser
└
`, screen.Question, "newagent.notice", "◻ Tests", "", "", false},
	{"letters of inquirer that can be expanded", "newagent", `
I will do it now.

? Overwrite x.js (it exists)? (yaDxh)
`, screen.Question, "newagent.notice", "I will do it now.", "", "", true},
	{"status rows with a row of keys among them", "newagent", `
─────────────────────────────────────────────────────────────────────
 ⏸ Permission required
 Will call tool bash rm -rf build.
 ❯ 1. Allow once
   2. Allow for this session
   3. Deny
 ↑/↓ navigate · Enter select · y/a/p/n shortcuts
─────────────────────────────────────────────────────────────────────
  ⡿  checking · 5s
   Read only  · 1 approve once · n/Esc deny
  Ctrl-C cancels turn
  MODEL rig-model
  ───────────────────────────────────────────────────────────────────
  ws@master  ?1
`, screen.Permission, "newagent.prompt", "Will call tool bash rm -rf build.", "Down Up Enter", "Down Down Enter", false},
	{"options that go on below the edge of the pane, wrapped to the cursor's column", "newagent", `
────────────────────────────────────────────────────────────────────────────────
 ⏸ Permission required
 touch long.ok && echo word001 word002 word003 word004 word005 word006 word007
 ❯ 1. Allow once
   2. Allow Bash=touch long.ok && echo word001 word002 word003 word004 word005
 word006 word007 word008 word009 word010 word011 word012 word013 word014 word015
 word016 word017 word018 word019 word020 word021 word022 word023 word024 word025`,
		screen.Question, "newagent.prompt", "touch long.ok", "", "", false},
	{"an option wrapped to the cursor's column", "newagent", `
────────────────────────────────────────────────────────────
 ⏸ Permission required
 Will call tool bash touch made.txt && rm -rf build.
 ❯ 1. Allow once
   2. Allow Bash=touch made.txt && rm -rf build for this
 session
   3. Deny
 ↑/↓ navigate · Enter select · y/a/p/n shortcuts
────────────────────────────────────────────────────────────
`, screen.Permission, "newagent.prompt", "Will call tool bash", "Down Up Enter", "Down Down Enter", false},
}
