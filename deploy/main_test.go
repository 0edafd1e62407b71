package deploy

import (
	"os"
	"testing"

	"nod/internal/testrun"
)

func TestMain(m *testing.M) {
	testrun.AtOnce(6)
	os.Exit(testrun.InMemory(m))
}
