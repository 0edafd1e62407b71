package detect

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"nod/internal/host/proc"
	"nod/internal/text/lazy"
	"nod/internal/text/visible"
)

// toolInput is what a tool call is for, by the call's own input. One of command, paths and url is set, or none if the kind
// of the input is unknown.
type toolInput struct {
	text        string   // the whole call, for a human to read
	verb        string   // what it does with that; empty: it runs it
	said        []string // the fields whose text it has; a command's list of words names the shell as well, which need not be the usual one
	command     string   // of a shell
	paths       []string // of the file, or of all files of a patch
	content     string   // of a file that is written whole, or a patch
	patch       bool
	diff        bool   // a patch that is a unified diff: some draw its two sides beside each other
	url         string // of a page, if the input has nothing else that matters
	old         string // of an edit: the text that is removed
	replacement string // of an edit: the text that replaces it
	everywhere  bool   // of an edit: each occurrence is replaced
	remark      string // the agent's own remark, which some draw below the command
	plan        string // that the agent wants to carry out
}

// size is about how many bytes it takes.
func (in *toolInput) size() int {
	return len(in.text) + len(in.command) + len(in.content) + len(in.old) + len(in.replacement) + len(in.remark) + len(in.url) + len(in.plan)
}

// keyOf is equal for two calls whose inputs do the same. Agents add remarks and time limits to a command at one event and
// leave them out at another.
func keyOf(input json.RawMessage) [sha256.Size]byte {
	if in := parseToolInput(input); in.command != "" {
		return sha256.Sum256([]byte("command\x00" + in.command))
	}
	var value any
	if json.Unmarshal(input, &value) != nil {
		return sha256.Sum256(input)
	}
	sorted, _ := json.Marshal(value) // what was read as JSON can't fail
	return sha256.Sum256(sorted)
}

// parseToolInput reads a tool's input. Agents name its fields alike.
func parseToolInput(input json.RawMessage) toolInput {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return toolInput{}
	}
	text := func(name string) string { return firstText(fields, math.MaxInt, name) }
	file := text("file_path")
	in := toolInput{remark: text("description"), plan: text("plan")}
	switch {
	case strings.HasPrefix(strings.TrimSpace(text("command")), "*** Begin Patch"):
		in.content, in.patch, in.said = text("command"), true, []string{"command"}
		in.paths, in.text = in.files(), in.content
	case fields["command"] != nil && (fields["path"] != nil || file != ""):
		// A file tool's own command, such as "view".
	case fields["command"] != nil:
		in.command, in.said = cmp.Or(text("command"), commandLine(fields["command"])), []string{"command"}
		in.text = in.command
	case file != "" && fields["content"] != nil:
		in.paths, in.content, in.verb, in.said = []string{file}, text("content"), "write", []string{"file_path", "content"}
		in.text = file + "\n" + in.content
	case file != "" && fields["old_string"] != nil:
		in.verb, in.said = "edit", []string{"file_path", "old_string", "new_string"}
		in.paths, in.old, in.replacement = []string{file}, text("old_string"), text("new_string")
		in.everywhere = string(fields["replace_all"]) == "true"
		in.text = file + "\n" + signLines("-", in.old) + signLines("+", in.replacement)
	case text("filepath") != "" && text("diff") != "":
		in.content, in.patch, in.diff, in.verb, in.said = text("diff"), true, true, "edit", []string{"filepath", "diff"}
		in.paths = in.files()
		if in.text = diffHead().ReplaceAllString(in.content, "$1\n"); len(in.paths) == 0 {
			in.paths = []string{text("filepath")}
			in.text = text("filepath") + "\n" + in.content
		}
	case text("url") != "" && onlyOf(fields, "url", "format", "timeout"):
		in.url, in.text, in.verb, in.said = text("url"), text("url"), "fetch", []string{"url"}
	}
	in.text = visible.Text(strings.TrimRight(in.text, "\n"))
	return in
}

var (
	patchedFile = lazy.MustCompile(`(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$`)
	// diffHead begins one file's part of a unified diff. No line of a file begins so: each has a sign before it.
	diffHead = lazy.MustCompile(`(?m)^Index: (.+)\n=+\n--- .*\n\+\+\+ .*\n`)
)

// heads are where each file's part of a patch begins, and the files' names.
func (in *toolInput) heads() [][]int {
	if in.diff {
		return diffHead().FindAllStringSubmatchIndex(in.content, -1)
	}
	return patchedFile().FindAllStringSubmatchIndex(in.content, -1)
}

// files are the names of a patch's files.
func (in *toolInput) files() (paths []string) {
	for _, head := range in.heads() {
		paths = append(paths, in.content[head[2]:head[3]])
	}
	return paths
}

// onlyOf reports whether an input has no other fields than these.
func onlyOf(fields map[string]json.RawMessage, names ...string) bool {
	for name := range fields {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// section is one file's part of a patch.
func (in *toolInput) section(file string) string {
	heads := in.heads()
	for i, head := range heads {
		if in.content[head[2]:head[3]] != file {
			continue
		}
		if i+1 < len(heads) {
			return in.content[head[0]:heads[i+1][0]]
		}
		return in.content[head[0]:]
	}
	return in.content
}

// commandLine reads a command that is a list of words, `["bash","-lc","…"]`.
func commandLine(list json.RawMessage) string {
	var words []string
	if json.Unmarshal(list, &words) != nil {
		return ""
	}
	if len(words) == 3 && proc.IsShell(path.Base(words[0])) && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// signLines puts a sign before every line.
func signLines(sign, text string) string {
	if text == "" {
		return ""
	}
	return sign + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+sign) + "\n"
}

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
