//go:build linux

package door

import (
	"net"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/agents"
	"nod/internal/host/proc"
)

// TestAnOwnServerIsItsProcess, which is the same to whoever asks; before it has accepted the connection nobody is it.
func TestAnOwnServerIsItsProcess(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		cmd := &exec.Cmd{}
		address, _ := listens(t, network, "codex", cmd)
		network, at, err := endpoint(address)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := net.Dial(network, at)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		want, err := proc.Of(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		until(t, "was "+network+"'s", func() bool { got, err := OwnServer("codex", conn); return err == nil && got == want })
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got, err := OwnServer("codex", conn); err == nil {
		t.Errorf("it is %v", got)
	}
}

// TestACallOnAScreenIsCompletedByTheAgentsOwnServer: whole, in what is passed on and not in what was seen, and only for a process that is the
// server's client still.
func TestACallOnAScreenIsCompletedByTheAgentsOwnServer(t *testing.T) {
	const remote = "ws://127.0.0.1:4500"
	cmd := &exec.Cmd{Args: []string{"--remote", remote}}
	listens(t, "unix", "codex", cmd)
	client, err := proc.Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	me, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	s := NewServers(ServersConfig{})
	look := func(process proc.ID, shown ...string) (seen detect.Sighting, got []string) {
		seen = detect.Sighting{Whereabouts: detect.Whereabouts{Agent: "codex", Process: process}}
		for _, text := range shown {
			seen.Denied.Calls = append(seen.Denied.Calls, agents.DeniedCall{Text: text, Cut: true})
		}
		for _, c := range s.Complete(seen).Calls {
			got = append(got, c.Text)
		}
		return seen, got
	}
	if _, got := look(client, "touch a ..."); !slices.Equal(got, []string{"touch a ..."}) {
		t.Errorf("before its server told: %q", got)
	}
	of := agents.ServerDenial{DeniedCall: agents.DeniedCall{Text: "touch a\ntouch b"}}
	s.note(Denied{&agents.Server{Agent: "codex", Address: remote}, me, of, time.Now()})
	if _, got := look(client); len(got) > 0 {
		t.Errorf("nothing was denied: %q", got)
	}
	gone := client
	gone.Start--
	for process, want := range map[proc.ID]string{client: "touch a\ntouch b", gone: "touch a ...", me: "touch a ...", {PID: 1 << 30}: "touch a ..."} {
		seen, got := look(process, "ls ...", "touch a ...")
		if !slices.Equal(got, []string{"ls ...", want}) || seen.Denied.Calls[1].Text != "touch a ..." {
			t.Errorf("%v: %q of %+v", process, got, seen.Denied.Calls)
		}
	}
}
