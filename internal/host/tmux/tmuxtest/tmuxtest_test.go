package tmuxtest_test

import (
	"strings"
	"testing"
	"time"

	"nod/internal/host/tmux/tmuxtest"
)

func TestAPaneRunsWhatIsTyped(t *testing.T) {
	s := tmuxtest.New(t)
	pane := s.Pane("", 40, 10)
	s.Type(pane, "echo a$((1+1))b", "Enter")
	s.Until(pane, func(screen string) bool { return strings.Contains(screen, "a2b") })
	if got := s.Run("display-message", "-p", "-t", pane, "#{pane_width}x#{pane_height}"); got != "40x10" {
		t.Errorf("the pane is %s, want 40x10", got)
	}
}

func TestPaneIDsBeginAnewWithTheServer(t *testing.T) {
	s := tmuxtest.New(t)
	first := s.Pane("cat", 40, 10)
	s.Kill()
	s.Start()
	if again := s.Pane("cat", 40, 10); again != first {
		t.Errorf("the new server's pane is %s, want %s again", again, first)
	}
}

func TestAttachShowsThePane(t *testing.T) {
	s, outer := tmuxtest.New(t), tmuxtest.New(t)
	pane := s.Pane("echo here I am; cat", 60, 10)
	client := s.Attach(outer, pane, 60, 12)
	outer.UntilShows(client, "here I am")
	outer.Type(client, "typed by a person", "Enter")
	s.UntilShows(pane, "typed by a person")
}

// TestKillWaitsForAServerThatIsBusy, however many connections wait for it meanwhile.
func TestKillWaitsForAServerThatIsBusy(t *testing.T) {
	s := tmuxtest.New(t)
	thaw := s.Freeze()
	killed := make(chan bool)
	go func() { s.Kill(); close(killed) }()
	select {
	case <-killed:
		t.Error("the server is there still")
	case <-time.After(time.Second):
	}
	thaw()
	<-killed
}
