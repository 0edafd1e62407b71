package door

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"nod/detect/agents"
)

// TestAServerThatRefusesKeepsNoConnection: nod asks it every ten seconds, as long as it runs.
func TestAServerThatRefusesKeepsNoConnection(t *testing.T) {
	var open atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "a token is needed", http.StatusUnauthorized)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed:
			open.Add(-1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	at := &agents.Server{Agent: "codex", Address: "ws://" + server.Listener.Addr().String()}
	for range 5 {
		if _, err := Reach(t.Context(), at, "touch a", anybody); err == nil {
			t.Fatal("it let nod in")
		}
	}
	for deadline := time.Now().Add(2 * time.Second); open.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections stay open", open.Load())
		}
	}
}
