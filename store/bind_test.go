package store

import (
	"testing"

	"nod/nudge"
)

// fillChats leaves in s what goes by one bot's ids.
func fillChats(t *testing.T, s *Store) {
	t.Helper()
	update(t, s, func(tx *nudge.Tx) {
		n := sample("k3f", "%1", 1)
		n.Claim = &nudge.Claim{Message: 9, Update: 11, Chat: 7}
		tx.Put(n)
		tx.Handle(nudge.Heard{Chat: 7, Message: 9})
		tx.SetDesk(nudge.Desk{Muted: noon, Spoke: []nudge.Spoken{{Chat: 7, Message: 3, Several: true}}})
	})
	if err := s.SetOffset(12); err != nil {
		t.Fatal(err)
	}
	if err := s.Handle(11); err != nil {
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
	offset, err := s.Offset()
	count(offset != 0, err)
	count(s.Handled(11))
	view(t, s, func(tx *nudge.Tx) {
		count(tx.Handled(nudge.Heard{Chat: 7, Message: 9}))
		byMessage, err := tx.ByMessage(7, 101)
		count(byMessage != nil, err)
		desk, err := tx.Desk()
		count(len(desk.Spoke) > 0, err)
		n, err := tx.Nudge("k3f")
		if err != nil || n == nil || n.State != nudge.Pending || n.Claim == nil || n.Claim.Chat != 7 || !desk.Muted.Equal(noon) {
			t.Errorf("the records themselves have changed: %+v, %+v, %v", n, desk, err)
		}
		count(n.Claim.Message != 0, nil)
		count(n.Claim.Update != 0, nil)
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
		{"the first bot that is noted", []int64{1}, false, 7},
		{"the same bot", []int64{1, 1}, false, 7},
		{"another bot", []int64{1, 2}, true, 0},
		{"another bot, once more", []int64{1, 2, 2}, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openTest(t)
			fillChats(t, s)
			for i, bot := range c.bots {
				another, err := s.Bind(bot)
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
