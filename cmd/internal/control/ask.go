package control

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/deliver"
	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/internal/words"
	"nod/nudge"
	"nod/nudge/keeper"
)

// This file has the methods by which a program asks its human, and their types on the socket. An agent may
// ask; nudge.reply decides who may answer.

// AskParams are the parameters of ask.create.
type AskParams struct {
	Question  string   `json:"question"`
	Options   []string `json:"options"` // the possible answers; without options and text: yes and no
	Text      bool     `json:"text"`    // an answer in one's own words is possible too
	TimeoutMS int64    `json:"timeout_ms"`
	Default   string   `json:"default"` // the answer if time is up
	File      string   `json:"file"`    // text that the question is about, such as a diff
	Project   string   `json:"project"` // one word for the program's folder
	Call      *AskCall `json:"call"`    // asks whether this call may run, instead of a question; the answer is allow or deny
}

// AskCall is a tool call that needs a human's permission.
type AskCall struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	Hears bool            `json:"hears"` // the caller takes the words that come with a denial
}

// Asked is the result of ask.create. A question that nobody waits for is withdrawn after a minute.
type Asked struct {
	ID      string    `json:"id"`
	Key     string    `json:"key"` // with which any process may withdraw it; the one that asked needs only the id
	Expires time.Time `json:"expires"`
}

// CancelParams are the parameters of ask.cancel.
type CancelParams struct {
	ID  string `json:"id"`
	Key string `json:"key,omitempty"` // of ask.create; needed by any other process than the one that asked
}

// AskAnswer is the result of ask.wait.
type AskAnswer struct {
	Answer  string `json:"answer"`            // if time is up, the default; empty where NOD_EDGE takes no yes, which that may be
	Because string `json:"because,omitempty"` // the words that came with a denial, for a caller with Hears
	State   string `json:"state"`             // delivered, expired or gone (withdrawn); any other: nod stopped, ask again
}

// Flaw says in a sentence why this question can't be asked; empty if it can. It needs no running nod.
func (p AskParams) Flaw() string { return words.Why(p.question(time.Hour).Flaw()) }

// question returns the question of p, which expires after expiry unless p has a timeout.
func (p AskParams) question(expiry time.Duration) nudge.ProgramQuestion {
	q := nudge.ProgramQuestion{
		Text: p.Question, File: p.File, Options: p.Options, Words: p.Text, Default: p.Default, Project: p.Project,
		Timeout: expiry,
	}
	if p.TimeoutMS != 0 {
		q.Timeout = time.Duration(p.TimeoutMS) * time.Millisecond
	}
	if c := p.Call; c != nil {
		q.Call, q.Hears = &nudge.Call{}, c.Hears
		q.Call.Verb, q.Call.Subject, q.Call.Lead = detect.Subject(c.Tool, c.Input)
	} else if len(q.Options) == 0 && !q.Words {
		q.Options = []string{"yes", "no"}
	}
	return q
}

// maxProject is how long the name of a program's folder may be, in bytes: it is shown in rows with others.
const maxProject = 100

func (c *Control) createAsk(ctx context.Context, p AskParams) (Asked, error) {
	q := p.question(c.cfg.Settings().Expiry)
	if flaw := q.Flaw(); !flaw.IsZero() {
		return Asked{}, jrpc2.Errorf(jrpc2.InvalidParams, "%s", words.Why(flaw))
	}
	if q.Project != "" {
		q.Project = capped(detect.FolderName(q.Project), maxProject)
	}
	q.Program, q.Agent = asker(rpc.CallerPID(ctx))
	if q.Agent == (proc.ID{}) {
		if place := c.caller(ctx); len(place.Agents) > 0 {
			q.Agent = place.Agents[0] // what it runs in the background leads to it no more by its parents
		}
	}
	n, err := c.cfg.Keeper.Ask(q)
	if errors.Is(err, keeper.ErrTooMany) {
		return Asked{}, rpc.Refuse(string(deliver.AwaitingDecision), err.Error()+": answer some of them first.")
	}
	if errors.Is(err, keeper.ErrWithdrawn) {
		return Asked{}, rpc.Refuse(string(deliver.AwaitingDecision), err.Error()+": ask again later, and wait for the answer.")
	}
	if err != nil {
		return Asked{}, err
	}
	asked := c.toldAsker(n)
	c.askers.remember(ctx, asked)
	return asked, nil
}

func (c *Control) toldAsker(n nudge.Nudge) Asked {
	return Asked{ID: n.ID, Key: c.askKey(n.ID), Expires: n.Expires.UTC()}
}

// askKey proves that its owner has asked a question: the id alone is known to every program.
func (c *Control) askKey(id string) string {
	sum := hmac.New(sha256.New, c.cfg.Store.Secret())
	sum.Write([]byte("ask.cancel " + id))
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
}

// asker returns the name of the asking program, and the agent that it runs in, if any: that agent may not
// answer.
func asker(pid int) (program string, agent proc.ID) {
	program = "a program"
	lineage, err := proc.Lineage(pid)
	if err != nil {
		return program, proc.ID{} // onlyHumans takes an untraceable caller for an agent
	}
	for _, p := range lineage {
		if path.Base(p.Exe) != "nod" && !isNods(p.Comm) {
			program = p.Comm
			break
		}
	}
	if name, outermost, ok := detect.AgentAbove(lineage); ok {
		program, agent = name, outermost
	}
	return program, agent
}

// isNods reports whether a question of a program with that name would look like nod's own.
func isNods(name string) bool { return strings.EqualFold(strings.TrimSpace(name), "nod") }

func (c *Control) waitAsk(ctx context.Context, p IDParams) (AskAnswer, error) {
	if err := c.asked(p.ID); err != nil {
		return AskAnswer{}, askError(err)
	}
	return c.awaitAsk(ctx, p)
}

// awaitAsk waits until a question is over. If nod stops first, the returned state is not final, and the caller
// asks the next nod.
func (c *Control) awaitAsk(ctx context.Context, p IDParams) (AskAnswer, error) {
	if err := c.attend(p.ID, 1); err != nil {
		return AskAnswer{}, askError(err)
	}
	n, err := c.cfg.Keeper.AwaitAnswer(ctx, p.ID)
	if errors.Is(context.Cause(ctx), rpc.ErrStopping) {
		err = nil // a caller whose nod is gone comes back
	} else if left := c.attend(p.ID, -1); err == nil {
		err = left
	}
	if err != nil {
		return AskAnswer{}, askError(err)
	}
	answer := AskAnswer{Answer: n.Answered(), State: string(n.State)}
	if n.Claim != nil {
		answer.Because = n.Claim.Because.Said()
	}
	return answer, nil
}

// attend adds by to the number of callers that wait for an answer. It records the arrival of the first and
// the departure of the last.
func (c *Control) attend(id string, by int) error {
	c.attending.Lock()
	defer c.attending.Unlock()
	if c.waiting[id] += by; c.waiting[id] <= 0 {
		delete(c.waiting, id)
	}
	err := c.cfg.Keeper.Attend(id, c.waiting[id] > 0)
	if err != nil && by > 0 {
		delete(c.waiting, id)
	}
	return err
}

// asked returns an error unless ask.create has opened a question here. No other may be withdrawn, or waited for, since whoever leaves
// withdraws it: an agent must not take what is asked about itself, or by another machine, out of a human's sight.
func (c *Control) asked(id string) error {
	n, _, err := c.cfg.Keeper.Find(id)
	if q := n.Program(); err == nil && (q == nil || q.Door || q.Form || q.Join || q.Machine != "") {
		return keeper.ErrNoQuestion
	}
	return err
}

func (c *Control) cancelAsk(ctx context.Context, p CancelParams) (none, error) {
	if err := c.asked(p.ID); err != nil {
		return none{}, askError(err)
	}
	p.Key = c.askers.key(ctx, p)
	return c.withdrawAsk(p)
}

func (c *Control) withdrawAsk(p CancelParams) (none, error) {
	if !hmac.Equal([]byte(p.Key), []byte(c.askKey(p.ID))) {
		return none{}, askError(fmt.Errorf("%w; a process that did not ask withdraws it with the key that ask.create returned", keeper.ErrNoQuestion))
	}
	return none{}, askError(c.cfg.Keeper.Withdraw(p.ID))
}

func askError(err error) error {
	if errors.Is(err, keeper.ErrNoQuestion) {
		return rpc.Refuse(string(deliver.NotFound), err.Error())
	}
	return err
}
