//go:build !linux

package testrun

import "testing"

// FillDiskOf is FillDisk where no file can be made full alone.
func FillDiskOf(t testing.TB, _ string) (room func()) { return FillDisk(t) }
