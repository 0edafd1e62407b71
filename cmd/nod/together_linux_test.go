package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/internal/actor"
	"nod/internal/botapi"
	"nod/internal/testrun"
)

// togethers is the number of lives, with four prompts each, in TestEverybodyAnswersAtOnce.
const togethers = 200

// askedID matches the end of a message about a question.
var askedID = regexp.MustCompile(`#([a-z0-9]+)$`)

// TestEverybodyAnswersAtOnce: three supervisors tap, somebody answers over the socket, as the inbox and the
// page do, and a person presses the key at the terminal, all within a few milliseconds, and the next prompt
// appears at once. nod types no key twice, and none into a prompt that nobody has answered.
func TestEverybodyAnswersAtOnce(t *testing.T) {
	testrun.InFull(t)
	t.Parallel()
	proof := testrun.Prove(t, togethers, 20)
	t.Run("life", func(t *testing.T) {
		for _, round := range proof.Rounds() {
			t.Run(fmt.Sprint(round), func(t *testing.T) {
				t.Parallel()
				rng := proof.Random(round)
				c := newCrash(t, &together, "", 0)
				c.people = []*botapi.Person{c.ann, c.telegram.Person(2, "Bob"), c.telegram.Person(3, "Cem")}
				c.people[1].Start()
				c.people[2].Start()
				for range prompts {
					all := rng.Perm(5)[:2+rng.IntN(4)]
					c.answers = append(c.answers, all)
					for range all {
						c.waits = append(c.waits, time.Duration(rng.IntN(25))*time.Millisecond)
					}
				}
				if err := c.live(); err != nil {
					t.Fatalf("round %d: %v\n%s", round, err, c.story())
				}
				proof.Passed(t, round)
			})
		}
	})
}

const prompts = 4

var together = way{
	env: []string{"NOD_SUPERVISORS=1,2,3", "NOD_AGENTS_MAY_ANSWER=others"},
	begin: func(c *crash) {
		var steps []actor.Step
		for i := range prompts {
			s := step(fmt.Sprintf("touch %d.txt", i))
			s.Think = 0
			steps = append(steps, s)
		}
		c.play(steps...)
	},
	act: func(c *crash) bool {
		over := c.was("ran", "touch") + c.was("denied", "touch")
		if over == prompts {
			return true
		}
		command := fmt.Sprintf("touch %d.txt", over)
		var told []botapi.Record
		for _, p := range c.people {
			for _, m := range p.Messages() {
				if m.From.IsBot && m.Markup != nil && strings.Contains(m.Text, command) {
					told = append(told, m)
				}
			}
		}
		if len(told) >= len(c.people) && c.once(command, patience) {
			c.everybody(over, told)
		}
		return false
	},
	check: func(c *crash) error {
		about, times := "", map[string]int{}
		for _, e := range c.events() {
			switch {
			case e.Kind == "asks":
				about = e.Command
			case e.Kind == "key" && e.Key == "1":
				if times[about]++; times[about] > 1 {
					return fmt.Errorf("%s got the key twice", about)
				}
				if c.did[about].IsZero() || e.At.Before(c.did[about]) {
					return fmt.Errorf("%s got a key before anybody answered", about)
				}
			}
		}
		return nil
	},
}

// everybody answers one prompt: 0 to 2 are the supervisors, 3 answers over the socket, 4 denies at the
// terminal.
func (c *crash) everybody(prompt int, told []botapi.Record) {
	var all sync.WaitGroup
	defer all.Wait()
	for i, who := range c.answers[prompt] {
		wait := c.waits[(prompt+i)%len(c.waits)]
		all.Go(func() {
			time.Sleep(wait)
			switch {
			case who < len(c.people):
				m := told[who]
				_, _ = c.people[who].Tap(m.ID, "✅ Approve") // it may be over by now
			case who == 3:
				if id := askedID.FindStringSubmatch(told[0].Text); id != nil {
					reply := exec.Command("window", "nod", "reply", id[1], "y")
					reply.Env = append(c.env, "PATH="+os.Getenv("PATH"))
					_ = reply.Run()
				}
			default:
				c.tmux.Type(c.pane, "4")
			}
		})
	}
}
