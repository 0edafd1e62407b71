package tmux

import (
	"fmt"
	"time"
)

// Life names one run of one tmux server. Pane ids start again at %0 with every run, so a pane id
// means something only together with a Life.
type Life struct {
	Socket string // absolute path of the server's socket
	PID    int    // #{pid}
	Start  int64  // #{start_time}, unix seconds
}

func (l Life) String() string { return fmt.Sprintf("%s,%d,%d", l.Socket, l.PID, l.Start) }

// Pane is one pane as list-panes prints it.
type Pane struct {
	ID  string // "%12"
	PID int    // #{pane_pid}: changes with respawn-pane, which keeps the id
	Input
	Alternate bool // the alternate screen is on
	Width     int
	Height    int
	TTY       string
	Position
	Activity time.Time
	Title    string
	Path     string
	Agent    string // the pane option @nod-agent
	Name     string // the pane option @nod-name

	still string // what a gate says of it as long as nothing but its output changes
}

// Input is what keeps keys from a pane's program, or gives them to more than that.
type Input struct {
	Dead         bool // the program ended and remain-on-exit keeps the pane
	InMode       bool // copy mode, clock, tree: keys reach the mode, not the program
	InputOff     bool // select-pane -d: keys are dropped without an error
	Synchronized bool // one key lands in every pane of the window
}

// Position is where a pane is on its server.
type Position struct {
	Session string
	Window  int // index
	Index   int // of the pane in its window
}

// Where is the name of a position for people: "main:2.0".
func (p Position) Where() string { return fmt.Sprintf("%s:%d.%d", p.Session, p.Window, p.Index) }

// Client is a person's terminal that is attached to the server. Control clients and suspended
// ones are left out: nobody looks at them.
type Client struct {
	Name     string    // #{client_name}, for switch-client
	PID      int       // of its process; 0: unknown
	Pane     string    // the pane that it shows as active, "%3"
	Shows    []string  // every pane of the window that it shows
	Activity time.Time // last key, paste, mouse or focus; whole seconds
}

// Listing is one look at a server: every pane once, however many sessions share it.
type Listing struct {
	Life    Life
	Panes   []Pane
	Clients []Client
	Owner   string // the server option @nod-owner, whoever wrote it
	// Only a poll sets these: Taken is when it began, and Fresh has the panes that it listed, or that have drawn something since the
	// listing before. All other panes are as in that listing. Whole says that it listed all of them.
	Taken time.Time
	Fresh map[string]bool
	Whole bool
	// Came gets a value when the next look has come that a Watch has asked the server for: the next poll is due then. nil: none was.
	Came <-chan struct{}
	// Next is when to poll at the latest where such a look was asked for.
	Next time.Time
	// Every is set for a poll of a Watch: how long after each of its polls the next one follows; zero: this one is out of turn.
	Every time.Duration
	// Missed has those of the known panes that may have changed and could not be captured.
	Missed map[string]bool

	// Drew gets the next pane that draws, known or not, and is closed then. Only a poll of a Watch sets it, and only where the server says
	// such a thing; nil: the next poll tells.
	Drew <-chan string

	// hoards says that the server frees nothing of a script's commands (some 90 bytes a look in 3.2a, none in 3.3a, 3.4, 3.5a, 3.6b and 3.7c).
	hoards bool
	// tellsDrawing says that the server may say which pane draws.
	tellsDrawing bool
	// windows has the panes of each window, by their place in Panes, under its id and under the id of the first.
	windows map[string][]int
	// gates is how many polls in a row went by the listing before.
	gates int
}
