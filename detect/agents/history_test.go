package agents

import (
	"strings"
	"testing"

	"nod/detect/screen"
)

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
