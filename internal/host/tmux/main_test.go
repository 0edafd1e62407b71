package tmux_test

import (
	"os"
	"testing"

	"nod/internal/testrun"
)

func TestMain(m *testing.M) {
	testrun.AtOnce(12)
	os.Exit(m.Run())
}
