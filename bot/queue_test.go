package bot

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestQueueCountsWhatItHasNoRoomFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue{most: 2, lost: answersLost}
		for range 5 {
			q.put(&job{what: "said"})
		}
		q.leaveOut()
		for range 2 {
			q.first(time.Now()).over(true)
		}
		if j := q.first(time.Now()); j != nil {
			t.Errorf("%s is told at once", j.what)
		}
		if wait := q.quietFor(time.Now()); wait != leftOutAfter {
			t.Errorf("it is told after %v", wait)
		}
		time.Sleep(leftOutAfter)
		line := q.first(time.Now())
		if line == nil || q.leftOut != 4 {
			t.Fatalf("%d left out, told by %v", q.leftOut, line)
		}
		q.leaveOut() // while the line is on its way
		line.over(true)
		if q.leftOut != 1 || q.first(time.Now()) != nil {
			t.Errorf("%d are left to tell", q.leftOut)
		}
		q.put(&job{what: "next"})
		if j := q.first(time.Now()); j == nil || j.what != "next" {
			t.Errorf("what comes next is %v", j)
		}
	})
}
