package agents

import "nod/detect/screen"

// otherVersions are screens that no capture shows, of agents that were captured: older versions, other widths,
// and versions that do not exist, with other words, more answers and other frames.
var otherVersions = []unseenScreen{
	{"a command that prints the panel's title", "opencode", `
  ┃
  ┃  △ Permission required
  ┃    # Shell command
  ┃
  ┃  $ rm -rf build
  ┃  △ Permission required
  ┃    # Shell command
  ┃
  ┃  $ echo safe
  ┃
  ┃
  ┃   Allow once   Allow always   Reject  ctrl+f fullscreen  ⇆ select  enter confirm
  ┃
`, screen.Permission, "opencode.permission", "rm -rf build", "", "Escape", false},
	{"a command that prints codex's question", "codex", `
• Running rm -rf build


  Would you like to run the following command?

  $ rm -rf build
  Would you like to run the following command?

  $ echo safe

› 1. Yes, proceed (y)
  2. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel
`, screen.Permission, "codex.exec", "rm -rf build", "y", "Escape", true},
	{"opencode at 50 columns", "opencode", `
  ┃  △ Permission required
  ┃    # Shell command
  ┃
  ┃  $ touch made.txt && rm -rf build
  ┃
  ┃
  ┃   Allow once   Allow always   Reject
  ┃
  ┃  ctrl+f fullscreen  ⇆ select  enter confirm
  ┃
`, screen.Permission, "opencode.permission", "touch made.txt && rm -rf build", "", "Escape", false},
	{"copilot at 50 columns", "copilot", `
╭────────────────────────────────────────────────╮
│ Run a scripted command                         │
│ ────────────────────────────────────────────── │
│ ╭────────────────────────────────────────────╮ │
│ │ touch made.txt && rm -rf build             │ │
│ ╰────────────────────────────────────────────╯ │
│                                                │
│ Do you want to run this command?               │
│                                                │
│ ❯ 1. Yes                                       │
│   2. Yes, and don't ask again for "touch" and  │
│   "rm" in this repo                            │
│   (/tmp/rig-oc/run/copilot-4bcafe/ws)          │
│  3. No, and tell Copilot what to do            │
│   differently (Esc to stop)                    │
│                                                │
│ ↑/↓ to navigate · enter to select · esc to     │
│ cancel                                         │
╰────────────────────────────────────────────────╯
`, screen.Permission, "copilot.tool_confirmation", "touch made.txt && rm -rf build", "1", "Escape", false},
	{"codex asks for trust, 0.130", "codex", `
> You are in /tmp/rig-cc/c1/proj

  Do you trust the contents of this directory? Working with untrusted
  contents comes with higher risk of prompt injection.

› 1. Yes, continue
  2. No, quit

  Press enter to continue
`, screen.Question, "codex.trust", "/tmp/rig-cc/c1/proj", "", "", false},
	{"claude's footer wraps", "claude", `
────────────────────────────────────────────────────────────────────────────────
 Bash command · from the general-purpose agent
╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
 rm -rf build
╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
 This command requires approval

 Do you want to proceed?
 ❯ 1. Yes
   2. No

 Esc to cancel · Tab to amend · ctrl+e to explain · ctrl+x ctrl+k twice to stop
 background agents
`, screen.Permission, "claude.tool_confirmation", "rm -rf build", "1", "2", false},
	{"an older copilot", "copilot", `
╭──────────────────────────────────────────────────────────────────────────────╮
│ List files                                                                   │
│                                                                              │
│ ls -la                                                                       │
│                                                                              │
│ Do you want to run this command?                                             │
│                                                                              │
│ ❯ 1. Yes                                                                     │
│   2. Yes, and approve ls for the rest of the running session                 │
│   3. No, and tell Copilot what to do differently (Esc)                       │
│                                                                              │
│ Confirm with number keys or ↑↓ keys and Enter, Cancel with Esc               │
╰──────────────────────────────────────────────────────────────────────────────╯
`, screen.Permission, "copilot.tool_confirmation", "ls -la", "1", "Escape", false},
	{"a later claude", "claude", `
● Bash(rm -rf build)

────────────────────────────────────────────────────────────────────────────────
 Shell command
╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
 rm -rf build
╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
 Let Claude run this now?
 ❯ 1. Yes, for the rest of this session
   2. No
   3. Yes
   4. Yes, and never ask again

 Esc to cancel
`, screen.Permission, "claude.tool_confirmation", "rm -rf build", "3", "2", false},
	{"claude 2.1.149 squeezes a row", "claude", `
────────────────────────────────────────────────────────────────────────────────
 Bash command

   touch rig-bash-ran && rm -rf build
   Create marker and remove build directory

 Do you want to proceed?
 ❯ 1. Yes
  2.Yes, and don't ask again for touch rig-bash-ran and rm -rf build commands in
     /tmp/rig-cc/c1/proj
   3. No

 Esc to cancel · Tab to amend · ctrl+e to explain
`, screen.Permission, "claude.tool_confirmation", "touch rig-bash-ran && rm -rf build", "1", "3", false},
	{"claude in Chrome", "claude", `
────────────────────────────────────────────────────────────────────────────────
 Claude in Chrome wants to navigate to example.com

 Allow this action?
 ❯ 1. Allow
   2. Allow all actions on example.com for this session
   3. Deny (esc)
`, screen.Permission, "claude.tool_confirmation", "example.com", "1", "3", false},
	{"claude asks about a key", "claude", `
────────────────────────────────────────────────────────────────────────────────
 Detected a custom API key in your environment

 ANTHROPIC_API_KEY: sk-ant-...

 Do you want to use this API key?
   1. Yes
 ❯ 2. No (recommended)

 Enter to confirm · Esc to cancel
`, screen.Question, "claude.consent", "", "", "", false},
	{"an MCP server asks through claude", "claude", `
────────────────────────────────────────────────────────────────────────────────
 MCP server “rig” requests your input

 Do you want to deploy main?
 ❯ 1. Yes
   2. No

 Esc to cancel
`, screen.Question, "claude.elicitation", "", "", "", false},
	{"codex asks for a host", "codex", `
• Running curl https://example.com


  Do you want to approve network access to "example.com"?

› 1. Yes, just this once (y)
  2. Yes, and allow this host for this conversation (a)
  3. Yes, and allow this host in the future (p)
  4. No, and block this host in the future (d)
  5. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel
`, screen.Permission, "codex.network", "example.com", "y", "Escape", false},
	{"codex with a fourth answer", "codex", `
› do it


  Would you like to run the following command?

  $ rm -rf build

› 1. No, and tell Codex what to do differently (esc)
  2. Yes, and don't ask again for this command in this session (a)
  3. Yes, just this once (o)

  Press enter to confirm or esc to cancel
`, screen.Permission, "codex.exec", "rm -rf build", "o", "Escape", false},
	{"codex offers an update", "codex", `
  ✨ Update available! 0.153.4 -> 0.154.0

  Release notes: https://github.com/openai/codex/releases/latest

› 1. Update now (runs npm install -g @openai/codex)
  2. Skip
  3. Skip until next version

  Press enter to continue
`, screen.Question, "codex.prompt", "", "", "", true},
	{"claude at its first start", "claude", `
 Choose the text style that looks best with your terminal
 To change this later, run /theme

 ❯ 1. Dark mode ✔
   2. Light mode
   3. Dark mode (colorblind-friendly)
`, screen.Question, "claude.setup", "To change this later, run /theme", "", "", false},
	{"opencode beside its side panel", "opencode", `
  ┃                                                                                       Greeting the user
  ┃  SCENARIO cmd                                                                         
  ┃                                                                                       Context
                                                                                          12,345 tokens
  ┃                                                                                       6% used
  ┃  △ Permission required                                                                $0.00 spent
  ┃    # Shell command                                                                    
  ┃                                                                                       LSP
  ┃  $ touch made.txt && rm -rf build                                                     LSPs will activate
  ┃                                                                                       
  ┃                                                                                       
  ┃   Allow once   Allow always   Reject       ctrl+f fullscreen  ⇆ select  enter confirm ~/src/app:main
  ┃                                                                                       • OpenCode 1.18.33
`, screen.Permission, "opencode.permission", "touch made.txt && rm -rf build", "", "Escape", true},
	{"gemini before it had a command in the title", "gemini", `
╭──────────────────────────────────────────────────────────────╮
│ ?  Shell rm -rf build [current working directory /tmp] (Rem… │
│                                                              │
│ rm -rf build                                                 │
│                                                              │
│ Allow execution of: 'rm'?                                    │
│                                                              │
│ ● 1. Yes, allow once                                         │
│   2. Yes, allow always ...                                   │
│   3. No, suggest changes (esc)                               │
│                                                              │
╰──────────────────────────────────────────────────────────────╯
`, screen.Permission, "gemini.tool_confirmation", "rm -rf build", "1", "3", false},
}
