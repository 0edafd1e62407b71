package demo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"nod/internal/actor"
)

// Question is one scripted agent in its own tmux server that asks for permission once. setup uses it to prove
// the whole way to the phone and back. All its files are in one temporary folder.
type Question struct {
	Socket  string // of the tmux server
	Command string // the command that it asks about

	dir   string
	log   string
	stage *actor.Stage
}

// Ask starts the agent; program is the nod that plays it. Call Close even if Ask failed.
func Ask(program string) (*Question, error) {
	// The name is short: a Unix socket's path has at most 107 bytes.
	dir, err := os.MkdirTemp("", "nod-setup-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the test question: %w", err)
	}
	q := &Question{Command: "touch it-works", dir: dir, log: filepath.Join(dir, "log"), stage: actor.NewStage(dir)}
	q.Socket = q.stage.Socket
	err = q.stage.Play(program, actor.Script{
		Agent: "claude", Dir: filepath.Join(dir, "nod-setup"), Log: q.log,
		Steps: []actor.Step{{
			Instruction: "ask my human whether nod works", Command: q.Command, Think: time.Second,
			Doing: "Asking whether nod works", Why: "A test question of nod setup", Done: "It works.",
		}, {
			// Idle, it would be told in the chat as done, where setup is slow to close it.
			Instruction: "wait until setup ends", Doing: "Waiting", Think: time.Hour,
		}},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a scripted agent: %w", err), q.Close())
	}
	return q, nil
}

// The states of a Question.
const (
	NotAsked = ""       // not on the screen yet
	Asked    = "asks"   // waits for an answer
	Approved = "ran"    // the key for yes came, and the command ran
	Denied   = "denied" // the key for no came
)

// State returns the current state of the question.
func (q *Question) State() (string, error) {
	events, err := actor.ReadLog(q.log)
	state := NotAsked
	for _, e := range events {
		switch e.Kind {
		case Asked, Approved, Denied:
			state = e.Kind
		}
	}
	return state, err
}

// Close ends the agent and its server, and removes the folder.
func (q *Question) Close() error { return errors.Join(q.stage.Close(), os.RemoveAll(q.dir)) }
