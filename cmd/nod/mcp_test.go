package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod/cmd/internal/control"
	"nod/deliver"
	"nod/deliver/door"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/nudge"
	"nod/nudge/keeper"
	"nod/store"
)

// humans is a nod on a socket without panes or Telegram: the test answers the questions of programs.
type humans struct {
	*keeper.Keeper
	t      *testing.T
	socket string
}

func newHumans(t *testing.T) *humans {
	t.Helper()
	dir, err := os.MkdirTemp("", "nodask") // short enough for a Unix socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	records, err := store.Open(filepath.Join(dir, "nod.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = records.Close() })
	log := slog.New(slog.DiscardHandler)
	typist := deliver.New(deliver.Config{Keyboards: func(string) deliver.Keyboard { return nil }})
	a := &humans{t: t, socket: filepath.Join(dir, "nod.sock")}
	a.Keeper = keeper.New(keeper.Config{
		Store: records, Typist: typist, Rules: func() nudge.Rules { return nudge.Rules{Expiry: time.Hour} },
		Log: log, Uptime: proc.Uptime, Alive: detect.Whereabouts.Alive, Changed: func() {},
	})
	c := control.New(control.Config{
		Keeper:   a.Keeper,
		Typist:   typist,
		Store:    records,
		Doors:    &door.Doors{},
		Settings: func() settings.Settings { return settings.Settings{Expiry: time.Hour} },
		Watch:    control.Watch{Panes: func() []detect.Sighting { return nil }, Hook: func(detect.HookEvent) bool { return true }},
		Chat:     control.Chat{Outside: func(detect.HookEvent) {}},
		Health:   func() []string { return nil },
		Metrics:  http.NotFoundHandler(),
		Version:  "1",
		Log:      log,
	})
	listener, err := rpc.Listen(a.socket)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, func(ctx context.Context) error { return c.Serve(ctx, listener) })
	return a
}

// question waits for the open question.
func (a *humans) question() nudge.Nudge {
	a.t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if open, err := a.List(false); err != nil {
			a.t.Fatal(err)
		} else if len(open) == 1 {
			return open[0]
		}
	}
	a.t.Fatal("nothing was asked")
	return nudge.Nudge{}
}

func (a *humans) state(id string, want nudge.State) {
	a.t.Helper()
	var n nudge.Nudge
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if n, _, _ = a.Find(id); n.State == want {
			return
		}
	}
	a.t.Fatalf("it is %s, want %s", n.State, want)
}

// answer answers at the command line.
func (a *humans) answer(id, word string) {
	a.t.Helper()
	d, _, _ := nudge.ParseWord(word, nudge.ByCommand)
	v, err := a.Answer(nudge.Answer{Nudge: id, Said: nudge.Said{Decision: d}, Way: nudge.ByCommand, By: nudge.Person{Name: "ann"}, Written: time.Now(), Read: time.Now()})
	if err != nil || v.Kind != nudge.Taken {
		a.t.Fatalf("%+v, %v", v, err)
	}
}

// agent connects to `nod mcp` like an agent. hangUp ends it like the end of the agent.
func (a *humans) agent() (session *mcp.ClientSession, hangUp func()) {
	a.t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	p := &program{streams: streams{in, out, io.Discard}, env: settings.Environment{"NOD_SOCKET": a.socket}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if code := run(context.Background(), p.env, []string{"mcp"}, p.streams); code != 0 {
			a.t.Errorf("exit %d", code)
		}
		_ = out.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(a.t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	var once sync.Once
	hangUp = func() { once.Do(func() { _ = toServer.Close(); <-done }) }
	a.t.Cleanup(hangUp)
	return session, hangUp
}

// call calls a tool and sends the text of its answer when it comes.
func call(t *testing.T, s *mcp.ClientSession, tool, arguments string) <-chan string {
	answer := make(chan string, 1)
	go func() {
		defer close(answer)
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			return // the call was cut off
		}
		text := r.Content[0].(*mcp.TextContent).Text
		if r.IsError {
			text = "error: " + text
		}
		answer <- text
	}()
	return answer
}

const dangerous = `{"command":"echo '<&>' 12345678901234567890 && rm -rf build","n":12345678901234567890,"f":1.0,"é":"\u00e9"}`

// TestApproveAllowsWhatAHumanAllowed: the input comes back unchanged, including numbers and signs.
func TestApproveAllowsWhatAHumanAllowed(t *testing.T) {
	a := newHumans(t)
	agent, _ := a.agent()
	answer := call(t, agent, "approve", `{"tool_name":"Bash","input":`+dangerous+`,"tool_use_id":"toolu_1"}`)
	n := a.question()
	if n.Prompt().Lead == 0 || !strings.HasPrefix(n.Prompt().Subject, "echo '<&>' 12345678901234567890 && rm -rf build\n") {
		t.Errorf("asked about %q", n.Prompt().Subject)
	}
	a.answer(n.ID, "y")
	if got, want := <-answer, `{"behavior":"allow","updatedInput":`+dangerous+`}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestApproveDeniesWithWords: the model gets the human's words.
func TestApproveDeniesWithWords(t *testing.T) {
	a := newHumans(t)
	agent, _ := a.agent()
	answer := call(t, agent, "approve", `{"tool_name":"Bash","input":`+dangerous+`}`)
	n := a.question()
	v, err := a.Answer(nudge.Answer{Nudge: n.ID, Said: nudge.Said{Decision: screen.Deny, Because: deliver.Say(`use "the cache"`)}, Way: nudge.ByCommand})
	if err != nil || v.Kind != nudge.Taken {
		t.Fatalf("%+v %v", v, err)
	}
	if got, want := <-answer, `{"behavior":"deny","message":"The human denied this, and says: use \"the cache\""}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestApproveDeniesEverythingElse: a no, unreadable input, an agent that hangs up, and no nod at all.
func TestApproveDeniesEverythingElse(t *testing.T) {
	t.Parallel()
	a := newHumans(t)
	agent, hangUp := a.agent()
	denied := func(why, answer string) {
		t.Helper()
		if !strings.HasPrefix(answer, `{"behavior":"deny","message":"`) {
			t.Errorf("%s: %s", why, answer)
		}
	}
	answer := call(t, agent, "approve", `{"tool_name":"Bash","input":`+dangerous+`}`)
	a.answer(a.question().ID, "n")
	denied("a no", <-answer)
	for _, bad := range []string{`{}`, `{"tool_name":"Bash"}`, `{"tool_name":"Bash","input":"rm"}`, `{"tool_name":"","input":{}}`, `{"tool_name":7,"input":{}}`} {
		denied(bad, <-call(t, agent, "approve", bad))
	}
	denied("too large", <-call(t, agent, "approve", `{"tool_name":"Write","input":{"file_path":"/x","content":"`+strings.Repeat("a", 300<<10)+`"}}`))
	denied("larger than a request", <-call(t, agent, "approve", `{"tool_name":"Write","input":{"file_path":"/x","content":"`+strings.Repeat("a", 2<<20)+`"}}`))

	_ = call(t, agent, "approve", `{"tool_name":"Bash","input":`+dangerous+`}`)
	id := a.question().ID
	hangUp()
	a.state(id, nudge.Gone)

	a.socket += ".none"
	alone, _ := a.agent()
	denied("no nod", <-call(t, alone, "approve", `{"tool_name":"Bash","input":`+dangerous+`}`))
}

// TestTwoCallsGetTheirOwnAnswers even if the second one is answered first.
func TestTwoCallsGetTheirOwnAnswers(t *testing.T) {
	a := newHumans(t)
	agent, _ := a.agent()
	first := call(t, agent, "approve", `{"tool_name":"Bash","input":{"command":"first"}}`)
	n := a.question()
	other, _ := a.agent()
	second := call(t, other, "approve", `{"tool_name":"Bash","input":{"command":"second"}}`)
	var id string
	for id == "" {
		open, err := a.List(false)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range open {
			if o.ID != n.ID {
				id = o.ID
			}
		}
	}
	a.answer(id, "n")
	if got := <-second; !strings.Contains(got, "deny") {
		t.Errorf("second: %s", got)
	}
	a.answer(n.ID, "y")
	if got := <-first; got != `{"behavior":"allow","updatedInput":{"command":"first"}}` {
		t.Errorf("first: %s", got)
	}
}

func TestAskHumanGivesTheHumansWords(t *testing.T) {
	a := newHumans(t)
	agent, _ := a.agent()
	answer := call(t, agent, "ask_human", `{"question":"Which database?","options":["postgres","sqlite"]}`)
	n := a.question()
	_, err := a.Answer(nudge.Answer{Nudge: n.ID, Said: nudge.Said{Choice: &deliver.Choice{Index: 1}}, Way: nudge.ByCommand, Written: time.Now(), Read: time.Now()})
	if got := <-answer; err != nil || got != "sqlite" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestAToolThatFailsSaysWhy: the model can't do better without a reason.
func TestAToolThatFailsSaysWhy(t *testing.T) {
	a := newHumans(t)
	agent, _ := a.agent()
	for tool, want := range map[[2]string]string{
		{"ask_human", `{"question":" "}`}:                "error: no human could be asked: The question is blank.",
		{"ask_human", `{"question":7}`}:                  "error: the question must be a text, and the options a list of texts",
		{"send_file", `{"path":"report.txt"}`}:           "error: the file was not sent: the path must be absolute",
		{"send_file", `{"path":"/etc/passwd"}`}:          "error: the file was not sent: NOD_TELEGRAM is off, so there is no chat to bring it to.",
		{"send_file", `{"path":"/x","caption":{"a":1}}`}: "error: the path and the caption must be texts",
	} {
		if got := <-call(t, agent, tool[0], tool[1]); got != want {
			t.Errorf("%s says %q", tool, got)
		}
	}
}
