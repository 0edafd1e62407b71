package control

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nod/cmd/internal/control/caller"
	"nod/internal/rpc"
)

// TestACallerThatHasEndedIsRefused: a process that now has its pid is not the caller.
func TestACallerThatHasEndedIsRefused(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "nod") // not t.TempDir: a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "nod.sock")
	listener, err := rpc.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	asked, ended, placed := make(chan struct{}), make(chan struct{}), make(chan caller.Place, 1)
	unknown := false
	who := func(ctx context.Context, _ struct{}) (struct{}, error) {
		asked <- struct{}{}
		<-ended
		unknown = rpc.CallerLives(ctx)
		placed <- house{}.caller(ctx)
		return struct{}{}, nil
	}
	server := rpc.NewServer(rpc.Methods{"who": rpc.Method(who)}, nil, http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	go func() { _ = server.Serve(t.Context(), listener) }()
	call := exec.Command("call", socket)
	call.Stdin = strings.NewReader(`{"Method": "who", "Params": {}}`)
	if err := call.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	_ = call.Process.Kill()
	_ = call.Wait() // killed
	close(ended)
	place := <-placed
	if unknown {
		t.Skip("this kernel does not keep which process has connected")
	}
	if place.Kind != caller.Unplaced || place.Why != "The process that asked has ended." {
		t.Errorf("it is %+v", place)
	}
}
