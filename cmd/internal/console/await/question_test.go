package await

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod/cmd/internal/control"
	"nod/internal/rpc"
)

// TestTheAnswerAfterTimeIsTheAskers own, and not what a bot names as such.
func TestTheAnswerAfterTimeIsTheAskers(t *testing.T) {
	for _, c := range []struct{ state, says, byDefault, want string }{
		{"expired", "yes", "no", "no"}, {"expired", "", "no", "no"}, {"expired", "yes", "", ""}, {"delivered", "yes", "no", "yes"},
	} {
		dir, err := os.MkdirTemp("", "nodask")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		listener, err := net.Listen("unix", filepath.Join(dir, "nod.sock"))
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			result := fmt.Sprintf(`{"answer":%q,"state":%q}`, c.says, c.state)
			if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "ask.create") {
				result = `{"id":"k3f"}`
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%s}`, result)
		})}
		go func() { _ = server.Serve(listener) }()
		defer server.Close()
		client := rpc.Dial(listener.Addr().String())
		defer client.Close()
		got, err := Human{Client: client}.Ask(t.Context(), control.AskParams{Question: "Deploy?", Default: c.byDefault})
		if err != nil || got.Answer != c.want || got.State != c.state {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
}
