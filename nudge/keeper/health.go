package keeper

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/nudge"
)

// trouble is a kind of storage failure, as a sentence without its cause.
type trouble string

// The troubles. Each is tried again, and over when that succeeds.
const (
	lookLost       trouble = "A look at a pane could not be stored; nod tries again"
	effectLost     trouble = "The outcome of a command could not be stored; nod tries again"
	tickFailed     trouble = "nod can't do its scheduled work; it tries again"
	typingNotNoted trouble = "The state of an answer can't be stored; nod tries again"
)

// trouble records a failure and reports whether it is new.
func (k *Keeper) trouble(t trouble, err error) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, known := k.troubles[t]
	k.troubles[t] = err
	return !known
}

// well records that the failed work has succeeded.
func (k *Keeper) well(t trouble) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.troubles, t)
}

// Health returns what is wrong with nod's records, one sentence each; nil: nothing.
func (k *Keeper) Health() []string {
	var list []string
	k.mu.Lock()
	for t, err := range k.troubles {
		list = append(list, string(t)+": "+err.Error())
	}
	k.mu.Unlock()
	slices.Sort(list)
	aside, err := k.cfg.Store.Asides(time.Now().Add(-nudge.Kept))
	if err != nil {
		return append(list, "The database can't be read: "+err.Error())
	}
	if len(aside) == 0 {
		return list
	}
	var names []string
	for _, a := range aside {
		bucket, key, _ := strings.Cut(a.Name, "/")
		if bucket == "nudges" {
			key = "#" + key
		}
		names = append(names, key)
	}
	what := "1 record of the database can't be read and was"
	if len(aside) > 1 {
		what = fmt.Sprintf("%d records of the database can't be read and were", len(aside))
	}
	return append(list, what+" set aside ("+strings.Join(names, ", ")+"): a question that is still there is asked again; "+
		"restore a copy made by `nod backup` if you miss the rest")
}
