package agents

import (
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// unseenScreen is a screen drawn by hand, and what it is.
type unseenScreen struct {
	name, agent, shown string
	state              screen.State
	shape              string
	subject            string
	approve, deny      string // keys, joined by blanks
	partial            bool
}

// unseen are screens of agents that can't be run here, drawn as other projects' sources report them, and of
// agents that do not exist.
var unseen = []unseenScreen{
	{"cursor command", "cursor", `
  I'll run git status --porcelain in the workspace now.

  $ git status --porcelain Waiting for approval...

────────────────────────────────────────────────────────────
 $  git status --porcelain in .

 Run this command?
 Not in allowlist: git status
  → Run (once) (y)
    Add Shell(git status) to allowlist? (tab)
    Run Everything (shift+tab)
    Skip & tell the agent what to do instead (esc or n)
`, screen.Permission, "cursor.prompt", "git status --porcelain", "y", "n", false},
	{"cursor command with chrome", "cursor", `
────────────────────────────────────────────────────────────
 $  rm -rf build in .

 Run this command?
 Not in allowlist: rm
    Run (once) (y)
  → Add Shell(rm) to allowlist? (tab)
    Run Everything (shift+tab)
    Skip (esc or n)

                                          ctrl+r to review changed files
`, screen.Permission, "cursor.prompt", "rm -rf build", "y", "n", true},
	{"cursor file", "cursor", `
────────────────────────────────────────────────────────────
 src/auth.go

 Write to this file?
  → Proceed (y)
    Reject & propose changes (esc or n or p)
`, screen.Permission, "cursor.prompt", "src/auth.go", "y", "n", false},
	{"cursor old box", "cursor", `
 ┌────────────────────────────────────────────┐
 │ $ touch x.txt in .                         │
 │                                            │
 │ Not in allowlist: touch                    │
 │  → Run (y) (enter)                         │
 │    Auto-run all (shift+tab)                │
 │    Skip (esc or n)                         │
 └────────────────────────────────────────────┘
`, screen.Permission, "cursor.prompt", "touch x.txt", "y", "n", false},
	{"cursor trust", "cursor", `
  ╭──────────────────────────────────────────╮
  │  ⚠ Workspace Trust Required              │
  │  Do you trust the contents of this directory? │
  │  ▶ [a] Trust this workspace              │
  │    [q] Quit                              │
  ╰──────────────────────────────────────────╯
`, screen.Question, "cursor.prompt", "", "", "", false},
	{"cursor idle", "cursor", `
  $ sleep 60 1m 14s

  → Add a follow-up

  Auto · 6.3%
  /private/tmp/live
`, screen.Idle, "", "", "", "", false},
	{"kiro", "kiro-cli", `
────────────────────────────────────────────────────────────────────────────────
↓ Shell pwd

 shell requires approval
 ❯ Yes, single permission
   Trust, always allow in this session
   No (Tab to edit)
────────────────────────────────────────────────────────────────────────────────
ESC to close · Tab to edit
`, screen.Permission, "kiro-cli.prompt", "pwd", "Enter", "Down Down Enter", false},
	{"kiro moved", "kiro-cli", `
────────────────────────────────────────────────────────────────────────────────
↓ Shell rm -rf build

 shell requires approval
   Yes, single permission
 ❯ Trust, always allow in this session
   No (Tab to edit)
 esc to close · ↑↓ to navigate · ↵ to select · Tab to edit
`, screen.Permission, "kiro-cli.prompt", "rm -rf build", "Up Enter", "Down Enter", false},
	{"kiro working", "kiro-cli", `
kiro_default · auto · ◔ 1%    /work
›  Kiro is working · 5s · Type to steer · Ctrl+S to queue
`, screen.Working, "", "", "", "", false},
	{"auggie consent", "auggie", `
 Learn More:
 https://docs.augmentcode.com/setup-augment/workspace-indexing

   Workspace: ~/.workspaces/thrum/auggie-test

 Choose an option:

   → [1] Always index this workspace - Unlock full workspace understanding

     [2] Never index this workspace - Use basic assistance only

     [3] Index this workspace for this session

     [4] Skip indexing for this session


 [↑↓] Navigate • [Enter] Confirm

 Press 1/2/3/4 to select directly • Esc to skip
`, screen.Permission, "auggie.consent", "auggie-test", "3", "Escape", false},
	{"auggie tool", "auggie", `
● Terminal - touch /tmp/auggie-shell-test && echo done
╭─────────────────────────────────────────────────────────────────────╮
│                                                                     │
│  Tool Approval Required                                             │
│                                                                     │
│  Terminal: touch /tmp/auggie-shell-test && echo done                │
│                                                                     │
╰─────────────────────────────────────────────────────────────────────╯
 [A]llow [D]eny
`, screen.Permission, "auggie.tool_approval", "touch /tmp/auggie-shell-test && echo done", "A", "D", false},
	{"goose", "goose", `
─── shell | developer ──────────────────────────
command: rm -rf build

◆  Goose would like to call the above tool, do you allow?
│  ● Allow
│  ○ Always Allow
│  ○ Deny
│  ○ Cancel
└  Allow the tool call once
`, screen.Permission, "goose.prompt", "rm -rf build", "Enter", "Down Down Enter", true},
	{"goose fork starts on cancel", "goose", `
─── shell | developer ──────────────────────────
command: rm -rf build

◆  Goose would like to call the above tool, do you allow?
│  ○ Allow
│  ○ Always Allow
│  ○ Deny
│  ● Cancel
└
`, screen.Permission, "goose.prompt", "rm -rf build", "Up Up Up Enter", "Up Enter", true},
	{"antigravity", "antigravity", `
Requesting permission for:
   rm -rf build

Run this command?
> 1. Yes, run command
  2. Yes, and always allow in this conversation for commands that start with 'rm'
  3. Yes, and always allow for commands that start with 'rm' (Persist to settings.json)
  4. No, cancel

  ↑/↓ Navigate · tab Amend · ctrl+g edit/expand command
`, screen.Permission, "antigravity.prompt", "rm -rf build", "Down Up Enter", "Down Down Down Enter", true},
	{"droid", "droid", `
   EXECUTE  (rm -rf build, timeout: 60s)

 ╭──────────────────────────────────────────────╮
 │ > Yes, allow                                 │
 │   Yes, and always allow low impact commands  │
 │   No, cancel                                 │
 ╰──────────────────────────────────────────────╯
   ↑↓ to navigate · Enter to select · Esc to cancel
`, screen.Permission, "droid.prompt", "", "Enter", "Down Down Enter", true},
	{"arctic 0.0.0 command, above its input box", "arctic", `
 ┃                                                                         ┃
 ┃  ● Bash(Remove the build)                                               ┃
 ┃                                                                         ┃
 ┃  $ touch a && rm -rf build                                              ┃
 ┃                                                                         ┃ █
 ┃  Permission required to run this tool:                                  ┃ █
 ┃                                                                         ┃ █
 ┃  enter accept  a accept always  d deny                                  ┃ █
 ┃                                                                         ┃ █

 ────────────────────────────────────────────────────────────────────────────
 ▶
 ────────────────────────────────────────────────────────────────────────────

 General · gpt-5-mini
 ⠴ Working... (esc to interrupt)

 ~/src/app:main                                               ◉ 1 Permission
`, screen.Question, "arctic.notice", "rm -rf build", "", "", true},
	{"arctic, an answered one above a message", "arctic", `
 ┃                                                                         ┃
 ┃  ● Bash(Remove the build)                                               ┃
 ┃                                                                         ┃
 ┃  $ touch a && rm -rf build                                              ┃
 ┃                                                                         ┃ █
 ┃  Permission required to run this tool:                                  ┃ █
 ┃                                                                         ┃ █
 ┃  enter accept  a accept always  d deny                                  ┃ █
 ┃                                                                         ┃ █

 ● Done: the build is gone.

 ────────────────────────────────────────────────────────────────────────────
 ▶
 ────────────────────────────────────────────────────────────────────────────

 General · gpt-5-mini
 ⠴ Working... (esc to interrupt)

 ~/src/app:main                                               ◉ 1 Permission
`, screen.Working, "", "", "", "", false},
	{"droid 0.215.0 command", "droid", `
   Execute touch a
           && rm -rf build

  Command to approve · low risk
  ↳ touch a && rm -rf build
  Why this needs approval: it removes the build
╭──────────────────────────────────────────────────────────────────────────────╮
│  Yes, allow                                                                  │
│  Yes, and always allow low impact commands (file edits and read-only         │
│commands)                                                                     │
│  No, cancel                                                                  │
╰──────────────────────────────────────────────────────────────────────────────╯
  ↑↓ navigate   Enter select   Esc cancel   Alt/Option+E to inspect approval …
`, screen.Question, "droid.prompt", "rm -rf build", "", "", true},
	{"droid 0.215.0 two commands", "droid", `
  Command to approve · low risk
  ↳ touch b
  Why this needs approval: it is new

  Command to approve · low risk
  ↳ touch a && rm -rf build
  Why this needs approval: it removes the build
╭──────────────────────────────────────────────────────────────────────────────────────────────────╮
│  Yes, allow all                                                                                  │
│  Yes, and always allow low impact commands (file edits and read-only commands)                   │
│  No, cancel all                                                                                  │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
  ↑↓ navigate   Enter select   Esc cancel   Alt/Option+E to inspect approval details
`, screen.Question, "droid.prompt", "rm -rf build", "", "", true},
	{"droid 0.215.0 edit, wide", "droid", `
   Edit notes.md
Edit notes.md: (+1 added, -1 removed)

╭──────────────────────────────────────────────────────────────────────────────────────────────────╮
│   1        alpha                                                                                 │
│        1   beta                                                                                  │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯

╭──────────────────────────────────────────────────────────────────────────────────────────────────╮
│  Yes, allow                                                                                      │
│  Yes, and always allow low impact commands (file edits and read-only commands)                   │
│  No, cancel                                                                                      │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
  ↑↓ navigate   Enter select   Esc cancel   Ctrl+O expand diff   Alt/Option+E to inspect approval…
`, screen.Permission, "droid.prompt", "beta", "", "", true},
	{"droid 0.215.0 question", "droid", `
   Ask User
   Which colour should the button be?

   1. Red
   2. Blue
   Or type your own answer...

   ↑/↓ Navigate • Space/Enter/1–9 Select • ESC stop agent
`, screen.Question, "droid.prompt", "Which colour", "", "", true},
	{"nobody's agent, letters", "", `
 ⚠ my-assistant wants to connect to: api.stripe.com:443 (POST /v1/charges)
   Binary: /usr/bin/curl
   Allow this connection?
   [a] approve  [d] deny  [p] policy (add permanently)
`, screen.Permission, "unknown.prompt", "api.stripe.com", "a", "d", true},
	{"nobody's agent, typed line", "", `
   Command: rm -rf build
   Working Dir: /tmp
   Run it?
   [A]pprove / [D]eny / [T]rust this pattern / [Q]uit:
`, screen.Permission, "unknown.prompt", "rm -rf build", "", "", true},
	{"a line that is typed into", "aider", `
rm -rf build
Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]:
`, screen.Permission, "aider.typed", "rm -rf build", "", "", true},
	{"kiro's line mode", "kiro-cli", `
↓ I will run the following command: rm -rf build

Allow this action? Use 't' to trust (always allow) this tool for the session. [y/n/t]:

>
`, screen.Permission, "kiro-cli.typed", "rm -rf build", "", "", true},
	{"letters and a line below", "hermes", `
 ⚠️  DANGEROUS COMMAND: recursive delete
    rm -rf build

    [o]nce  |  [s]ession  |  [a]lways  |  [d]eny

    Choice [o/s/a/D]:
`, screen.Permission, "hermes.prompt", "rm -rf build", "", "", true},
	{"buttons that print their keys", "charm", `
 Permission Required
 Tool  bash
 rm -rf build

   Allow (a)     Allow for Session (s)     Deny (d)

 ←/→ choose  a allow  s session  d deny  esc cancel
`, screen.Permission, "charm.prompt", "rm -rf build", "a", "d", true},
	{"the command right above the answers", "omp", `
 Allow tool: bash
   rm -rf build
 ❯ Approve
   Deny
`, screen.Permission, "omp.prompt", "rm -rf build", "Down Up Enter", "Down Enter", true},
	{"a yes that confirms a lasting one", "zed", `
 This will allow the following patterns permanently:
   rm *

 ❯ Yes
   No

 ↑/↓ select · enter confirm
`, screen.Question, "zed.prompt", "rm *", "", "", true},
	{"nobody's agent, box", "zed", `
╭──────────────────────────────────────────────────╮
│ Shell                                            │
│   rm -rf build                                   │
│                                                  │
│ Do you want to run this?                         │
│   ❯ Approve once                                 │
│     Approve for this session                     │
│     Reject                                       │
│                                                  │
│ ↑↓ move · enter choose · esc back                │
╰──────────────────────────────────────────────────╯
  ~/src/app (main)                 fancy-model · 12%
`, screen.Permission, "zed.prompt", "rm -rf build", "Down Up Enter", "Down Down Enter", false},
	{"nobody's agent, numbers without a cursor", "zed", `
Do you want to run this?
  rm -rf build
  1. Yes
  2. No
`, screen.Silent, "", "", "", "", false},
	{"nobody's agent, side by side", "zed", `
 Permission required: bash
   rm -rf build

   ❯ Allow      Always allow      Deny

   ←/→ select · enter confirm
`, screen.Permission, "zed.prompt", "rm -rf build", "Right Left Enter", "Right Right Enter", true},
	{"nobody's agent asks something", "zed", `
 Which database should be used?

   ❯ 1. SQLite
     2. Postgres

   ↑/↓ select · enter confirm
`, screen.Question, "zed.prompt", "", "", "", true},
	{"nobody's agent, two yes", "zed", `
 Run this command?
   rm -rf build

   ❯ Yes
     Approve
     No

   ↑/↓ select · enter confirm
`, screen.Question, "zed.prompt", "", "", "", true},
	{"buttons that the arrows turn", "zed", `
 The server waits for you to sign in

  ❯ Open the page    Skip this step

  Esc to cancel · ←/→ to switch
`, screen.Question, "zed.prompt", "", "", "", true},
	{"numbers that the box below offers", "zed", `
 ⏺ Which colour should the button be?
   1. Red
   2. Blue

╭──────────────────────────────────────────────────╮
│ (1-2 or type)                                    │
╰──────────────────────────────────────────────────╯
 gpt-5 | $0.000
`, screen.Question, "zed.prompt", "", "", "", true},
	{"a heading above answers, one of them in words", "zed", `
╭──────────────────────────────────────────────────╮
│ Which colour                                     │
│                                                  │
│ ● 1. Red                                         │
│   2. Blue                                        │
│   3. Enter another one                           │
│                                                  │
│ Enter to select · Esc to cancel                  │
╰──────────────────────────────────────────────────╯
`, screen.Question, "zed.prompt", "", "", "", false},
}

// everyUnseen are the screens that were drawn by hand.
func everyUnseen() []unseenScreen {
	return slices.Concat(unseen, otherVersions, invented, laterVersions, doubtful, elsewhere)
}

func TestUnseen(t *testing.T) {
	for _, u := range everyUnseen() {
		t.Run(u.name, func(t *testing.T) {
			r := Read(u.agent, screen.Parse(strings.TrimPrefix(u.shown, "\n")))
			if r.State != u.state {
				t.Fatalf("state %s, want %s: %q", r.State, u.state, r.Why)
			}
			if r.Prompt == nil {
				return
			}
			p := r.Prompt
			if p.Shape != u.shape || !strings.Contains(p.Subject, u.subject) || p.Partial != u.partial {
				t.Errorf("%s, subject %q, partial %v", p.Shape, p.Subject, p.Partial)
			}
			if a, d := strings.Join(p.Approve, " "), strings.Join(p.Deny, " "); a != u.approve || d != u.deny {
				t.Errorf("approve %q, want %q; deny %q, want %q; %+v %+v", a, u.approve, d, u.deny, p.Options, p.Why)
			}
		})
	}
}
