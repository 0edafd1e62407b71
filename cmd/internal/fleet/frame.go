package fleet

import (
	"encoding/json"
	"fmt"
	"time"

	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
)

// Protocol is the version of the frames. Two ends understand each other if their versions differ by one at most, so machines may be updated in
// any order, one release after the other.
const Protocol = 1

// frame is one message: exactly one of its parts is set. An end ignores parts that it does not know.
type frame struct {
	// Boot names the run of the edge that a frame comes from or is for. Empty: the hub does not know it yet.
	Boot string `json:"boot,omitempty"`

	Greet *greet `json:"greet,omitempty"` // down, and the edge's hello up
	Hello *hello `json:"hello,omitempty"`

	State *state `json:"state,omitempty"` // up
	Delta *delta `json:"delta,omitempty"` // up
	Whole *whole `json:"whole,omitempty"` // down: the state is asked for
	Beat  *beat  `json:"beat,omitempty"`  // both ways

	Request *request `json:"request,omitempty"` // down
	Ask     *ask     `json:"ask,omitempty"`     // down: what became of a request?
	Begun   *ask     `json:"begun,omitempty"`   // up: the first key follows
	Result  *result  `json:"result,omitempty"`  // up
	Heard   *ask     `json:"heard,omitempty"`   // down: the hub has noted a result

	View    *view    `json:"view,omitempty"`    // down: somebody looks at a pane
	Capture *capture `json:"capture,omitempty"` // down: its last lines are wanted
	Lines   *lines   `json:"lines,omitempty"`   // up

	Call *call `json:"call,omitempty"` // up; down: its answer

	Bye *bye `json:"bye,omitempty"` // both ways
}

// greet begins a conversation. A hello counts only if it returns the nonce: an older one may come at any time.
type greet struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	Nonce    string `json:"nonce"`
}

// hello answers a greet and says who is there.
type hello struct {
	Protocol int       `json:"protocol"`
	Version  string    `json:"version"`
	Nonce    string    `json:"nonce"`
	Clock    time.Time `json:"clock"`
	Takes    string    `json:"takes,omitempty"` // NOD_EDGE
}

// seen is the part of a look at a pane that is sent.
type seen struct {
	Seq uint64 `json:"seq"`
	// Looks is how many looks in a row had this result; 2 means two or more. A single one may have met a redraw.
	Looks int `json:"looks"`
	detect.Sighting
	bare *screen.Prompt // at the hub: as it was told, where secrets had to be masked once more
}

// state is everything that an edge sees, in one frame or several.
type state struct {
	Seq   uint64 `json:"seq"`
	Part  int    `json:"part"` // from 0
	Parts int    `json:"parts"`
	Panes []seen `json:"panes,omitempty"`
}

// delta is the changes after From, up to To.
type delta struct {
	From    uint64          `json:"from"`
	To      uint64          `json:"to"`
	Panes   []seen          `json:"panes,omitempty"`
	Effects []detect.Effect `json:"effects,omitempty"`
}

type whole struct{}

// beat says that an end is alive, once each beatEvery.
type beat struct {
	At    time.Duration `json:"at,omitempty"`   // up: since the edge began, by a clock that nobody sets
	Seq   uint64        `json:"seq,omitempty"`  // up: of the last change
	Clock time.Time     `json:"clock,omitzero"` // up
	// Looked, up: every pane was looked at then or later, and what was sent about it up to Seq still holds.
	Looked   time.Time `json:"looked,omitzero"`
	Troubles []string  `json:"troubles,omitempty"` // up: what is wrong there, in sentences
	// Decided, down: the names of that machine's denied calls about which somebody has decided, if the agent was not told yet.
	Decided []string `json:"decided,omitempty"`
}

// request is something to type, or to do with the sessions there, at most once.
type request struct {
	ID     string          `json:"id"`
	Seq    uint64          `json:"seq"`    // of the state that the hub had taken in
	Saw    time.Duration   `json:"saw"`    // beat.At of the last that it heard
	Budget time.Duration   `json:"budget"` // how long it may take until the first key
	Type   deliver.Request `json:"type"`
	Do     *launch.Errand  `json:"do,omitempty"` // nothing is typed: an edge that does not know it finds no pane named
}

type ask struct {
	ID string `json:"id"`
}

// result is the result of a request.
type result struct {
	ID     string         `json:"id"`
	Nudge  string         `json:"nudge,omitempty"`
	Result deliver.Result `json:"result"`
	// Done is the outcome of an errand which was not refused.
	Done *launch.Done `json:"done,omitempty"`
}

type view struct {
	Pane detect.PaneRef `json:"pane"`
	For  time.Duration  `json:"for"`
}

type capture struct {
	ID    string         `json:"id"`
	Pane  detect.PaneRef `json:"pane"`
	Lines int            `json:"lines"`
}

type lines struct {
	ID    string   `json:"id"`
	Lines []string `json:"lines,omitempty"`
	Error string   `json:"error,omitempty"`
}

// bye ends a conversation, and says why.
type bye struct {
	Why string `json:"why"`
}

func (f frame) encode() ([]byte, error) {
	data, err := json.Marshal(f)
	if err == nil && len(data) > MaxFrame {
		err = fmt.Errorf("a frame of %d bytes is larger than %d", len(data), MaxFrame)
	}
	return data, err
}

func decode(data []byte) (f frame, err error) {
	if len(data) > MaxFrame {
		return f, fmt.Errorf("a frame of %d bytes is larger than %d", len(data), MaxFrame)
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, fmt.Errorf("read a frame: %w", err)
	}
	return f, nil
}

// apart says which end has to be updated if two do not understand each other; empty: they do.
func apart(hub, edge int, hubVersion, edgeVersion string) string {
	switch {
	case hub-edge > 1:
		return fmt.Sprintf("nod there (%s) is too old for this one (%s): update nod there", edgeVersion, hubVersion)
	case edge-hub > 1:
		return fmt.Sprintf("nod there (%s) is too new for this one (%s): update nod here", edgeVersion, hubVersion)
	}
	return ""
}

// The times of a conversation.
const (
	beatEvery = 5 * time.Second
	// AwayAfter is after how long a silence a machine counts as away, and how old a request may be.
	AwayAfter = 15 * time.Second
	// leftAfter is after how long a silence of the hub an edge gives its link up.
	leftAfter = 45 * time.Second
	// typeBudget is how long a request may take until its first key. answerTime is how long the hub waits for a result before it asks later.
	typeBudget = 20 * time.Second
	answerTime = 40 * time.Second
	// askAfter is after how long without news of a request the hub asks for its result.
	askAfter = 3 * time.Second
)
