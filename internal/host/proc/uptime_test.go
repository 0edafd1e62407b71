package proc

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestUptimeIsTheMachines(t *testing.T) {
	text, err := os.ReadFile("/proc/uptime")
	if err != nil {
		t.Skip("no /proc/uptime here")
	}
	seconds, err := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	want := time.Duration(seconds * float64(time.Second))
	if got := Uptime(); (got - want).Abs() > 5*time.Second {
		t.Errorf("Uptime() = %v, /proc/uptime says %v", got, want)
	}
}
