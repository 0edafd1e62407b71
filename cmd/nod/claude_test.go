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

// playClaude is an agent named claude. It shows the screen in the file of its first argument and waits for a
// key. The key r makes it run the command in the rest of its arguments, as a real agent does, with
// "event.json" as input; the pid goes to the file "pid" and the output to the file "said". The key d makes it
// draw the file's current screen. It writes any other key to the file "key" and becomes done.
//
// With a script (.json) instead of the screen it is internal/actor, which asks before it does anything.
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
		go func() { // keys are handled meanwhile
			err := command.Wait()
			noteFile("said", fmt.Appendf(said.Bytes(), "%v\n", err))
		}()
	}
	noteFile("key", key)
	fmt.Print("\x1b[2J\x1b[HDone.\n")
	for keys := key; ; noteFile("key", keys) { // so that further keys are noticed
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

// noteFile writes a file atomically.
func noteFile(path string, text []byte) {
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		panic(err)
	}
}

// rawTerminal switches the terminal to single keys, as agents do.
func rawTerminal() error {
	stty := exec.Command("stty", "-icanon", "-echo")
	stty.Stdin = os.Stdin
	if out, err := stty.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
