package detect

import (
	"encoding/json"
	"testing"
)

// TestNothingOfACallIsLeftOut: whatever an input holds is in the subject.
func TestNothingOfACallIsLeftOut(t *testing.T) {
	for _, c := range []struct {
		tool, input, verb, text string
		lead                    int
	}{
		{"Bash", `{"command":"rm -rf build"}`, "", "rm -rf build", 0},
		{"Bash", `{"command":"rm -rf build","description":"Tidy up","dangerouslyDisableSandbox":true}`, "",
			"rm -rf build\n\ndangerouslyDisableSandbox: true\ndescription: Tidy up", 1},
		{"Bash", `{"command":"ls\u200b\u001b[2J"}`, "", "ls<U+200B><U+001B>[2J", 0},
		{"Bash", `{"command":"ls","Command":"rm -rf /"}`, "", "ls\n\nCommand: rm -rf /", 1},
		{"shell", `{"command":["/tmp/bash","-lc","ls"]}`, "", "ls\n\ncommand: [\"/tmp/bash\",\"-lc\",\"ls\"]", 1},
		{"Edit", `{"file_path":"/a.go","old_string":"x","new_string":"y","replace_all":true}`, "edit", "/a.go\n-x\n+y\n\nreplace_all: true", 3},
		{"Edit", `{"file_path":"/a.go","old_string":"","new_string":"y"}`, "edit", "/a.go\n+y", 0},
		{"Write", `{"file_path":"/a.go","content":"x\ny\n"}`, "write", "/a.go\nx\ny", 0},
		{"Write", `{"file_path":"/a.go","content":{"x":1}}`, "write", "/a.go\n\ncontent: {\"x\":1}", 1},
		{"WebFetch", `{"url":"https://a.example/","prompt":"Read it"}`, "use WebFetch", "prompt: Read it\nurl: https://a.example/", 0},
		{"mcp__x__y", `{"n":12345678901234567890,"list":[1,2.0]}`, "use mcp__x__y", "list: [1,2.0]\nn: 12345678901234567890", 0},
		{"odd", `[1]`, "use odd", "[1]", 0},
		{"empty", `{}`, "use", "empty", 0},
	} {
		verb, text, lead := Subject(c.tool, json.RawMessage(c.input))
		if verb != c.verb || text != c.text || lead != c.lead {
			t.Errorf("%s %s: %q, %q, %d", c.tool, c.input, verb, text, lead)
		}
	}
}
