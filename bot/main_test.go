package bot_test

import (
	"os"
	"testing"

	"nod/internal/testrun"
)

func TestMain(m *testing.M) {
	testrun.OneProcessor()
	os.Exit(testrun.InMemory(m))
}
