package testrun

import (
	"os"
	"syscall"
)

// WriteProgram writes a program that a test runs. No process is started meanwhile: it would inherit the open
// file, and until its own exec the program could not be run ("text file busy").
func WriteProgram(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o700)
}
