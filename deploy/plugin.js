// Written by `nod hooks install`. `nod hooks uninstall` removes it.
// It tells nod what happens in this agent. It decides nothing, and it waits for nothing.
import { spawn } from "node:child_process"

const command = COMMAND
const told = /^(permission|question)\.|^session\.(created|idle|error|deleted)$/

function tell(event) {
  try {
    const child = spawn("/bin/sh", ["-c", "exec " + command], { stdio: ["pipe", "ignore", "ignore"], detached: true })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(event))
    child.unref()
  } catch {}
}

export const Nod = async ({ directory }) => ({
  event: async ({ event }) => {
    if (told.test(event.type)) tell({ hook_event_name: event.type, cwd: directory, ...event.properties })
  },
  "tool.execute.after": async (input) => {
    tell({ hook_event_name: "tool.execute.after", cwd: directory, session_id: input.sessionID, tool_name: input.tool, tool_use_id: input.callID })
  },
})
