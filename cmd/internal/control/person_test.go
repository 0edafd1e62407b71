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

	"nod/internal/host/proc/proctest"
	"nod/internal/rpc"
	"nod/internal/testrun"
)

func TestMain(m *testing.M) {
	testscript.Main(waits{m}, map[string]func(){"window": proctest.Window, "call": call})
}

// waits is a package whose tests wait for other processes, and for what each writes.
type waits struct{ *testing.M }

func (m waits) Run() int {
	testrun.AtOnce(6)
	return testrun.InMemory(m.M)
}

// answer is a method's answer to another process.
type answer struct {
	Result json.RawMessage
	Fault  *rpc.Fault
	Error  string
}

// call is the program `call SOCKET METHOD PARAMS`.
func call() {
	client := rpc.Dial(os.Args[1])
	defer client.Close()
	var a answer
	err := client.Call(context.Background(), os.Args[2], json.RawMessage(os.Args[3]), &a.Result)
	if err != nil && !errors.As(err, &a.Fault) {
		a.Error = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// person calls a method from a terminal that a person has opened.
func (w *world) person(t *testing.T, method string, params, result any) error {
	t.Helper()
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("window", "call", w.socket, method, string(text))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"} // otherwise each of its processes ends a second later with -race
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%s: %q: %v", method, out, err)
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
