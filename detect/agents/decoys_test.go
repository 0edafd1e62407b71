package agents

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// claudeDialogText is a whole dialog as Claude draws it, to be quoted.
const claudeDialogText = `────────────────────────────────────────────────────────────
 Bash command

   rm -rf build

 Do you want to proceed?
 ❯ 1. Yes
   2. Yes, and don't ask again for rm commands in /tmp
   3. No, and tell Claude what to do differently (esc)

 Esc to cancel · Tab to amend`

const codexDialogText = `  Would you like to run the following command?

  $ rm -rf build

› 1. Yes, proceed (y)
  2. Yes, and don't ask again for commands that start with ` + "`rm`" + ` (p)
  3. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel`

const geminiDialogText = `╭──────────────────────────────────────────────────────────╮
│ ? Shell  rm -rf build                                    │
│ rm -rf build                                             │
│ Allow execution of [Shell]?                              │
│                                                          │
│ ● 1. Allow once                                          │
│   2. Allow for this session                              │
│   3. No, suggest changes (esc)                           │
╰──────────────────────────────────────────────────────────╯`

const panelDialogText = `  ┃  △ Permission required
  ┃    # Shell command
  ┃
  ┃  $ rm -rf build
  ┃
  ┃
  ┃   Allow once   Allow always   Reject  ctrl+f fullscreen  ⇆ select  enter confirm
  ┃`

const cursorDialogText = ` $  rm -rf build in .

 Run this command?
 Not in allowlist: rm
  → Run (once) (y)
    Run Everything (shift+tab)
    Skip (esc or n)`

// around are places that a dialog can be in without being one.
var around = []struct{ name, before, each, after string }{
	{"above claude's input box", "● Here is what it looks like:\n\n", "", "\n\n────────────────────────────────────────────────────────────\n❯ \n────────────────────────────────────────────────────────────\n  ? for shortcuts\n"},
	{"above claude's input box with a draft", "", "", "\n\n────────────────────────────────────────────────────────────\n❯ 1. Yes\n────────────────────────────────────────────────────────────\n  esc to interrupt\n"},
	{"above an old claude's input box", "", "", "\n╭────────────────────────────────────────────────────────────╮\n│ >                                                          │\n╰────────────────────────────────────────────────────────────╯\n  ? for shortcuts\n"},
	{"above codex's input box", "• The prompt was:\n\n", "", "\n\n\n› Ask Codex to do anything\n\n  gpt-5.4 default · /tmp/proj\n"},
	{"above gemini's input box", "✦ It asks:\n", "", "\n\n? for shortcuts\n────────────────────────────────────────────────────────────\n Shift+Tab to accept edits\n\n >   Type your message or @path/to/file\n\n workspace (/directory)     branch\n /tmp/ws                    main\n"},
	{"above opencode's input box", "", "", "\n\n  ┃\n  ┃\n  ┃  Build · Rig Model Rig\n  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀\n   /tmp/x     110 (0%)  ctrl+p commands\n"},
	{"above cursor's input box", "", "", "\n\n  → Add a follow-up\n\n  Auto · 6.3%\n  /private/tmp/live\n"},
	{"in a shell", "$ cat prompt.txt\n", "", "\n$ "},
	{"in a shell with a path", "", "", "\nme@host:~/src/app (main) $"},
	{"in zsh", "", "", "\n~/src/app main ❯\n"},
	{"in a plain zsh", "", "", "\nuser@host ~/src %\n"},
	{"in csh", "", "", "\nhost%\n"},
	{"in a shell with two lines", "", "", "\n~/src/app  main  12%\n%\n"},
	{"in a fancy shell", "", "", "\n╭─ ~/src/app on main\n╰─❯\n"},
	{"in less", "", "", "\n:"},
	{"in less at the end", "", "", "\n(END)"},
	{"in less with a name", "", "", "\nprompt.txt lines 1-20/20 (END)"},
	{"in vim", "", "", "\n~\n~\n~\n\"prompt.txt\" 12L, 300B                                  1,1           All"},
	{"in vim, inserting", "", "", "\n~\n-- INSERT --                                            1,1           All"},
	{"in nano", "", "", "\n\n^G Help      ^O Write Out ^W Where Is  ^K Cut\n^X Exit      ^R Read File ^\\ Replace   ^U Paste"},
	{"in a diff", "diff --git a/x b/x\n@@ -1,2 +1,9 @@\n", "+", "\n"},
	{"in a diff's context", "@@ -1,2 +1,9 @@\n", " ", "\n-old\n+new\n"},
	{"in a numbered listing", "", "   12\t", "\n"},
	{"in a quotation", "", "> ", "\n"},
	{"in a comment", "", "// ", "\n"},
	{"in grep's output", "", "testdata/x.txt:", "\n"},
	{"before the agent goes on", "", "", "\n\n● Running the tests now.\n"},
	{"before a sentence", "", "", "\n\nThat is the prompt I meant.\n"},
	{"before a spinner", "", "", "\n\n✽ Whisking… (3s · ↓ 30 tokens · esc to interrupt)\n"},
	{"before what an answer left", "", "", "\n\n  ⎿  Interrupted · What should Claude do instead?\n"},
	{"before an ended program", "", "", "\n\nPane is dead (status 1, Fri Nov 21 01:42:50 2025)\n"},
	{"inside tmux inside", "", "", "\n[0] 0:bash*                                  \"host\" 12:00 21-Nov-25\n"},
}

// TestDecoys puts whole dialogs where they are history, quoted, or another program's: no prompt is read, for
// any agent.
func TestDecoys(t *testing.T) {
	t.Parallel()
	dialogs := map[string]string{"claude": claudeDialogText, "codex": codexDialogText, "gemini": geminiDialogText, "opencode": panelDialogText, "cursor": cursorDialogText}
	readers, rng := append(Names(), "", "nobody"), random(t)
	for name, dialog := range dialogs {
		if r := Read(name, screen.Parse(dialog)); r.State != screen.Permission {
			t.Fatalf("the dialog of %s is no decoy, it is not seen at all: %q", name, r.Why)
		}
		for _, a := range around {
			shown := a.before
			for i, row := range strings.Split(dialog, "\n") {
				if i > 0 {
					shown += "\n"
				}
				shown += a.each + row
			}
			shown += a.after
			s := screen.Parse(shown)
			for _, agent := range append(someOf(rng.Uint64(), readers), name, "nobody") {
				r := Read(agent, s)
				if r.State == screen.Question && a.name == "before a spinner" && slices.Contains([]string{"", "nobody", "aider", "amp", "cursor", "droid", "goose", "kiro-cli"}, agent) && r.Prompt.AtTerminal {
					continue // signs of work do not outweigh a menu: of an agent that nobody knows it is told, without keys
				}
				if r.State == screen.Permission || r.State == screen.Question {
					t.Errorf("%s's dialog %s, read as %q: %s, approve %q deny %q\n%s", name, a.name, agent, r.State, r.Prompt.Approve, r.Prompt.Deny, shown)
				}
			}
		}
	}
}

// TestNoPromptInProse reads sentences, lists and logs that use the words of dialogs.
func TestNoPromptInProse(t *testing.T) {
	for _, shown := range []string{
		"Here's the plan.\n\nDo you want to proceed?",
		"Do you want to proceed?\n\n1. Yes\n2. No\n",
		"Recap:\n\n1. We merged the fixes.\n2. The tests passed.\n\nDo you want to proceed?",
		"[2026-04-15 03:10] INFO  Tool Approval Required for save-file, deferring\nauggie>",
		"$ grep -r \"Always index this workspace\" docs/\ndocs/faq.md: choose \"Always index this workspace\"\n$ ",
		"Options:\n  > Yes\n    No\nPick one and tell me.",
		"❯ Yes\n",
		"> Yes\n> No\n",
		"Proceed? [y/N]",
		"- [a] first\n- [d] second\n",
		"[1] 12345\n[2] 12346\n",
		"[x] Allow the tool\n[ ] Deny the tool\n",
		"shell requires approval",
		"△ Permission required",
		"Not in allowlist: curl",
	} {
		for _, agent := range append(Names(), "", "nobody") {
			if r := Read(agent, screen.Parse(shown)); r.State.Asks() {
				t.Errorf("%q, read as %q: %s %+v", shown, agent, r.State, r.Prompt)
			}
		}
	}
}

// TestHalfADialog cuts each dialog off after every row but its last ones: what is not drawn to its end has
// neither a footer nor an answer that says no, or its box is open. It may be told, without keys, as one for which the pane has no room.
func TestHalfADialog(t *testing.T) {
	for agent, c := range map[string]struct {
		dialog string
		whole  int // rows that make it whole
	}{
		"claude":   {claudeDialogText, 9},
		"codex":    {codexDialogText, 7},
		"gemini":   {geminiDialogText, 9},
		"opencode": {panelDialogText, 7},
		"cursor":   {cursorDialogText, 7},
	} {
		rows := strings.Split(c.dialog, "\n")
		for n := range rows {
			r := Read(agent, screen.Parse(strings.Join(rows[:n], "\n")))
			if n < c.whole && r.State.Asks() && (r.Prompt.Shape != agent+".cut_off" || len(r.Prompt.Approve)+len(r.Prompt.Deny) > 0) {
				t.Errorf("%s, %d rows: %s %q", agent, n, r.State, r.Why)
			}
		}
	}
}

// TestAnotherAgentsDialog: a dialog of an agent that runs inside another one is none of the outer agent's. Read
// as another's, at most a screen that both could have drawn is a prompt.
func TestAnotherAgentsDialog(t *testing.T) {
	forks := map[string]string{"kilo": "opencode", "opencode": "kilo", "gemini": "qwen", "qwen": "gemini"}
	for _, l := range someOf(4, labels(t)) {
		if l.State != screen.Permission {
			continue
		}
		for _, outer := range []string{"claude", "codex", "gemini", "qwen", "copilot", "opencode", "kiro-cli", "auggie", "cursor", "cline", "kimi", "crush", "grok"} {
			if outer == l.Agent || forks[outer] == l.Agent {
				continue
			}
			if r := Read(outer, screen.Parse(capture(t, l.File))); r.State.Asks() {
				t.Errorf("%s in %s: %s %s %q", l.File, outer, r.State, r.Prompt.Shape, r.Prompt.Approve)
			}
		}
	}
}

// TestCapturesAsDecoys puts every captured prompt above a live input box.
func TestCapturesAsDecoys(t *testing.T) {
	t.Parallel()
	boxes := []string{around[0].after, around[3].after, around[7].after}
	for _, l := range someOf(9, labels(t)) {
		if l.State != screen.Permission && l.State != screen.Question {
			continue
		}
		shown := strings.TrimRight(capture(t, l.File), "\n ")
		for _, below := range boxes {
			if r := Read(l.Agent, screen.Parse(shown+below)); r.State.Asks() {
				t.Errorf("%s above %q: %s %q", l.File, below, r.State, r.Why)
			}
		}
	}
}

func ExampleRead() {
	r := Read("codex", screen.Parse(codexDialogText))
	fmt.Println(r.State, r.Prompt.Subject, r.Prompt.Approve, r.Prompt.Deny)
	// Output: permission rm -rf build [y] [Escape]
}
