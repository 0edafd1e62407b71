package detect

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"nod/internal/text/visible"
)

// Subject says what a tool's call is for, to a human who sees no screen of it: the verb, and the whole input of the call.
// The first lead lines are the command, file or address itself. The rest of the input follows.
func Subject(tool string, input json.RawMessage) (verb, text string, lead int) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return "use " + visible.Text(tool), visible.Text(string(input)), 0
	}
	in := parseToolInput(input)
	if verb, text = in.verb, in.text; text == "" {
		verb = "use " + visible.Text(tool)
	}
	maps.DeleteFunc(fields, func(name string, value json.RawMessage) bool {
		return slices.Contains(in.said, name) && value[0] == '"'
	})
	var rest []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		rest = append(rest, visible.Text(name+": "+readable(fields[name])))
	}
	switch {
	case text == "" && len(rest) == 0:
		return "use", visible.Text(tool), 0
	case text == "":
		return verb, strings.Join(rest, "\n"), 0
	case len(rest) == 0:
		return verb, text, 0
	}
	return verb, text + "\n\n" + strings.Join(rest, "\n"), 1 + strings.Count(text, "\n")
}

// readable is a value of JSON: text as it is, anything else as it was written.
func readable(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}
