//go:build agents

package agentrig

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestMain serves three programs: the tests, the MCP server that agents start, and an agent of our
// own, so that the rig is tested where no agent is installed.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "toy-agent" {
		if err := toyAgent(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	Main(m)
}

// toyAgent reads instructions, asks the model, and runs the command that it wants when the answer to
// its question is y.
func toyAgent(url string) error {
	in := bufio.NewScanner(os.Stdin)
	for fmt.Println("toy> "); in.Scan(); fmt.Println("toy> ") {
		messages := list{obj{"role": "user", "content": in.Text()}}
		for {
			call, err := askModel(url, messages)
			if err != nil {
				return err
			}
			if call.ID == "" {
				break
			}
			fmt.Println("may it run?", call.Input.Command)
			answer := "refused"
			if in.Scan() && in.Text() == "y" {
				out, err := exec.Command("sh", "-c", call.Input.Command).CombinedOutput()
				answer = fmt.Sprintf("%s %v", out, err)
			}
			messages = append(messages,
				obj{"role": "assistant", "content": list{obj{"type": "tool_use", "id": call.ID, "name": "Bash"}}},
				obj{"role": "user", "content": list{obj{"type": "tool_result", "tool_use_id": call.ID, "content": answer}}})
		}
	}
	return in.Err()
}

type toyCall struct {
	ID    string
	Input struct{ Command string }
}

func askModel(url string, messages list) (toyCall, error) {
	body, err := json.Marshal(obj{"messages": messages, "tools": list{obj{
		"name": "Bash", "input_schema": obj{"properties": obj{"command": obj{"type": "string"}}},
	}}})
	if err != nil {
		return toyCall{}, err
	}
	resp, err := http.Post(url+"/v1/messages", "application/json", strings.NewReader(string(body)))
	if err != nil {
		return toyCall{}, err
	}
	defer resp.Body.Close()
	var answer struct{ Content []toyCall }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return toyCall{}, err
	}
	return answer.Content[0], nil
}

// toy is an agent that runs the shell line setup before it waits for instructions.
func toy(setup string) Agent {
	return Agent{
		Name: "toy", Version: "1", ready: regexp.MustCompile(`(?m)^toy>`),
		setup: func(h *home) (start, error) {
			self, err := os.Executable()
			return start{argv: []string{"sh", "-c", setup + "\n" + quote(self) + " toy-agent " + h.url}}, err
		},
	}
}

func TestAScenarioRunsOnlyWhenItIsApproved(t *testing.T) {
	r := Start(t, toy(""), "", Options{})
	r.Ask("run")
	r.Until("asks", func(screen string) bool { return strings.Contains(screen, "may it run?") })
	if n := r.Ran("run"); n != 0 {
		t.Fatalf("ran %d times before the answer", n)
	}
	r.Tmux.Type(r.Pane, "y", "Enter")
	r.Until("is finished", func(string) bool { return r.Model.Finished("run") == 1 })
	if n := r.Ran("run"); n != 1 {
		t.Errorf("ran %d times, want once", n)
	}
	r.Ask("run")
	r.Tmux.Type(r.Pane, "n", "Enter")
	r.Until("is finished again", func(string) bool { return r.Model.Finished("run") == 2 })
	if n := r.Ran("run"); n != 1 {
		t.Errorf("ran %d times after a denial, want once", n)
	}
}

func TestNothingOfARunIsLeftBehind(t *testing.T) {
	var root string
	t.Run("run", func(t *testing.T) {
		// One process leaves the pane's session, one throws its environment away.
		r := Start(t, toy("setsid sleep 999 & env -i sleep 999 &"), "", Options{})
		root = strings.TrimSuffix(r.Home, "/home")
		if n := len(processesOf(root)); n < 4 {
			t.Errorf("the run has %d processes, want the shell, the agent and two that sleep", n)
		}
	})
	if left := processesOf(root); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
	if _, err := os.Stat(root); !os.IsNotExist(err) {
		t.Errorf("its files are left: %v", err)
	}
}

func TestRanCountsWhatHappened(t *testing.T) {
	root := t.TempDir()
	h, err := newHome(root)
	must(t, err)
	r := &Run{Project: h.project, t: t}
	for scenario, do := range map[string]string{
		"mcp":   "echo ran >> mcp.ran; echo ran >> mcp.ran",
		"edit":  "echo alpha++ > edit.txt",
		"write": "touch write-1.txt write-2.txt other.txt",
	} {
		if n := r.Ran(scenario); n != 0 {
			t.Errorf("%s: ran %d times before anything was done", scenario, n)
		}
		cmd := exec.Command("sh", "-c", do)
		cmd.Dir = h.project.Dir
		must(t, cmd.Run())
		if n := r.Ran(scenario); n != 2 {
			t.Errorf("%s: ran %d times, want 2", scenario, n)
		}
	}
}

// TestSettingsAreWrittenBelowHome brings every agent's settings into being, without the agents.
func TestSettingsAreWrittenBelowHome(t *testing.T) {
	for _, a := range Agents() {
		h, err := newHome(t.TempDir())
		must(t, err)
		h.url, h.mcp, h.version = "http://127.0.0.1:1", []string{"/bin/mcp", mcpWord}, a.Version
		h.install = t.TempDir()
		for _, name := range []string{"package.json", "package-lock.json", "node_modules/x/index.js"} {
			must(t, writeFile(h.install+"/plugin/"+name, "{}"))
		}
		s, err := a.setup(h)
		if err != nil {
			t.Errorf("%s: %v", a, err)
			continue
		}
		if a.Name != "pi" && len(grep(t, h.dir, h.mcp[0])) == 0 {
			t.Errorf("%s: no settings name the MCP server", a)
		}
		if all := strings.Join(s.env, "\n"); !strings.Contains(all, h.url) && len(grep(t, h.dir, h.url)) == 0 {
			t.Errorf("%s: nothing names the model", a)
		}
	}
}

// grep is every file below dir that contains text.
func grep(t *testing.T, dir, text string) []string {
	t.Helper()
	out, err := exec.Command("grep", "-rlF", text, dir).Output()
	if _, none := err.(*exec.ExitError); err != nil && !none {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
