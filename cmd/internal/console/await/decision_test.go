package await

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/internal/rpc"
)

// TestAHookPrintsOnlyAWholeDecision: for any other answer at its door, it ends without output. The test plays
// the other end byte by byte, since no nod would send that.
func TestAHookPrintsOnlyAWholeDecision(t *testing.T) {
	const allow = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`
	result := func(print string) string {
		text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "result": map[string]string{"print": print}})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, c := range map[string]struct {
		answer string
		length int // the announced length; 0 for the real one
		want   string
	}{
		"a decision":               {answer: result(allow), want: allow + "\n"},
		"cut off in the middle":    {answer: result(allow)[:60], length: 200},
		"closed at once":           {answer: "", length: 200},
		"no JSON":                  {answer: result(allow[:40])},
		"larger than any decision": {answer: result(`{"a":"` + strings.Repeat("a", longestDecision) + `"}`)},
		"nothing to print":         {answer: result("")},
		"an error":                 {answer: `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"the door is shut"}}`},
		"something else":           {answer: allow},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "nodhook")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			listener, err := net.Listen("unix", filepath.Join(dir, "nod.sock"))
			if err != nil {
				t.Fatal(err)
			}
			server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				switch {
				case r.URL.Path == "/hook/claude":
					w.Header().Set("X-Door", "word")
					w.WriteHeader(http.StatusNoContent)
				case strings.Contains(string(body), "door.printed"):
					fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
				default:
					if c.length > 0 {
						w.Header().Set("Content-Length", fmt.Sprint(c.length))
					}
					fmt.Fprint(w, c.answer)
				}
			})}
			go func() { _ = server.Serve(listener) }()
			defer server.Close()
			var out strings.Builder
			client := rpc.Dial(listener.Addr().String())
			defer client.Close()
			Decision(t.Context(), client, rpc.Hook{Agent: "claude"}, strings.NewReader(`{"hook_event_name":"PermissionRequest"}`), &out, nil)
			if out.String() != c.want {
				t.Errorf("printed %q, want %q", out.String(), c.want)
			}
		})
	}
}

// TestAHookGivesUpOnANodThatHangs, because the agent waits for the hook.
func TestAHookGivesUpOnANodThatHangs(t *testing.T) {
	dir, err := os.MkdirTemp("", "nodhook")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	listener, err := net.Listen("unix", filepath.Join(dir, "nod.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	start := time.Now()
	var out strings.Builder
	client := rpc.Dial(listener.Addr().String())
	defer client.Close()
	Decision(t.Context(), client, rpc.Hook{Agent: "claude"}, strings.NewReader(`{}`), &out, nil)
	if took := time.Since(start); took > 10*hookTimeout || out.Len() > 0 {
		t.Errorf("took %v, printed %q", took, out.String())
	}
}
