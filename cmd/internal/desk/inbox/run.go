package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"nod/cmd/internal/desk"
	"nod/internal/host/tmux"
	"nod/internal/rpc"
)

// Config is what an inbox works with.
type Config struct {
	Client  *rpc.Client
	In, Out *os.File // a terminal
	Colours bool
	Popup   bool // it lies over everything, and ends where a person goes on
	// Go takes the terminal to an agent's pane.
	Go func(context.Context, desk.Agent) error
}

// Run shows the inbox until its person quits or ctx ends.
func Run(ctx context.Context, c Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server, pane := tmux.Here()
	f := &finger{server: server, pane: pane, popup: c.Popup}
	m := New(Outside{
		Send: func(r desk.Reply) (string, error) {
			said, err := send(ctx, c.Client, r)
			if fault := (*rpc.Fault)(nil); c.Popup && errors.As(err, &fault) && fault.Reason == notHuman {
				err = errSilentPopup
			}
			return said, err
		},
		View:    func(card string) { _ = c.Client.Call(ctx, "inbox.view", map[string]any{"card": card}, nil) }, // else its screen is older
		Pressed: func(at time.Time) error { return f.pressed(ctx, at) },
		Go:      func(a desk.Agent) error { return c.Go(ctx, a) },
	}, c.Popup)
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(c.In), tea.WithOutput(c.Out)}
	if !c.Colours {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	program := tea.NewProgram(m, options...)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		watch(ctx, c.Client, func(change desk.Change) { program.Send(changed(change)) }, func(why string) { program.Send(down{why}) })
	}()
	_, err := program.Run()
	cancel()
	<-ended
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return nil // how watching ends
	}
	return err
}

// notHuman is the reason with which the bot refuses whoever it can't tell from an agent.
const notHuman = "caller_is_agent"

// errSilentPopup is said where a pop-up has been open for longer than the bot takes a key to be fresh: tmux (3.2a to 3.7c) does not
// count keys in a pop-up as a client's activity.
var errSilentPopup = errors.New("tmux tells nobody of keys in a pop-up: nothing was answered. Close it, open it again and answer within ten seconds, or run nod inbox in a pane")

// retryEvery is how often a bot that does not answer is tried again.
const retryEvery = time.Second

// errMissed says that a line of the stream is missing: what is shown may be old.
var errMissed = errors.New("a change was missed")

// watch reads what changes, from one connection after the other, until ctx ends. lost is given why no bot answers, in a sentence
// with a next step.
func watch(ctx context.Context, client *rpc.Client, see func(desk.Change), lost func(why string)) {
	for ctx.Err() == nil {
		began := time.Now()
		err := watchOnce(ctx, client, see)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !errors.Is(err, errMissed) {
			lost(whyDown(err))
		}
		select { // a stream that ended at once would be asked for again and again
		case <-ctx.Done():
		case <-time.After(retryEvery - time.Since(began)):
		}
	}
}

// watchOnce reads one stream to its end. Its first line is a snapshot, and each number follows the one before.
func watchOnce(ctx context.Context, client *rpc.Client, see func(desk.Change)) error {
	var last uint64
	return client.Stream(ctx, "inbox.watch", nil, func(line json.RawMessage) error {
		var c desk.Change
		if err := json.Unmarshal(line, &c); err != nil {
			return fmt.Errorf("read a card, perhaps of another version of nod: %w", err)
		}
		if !c.Snapshot && (last == 0 || c.Seq != last+1) {
			return errMissed
		}
		last = c.Seq
		see(c)
		return nil
	})
}

// whyDown says why nothing can be shown, with the next step.
func whyDown(err error) string {
	if errors.Is(err, rpc.ErrNotRunning) {
		return "nod is not running. Start it with: nod run"
	}
	return "nod gives no cards: " + err.Error()
}

// answer is what the bot says of a reply.
type answer struct {
	Outcome  string   `json:"outcome"`
	Detail   string   `json:"detail"`
	Way      string   `json:"way"`
	Keys     []string `json:"keys"`
	Ticked   []string `json:"ticked"`
	Position int      `json:"position"`
	Held     string   `json:"held"`
}

// send gives a reply to the bot and says what became of it.
func send(ctx context.Context, client *rpc.Client, r desk.Reply) (string, error) {
	method, params, err := r.Request("inbox")
	if err != nil {
		return "", err
	}
	var a answer
	if err := client.Call(ctx, method, params, &a); err != nil {
		return "", err
	}
	return a.sentence(r)
}
