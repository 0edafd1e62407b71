package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"nod/internal/actor"
)

// playClaude is an agent named claude. It shows the screen in the file of its first argument and
// waits for a key. The key r makes it run the command in the rest of its arguments, as a real agent
// runs one, with the file "event.json" as its input, its process in the file "pid" and the output in the file "said"; d makes it
// draw the screen that the file holds by then; any other key is noted in the file "key", and the agent goes on to be done.
//
// With a script (.json) in place of the screen it is internal/actor, which asks before it does anything.
func playClaude() {
	if strings.HasSuffix(os.Args[1], ".json") {
		script, err := actor.ReadScript(os.Args[1])
		if err == nil {
			err = actor.Run(context.Background(), script, os.Stdin, os.Stdout)
		}
		if err != nil {
			panic(err)
		}
		return
	}
	if err := rawTerminal(); err != nil {
		panic(err)
	}
	drawFile(os.Args[1])
	key := make([]byte, 1)
	for {
		if _, err := os.Stdin.Read(key); err != nil {
			return
		}
		if key[0] == 'd' {
			drawFile(os.Args[1])
			continue
		}
		if key[0] != 'r' {
			break
		}
		command := exec.Command(os.Args[2], os.Args[3:]...)
		if event, err := os.Open("event.json"); err == nil {
			command.Stdin = event
		}
		var said bytes.Buffer
		command.Stdout, command.Stderr = &said, &said
		if err := command.Start(); err != nil {
			panic(err)
		}
		noteFile("pid", fmt.Appendf(nil, "%d", command.Process.Pid))
		go func() { // keys are taken meanwhile
			err := command.Wait()
			noteFile("said", fmt.Appendf(said.Bytes(), "%v\n", err))
		}()
	}
	noteFile("key", key)
	fmt.Print("\x1b[2J\x1b[HDone.\n")
	for keys := key; ; noteFile("key", keys) { // whoever types more than one is found out
		if _, err := os.Stdin.Read(key[:1]); err != nil {
			return
		}
		keys = append(keys, key[0])
	}
}

func drawFile(path string) {
	screen, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	fmt.Print("\x1b[2J\x1b[H" + string(screen))
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
