//go:build agents

package model

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// request is what an agent asks, in no protocol's words.
type request struct {
	turns  []turn
	tools  []tool
	system string
	stream bool
	model  string
	form   map[string]any // JSON schema of the wanted answer; nil: words
	// safeguards says that the answer is to tell which of its calls a guard flags.
	safeguards bool
}

// turn is one thing in the conversation.
type turn struct {
	role role
	text string // what was said, or a result
	name string // of the tool, for a call
	id   string // of the call, for a call and its result
}

type role string

const (
	user   role = "user"
	says   role = "assistant"
	called role = "call"
	result role = "result"
)

// tool is one tool that the agent offers.
type tool struct {
	name      string
	namespace string         // OpenAI Responses only
	custom    bool           // OpenAI Responses only: takes text instead of JSON
	schema    map[string]any // JSON schema of its arguments
}

// answer is what the model says next.
type answer struct {
	// id is new with every answer: Claude Code takes two messages of one id for one.
	id     int
	text   string
	calls  []toolCall
	pause  time.Duration // before the first word
	status int           // an HTTP status instead of an answer; 0: none
	// safeguards is what the answer says of its calls besides; nil: nothing.
	safeguards obj
}

// toolCall is one call of an offered tool.
type toolCall struct {
	id, name, namespace string
	args                map[string]any
	custom              string // instead of args, for a tool that takes text
	isCustom            bool
}

// here says where Auggie's shell runs, that it is waited for, and how its tool for edits takes them: as a list.
func (c *toolCall) here(dir string, f fields) {
	for name, v := range map[string]any{"cwd": dir, "wait": true} {
		if _, ok := c.args[name]; ok {
			c.args[name] = v
		}
	}
	if c.name == "str-replace-editor" {
		c.args["command"] = "str_replace"
		c.args["str_replace_entries"] = list{obj{
			"old_str": f["old"], "new_str": f["new"], "old_str_start_line_number": 1, "old_str_end_line_number": 1,
		}}
	}
}

func (c toolCall) argsJSON() string { return mustJSON(c.args) }

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the value is made of obj and list
	}
	return string(b)
}

var scenarioLine = regexp.MustCompile(`SCENARIO ([a-z]+)`)

// scenario is the newest one that the person asked for, the turn that asks for it, and how many
// times it has been asked for by now.
func (r request) scenario() (at int, name string, times int) {
	count := map[string]int{}
	for i, t := range r.turns {
		if t.role != user {
			continue
		}
		if m := scenarioLine.FindAllStringSubmatch(t.text, -1); m != nil {
			at, name = i, m[len(m)-1][1]
			count[name]++
		}
	}
	return at, name, count[name]
}

// results are the tool results after turn at, but for those of a tool that only looks for tools.
func (r request) results(at int) []Result {
	calls := map[string]string{}
	var out []Result
	seen := map[string]bool{}
	for i, t := range r.turns[at:] {
		switch t.role {
		case called:
			calls[t.id] = t.name
		case result:
			id := t.id
			if id == "" {
				id = "turn " + strconv.Itoa(at+i)
			}
			if !seen[id] && !isSearch(calls[t.id]) {
				out = append(out, Result{ID: id, Text: t.text})
			}
			seen[id] = true
		}
	}
	return out
}

// searched reports whether the model has looked for tools since turn at.
func (r request) searched(at int) bool {
	for _, t := range r.turns[at:] {
		if t.role == called && isSearch(t.name) {
			return true
		}
	}
	return false
}

// ownErrand reports whether this is a request that the agent makes for itself (a title, a summary, a
// check), which has nothing to do with the script.
func (r request) ownErrand() bool { return len(r.tools) == 0 || r.form != nil }

// fillOwnErrand answers a request that the agent makes for itself: with the JSON that it wants, else
// with two words.
func (r request) fillOwnErrand() string {
	switch {
	case r.form != nil:
		return mustJSON(fillSchema(r.form, fields{}))
	case strings.Contains(r.system, "isNewTopic"): // Claude Code 1.0
		return `{"isNewTopic": false, "title": null}`
	case strings.Contains(r.system, "command_injection_detected"): // Claude Code 1.0: the command's prefix
		return "none"
	}
	return "Scripted session"
}

func (r request) toolNames() string {
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.name
	}
	return strings.Join(names, " ")
}

// words is the text of a message's content, which every protocol has in several forms: a string, a
// list of parts, an object with the text in it.
func words(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, p := range v {
			if s := words(p); s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "\n")
	case map[string]any:
		for _, key := range []string{"text", "content", "output", "error", "input_text"} {
			if s := words(v[key]); s != "" {
				return s
			}
		}
	}
	return ""
}
