package bot_test

import (
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect/screen"
)

// TestAMessageThatCantBeMadeKeepsNoOtherBack: a bug in what draws one question neither ends nod nor keeps the others from being told.
func TestAMessageThatCantBeMadeKeepsNoOtherBack(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) {
			s.Redact = func(text string) string {
				if strings.Contains(text, "the bug") {
					panic("a bug")
				}
				return text
			}
		})
		commands := []string{"make b", "make the bug", "make c", "make d"}
		for n, command := range commands { // they would come in one message
			p := prompt(command)
			w.see(sighting(1+n, screen.Permission, &p))
		}
		time.Sleep(time.Minute)
		for _, command := range commands {
			if told := strings.Contains(w.chat(), command); told == (command == "make the bug") {
				t.Errorf("%s is told: %t", command, told)
			}
		}
		w.ann.Say("/queue")
		time.Sleep(10 * time.Second)
		wantText(t, w.ask(8, prompt("make f")), "make f")
		if !strings.Contains(w.log.String(), "a message could not be made") {
			t.Error("nothing is logged")
		}
	})
}
