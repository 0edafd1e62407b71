package nudge

import (
	"encoding/json"
	"testing"
	"time"
)

// TestAnEndSaysHowLongItTook, if anything was sent.
func TestAnEndSaysHowLongItTook(t *testing.T) {
	for sent, want := range map[time.Time]string{{}: "", noon: "1m0s"} {
		i := Instruction{Course: Course{Sent: sent, Ended: noon.Add(time.Minute)}}
		if after := i.EndedEvent().After; after != want {
			t.Errorf("sent %s: after %q, want %q", sent, after, want)
		}
	}
}

// TestTheTrailIsStoredFlat: a line of the trail has these names in this order. A line of an earlier release
// is read and written without changes.
func TestTheTrailIsStoredFlat(t *testing.T) {
	const stored = `{"at":"2026-11-22T12:00:00Z","kind":"s1","nudge":"s2","monitor":"s3","count":4,"instruction":"s5","pane":"s6","server":"s7","agent":"s8",` +
		`"shape":"s9","subject":"s10","by":"s11","way":"s12","decision":"s13","text":"s14","keys":["s15"],"reason":"s16","state":"s17","after":"s18",` +
		`"chat":"s19","message":20,"reminder":21}`
	var e Event
	if err := json.Unmarshal([]byte(stored), &e); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(e); err != nil || string(again) != stored {
		t.Errorf("%v\n%s\nwant\n%s", err, again, stored)
	}
}
