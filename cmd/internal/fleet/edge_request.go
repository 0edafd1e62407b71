package fleet

import (
	"context"
	"time"

	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/internal/reason"
	"nod/store"
)

// This file carries out requests, each at most once: a request is recorded before anything is done, and its result before anybody hears of it.
// A second copy gets the recorded result. If the hub asks about a request that has not arrived, that request is void, and is refused if it
// arrives later.

func refused(code deliver.Reason, kind reason.Kind, what string) deliver.Result {
	cause := reason.Why{Kind: kind, What: what}
	return deliver.Result{Outcome: deliver.Refused, Reason: code, Detail: reason.Why{Kind: reason.NothingTyped, Because: &cause}}
}

// request carries out a request beside others.
func (e *Edge) request(ctx context.Context, link Link, boot string, r request) error {
	return e.once(ctx, link, boot, store.Claim{ID: r.ID, Nudge: r.Type.Nudge}, func() noted {
		if r.Do != nil {
			return e.errand(ctx, r.Saw, *r.Do)
		}
		return noted{Result: e.carryOut(ctx, link, r)}
	})
}

// errandTime is how long an errand may take, whatever becomes of its link.
const errandTime = 15 * time.Second

// errand carries out an errand. One that may start or end an agent needs a machine that accepts every request of its hub.
func (e *Edge) errand(ctx context.Context, saw time.Duration, what launch.Errand) noted {
	switch {
	case what.Do != launch.DoList && e.cfg.Takes() != Full:
		return noted{Result: refused(deliver.NotOwner, reason.EdgeDenies, "")}
	case e.late(saw):
		return noted{Result: refused(deliver.Late, reason.RequestVoid, "")}
	}
	doing, cancel := context.WithTimeout(context.WithoutCancel(ctx), errandTime)
	defer cancel()
	o := e.cfg.Errand(doing, what)
	return noted{Result: deliver.Result{Outcome: deliver.Delivered}, Done: &o}
}

// once calls a function for the request with that id, unless that was done before.
func (e *Edge) once(ctx context.Context, link Link, boot string, c store.Claim, do func() noted) error {
	if boot != e.boot { // another run of nod here may have carried it out: nothing is noted, and nothing said of that
		return nil
	}
	earlier, fresh, err := e.claim(c.ID, c.Nudge)
	switch {
	case err != nil:
		res := refused(deliver.Unreadable, reason.RequestUnnoted, err.Error())
		return e.send(ctx, link, frame{Result: &result{ID: c.ID, Nudge: c.Nudge, Result: res}})
	case !fresh && earlier.Result != nil:
		return e.sendResult(ctx, link, earlier)
	case !fresh:
		return nil // it is being carried out, and its result follows
	}
	e.work.Go(func() {
		c.Result = do().encode()
		e.finish(ctx, link, c)
	})
	return nil
}

// late reports whether the hub, when it asked, had not heard this machine for too long, by this machine's clock.
func (e *Edge) late(saw time.Duration) bool { return time.Since(e.began)-saw > AwayAfter }

// claim records a request, unless it is recorded already.
func (e *Edge) claim(id, nudge string) (earlier store.Claim, fresh bool, err error) {
	return e.cfg.Claims.Claim(store.Claim{ID: id, At: time.Now().UTC(), Boot: e.boot, Nudge: nudge})
}

// carryOut types what a request asks for, under the usual rules, or says why not.
func (e *Edge) carryOut(ctx context.Context, link Link, r request) deliver.Result {
	t, no := e.admit(r)
	if no != nil {
		return *no
	}
	typing, cancel := context.WithTimeout(ctx, min(max(r.Budget, 0), typeBudget))
	defer cancel()
	return e.cfg.Typist.Type(typing, unmasked(r.Type, t.own.Prompt, t.Prompt), func() error {
		_ = e.send(ctx, link, frame{Begun: &ask{ID: r.ID}}) // the result says so as well
		return typing.Err()
	})
}

// admit refuses a request that comes late, that is based on an old state, or that this machine accepts from nobody.
func (e *Edge) admit(r request) (*told, *deliver.Result) {
	no := func(code deliver.Reason, kind reason.Kind) (*told, *deliver.Result) {
		res := refused(code, kind, "")
		return nil, &res
	}
	takes, approval := e.cfg.Takes(), approves(r.Type)
	t, bound := e.out.at(r.Type.Pane)
	switch {
	case approval && takes != Full && takes != AskHere:
		return no(deliver.NotOwner, reason.EdgeDenies)
	case e.late(r.Saw):
		return no(deliver.Late, reason.RequestLate)
	case t == nil:
		return no(deliver.Gone, reason.PaneGone)
	case r.Seq < bound:
		return no(deliver.Late, reason.RequestLate)
	}
	if approval && takes == AskHere {
		return t, e.askHere(r.Type, t, bound)
	}
	return t, nil
}

// The values of NOD_EDGE with which a machine accepts every request of its hub, and with which a human there allows each approval. With any
// other value it accepts only denials.
const (
	Full    = "full"
	AskHere = "ask-here"
)

// finish records a request's result and reports it. A result that can't be recorded is reported all the same, because the hub waits for it.
func (e *Edge) finish(ctx context.Context, link Link, c store.Claim) {
	for tries := 0; ; tries++ {
		err := e.cfg.Claims.Done(c.ID, c.Result)
		if err == nil || tries == 3 {
			break
		}
		e.cfg.Log.Error("can't note what became of a request", "error", err)
		time.Sleep(time.Second)
	}
	telling, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // a hub that has ended its side still listens
	defer cancel()
	_ = e.sendResult(telling, link, c) // it is told again until the hub has it
}

// asked reports a request's result. A request of this run that has not arrived is void from now on; the result of another run's is unknown.
func (e *Edge) asked(ctx context.Context, link Link, boot, id string) error {
	earlier, fresh, err := e.claim(id, "")
	if err != nil || !fresh && earlier.Result == nil && earlier.Boot == e.boot {
		return nil //nolint:nilerr // the hub asks again
	}
	c := earlier
	switch {
	case fresh && boot == e.boot:
		c = store.Claim{ID: id, Result: noted{Result: refused(deliver.Late, reason.RequestVoid, "")}.encode()}
	case fresh, earlier.Result == nil:
		c = store.Claim{ID: id, Result: noted{Result: unknownAfterEnd()}.encode()}
	}
	if err := e.cfg.Claims.Done(id, c.Result); err != nil {
		return nil //nolint:nilerr // the hub asks again
	}
	return e.sendResult(ctx, link, c)
}
