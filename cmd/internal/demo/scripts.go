package demo

import (
	"path/filepath"
	"time"

	"nod/internal/actor"
)

// agents are the agents and their projects.
var agents = []struct{ agent, project string }{{"claude", "api"}, {"codex", "web"}, {"opencode", "infra"}}

// scriptsOf returns a script for every agent with its steps.
func (d *demo) scriptsOf(steps map[string][]actor.Step) []actor.Script {
	var all []actor.Script
	for _, a := range agents {
		all = append(all, actor.Script{Agent: a.agent, Dir: d.work(a.project), Log: d.logOf(a.agent), Steps: steps[a.agent]})
	}
	return all
}

// shownScripts are for a person to play with: the agents ask one after the other by themselves.
func shownScripts(d *demo) []actor.Script {
	return d.scriptsOf(map[string][]actor.Step{
		"claude": {
			{
				Instruction: "clean up and write the report", Command: "touch report.txt && rm -rf build",
				Doing: "Creating the report and removing the build folder", Why: "Create the report and remove the build folder",
				Done: "The report is there and the build folder is gone.", Think: 3 * time.Second,
			},
			{
				Instruction: "now prepare the release", Questions: releaseQuestions, Doing: "Preparing the release",
				Done: "The release is prepared.", Think: 12 * time.Second,
			},
			{
				Instruction: "and tag it", Command: "date > RELEASE",
				Doing: "Writing the release file", Why: "Write the release date",
				Done: "The release is tagged.", Think: 25 * time.Second,
			},
			{
				Instruction: "and drop the database dump", Command: "rm -f dump.sql",
				Doing: "Removing the dump", Why: "Remove the database dump",
				Done: "The dump is gone.", Think: 90 * time.Second,
			},
		},
		"codex": {
			{
				Instruction: "publish the site", Command: "touch published.html",
				Why: "May I publish outside the sandbox?", Done: "The site is published.", Think: 9 * time.Second,
			},
			{
				Instruction: "check the links too", Command: "touch links-checked",
				Why: "May I use the network?", Done: "All links work.", Think: 40 * time.Second,
			},
		},
		"opencode": {
			{
				Instruction: "rotate the logs", Command: "mkdir -p logs && touch logs/today.log",
				Done: "The logs are rotated.", Think: 16 * time.Second,
			},
			{
				Instruction: "remove the old ones", Command: "rm -rf build",
				Done: "The old ones are gone.", Think: 60 * time.Second,
			},
		},
	})
}

// gate is the file whose existence lets a step of a played demo begin.
func (d *demo) gate(name string) string { return filepath.Join(d.dir, "gate-"+name) }

// playedScripts wait for `nod demo --auto` to open the gate of each step.
func playedScripts(d *demo) []actor.Script {
	step := func(gate, instruction, command string) actor.Step {
		return actor.Step{
			Instruction: instruction, Command: command, When: d.gate(gate), Think: 300 * time.Millisecond,
			Doing: "Running a command", Why: "May I run this?", Done: "Done.",
		}
	}
	swapped := step("swap", "make the first file", "touch first.txt")
	swapped.Swap, swapped.SwapWhen = "touch second.txt", d.gate("swapped")
	questions := step("questions", "prepare the release", "")
	questions.Questions = releaseQuestions
	return d.scriptsOf(map[string][]actor.Step{
		"claude":   {step("approve", "clean up", "touch approved.txt && rm -rf build"), questions, swapped},
		"codex":    {step("deny", "publish", "touch denied.txt"), step("restart", "check the links", "touch restarted.txt")},
		"opencode": {step("fresh", "rotate the logs", "touch fresh.txt")},
	})
}
