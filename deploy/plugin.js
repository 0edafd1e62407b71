// Written by `nod hooks install`. `nod hooks uninstall` removes it.
// It tells nod what happens in this agent. It decides nothing: where a human has answered a request through nod, it hands
// that answer over, for this once or as a denial, by the request's own id. The agent waits for none of it.
import { spawn } from "node:child_process"

const command = COMMAND
const told = /^(permission|question)\.|^session\.(created|idle|error|deleted)$/
// The permissions whose event tells what is asked, and where.
const tells = new Map([["bash", "command"], ["edit", "diff"], ["webfetch", "url"]])
const answers = { '"once"': "once", '"reject"': "reject" }

function tell(event, heard) {
  try {
    const child = spawn("/bin/sh", ["-c", "exec " + command], { stdio: ["pipe", heard ? "pipe" : "ignore", "ignore"], detached: true })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    if (heard) {
      let said = ""
      child.stdout.on("error", () => {})
      child.stdout.on("data", (text) => {
        if (said.length < 100) said += text
      })
      child.on("close", () => heard(said.trim()))
    }
    child.stdin.end(JSON.stringify(event))
    child.unref()
    return child
  } catch {}
}

export const Nod = async ({ client, directory }) => {
  const waiting = new Map()
  // nod takes an answer this way only in versions in which that was proven. Until this one is told, keys answer.
  let version
  try {
    client._client.get({ url: "/global/health" }).then(({ data }) => (version = data?.version), () => {})
  } catch {}
  const answerable = typeof client?.postSessionIdPermissionsPermissionId === "function"
  const ask = (request) => {
    const child = tell({ ...request, hook_event_name: "permission.asked", cwd: directory, version }, async (said) => {
      waiting.delete(request.id)
      const response = answers[said]
      try {
        if (response) await client.postSessionIdPermissionsPermissionId({ path: { id: request.sessionID, permissionID: request.id }, body: { response } })
      } catch {}
    })
    if (child) waiting.set(request.id, child)
  }
  return {
    event: async ({ event }) => {
      if (!told.test(event.type)) return
      const { id, sessionID, requestID, permission, metadata } = event.properties
      const asked = event.type === "permission.asked"
      const whole = tells.has(permission) && typeof metadata?.[tells.get(permission)] === "string"
      if (asked && answerable && id && sessionID && whole) return ask(event.properties)
      // What can't be answered here is only shown: keys answer it.
      tell({ ...event.properties, hook_event_name: asked ? "permission.shown" : event.type, cwd: directory })
      if (event.type === "permission.replied") waiting.get(requestID)?.kill("SIGKILL")
    },
    "tool.execute.after": async (input) => {
      tell({ hook_event_name: "tool.execute.after", cwd: directory, session_id: input.sessionID, tool_name: input.tool, tool_use_id: input.callID })
    },
  }
}
