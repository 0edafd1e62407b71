package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pluginRun tells the plugin that bash wants permission, with a replacement for nod that prints what the
// plugin gets, and prints the plugin's calls of the agent's API.
const pluginRun = `
import { existsSync } from "node:fs"
import { Nod } from "./nod.mjs"
let answered = false
const answer = async (request) => { answered = true; console.log(JSON.stringify(request)) }
const _client = { get: async ({ url }) => {
  if (process.env.API === "no version") throw new Error("404")
  return { data: { healthy: true, version: url === "/global/health" ? "1.18.33" : "0" } }
} }
const client = process.env.API === "none" ? {} : { postSessionIdPermissionsPermissionId: answer, _client: process.env.API === "bare" ? undefined : _client }
const nod = await Nod({ client, directory: "/p" })
await nod.event({ event: { type: "permission.asked", properties: JSON.parse(process.env.REQUEST) } })
const moment = () => new Promise((done) => setTimeout(done, 20))
for (let i = 0; i < 500 && !(existsSync(process.env.ENDED) && (answered || process.env.ANSWERED === "no")); i++) await moment()
for (let i = 0; i < 10; i++) await moment() // time for an unwanted answer to arrive
`

// TestPluginGrantsNothingThatLasts: the plugin for OpenCode and Kilo passes on a yes for once or a no for
// exactly that request, and ignores any other output.
func TestPluginGrantsNothingThatLasts(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	const asks = `{"id":"per_1","sessionID":"ses_1","permission":"bash","metadata":{"command":"make"},"hook_event_name":"session.idle"}`
	sent := func(response string) string {
		return `{"path":{"id":"ses_1","permissionID":"per_1"},"body":{"response":"` + response + `"}}`
	}
	for name, c := range map[string]struct{ says, request, api, want, event string }{
		"no version":           {`"once"`, asks, "no version", sent("once"), "permission.asked"},
		"an older client":      {`"once"`, asks, "bare", sent("once"), "permission.asked"},
		"a request's version":  {`"once"`, strings.Replace(asks, "{", `{"version":"9.9.9",`, 1), "bare", sent("once"), "permission.asked"},
		"allow":                {`"once"`, asks, "", sent("once"), "permission.asked"},
		"deny":                 {`"reject"`, asks, "", sent("reject"), "permission.asked"},
		"always":               {`"always"`, asks, "", "", "permission.asked"},
		"no JSON":              {`once`, asks, "", "", "permission.asked"},
		"two":                  {`"once""once"`, asks, "", "", "permission.asked"},
		"too long":             {`"once"` + strings.Repeat(" ", 200) + `"`, asks, "", "", "permission.asked"},
		"without a word":       {``, asks, "", "", "permission.asked"},
		"no API":               {`"once"`, asks, "none", "", "permission.shown"},
		"no id":                {`"once"`, `{"sessionID":"ses_1","permission":"bash","metadata":{"command":"make"}}`, "", "", "permission.shown"},
		"does not tell":        {`"once"`, `{"id":"per_1","sessionID":"ses_1","permission":"bash","metadata":{}}`, "", "", "permission.shown"},
		"what nobody proved":   {`"once"`, `{"id":"per_1","sessionID":"ses_1","permission":"doom_loop","metadata":{"command":"make"}}`, "", "", "permission.shown"},
		"a permission by none": {`"once"`, `{"id":"per_1","sessionID":"ses_1","permission":"constructor","metadata":{"undefined":"x"}}`, "", "", "permission.shown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			heard, ended := filepath.Join(dir, "heard"), filepath.Join(dir, "ended")
			text, err := pluginHooks{}.install(nil, "sh -c 'cat >"+heard+`; printf %s "$SAYS"; : >`+ended+"'")
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{"nod.mjs": string(text), "run.mjs": pluginRun} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(node, filepath.Join(dir, "run.mjs"))
			answered := "yes"
			if c.want == "" {
				answered = "no"
			}
			cmd.Env = append(os.Environ(), "SAYS="+c.says, "REQUEST="+c.request, "API="+c.api, "ENDED="+ended, "ANSWERED="+answered)
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
				t.Errorf("the agent is told %q, %v; want %q", got, err, c.want)
			}
			event, err := os.ReadFile(heard)
			if tells := strings.Contains(string(event), `"version":`); tells != (c.event == "permission.asked" && c.api == "") {
				t.Errorf("it tells its version: %t", tells)
			}
			if err != nil || !strings.Contains(string(event), `"hook_event_name":"`+c.event+`"`) {
				t.Errorf("nod is told %s, %v; want %s", event, err, c.event)
			}
		})
	}
}
