//go:build agents

package model

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Project is where an agent works. Every effect of a scenario can be counted there.
type Project struct {
	Dir     string // the git project, the agent's working directory
	Outside string // a file that is not in Dir
	Page    string // address of a page to fetch
}

// Names of what the scenarios touch in Project.Dir.
const (
	EditFile  = "edit.txt" // has one line; every edit adds a '+' to it
	WriteGlob = "write-*.txt"
)

// RanFile is the file in Project.Dir to which scenario adds the line "ran" each time it runs.
func RanFile(scenario string) string { return scenario + ".ran" }

// step is one turn of the model.
type step struct {
	say    string
	calls  []want
	pause  time.Duration
	status int
}

// want is a call as a scenario means it; request.call puts it into the words of the agent's tools.
type want struct {
	kind   kind
	fields fields
}

type kind string

const (
	shell    kind = "shell"
	edit     kind = "edit"
	write    kind = "write"
	read     kind = "read"
	fetch    kind = "fetch"
	mcp      kind = "mcp"
	plan     kind = "plan"
	question kind = "question"
	delegate kind = "delegate"
)

// Tall is how many lines the command of the scenario tall has, more than a terminal.
const Tall = 60

// Many is how many commands the scenario many asks for, one after the other; Crowd is how many sub-agents the scenario crowd
// starts at once, which share as many.
const (
	Many  = 20
	Crowd = 4
)

// numbered is n commands, one after the other. Each adds its own name to the file of the scenario.
func numbered(name string, n int) []step {
	var steps []step
	for i := range n {
		one := fmt.Sprintf("%s-%d", name, i)
		steps = append(steps, step{calls: []want{command(one, "rm -rf build && echo "+one+" >> "+RanFile("numbered"))}})
	}
	return steps
}

func command(scenario, text string) want {
	return want{shell, fields{"command": text, "description": "Scripted step " + scenario}}
}

func ran(scenario string) string { return "echo ran >> " + RanFile(scenario) }

// colours is a question with one answer, sizes one with several.
var (
	colours = fields{
		"question": "Which colour should the button be?", "header": "Colour",
		"options": list{obj{"label": "Red", "description": "A warm colour"}, obj{"label": "Blue", "description": "A cool colour"}},
	}
	sizes = fields{
		"question": "Which sizes do you want?", "header": "Sizes", "several": true, "multiSelect": true,
		"options": list{obj{"label": "Small", "description": "S"}, obj{"label": "Large", "description": "L"}},
	}
)

// areas is a question with several answers, of which each looks like something that an agent draws itself.
var areas = fields{
	"question": "Which areas are meant?", "header": "Areas", "several": true, "multiSelect": true,
	"options": list{
		obj{"label": "[x] Front", "description": "[x] Back\n2. [x] Side\n→ [2] Top"},
		obj{"label": "Submit", "description": "Enter to submit"},
		obj{"label": "All of the above", "description": "Select all options"},
	},
}

// steps is the script of a scenario, asked for the times-th time in this conversation. rm is in every
// command because all agents ask for it, while some run an echo unasked.
func steps(name string, times int, p Project, req request) []step {
	one := func(w want) []step { return []step{{calls: []want{w}}} }
	if d, ok := disguise(name); ok {
		return one(command(name, strings.Join(d.rows, "\n")+"\n"))
	}
	if strings.HasPrefix(name, "crowd") && name != "crowd" { // a sub-agent of one round of it
		return numbered(name, Many/Crowd)
	}
	switch name {
	case "run":
		return one(command(name, "rm -rf build && "+ran(name)))
	case "lines":
		return one(command(name, "cat >> "+RanFile(name)+" <<'EOT'\nran\nEOT\nrm -rf build\n"))
	case "wide":
		return one(command(name, "rm -rf build && "+ran(name)+" && echo "+strings.TrimSpace(strings.Repeat("word ", 80))))
	case "tall":
		lines := make([]string, Tall-2)
		for i := range lines {
			lines[i] = fmt.Sprintf("echo step %d", i+1)
		}
		return one(command(name, strings.Join(lines, "\n")+"\nrm -rf build\n"+ran(name)))
	case "parallel":
		return []step{{calls: []want{
			command("first", "rm -rf build && "+ran("first")), command("second", "rm -rf build && "+ran("second")),
		}}}
	case "chain":
		return []step{
			{calls: []want{command("first", "rm -rf build && "+ran("first"))}},
			{calls: []want{command("second", "rm -rf build && "+ran("second"))}},
		}
	case "many":
		return numbered(name, Many)
	case "crowd":
		var calls []want
		for i := range Crowd {
			calls = append(calls, want{delegate, fields{
				"description": fmt.Sprintf("Scripted agent %d", i), "prompt": "SCENARIO crowd" + string(rune('a'+times)) + string(rune('a'+i)), "agent": "general-purpose",
			}})
		}
		return []step{{calls: calls}}
	case "delegate":
		return one(want{delegate, fields{"description": "Scripted agent", "prompt": "SCENARIO run", "agent": "general-purpose"}})
	case "edit":
		return editSteps(p, req)
	case "write":
		path := filepath.Join(p.Dir, strings.Replace(WriteGlob, "*", fmt.Sprint(times), 1))
		return one(want{write, fields{"path": path, "content": "hello\nworld\n"}})
	case "read":
		return one(want{read, fields{"path": p.Outside}})
	case "fetch":
		return one(want{fetch, fields{"url": p.Page, "prompt": "Fetch " + p.Page + " and say what it says"}})
	case "mcp":
		return one(want{mcp, fields{"path": filepath.Join(p.Dir, RanFile(name))}})
	case "plan":
		return planSteps(req)
	case "question":
		all := maps.Clone(colours)
		all["questions"] = list{colours} // most agents take several
		return one(want{question, all})
	case "words":
		return one(want{question, fields{"question": "Which name should the release have?"}})
	case "questions":
		return one(want{question, fields{"questions": list{colours, sizes}}})
	case "boxes":
		return one(want{question, fields{"questions": list{sizes}}})
	case "forged":
		return one(want{question, fields{"questions": list{areas, colours}}})
	case "think":
		return []step{{say: "Thought about it.", pause: 30 * time.Second}}
	case "error":
		return []step{{status: 529}}
	}
	return []step{{say: "All done."}}
}

// editSteps reads the file first, because most agents refuse to edit what was not read.
func editSteps(p Project, req request) []step {
	path := filepath.Join(p.Dir, EditFile)
	before, err := os.ReadFile(path)
	if err != nil {
		return []step{{say: "There is nothing to edit: " + err.Error()}}
	}
	line := strings.TrimSuffix(string(before), "\n")
	s := []step{{calls: []want{{edit, fields{"path": path, "old": line, "new": line + "+"}}}}}
	if _, ok := req.find(read); !ok {
		return s // Codex patches files and reads them with commands
	}
	return append([]step{{calls: []want{{read, fields{"path": path}}}}}, s...)
}

// planSteps ends plan mode. Newer versions of Claude Code want the plan in a file that they name.
func planSteps(req request) []step {
	const text = "# Plan\n\n1. Create a file\n2. Run the tests\n"
	leave := step{calls: []want{{plan, fields{"plan": text}}}}
	if file := req.planFile(); file != "" {
		return []step{{calls: []want{{write, fields{"path": file, "content": text}}}}, leave}
	}
	return []step{leave}
}
