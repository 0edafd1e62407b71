package bot_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/testrun"
)

// hears has a program turn voice messages into these words.
func (w *world) hears(words string) {
	program := filepath.Join(w.t.TempDir(), "words")
	if err := testrun.WriteProgram(program, []byte("#!/bin/sh\ncat <<'WORDS'\n"+words+"\nWORDS\n")); err != nil {
		w.t.Fatal(err)
	}
	w.set(func(s *bot.Settings) { s.Transcribe = []string{program} })
}

// TestAFileGoesToTheAgentThatItRepliesTo under a name of nod's, whatever it was called.
func TestAFileGoesToTheAgentThatItRepliesTo(t *testing.T) {
	for name, ending := range map[string]string{"../../evil; rm -rf x.PNG": ".png", "a.b c": "", "\u202egnp.sh": ".sh", "": ""} {
		inWorld(t, func(w *world) {
			m := w.done(1, "Done.")
			w.ann.SendFile(m.ID, name, "y", []byte("content"))
			time.Sleep(5 * time.Second)
			told := w.typed.all()
			if len(told) != 1 {
				t.Fatalf("%q: typed %v, and the chat is\n%s\n%s", name, told, w.chat(), w.log.String())
			}
			path, caption, _ := strings.Cut(strings.TrimPrefix(string(told[0].Instruction), "Look at the file "), ": ")
			if caption != "y" || !regexp.MustCompile(`/files/\d{8}-\d{6}-[0-9a-f]{8}`+regexp.QuoteMeta(ending)+`$`).MatchString(path) {
				t.Errorf("%q: it was told %q", name, told[0].Instruction)
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != "content" {
				t.Errorf("%q, %v", data, err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}

// TestAFileIsForNoAgentOnAnotherMachine: its path would lead nowhere there. Words do go there.
func TestAFileIsForNoAgentOnAnotherMachine(t *testing.T) {
	inWorld(t, func(w *world) {
		s := sighting(1, screen.Idle, nil)
		s.Worked, s.Pane.Machine, s.Project = true, "gpu1", "gpu1:api"
		w.see(s)
		done := w.last()
		for _, send := range []func(){
			func() { w.ann.SendFile(done.ID, "a.txt", "look", []byte("x")) },
			func() { w.ann.SendPhoto(done.ID, "look", []byte("x")) },
		} {
			send()
			wantText(t, w.last(), "gpu1", "Nothing was typed.")
		}
		w.wantTold()
		w.ann.ReplyTo(done.ID, "look")
		w.wantTold("look")
	})
}

func TestOfAPhotoTheLargestSizeIsKept(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.done(1, "Done.")
		w.ann.SendPhoto(m.ID, "", []byte("all of it"))
		time.Sleep(5 * time.Second)
		told := w.typed.all()
		if len(told) != 1 {
			t.Fatal(w.chat())
		}
		path := strings.TrimPrefix(string(told[0].Instruction), "Look at the file ")
		if data, err := os.ReadFile(path); err != nil || string(data) != "all of it" || !strings.HasSuffix(path, ".jpg") {
			t.Errorf("%s has %q, %v", path, data, err)
		}
	})
}

// TestACaptionIsNeverAnAnswer, nor is what a voice message says: what replies to a question is refused, and nothing is fetched.
func TestACaptionIsNeverAnAnswer(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	captions := []string{"y", "yes", "n", "Y!", "1", "approve", "y k3f", "/tell x", ""}
	for range 12 {
		inWorld(t, func(w *world) {
			w.hears("yes")
			m := w.ask(1, prompt("make test"))
			caption, to := captions[r.IntN(len(captions))], []int{0, m.ID}[r.IntN(2)]
			switch r.IntN(3) {
			case 0:
				w.ann.SendFile(to, "a.txt", caption, []byte("x"))
			case 1:
				w.ann.SendPhoto(to, caption, []byte("xy"))
			default:
				w.ann.Speak(to, 3, []byte("x"))
			}
			time.Sleep(5 * time.Second)
			w.wantTyped()
			wantText(t, w.last(), "Nothing was typed.")
			if _, err := os.Stat(filepath.Join(filepath.Dir(w.path), "files")); err == nil {
				t.Error("it was fetched")
			}
		})
	}
}

// TestASpokenYesNeverApproves: the words of a voice message wait for a tap on Send, for ten minutes.
func TestASpokenYesNeverApproves(t *testing.T) {
	inWorld(t, func(w *world) {
		w.hears("run the tests  again")
		m := w.done(1, "Done.")
		w.ann.Speak(m.ID, 3, []byte("x"))
		time.Sleep(5 * time.Second)
		w.wantTold()
		shown := w.last()
		wantText(t, shown, "🎙 A voice message for claude in api1:\nrun the tests again", "Spoken by Ann. Send makes it your instruction.")
		w.tap(shown, "Send")
		w.wantTold("run the tests again")
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(w.path), "files", "*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
	inWorld(t, func(w *world) {
		w.hears("yes")
		m := w.done(1, "Done.")
		w.ann.Speak(m.ID, 3, []byte("x"))
		time.Sleep(5 * time.Second)
		shown := w.last()
		time.Sleep(11 * time.Minute)
		wantNoButtons(t, w.message(shown.ID))
		wantText(t, w.message(shown.ID), "Nobody sent it within 10 minutes.", "Nothing was sent.")
		w.wantTold()
	})
}

func TestAVoiceMessageIsRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		seconds int
		program []string
		says    string
	}{
		{"without a program", 3, nil, "NOD_TRANSCRIBE"},
		{"too long", 301, []string{"cat"}, "five minutes"},
		{"a program that fails", 3, []string{"false"}, "false failed"},
		{"a program that is none", 3, []string{"/nowhere/words"}, "words failed"},
		{"no words", 3, []string{"true"}, "no words"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.set(func(s *bot.Settings) { s.Transcribe = c.program })
				m := w.done(1, "Done.")
				w.ann.Speak(m.ID, c.seconds, []byte("x"))
				time.Sleep(5 * time.Second)
				wantText(t, w.last(), c.says, "Nothing was typed.")
				w.wantTold()
			})
		})
	}
}

func TestAForwardedFileIsNobodysWord(t *testing.T) {
	inWorld(t, func(w *world) {
		w.hears("run it")
		w.done(1, "Done.")
		sent := w.ann.SendFile(0, "a.txt", "look", []byte("x"))
		time.Sleep(5 * time.Second)
		before := len(w.botSaid())
		if _, err := w.ann.Forward(sent.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if len(w.botSaid()) != before {
			t.Errorf("it is answered:\n%s", w.chat())
		}
		w.wantTold()
	})
}

// TestWhatIsSentForAnAgentReachesNoOther: who runs in its pane now is somebody else, be it the same kind of agent.
func TestWhatIsSentForAnAgentReachesNoOther(t *testing.T) {
	nobody := func(w *world, says string) {
		t.Helper()
		w.wantTold()
		if list, err := w.keeper.Wishes(nil); err != nil || len(list) > 0 {
			t.Errorf("%+v, %v", list, err)
		}
		wantText(t, w.last(), says)
	}
	next := func(w *world, agent string) {
		w.leave(1)
		other := sighting(1, screen.Idle, nil)
		other.Agent, other.Process.PID = agent, 900
		w.mu.Lock()
		w.panes = []detect.Sighting{other}
		w.mu.Unlock()
		w.see(other)
		time.Sleep(time.Minute)
	}
	for _, agent := range []string{"claude", "codex"} {
		for _, voice := range []bool{true, false} {
			inWorld(t, func(w *world) {
				w.hears("run the tests")
				m := w.done(1, "Done.")
				next(w, agent)
				if voice {
					w.ann.Speak(m.ID, 3, []byte("x"))
				} else {
					w.ann.SendFile(m.ID, "a.txt", "look", []byte("x"))
				}
				nobody(w, "Nothing was typed")
			})
		}
	}
	inTopics(t, func(w *world) {
		w.hears("run the tests")
		one := w.asksIn(ann, 1, "touch one")
		next(w, "codex")
		w.ann.InTopic(one.ThreadID).Speak(0, 3, []byte("x"))
		nobody(w, "codex in api1 runs in that pane now")
	})
}
