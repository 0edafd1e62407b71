package bot

import (
	"testing"
	"time"
)

func TestDatesOfOtherServersStayInTheRecords(t *testing.T) {
	want := time.Date(2026, 11, 21, 3, 15, 1, 0, time.UTC)
	for _, date := range []int64{want.Unix(), want.UnixMilli(), want.UnixMicro(), want.UnixNano()} {
		if got := dated(date); !got.Equal(want) {
			t.Errorf("dated(%d) = %v, want %v", date, got, want)
		}
	}
	for _, date := range []int64{0, -1, 1 << 62, -1 << 62, 1<<63 - 1} {
		if _, err := dated(date).MarshalJSON(); err != nil {
			t.Errorf("dated(%d): %v", date, err)
		}
	}
}
