package keeper

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"nod/internal/reason"
	"nod/nudge"
)

// trouble records a failure of a kind, which is tried again and over when that succeeds. It reports whether it is new.
func (k *Keeper) trouble(t reason.Kind, err error) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, known := k.troubles[t]
	k.troubles[t] = err
	return !known
}

// well records that the failed work has succeeded.
func (k *Keeper) well(t reason.Kind) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.troubles, t)
}

// Health returns what is wrong with nod's records; nil: nothing.
func (k *Keeper) Health() (list []reason.Why) {
	k.mu.Lock()
	for t, err := range k.troubles {
		list = append(list, reason.Why{Kind: t, What: err.Error()})
	}
	k.mu.Unlock()
	slices.SortFunc(list, func(a, b reason.Why) int { return cmp.Compare(a.Kind, b.Kind) })
	aside, err := k.cfg.Store.Asides(time.Now().Add(-nudge.Kept))
	if err != nil {
		return append(list, reason.Why{Kind: reason.RecordsUnread, What: err.Error()})
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
	if len(names) == 1 {
		return append(list, reason.Why{Kind: reason.RecordAside, What: names[0]})
	}
	return append(list, reason.Why{Kind: reason.RecordsAside, What: strings.Join(names, ", ")})
}
