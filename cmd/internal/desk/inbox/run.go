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

// Config is an inbox's configuration.
type Config struct {
	Client  *rpc.Client
	In, Out *os.File // a terminal
	Colours bool
	Popup   bool // the inbox is a tmux pop-up, and ends when its person goes to a pane
	// Start is the command that starts nod.
	Start string
	// Go switches the terminal to an agent's pane.
	Go func(context.Context, desk.Agent) error
	// Agents reports whether a process belongs to an agent.
	Agents func(ctx context.Context, pid int) bool
}

// Run shows the inbox until its person quits or ctx ends.
func Run(ctx context.Context, c Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server, _ := tmux.Here()
	f := &finger{server: server, agents: c.Agents}
	defer f.begin(ctx)()
	m := New(Outside{
		Send: func(r desk.Reply) (string, error) { return send(ctx, c.Client, r) },
		View: func(card string) {
			_ = c.Client.Call(ctx, "inbox.view", map[string]any{"card": card}, nil) // if it fails, the card's screen is older
			f.watch(ctx)
		},
		Pressed: func(at time.Time) error { return f.pressed(ctx, at) },
		Go:      func(a desk.Agent) error { return c.Go(ctx, a) },
	}, c.Popup)
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(c.In), tea.WithOutput(c.Out), tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, ok := msg.(tea.KeyPressMsg); ok {
			f.key()
		}
		return msg
	})}
	if !c.Colours {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	program := tea.NewProgram(m, options...)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		watch(ctx, c.Client, func(change desk.Change) { program.Send(changed(change)) }, func(err error) { program.Send(down{whyDown(err, c.Start)}) })
	}()
	_, err := program.Run()
	cancel()
	<-ended
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return nil // the normal end of watching
	}
	return err
}

// retryEvery is the pause between tries to reach a bot that does not answer.
const retryEvery = time.Second

// errMissed says that a line of the stream was lost, so what is shown may be old.
var errMissed = errors.New("a change was missed")

// watch reads changes from one connection after another, until ctx ends. lost receives why no bot answers.
func watch(ctx context.Context, client *rpc.Client, see func(desk.Change), lost func(error)) {
	for ctx.Err() == nil {
		began := time.Now()
		err := watchOnce(ctx, client, see)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !errors.Is(err, errMissed) {
			lost(err)
		}
		select { // otherwise a stream that ends at once would be reopened without a pause
		case <-ctx.Done():
		case <-time.After(retryEvery - time.Since(began)):
		}
	}
}

// watchOnce reads one stream to its end. Its first line is a snapshot, and the lines are numbered without
// gaps.
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

// whyDown says why nothing can be shown, and what to do. start is the command that starts nod.
func whyDown(err error, start string) string {
	if errors.Is(err, rpc.ErrNotRunning) {
		return "nod is not running. Start it with: " + start
	}
	return "nod gives no cards: " + err.Error()
}

// send passes a reply to the bot and returns its result.
func send(ctx context.Context, client *rpc.Client, r desk.Reply) (string, error) {
	method, params, err := r.Request("inbox")
	if err != nil {
		return "", err
	}
	var result desk.Result
	if err := client.Call(ctx, method, params, &result); err != nil {
		return "", err
	}
	return r.Said(result)
}
