package fleet

import (
	"context"
	"time"

	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/internal/reason"
	"nod/store"
)

// This file carries out requests, each at most once: it is noted before anything is done about it, and its result before anybody hears of it.
// A second copy gets the result that is noted. What was asked about and had not come by then is void, and is refused if it comes after all.

func refused(code deliver.Reason, kind reason.Kind, what string) deliver.Result {
	cause := reason.Why{Kind: kind, What: what}
	return deliver.Result{Outcome: deliver.Refused, Reason: code, Detail: reason.Why{Kind: reason.NothingTyped, Because: &cause}}
}

// request carries one out, while others go on.
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

// errand does one. What may start or end an agent needs a machine that takes whatever its hub asks for.
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

// once has something done that was asked for under an id, unless it was before.
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

// late reports whether the hub heard this machine too long ago, by this one's clock, when it asked.
func (e *Edge) late(saw time.Duration) bool { return time.Since(e.began)-saw > AwayAfter }

// claim notes a request, unless it is noted already.
func (e *Edge) claim(id, nudge string) (earlier store.Claim, fresh bool, err error) {
	return e.cfg.Claims.Claim(store.Claim{ID: id, At: time.Now().UTC(), Boot: e.boot, Nudge: nudge})
}

// carryOut types what a request wants, by the rules of every other, or says why not.
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

// admit refuses a request that comes late, that rests on what is not so any more, or that this machine takes from nobody.
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

// What NOD_EDGE is on a machine that takes whatever its hub asks for, and on one that has a human there allow each approval. With any other it
// takes nothing but denials.
const (
	Full    = "full"
	AskHere = "ask-here"
)

// finish notes what became of a request, and tells it. What can't be noted is told all the same: the hub waits for it.
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

// asked tells what became of a request. One of this run that has not come by now is void from now on; of another run's nobody knows.
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
