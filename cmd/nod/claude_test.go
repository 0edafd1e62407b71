package main

import (
	"fmt"
	"os"
)

// playClaude is an agent named claude: it shows the screen in the file of its first argument, waits
// for a key, notes it in the file of its second, and goes on to be idle.
func playClaude() {
	screen, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	fmt.Print("\x1b[2J\x1b[H" + string(screen))
	key := make([]byte, 1)
	if _, err := os.Stdin.Read(key); err != nil {
		return
	}
	if err := os.WriteFile(os.Args[2], key, 0o600); err != nil {
		panic(err)
	}
	fmt.Print("\x1b[2J\x1b[HDone.\n")
	select {}
}
