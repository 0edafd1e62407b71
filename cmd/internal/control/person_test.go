package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"nod/cmd/internal/jobs/monitor"
	"nod/internal/host/proc/proctest"
	"nod/internal/rpc"
	"nod/internal/testrun"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == monitor.JobCommand { // a monitor's program runs below it
		if err := monitor.Job(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	testscript.Main(waits{m}, map[string]func(){"window": proctest.Window, "call": call, "nod": runsPrograms})
}

// waits is a package whose tests wait for other processes, and for what each writes.
type waits struct{ *testing.M }

func (m waits) Run() int {
	testrun.AtOnce(12)
	return testrun.InMemory(m.M)
}

// answer is a method's answer to another process.
type answer struct {
	Result json.RawMessage
	Fault  *rpc.Fault
	Error  string
}

// request is what the program call is to call.
type request struct {
	Method string
	Params json.RawMessage
}

// call is the program `call SOCKET`: it makes the calls that it reads.
func call() { callAt(os.Args[1]) }

// asHook is the method by which such a program hands over the event of an agent's hook.
const asHook = "hook"

func callAt(socket string) {
	client := rpc.Dial(socket)
	defer client.Close()
	asked, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var r request
		if err := asked.Decode(&r); err != nil {
			return // the test is over
		}
		var a answer
		err := answerOf(client, r, &a.Result)
		if err != nil && !errors.As(err, &a.Fault) {
			a.Error = err.Error()
		}
		if err := answers.Encode(a); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func answerOf(client *rpc.Client, r request, result *json.RawMessage) error {
	if r.Method != asHook {
		return client.Call(context.Background(), r.Method, r.Params, result)
	}
	var h rpc.Hook
	if err := json.Unmarshal(r.Params, &h); err != nil {
		return err
	}
	door, err := client.Hook(context.Background(), h)
	*result, _ = json.Marshal(door) // a string can't fail
	return err
}

// runsPrograms is the program `nod COMMAND ARG…`: it runs a program, as `nod doctor` runs those of agents. `nod hook AGENT` makes the calls
// that it reads.
func runsPrograms() {
	if socket := os.Getenv(hookSocket); os.Args[1] == "hook" && socket != "" {
		callAt(socket)
		return
	}
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		os.Exit(1)
	}
}

// seat is a terminal that a person has opened, with one program for all the calls of a test: to start one takes longer than a call. The
// program may run below another.
type seat struct {
	asked   *json.Encoder
	answers *json.Decoder
}

func (w *world) sitDown(t *testing.T, below ...string) *seat {
	t.Helper()
	in, asked, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { asked.Close(); answers.Close() })
	cmd := exec.Command("window", append(below, "call", w.socket)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"} // otherwise each of its processes ends a second later with -race
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, os.Stderr
	err = cmd.Run() // the program goes on
	in.Close()
	out.Close()
	if err != nil {
		t.Fatal(err)
	}
	return &seat{json.NewEncoder(asked), json.NewDecoder(answers)}
}

// person calls a method from a terminal that a person has opened.
func (w *world) person(t *testing.T, method string, params, result any) error {
	t.Helper()
	if w.seat == nil {
		w.seat = w.sitDown(t)
	}
	return w.seat.call(t, method, params, result)
}

func (s *seat) call(t *testing.T, method string, params, result any) error {
	t.Helper()
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	var a answer
	if err := errors.Join(s.asked.Encode(request{method, text}), s.answers.Decode(&a)); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	switch {
	case a.Fault != nil:
		return a.Fault
	case a.Error != "":
		return errors.New(a.Error)
	case result == nil:
		return nil
	}
	return json.Unmarshal(a.Result, result)
}
