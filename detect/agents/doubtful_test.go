package agents

import (
	"nod/detect/screen"
)

// doubtful are dialogs that are not shown whole, or on which it is in doubt what is asked or which answer the keys take.
var doubtful = []unseenScreen{
	{"a label that is cut", "newagent", `
 Run this command?
   rm -rf build
 ❯ 1. Yes, and al…
   2. No
 esc cancel
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", true},
	{"a label whose rest is below it", "newagent", `
 Run this command?
   rm -rf build
   1. Allow once
      whenever asked
 ❯ 2. No
 esc cancel
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", true},
	{"a label whose rest looks like an answer", "newagent", `
 Run this command?
   rm -rf build
 ❯ Always
   Yes, proceed
   without asking again
   No
 esc cancel
`, screen.Question, "newagent.prompt", "Run this command?", "", "", true},
	{"a row of answers that the pane breaks", "newagent", `
◆  Run this command?
│  rm -rf build
│
│  ○ Yes as root / ● Reject / ○ Yes, run command
whenever asked
└
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", true},
	{"an answer side by side that is cut", "newagent", `
 Run this command?
   rm -rf build

 ❯ Yes…     Always     No

 ←/→ choose · enter confirm
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", true},
	{"one key for two answers", "newagent", `
 Run this command?
   rm -rf build
   [y] Yes
   [n] No
   [y] Always
`, screen.Question, "newagent.notice", "rm -rf build", "", "", true},
	{"one number for two answers", "newagent", `
 Run this command?
   rm -rf build
   1: Yes
   2: No
   1: Run this whenever asked

 Press 1-2 to choose
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", true},
	{"an answer in brackets that asks", "newagent", `
 Run this command?
   rm -rf build
   [y] Yes?
   [a] Always
   [n] No
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
	{"the edge of a frame in a label", "newagent", `
 ╭──────────────────────────────╮
 │ Run this command?            │
 │ ┌──────────────────────────┐ │
 │ │ rm -rf build             │ │
 │ └──────────────────────────┘ │
 │ ❯ Allow once                 │
 │ └──────────────────────────┘ │
 │   Deny                       │
 │                              │
 │ ↑/↓ choose • enter confirm   │
 ╰──────────────────────────────╯
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", false},
	{"a notice over the corner of a frame", "newagent", `
 ┌╭────────╮─────────────────────
 ││ Update │command?
 │╰────────╯
 │   rm -rf build
 │
 │ ❯ Allow once
 │   Deny
 └───────────────────────────────
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Enter", true},
	{"a notice over rows of the subject", "newagent", `
 ╭──────────────────────────────────────────────╮
 │ Run this command?                            │
 │                                              │
 │   rm -rf bu┌────────────┐ /var/log           │
 │   make inst│ New update │l                   │
 │   echo done└────────────┘                    │
 │                                              │
 │ ❯ 1. Yes                                     │
 │   2. No                                      │
 │                                              │
 │ esc cancel                                   │
 ╰──────────────────────────────────────────────╯
`, screen.Permission, "newagent.prompt", "rm -rf bu┌────────────┐ /var/log", "Down Up Enter", "Down Enter", true},
	{"a pop-up above a dialog that nod can't read", "newagent", `
● Here is what it looked like:

words and ┌─────────────────────────────────┐ of the text
that goes │ Run this command?               │ on beside it
all along │   ls -la                        │ and more of
each row  │                                 │ these words
of the    │ [y] Yes    [n] No               │ here and
transcript└─────────────────────────────────┘ there

 Delete the production database?

   ‹ No ›    turn with the arrows, enter takes it
`, screen.Question, "newagent.prompt", "ls -la", "", "", false},
	{"a pop-up above a dialog", "newagent", `
some text ┌──────────────────────────┐ more words
lorem ips │ Run this command?        │ more words
fn main() │ make                     │ more words
some text │ [y] Yes  [n] No          │ more words
some text └──────────────────────────┘ more words
 tail of the view

 Do you want to run this?
   rm -rf build

   [y] Yes
   [n] No
`, screen.Question, "newagent.prompt", "make", "", "", false},
	{"a line that the command may have printed", "newagent", `
● I will do it now.
rm -rf build
────────────────────────────────────────
make
? Run it? (Use arrow keys)
❯ Yes
  No
`, screen.Permission, "newagent.prompt", "make", "Down Up Enter", "Down Enter", true},
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
`, screen.Question, "newagent.prompt", "rm -rf build", "", "", false},
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
`, screen.Question, "newagent.notice", "rm -rf build", "", "", true},
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
	{"a rule that the command may have printed, behind a blank row of its own", "newagent", `
 Run this:
 rm -rf /

────────────────────────────────────────────────────────────────────────────────
 echo done

 Proceed?

 ❯ 1. Yes
   2. No

 Esc to cancel
`, screen.Permission, "newagent.prompt", "echo done", "Down Up Enter", "Down Enter", true},
	{"a permission below a command that a person has typed", "newagent", `
❯ /deploy now

────────────────────────────────────────────────────────────────────────────────
  Shell
    rm -rf build

  Run this command?

  ❯ 1. Yes
    2. No

  Esc to cancel
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Enter", true},
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
	{"a key that draws it larger", "newagent", `
     ▣  Build · rig                                                          ▄

  ┃
  ┃  △ Permission required
  ┃    # Build
  ┃
  ┃  $ touch made.txt &&
  ┃  rm -rf build
  ┃
  ┃   Allow once   Allow always   Reject  ctrl+f fullscreen  ⇆ select  enter con
  ┃
`, screen.Permission, "newagent.prompt", "$ touch made.txt &&\nrm -rf build", "", "", true},
	{"a key that draws larger what is short", "newagent", `
     ▣  Build · rig                                                          ▄

  ┃
  ┃  △ Permission required
  ┃    # Build
  ┃
  ┃  $ rm -rf build
  ┃
  ┃   Allow once   Allow always   Reject  ctrl+f fullscreen  ⇆ select  enter con
  ┃
`, screen.Permission, "newagent.prompt", "$ rm -rf build", "", "", false},
	{"a key that draws larger what leaves room", "newagent", `
     ▣  Build · rig                                                          ▄

  ┃
  ┃  △ Permission required
  ┃    → Edit made.txt
  ┃
  ┃  1 + hello
  ┃  2 + world
  ┃
  ┃
  ┃
  ┃
  ┃   Allow once   Allow always   Reject  ctrl+f fullscreen  ⇆ select  enter con
  ┃
`, screen.Permission, "newagent.prompt", "1 + hello", "", "", false},
	{"keys that scroll it", "newagent", `
╭──────────────────────────────────────────────╮
│ Run this command?                            │
│                                              │
│   touch made.txt &&                          │
│   rm -rf build                               │
│                                              │
│ ❯ Allow once                                 │
│   Deny                                       │
│                                              │
│ ↑/↓ choose • enter confirm • pgup/pgdn move  │
╰──────────────────────────────────────────────╯
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Enter", true},
	{"a scrollbar inside of the box", "newagent", `
╭──────────────────────────────────────────────╮
│ Run this command?                            │
│                                              │
│   touch made.txt &&                        ┃ │
│   rm -rf build &&                          │ │
│                                              │
│ ❯ Allow once                                 │
│   Deny                                       │
│                                              │
│ ↑/↓ choose • enter confirm                   │
╰──────────────────────────────────────────────╯
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Enter", true},
	{"a frame inside of the box is no scrollbar", "newagent", `
╭──────────────────────────────────────────────╮
│ Run this command?                            │
│ ┌──────────────────────────────────────────┐ │
│ │ touch made.txt &&                        │ │
│ │ rm -rf build                             │ │
│ └──────────────────────────────────────────┘ │
│ ❯ Allow once                                 │
│   Deny                                       │
│                                              │
│ ↑/↓ choose • enter confirm                   │
╰──────────────────────────────────────────────╯
`, screen.Permission, "newagent.prompt", "rm -rf build", "Down Up Enter", "Down Enter", false},
	{"a row of it that ends in dots", "newagent", `
╭──────────────────────────────────────────────╮
│ Run this command?                            │
│                                              │
│   touch made.txt                             │
│   rm -rf bui...                              │
│                                              │
│ ❯ Allow once                                 │
│   Deny                                       │
│                                              │
│ ↑/↓ choose • enter confirm                   │
╰──────────────────────────────────────────────╯
`, screen.Permission, "newagent.prompt", "rm -rf bui...", "Down Up Enter", "Down Enter", true},
	{"the only other answer opens a field for words when the mark is on it", "newagent", `
────────────────────────────────────────────────────────────
Run this command?

  rm -rf build

❯ 1. Yes
  2. No, and tell the agent what to do differently

Enter to select · Esc to cancel
`, screen.Permission, "newagent.prompt", "rm -rf build", "", "", false},
	{"a picker narrowed down below its list", "newagent", `
  no
  yes
▶ yes please
  3/3
> 
`, screen.Question, "newagent.notice", "3/3", "", "", true},
	{"a picker narrowed down further up", "newagent", `
  no
▶ yes
  2/2
>

It is done.
`, screen.Silent, "", "", "", "", false},
}
