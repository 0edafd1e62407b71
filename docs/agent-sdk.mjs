import { query } from "@anthropic-ai/claude-agent-sdk"
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const run = promisify(execFile)

// Asks you whether a tool may be called. Only your own yes allows it, this one call, as it was shown to you.
async function canUseTool(tool, input, { signal }) {
  const question = ["ask", `May ${tool} be called with this?`, "--options", "yes,no", "--text", "--file", "-", "--pid", `${process.pid}`]
  const asking = run("nod", question, { signal })
  asking.child.stdin.on("error", () => {}) // nod ended before it had read all
  asking.child.stdin.end(JSON.stringify(input, null, 2))
  try {
    const answer = (await asking).stdout.trim()
    if (answer === "yes") return { behavior: "allow", updatedInput: input }
    return { behavior: "deny", message: `The human did not allow this, and says: ${answer}` }
  } catch (failed) { // a no, nobody in time, no nod
    const no = failed.stdout?.trim() === "no"
    return { behavior: "deny", message: no ? "The human denied this." : "No human could be asked, or none answered in time." }
  }
}

for await (const message of query({ prompt: process.argv[2], options: { canUseTool } })) {
  if (message.type === "result") console.log(message.result ?? message.subtype)
}
