package agents

import (
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestAnotherProgramOfAnAgentsNameIsTold, without keys: nobody knows what they do there. This is the permission of opencode-ai/opencode 0.0.55,
// another program than OpenCode 1.
func TestAnotherProgramOfAnAgentsNameIsTold(t *testing.T) {
	p := Read("opencode", screen.Parse(`
 ┃ Bash: touch /tmp/x && rm -rf build                        https://github.c
 ┃ Waiting for response...                                   om/ope
                                                             ncode-
                       ╭────────────────────────────────╮    ai/opencode
                       │                                │░
                       │ Permission Required            │░   cwd:
                       │                                │░   /tmp/w/unk2.ws
                       │ Tool: bash                     │░
                       │                                │░   Session: Rig
                       │ Path: /tmp/w                   │░   title
                       │                                │░          bash
                       │ Command                        │░
                       │                                │░   LSP
                       │  Allow (a)    Allow for session│░   Configuration
                       │ (s)    Deny (d)                │░
 █ Waiting for tool res│                                │░
 press esc to exit canc╰────────────────────────────────╯░   Modified Files:
                        ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   No modified
                                                             files

────────────────────────────────────────────────────────────────────────────────
 >

 ctrl+? help  Context: 110, Cost: $0.00               No diagnostics  Rig Model
`)).Prompt
	if p == nil || !strings.Contains(p.Subject, "Tool: bash") || len(p.Approve)+len(p.Deny) > 0 || p.Choose(0) != nil {
		t.Errorf("it is read as %+v", p)
	}
}
