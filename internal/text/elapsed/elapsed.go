// Package elapsed formats durations for people.
package elapsed

import (
	"fmt"
	"time"
)

// Short formats a duration in its largest unit, or in two if one would be too coarse: 12s, 5m, 2h10m, 3d.
func Short(d time.Duration) string {
	d = max(d, 0)
	hours, minutes := int(d.Hours()), int(d.Minutes())
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", minutes)
	case d >= 24*time.Hour:
		return fmt.Sprintf("%dd", hours/24)
	case minutes%60 == 0:
		return fmt.Sprintf("%dh", hours)
	}
	return fmt.Sprintf("%dh%dm", hours, minutes%60)
}
