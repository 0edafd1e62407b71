package main

import (
	"fmt"
	"os"
	"os/exec"
)

// playClaude is an agent named claude. It shows the screen in the file of its first argument and
// waits for a key. The key r makes it run the command in the rest of its arguments, as a real agent
// runs one, with the output in the file "said"; any other key is noted in the file "key", and the
// agent goes on to be done.
func playClaude() {
	screen, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := rawTerminal(); err != nil {
		panic(err)
	}
	fmt.Print("\x1b[2J\x1b[H" + string(screen))
	key := make([]byte, 1)
	for {
		if _, err := os.Stdin.Read(key); err != nil {
			return
		}
		if key[0] != 'r' {
			break
		}
		said, err := exec.Command(os.Args[2], os.Args[3:]...).CombinedOutput()
		noteFile("said", fmt.Appendf(said, "%v\n", err))
	}
	noteFile("key", key)
	fmt.Print("\x1b[2J\x1b[HDone.\n")
	select {}
}

// noteFile writes a file that nobody sees half written.
func noteFile(path string, text []byte) {
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		panic(err)
	}
}

// rawTerminal lets keys through one by one, as agents have it.
func rawTerminal() error {
	stty := exec.Command("stty", "-icanon", "-echo")
	stty.Stdin = os.Stdin
	if out, err := stty.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
