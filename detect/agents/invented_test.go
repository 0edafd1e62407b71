package agents

import (
	"slices"
	"strings"
	"testing"

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
	{"a label that is cut", "newagent", `
 Run this command?
   rm -rf build
 ❯ 1. Yes, and al…
   2. No
 esc cancel
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", true},
	{"a numbered command right above the answers", "newagent", `
 Steps to run:
 1. rm -rf build
 2. make
 Proceed?
 ❯ 1. Yes
   2. No
 esc cancel
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Enter", true},
	{"a later opencode with other buttons", "opencode", `
  ┃  △ Permission required
  ┃    # Shell command
  ┃
  ┃  $ rm -rf build
  ┃
  ┃   Once   Always   Deny
  ┃
  ┃  ⇆ select  enter confirm
`, screen.Permission, "opencode.permission", "rm -rf build", "", "Escape", false},
	{"two cursors", "newagent", `
 Run this command?
   rm -rf build
 ❯ Yes
 ❯ No
 esc cancel
`, screen.Silent, "", "", "", "", false},
	{"Enter printed beside a lasting yes", "newagent", `
 Run this command?
   rm -rf build
   Yes (y)
 ❯ Yes, always (enter)
   No (n)
`, screen.Permission, "newagent.prompt", "rm -rf build", "Up Enter", "Down Enter", true},
	{"one letter for two answers", "newagent", `
 Run this command?
   rm -rf build
 ❯ Yes (a)
   Yes, always (a)
   No (n)
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Down Enter", true},
	{"a wider yes before the plain one", "newagent", `
 Allow tools?
   bash
 ❯ 1. Allow all
   2. Allow
   3. Deny
 esc cancel
`, screen.Permission, "newagent.prompt", "", "Down Enter", "Down Down Enter", true},
	{"yes means to block", "newagent", `
 Block this command?
   rm -rf build
 ❯ 1. Yes
   2. No
 esc cancel
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", true},
	{"a box over other text", "newagent", `
  Reading the build files
  ● shell rm -rf bu╭────────────────────────────────────────╮
                   │ Permission needed                      │
  Waiting for the t│                                        │
                   │   rm -rf build                         │
                   │                                        │
                   │ [a] Allow   [s] For session   [d] Deny │
   > Thinking...   ╰────────────────────────────────────────╯
   :::

  esc cancel • ctrl+p commands • ctrl+l models
`, screen.Permission, "newagent.prompt", "rm -rf build", "a", "d", false},
	{"a box over other text that scrolls past a shell's prompt", "newagent", `
  Reading the build files
  ● shell rm -rf bu╭────────────────────────────────────────╮
                   │ Permission needed                      │
  Waiting for the t│   rm -rf build                         │
                   │ [a] Allow   [s] For session   [d] Deny │
   > Thinking...   ╰────────────────────────────────────────╯
me@host:~/src $
`, screen.Silent, "", "", "", "", false},
	{"a radio list whose numbers the keys below do not speak of", "newagent", `
  ● Cleaning up

  ┃
  ┃  Run a scripted command
  ┃  rm -rf build
  ┃
  ┃  1 (●) Yes, and don't ask again for anything
  ┃  2 (○) Yes, proceed
  ┃  3 (○) No, reject (type to add feedback)
  ┃

  Tab:next option  │  Ctrl+o:always-approve
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Enter", "Down Down Enter", false},
	{"a radio list whose numbers the keys below speak of", "newagent", `
  ● Cleaning up

  ┃
  ┃  Run a scripted command
  ┃  rm -rf build
  ┃
  ┃  1 (●) Yes, and don't ask again for anything
  ┃  2 (○) Yes, proceed
  ┃  3 (○) No, reject (type to add feedback)
  ┃

  1/3:select  │  Tab:next option
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Enter", "Down Down Enter", false},
	{"somebody has moved to the answer that asks for words", "newagent", `
 Run this command?
   rm -rf build
   1. Yes
 ❯ 2. No, and tell the agent what to do differently
 esc cancel
`, screen.Overlay, "", "", "", "", false},
	{"keys, and no list", "newagent", `
 Field 1 of 2
 Which name should the release have?

 Name of the release
 abc

 enter to submit answer | esc to cancel
`, screen.Question, "newagent.notice", "", "", "", true},
	{"a cursor among buttons that print their keys", "newagent", `
 Execute command?

   rm -rf build

   [a] Always allow    ❯ [y] Yes    [n] No

 ←/→ choose · enter confirm
`, screen.Permission, "newagent.prompt", "rm -rf build", "Right Left Enter", "Right Enter", true},
	{"two cursors among buttons that print their keys", "newagent", `
 Execute command?

   rm -rf build

 ❯ [a] Always allow    ❯ [y] Yes    [n] No

 ←/→ choose · enter confirm
`, screen.Silent, "", "", "", "", false},
	{"an answer that says neither yes nor no, between answers that print their keys", "newagent", `
 Execute command?

   rm -rf build

 ❯ [a] Always allow
   [d] Show details
   [y] Yes
   [n] No

 ↑/↓ choose · enter confirm
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Down Enter", "Down Down Down Enter", true},
	{"a list that a person has called for", "newagent", `
❯ /login

────────────────────────────────────────────────────────────────────────────────
  Login

  Select login method:

  ❯ 1. Account with subscription
    2. Console account

  Esc to cancel
`, screen.Overlay, "", "", "", "", false},
	{"a permission below a command that a person has typed", "newagent", `
❯ /deploy now

────────────────────────────────────────────────────────────────────────────────
  Shell
    rm -rf build

  Run this command?

  ❯ 1. Yes
    2. No

  Esc to cancel
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Enter", false},
	{"somebody writes over the answer that is no yes", "newagent", `
 Run this command?
   rm -rf build
   1. Yes
   2. Yes, and don't ask again
 ❯ 3. use another file name please
 esc cancel
`, screen.Overlay, "", "", "", "", false},
	{"an answer of other words that is not marked", "newagent", `
 Run this command?
   rm -rf build
 ❯ 1. Yes
   2. Yes, and don't ask again
   3. Wait a moment
 esc cancel
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", true},
	{"boxes to tick", "newagent", `
 Which sizes should be built?

   [ ] Small
       for phones
   [ ] Large

 ↑↓ select  space toggle  enter confirm  esc cancel
`, screen.Question, "newagent.prompt", "", "", "", true},
	{"a question of the model with yes and no among its answers", "newagent", `
 Should the cache be kept?

 ❯ 1. Yes
   2. No
   3. Type something.

 Enter to select · Esc to cancel
`, screen.Question, "newagent.prompt", "", "", "", true},
	{"trust, asked by nobody", "newagent", `
 Do you trust the authors of the files in this folder?
   ~/src/app
 ❯ 1. Yes
   2. No
 esc cancel
`, screen.Question, "newagent.prompt", "", "", "", true},
}

// everyUnseen are the screens that were drawn by hand.
func everyUnseen() []unseenScreen { return slices.Concat(unseen, invented) }

// history are screens on which a dialog is quoted, is over, or belongs to another program.
var history = []struct{ name, agent, shown string }{
	{"claude cat file", "claude", `
● Bash(cat prompt.txt)
  ⎿  ────────────────────────────────────────
      Bash command
        rm -rf build
      Do you want to proceed?
      ❯ 1. Yes
        2. No
      Esc to cancel · Tab to amend

────────────────────────────────────────────────────────────────────────────────
❯ 
────────────────────────────────────────────────────────────────────────────────
  ? for shortcuts
`},
	{"claude reply, composer without rules (odd)", "claude", `
● The agent would show:

   Do you want to proceed?
   ❯ 1. Yes
     2. No

> 
`},
	{"unknown agent with odd composer bare prompt", "newagent", `
 The dialog looked like this:
   Run this command?
     rm -rf build
   ❯ 1. Yes
     2. No

 ▌ 
`},
	{"unknown agent composer with placeholder", "newagent", `
   Run this command?
     rm -rf build
   ❯ 1. Yes
     2. No

 ┃ Ask anything… (@ for files)
`},
	{"unknown composer box no glyph", "newagent", `
   Run this command?
     rm -rf build
   ❯ 1. Yes
     2. No
╭────────────────────────────────────────────╮
│ Type your message                          │
╰────────────────────────────────────────────╯
`},
	{"unknown composer box empty", "newagent", `
   Run this command?
     rm -rf build
   ❯ 1. Yes
     2. No
╭────────────────────────────────────────────╮
│                                            │
╰────────────────────────────────────────────╯
`},
	{"unknown composer rules empty", "newagent", `
   Run this command?
     rm -rf build
   ❯ 1. Yes
     2. No
──────────────────────────────────────────────
 
──────────────────────────────────────────────
`},
	{"unknown composer rules and footer", "newagent", `
   Run this command?
     rm -rf build
   ❯ 1. Yes
     2. No
──────────────────────────────────────────────
 
──────────────────────────────────────────────
 enter send · esc cancel
`},
	{"shell after cat", "newagent", `
$ cat prompt.txt
   Run this command?
     rm -rf build
   ❯ 1. Yes
     2. No
user@host:~/src$ 
`},
	{"shell after cat, fancy", "newagent", `
   Run this command?
     rm -rf build
   ❯ 1. Yes
     2. No
~/src/app (main) 
❯ 
`},
	{"shell, starship two line", "claude", `
 Do you want to proceed?
 ❯ 1. Yes
   2. No

 Esc to cancel · Tab to amend

~/src/app on  main via 🐹 v1.26 
❯ 
`},
	{"less", "claude", `
────────────────────────────────────────────────────────────────────────────────
 Bash command
   rm -rf build
 Do you want to proceed?
 ❯ 1. Yes
   2. No
 Esc to cancel · Tab to amend
:
`},
	{"less end", "claude", `
────────────────────────────────────────────────────────────────────────────────
 Bash command
   rm -rf build
 Do you want to proceed?
 ❯ 1. Yes
   2. No
 Esc to cancel · Tab to amend
(END)
`},
	{"less filename", "newagent", `
 Do you want to proceed?
   rm -rf build
 ❯ 1. Yes
   2. No
 Esc to cancel · Tab to amend
prompt.txt (END)
`},
	{"less lines", "newagent", `
 Do you want to proceed?
   rm -rf build
 ❯ 1. Yes
   2. No
 Esc to cancel · Tab to amend
prompt.txt lines 1-6/6 (END)
`},
	{"more", "newagent", `
 Do you want to proceed?
   rm -rf build
 ❯ 1. Yes
   2. No
 Esc to cancel · Tab to amend
--More--(45%)
`},
	{"vim", "newagent", `
 Do you want to proceed?
   rm -rf build
 ❯ 1. Yes
   2. No
 Esc to cancel · Tab to amend
~
~
~
"prompt.txt" 6L, 120B                                     1,1           All
`},
	{"vim statusline", "newagent", `
 Do you want to proceed?
   rm -rf build
 ❯ 1. Yes
   2. No
 Esc to cancel · Tab to amend
~
 NORMAL  prompt.txt                                utf-8 | unix | 100% 1:1
`},
	{"nvim insert", "newagent", `
 Do you want to proceed?
   rm -rf build
 ❯ 1. Yes
   2. No
-- INSERT --                                              6,1           All
`},
	{"nano", "newagent", `
  GNU nano 7.2                     prompt.txt
 Do you want to proceed?
   rm -rf build
 ❯ 1. Yes
   2. No
^G Help      ^O Write Out ^W Where Is  ^K Cut       ^T Execute   ^C Location
^X Exit      ^R Read File ^\ Replace   ^U Paste     ^J Justify   ^/ Go To Line
`},
	{"emacs", "newagent", `
 Do you want to proceed?
   rm -rf build
 ❯ 1. Yes
   2. No
-UUU:----F1  prompt.txt     All   L1     (Text) -----------------------------
`},
	{"helix", "newagent", `
 Do you want to proceed?
   rm -rf build
 ❯ 1. Yes
   2. No
 NOR   prompt.txt                                        1 sel  6:1
`},
	{"tmux in tmux", "newagent", `
 Do you want to proceed?
   rm -rf build
 ❯ 1. Yes
   2. No
 Esc to cancel · Tab to amend
[work] 0:claude* 1:bash-                                "host" 14:22 01-Jan-26
`},
	{"tmux in tmux claude", "claude", `
────────────────────────────────────────────────────────────────────────────────
 Bash command
   rm -rf build
 Do you want to proceed?
 ❯ 1. Yes
   2. No
 Esc to cancel · Tab to amend
[work] 0:claude* 1:bash-                                "host" 14:22 01-Jan-26
`},
	{"git diff", "newagent", `
+ Do you want to proceed?
+   rm -rf build
+ ❯ 1. Yes
+   2. No
+ Esc to cancel
`},
	{"git diff 2", "newagent", `
@@ -1,3 +1,6 @@
   Do you want to proceed?
     rm -rf build
   ❯ 1. Yes
     2. No
   Esc to cancel
`},
	{"claude streaming with fence", "claude", `
● Here is how it looks:

   Do you want to proceed?
   ❯ 1. Yes
     2. No

   Esc to cancel

✽ Whisking… (3s · ↓ 30 tokens)

────────────────────────────────────────────────────────────────────────────────
❯ 
────────────────────────────────────────────────────────────────────────────────
  esc to interrupt
`},
	{"gemini reply", "gemini", `
✦ The dialog:
  ╭──────────────────────────────────────────────╮
  │ ? Shell rm -rf build                         │
  │ Allow execution of: 'rm'?                    │
  │ ● 1. Allow once                              │
  │   2. No, suggest changes (esc)               │
  ╰──────────────────────────────────────────────╯

╭──────────────────────────────────────────────╮
│ >   Type your message or @path/to/file       │
╰──────────────────────────────────────────────╯
`},
	{"codex quoting", "codex", `
• The dialog would be:

  Would you like to run the following command?

  $ rm -rf build

› 1. Yes, proceed (y)
  2. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel

› Ask Codex to do anything

  ? for shortcuts                                            100% context left
`},
	{"fzf picker", "newagent", `
  no
  yes
▶ yes please
  3/3
> 
`},
	{"readline list at end of bash output", "newagent", `
 What would you like to do next?
 1. Run the tests
 2. Commit
`},
	{"prose with y/n", "newagent", `
 Enter y to proceed. The script asks "Continue? [y/N]"
`},
	{"prose with y/n 2", "newagent", `
● It printed:
  Continue? [y/N]
╭──────────────╮
│ >            │
╰──────────────╯
`},
}

func TestHistoryIsNoPrompt(t *testing.T) {
	for _, h := range history {
		for _, agent := range []string{h.agent, "", "nobody"} {
			if r := Read(agent, screen.Parse(strings.TrimPrefix(h.shown, "\n"))); r.State.Asks() {
				t.Errorf("%s, read as %q: %s %q", h.name, agent, r.State, r.Why)
			}
		}
	}
}

// TestQuotedInACodeBlock: a block that was opened above the dialog, closed below it or not yet.
func TestQuotedInACodeBlock(t *testing.T) {
	const dialog = " Do you want to proceed?\n   rm -rf build\n ❯ 1. Yes\n   2. No\n Esc to cancel\n"
	if r := Read("nobody", screen.Parse(dialog)); r.State != screen.Permission {
		t.Fatalf("the dialog is not seen at all: %q", r.Why)
	}
	for _, shown := range []string{" ```\n" + dialog, " ```\n" + dialog + " ```\n", " ```text\n some\n\n" + dialog} {
		if r := Read("nobody", screen.Parse(shown)); r.State.Asks() {
			t.Errorf("%s %q in\n%s", r.State, r.Why, shown)
		}
	}
	closed := " ```\n some\n ```\n" + dialog
	if r := Read("nobody", screen.Parse(closed)); r.State != screen.Permission {
		t.Errorf("below a closed block: %s %q", r.State, r.Why)
	}
}

// TestAColourMarksAnAnswer: a list without a cursor is answered with Enter where a ground of its own marks one
// row, and of two rows only where its colours are reversed.
func TestAColourMarksAnAnswer(t *testing.T) {
	const top = " Run this command?\n   rm -rf build\n\n"
	const end = "\n ↑/↓ select · enter confirm · esc cancel\n"
	for name, c := range map[string]struct {
		list          string
		approve, deny string
	}{
		"one ground of three":    {"   No\n   \x1b[44mYes\x1b[0m\n   Yes, always\n", "Down Up Enter", "Up Enter"},
		"two grounds":            {"   \x1b[44mNo\x1b[0m\n   \x1b[45mYes\x1b[0m\n   Yes, always\n", "", ""},
		"all the same":           {"   \x1b[44mNo\x1b[0m\n   \x1b[44mYes\x1b[0m\n   \x1b[44mYes, always\x1b[0m\n", "", ""},
		"two rows, one a ground": {"   \x1b[44mYes\x1b[0m\n   No\n", "", ""},
		"two rows, one reversed": {"   \x1b[7mYes\x1b[0m\n   No\n", "Down Up Enter", "Down Enter"},
		"colours of letters":     {"   \x1b[36mYes\x1b[0m\n   No\n", "", ""},
	} {
		r := Read("nobody", screen.Parse(top+c.list+end))
		if r.State != screen.Permission {
			t.Errorf("%s: %s %q", name, r.State, r.Why)
			continue
		}
		if a, d := strings.Join(r.Prompt.Approve, " "), strings.Join(r.Prompt.Deny, " "); a != c.approve || d != c.deny {
			t.Errorf("%s: approve %q, deny %q", name, a, d)
		}
	}
}
