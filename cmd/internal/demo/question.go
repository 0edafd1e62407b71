package demo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"nod/internal/actor"
)

// Question is one scripted agent in a tmux server of its own, which asks for permission once: setup proves with it the
// whole way to the phone and back. All its files are in one temporary folder.
type Question struct {
	Socket  string // of the tmux server
	Command string // what it asks for

	dir   string
	log   string
	stage *actor.Stage
}

// Ask starts the agent, with program as the nod that plays it. Close ends it, also where Ask failed.
func Ask(program string) (*Question, error) {
	// Short, for a Unix socket's path ends after 107 bytes.
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
		}},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a scripted agent: %w", err), q.Close())
	}
	return q, nil
}

// What became of a Question.
const (
	NotAsked = ""       // not on the screen yet
	Asked    = "asks"   // it waits for an answer
	Approved = "ran"    // the key for yes came, and the command ran
	Denied   = "denied" // the key for no came
)

// State tells what became of the question so far.
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
