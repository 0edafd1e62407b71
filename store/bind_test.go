package store

import (
	"testing"
	"time"

	"nod/nudge"
)

// fillChats leaves in s what goes by one bot's ids.
func fillChats(t *testing.T, s *Store) {
	t.Helper()
	update(t, s, func(tx *Tx) {
		n := sample("k3f", "%1", 1)
		n.Claim = &nudge.Claim{Ref: nudge.Ref{Place: "7", Message: 9, Update: 11}}
		tx.Put(n)
		tx.Handle(nudge.Ref{Place: "7", Message: 9})
		tx.SetPreferences(nudge.Preferences{Muted: noon})
		tx.AddOtherMessage(nudge.OtherMessage{Ref: nudge.Ref{Place: "7", Message: 3}, Several: true})
		tx.PutInstruction(&nudge.Instruction{ID: "i9k", Number: 1, Addressee: nudge.Addressee{Whereabouts: n.Whereabouts}, Course: nudge.Course{State: nudge.Completed}, Buttons: []nudge.InstructionButtons{{Ref: nudge.Ref{Place: "7", Message: 4}}}})
		for id, state := range map[string]nudge.WishState{"w7k": nudge.Wished, "w8k": nudge.WishSent} {
			tx.PutWish(&nudge.Wish{ID: id, State: state, Copies: nudge.Messages{{Ref: nudge.Ref{Place: "7", Message: 5}, Closed: true}}})
		}
		for id, ended := range map[string]time.Time{"d7k": {}, "d8k": noon} {
			tx.PutDenials(&nudge.Denials{ID: id, Ended: ended, Copies: nudge.Messages{{Ref: nudge.Ref{Place: "7", Message: 6}, Closed: true}}})
		}
	})
	if err := s.Memory().SetOffset(12); err != nil {
		t.Fatal(err)
	}
	if err := s.Memory().Handle(11); err != nil {
		t.Fatal(err)
	}
}

// leftOfChats counts what of that is still there.
func leftOfChats(t *testing.T, s *Store) (left int) {
	t.Helper()
	count := func(there bool, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if there {
			left++
		}
	}
	offset, err := s.Memory().Offset()
	count(offset != 0, err)
	count(s.Memory().Handled(11))
	view(t, s, func(tx *Tx) {
		count(tx.Handled(nudge.Ref{Place: "7", Message: 9}), nil)
		count(tx.ByMessage(nudge.Ref{Place: "7", Message: 101}) != nil, nil)
		count(len(tx.OtherMessages()) > 0, nil)
		n := tx.Nudge("k3f")
		if n == nil || n.State != nudge.Pending || n.Claim == nil || n.Claim.Place != "7" || !tx.Preferences().Muted.Equal(noon) {
			t.Errorf("the records themselves have changed: %+v, %+v", n, tx.Preferences())
		}
		count(n.Claim.Message != 0, nil)
		count(n.Claim.Update != 0, nil)
		count(len(tx.Instruction("i9k").Buttons) > 0, nil)
		count(len(tx.Wish("w7k").Copies) > 0, nil)
		count(len(tx.Wish("w8k").Copies) > 0, nil)
		count(len(tx.DenialsOf("d7k").Copies) > 0, nil)
		count(len(tx.DenialsOf("d8k").Copies) > 0, nil)
	})
	return left
}

func TestBind(t *testing.T) {
	for _, c := range []struct {
		name    string
		bots    []int64
		another bool // what the last of them is told
		left    int
	}{
		{"the first bot that is noted", []int64{1}, false, 12},
		{"the same bot", []int64{1, 1}, false, 12},
		{"another bot", []int64{1, 2}, true, 0},
		{"another bot, once more", []int64{1, 2, 2}, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openTest(t)
			fillChats(t, s)
			for i, bot := range c.bots {
				another, err := s.Memory().Bind(bot)
				if err != nil {
					t.Fatal(err)
				}
				if last := i == len(c.bots)-1; last && another != c.another {
					t.Errorf("bot %d is told %v", bot, another)
				}
			}
			if left := leftOfChats(t, s); left != c.left {
				t.Errorf("%d things are left, want %d", left, c.left)
			}
		})
	}
}
