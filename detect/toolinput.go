package detect

import (
	"crypto/sha256"
	"encoding/json"
	"nod/internal/host/proc"
	"nod/internal/text/visible"
	"path"
	"regexp"
	"strings"
)

// toolInput is what a tool call is for, as the call's own input tells it. Either command or paths is set; neither where
// the input is of no known kind.
type toolInput struct {
	text        string   // the whole call, for a human to read
	command     string   // of a shell
	paths       []string // of the file, or of all files of a patch
	content     string   // of a file that is written whole, or a patch
	patch       bool
	old         string // of an edit: what is taken away
	replacement string // of an edit: what comes instead
	everywhere  bool   // of an edit: each occurrence is replaced
	remark      string // the agent's own remark, which some draw below the command
}

// size is about how many bytes it takes.
func (in *toolInput) size() int {
	return len(in.text) + len(in.command) + len(in.content) + len(in.old) + len(in.replacement) + len(in.remark)
}

// keyOf is equal for two calls that do the same, as far as their inputs tell: agents add remarks and time
// limits to a command at one event and leave them out at another.
func keyOf(input json.RawMessage) [sha256.Size]byte {
	if in := parseToolInput(input); in.command != "" {
		return sha256.Sum256([]byte("command\x00" + in.command))
	}
	var value any
	if json.Unmarshal(input, &value) != nil {
		return sha256.Sum256(input)
	}
	sorted, err := json.Marshal(value)
	if err != nil {
		return sha256.Sum256(input)
	}
	return sha256.Sum256(sorted)
}

// parseToolInput reads a tool's input. Agents name its fields alike.
func parseToolInput(input json.RawMessage) toolInput {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return toolInput{}
	}
	text := func(name string) (s string) {
		if json.Unmarshal(fields[name], &s) != nil {
			return ""
		}
		return s
	}
	file := text("file_path")
	in := toolInput{remark: text("description")}
	switch {
	case strings.HasPrefix(strings.TrimSpace(text("command")), "*** Begin Patch"):
		in.content, in.patch = text("command"), true
		for _, found := range patchedFile.FindAllStringSubmatch(in.content, -1) {
			in.paths = append(in.paths, found[1])
		}
		in.text = in.content
	case fields["command"] != nil && (fields["path"] != nil || file != ""):
		// A file tool's own command, such as "view".
	case fields["command"] != nil:
		in.command = text("command")
		if in.command == "" {
			in.command = commandLine(fields["command"])
		}
		in.text = in.command
	case file != "" && fields["content"] != nil:
		in.paths, in.content = []string{file}, text("content")
		in.text = file + "\n" + in.content
	case file != "" && fields["old_string"] != nil:
		in.paths, in.old, in.replacement = []string{file}, text("old_string"), text("new_string")
		in.everywhere = string(fields["replace_all"]) == "true"
		in.text = file + "\n" + signLines("-", in.old) + signLines("+", in.replacement)
	}
	in.text = visible.Text(strings.TrimRight(in.text, "\n"))
	return in
}

var patchedFile = regexp.MustCompile(`(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$`)

// section is what a patch says of one of its files.
func (in *toolInput) section(file string) string {
	heads := patchedFile.FindAllStringSubmatchIndex(in.content, -1)
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
