package elapsed

import (
	"testing"
	"time"
)

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 59 * time.Second: "59s", 90 * time.Second: "1m", 2 * time.Hour: "2h",
		125 * time.Minute: "2h5m", 26 * time.Hour: "1d", 23*time.Hour + 10*time.Minute: "23h10m",
	} {
		if got := Short(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
