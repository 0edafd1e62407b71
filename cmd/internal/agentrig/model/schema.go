//go:build agents

package model

import (
	"maps"
	"strings"
	"unicode"
)

// fields is what a scenario wants to say to a tool, by the names of meanings below.
type fields = map[string]any

// meanings tells which field a tool's parameter takes, by its name in lower case without
// separators. Agents and their versions differ in these names more than in anything else.
var meanings = map[string]string{
	"subagenttype": "agent",
	"command":      "command", "cmd": "command", "commands": "command",
	"path": "path", "filepath": "path", "absolutepath": "path", "files": "path", "filepaths": "path",
	"content": "content", "filetext": "content", "filecontent": "content",
	"oldstring": "old", "oldstr": "old", "oldtext": "old",
	"newstring": "new", "newstr": "new", "newtext": "new",
	"url": "url", "prompt": "prompt", "plan": "plan", "input": "input",
	"description": "description", "instruction": "description", "label": "label",
	"questions": "questions", "question": "question", "header": "header", "options": "options", "choices": "options",
	"requestedschema": "questions",
	"multiselect":     "several", "multiple": "several", "allowmultiple": "several",
	// Codex asks only for what wants to leave its sandbox.
	"sandboxpermissions": "escalated", "withescalatedpermissions": "escalated", "justification": "justification",
}

func meaning(name string) string {
	return meanings[strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)]
}

// escalation is what every Codex command says, so that it is asked for and not just refused.
var escalation = fields{"escalated": "require_escalated", "justification": "May this run outside the sandbox?"}

// maxDepth is how deep a schema is followed: some refer to themselves.
const maxDepth = 20

// filler makes values for one schema.
type filler struct {
	root map[string]any // the whole schema, which a $ref points into
	left int            // how much deeper it may go
}

// fillSchema makes a value for a JSON schema: from f where a name is known, else the mildest one.
func fillSchema(schema map[string]any, f fields) any {
	return filler{schema, maxDepth}.value(schema, "", f)
}

// fillObject makes a tool's arguments: what f knows, and what its schema requires. A tool without a
// schema gets f as it is.
func fillObject(schema map[string]any, f fields) map[string]any {
	if properties, _ := schema["properties"].(obj); len(properties) == 0 {
		return f
	}
	return filler{schema, maxDepth}.object(schema, f)
}

func (fl filler) object(schema map[string]any, f fields) map[string]any {
	out := obj{}
	properties, _ := schema["properties"].(obj)
	required, _ := schema["required"].(list)
	for name, s := range properties {
		sub, _ := s.(obj)
		if _, ok := known(name, f); ok || contains(required, name) {
			out[name] = fl.value(sub, name, f)
		}
	}
	return out
}

// known is what f says for a parameter.
func known(name string, f fields) (any, bool) {
	m := meaning(name)
	if v, ok := f[m]; ok {
		return v, true
	}
	if v, ok := f["content"]; ok && m == "new" {
		return v, true // a new file, written with the tool for edits
	}
	if _, isCommand := f["command"]; isCommand {
		v, ok := escalation[m]
		return v, ok
	}
	return nil, false
}

func (fl filler) value(schema map[string]any, name string, f fields) any {
	if fl.left == 0 {
		return nil
	}
	fl.left--
	schema = resolve(fl.root, schema, maxDepth)
	v, ok := known(name, f)
	switch kind, _ := schema["type"].(string); strings.ToLower(kind) {
	case "array":
		return fl.array(schema, name, v, f)
	case "object":
		if questions, isList := v.(list); isList {
			return form(questions)
		}
		return fl.object(schema, f)
	case "boolean":
		return ok && v != ""
	case "integer", "number":
		return 60
	}
	if choices, isList := v.(list); isList && schema["type"] == "string" {
		return mustJSON(labels(choices)) // Cline 2 takes a list as JSON
	}
	if ok {
		return v
	}
	return fillWord(schema)
}

// labels are the labels of choices.
func labels(choices list) list {
	out := make(list, len(choices))
	for i, c := range choices {
		out[i] = c.(obj)["label"]
	}
	return out
}

// array makes a list: of the objects in v, of v as a command line, or an empty one.
func (fl filler) array(schema map[string]any, name string, v any, f fields) list {
	items, _ := schema["items"].(obj)
	switch v := v.(type) {
	case string:
		if strings.HasSuffix(name, "s") { // several commands, or files: one of them
			if resolve(fl.root, items, maxDepth)["type"] == "object" {
				return list{fl.value(items, "", f)}
			}
			return list{v}
		}
		// old versions of Codex take a command as its words
		return list{"bash", "-lc", v}
	case list:
		out := make(list, len(v))
		for i, e := range v {
			switch f, ok := e.(obj); {
			case ok && resolve(fl.root, items, maxDepth)["type"] == "string":
				out[i] = f["label"]
			case ok:
				out[i] = fl.value(items, "", f)
			default:
				out[i] = e
			}
		}
		return out
	}
	return list{}
}

// fillWord is a string that says nothing, or the mildest of those allowed.
func fillWord(schema map[string]any) any {
	choices, _ := schema["enum"].(list)
	for _, mild := range []string{"choice", "text", "markdown"} {
		if contains(choices, mild) {
			return mild
		}
	}
	if len(choices) > 0 {
		return choices[0]
	}
	return "scripted"
}

// form is how Copilot wants its questions: as the JSON schema of a form.
func form(questions list) obj {
	properties, required := obj{}, list{}
	for _, q := range questions {
		q := q.(obj)
		key := strings.ToLower(q["header"].(string))
		choice := obj{"type": "string", "enum": labels(q["options"].(list))}
		field := choice
		if q["several"] == true {
			field = obj{"type": "array", "items": choice}
		}
		field["title"], field["description"] = q["header"], q["question"]
		properties[key] = field
		required = append(required, key)
	}
	return obj{"type": "object", "properties": properties, "required": required}
}

// resolve follows a $ref into the schema's own definitions and takes the first real alternative, at
// most left times.
func resolve(root, schema map[string]any, left int) map[string]any {
	if left == 0 {
		return obj{}
	}
	if ref, ok := schema["$ref"].(string); ok {
		name := ref[strings.LastIndex(ref, "/")+1:]
		for _, where := range []string{"$defs", "definitions"} {
			defs, _ := root[where].(obj)
			if s, ok := defs[name].(obj); ok {
				return resolve(root, s, left-1)
			}
		}
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		alternatives, _ := schema[word].(list)
		for _, a := range alternatives {
			if s, ok := a.(obj); ok && s["type"] != "null" {
				return resolve(root, s, left-1)
			}
		}
	}
	_, isObject := schema["properties"]
	switch kind := schema["type"].(type) {
	case list:
		if len(kind) > 0 {
			return withType(schema, kind[0])
		}
	case nil:
		if isObject {
			return withType(schema, "object")
		}
	}
	return schema
}

func withType(schema map[string]any, kind any) map[string]any {
	one := maps.Clone(schema)
	one["type"] = kind
	return one
}

func contains(values list, v any) bool {
	for _, have := range values {
		if have == v {
			return true
		}
	}
	return false
}
