package bot_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/bot"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/reason"
	"nod/internal/testrun"
	"nod/nudge"
)

// planter writes a secret of its own into each text from outside, and knows where it stood.
type planter struct {
	*rand.Rand
	mu      sync.Mutex
	planted map[string]string // each part of a secret, by where it was put
	said    map[string]string // what went to Telegram of one, by method

	lines bool // plants lines in place of secrets
}

// newPlanter names its seed, which SEED gives again.
func newPlanter(t *testing.T) *planter {
	seed := rand.Uint64()
	if s, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("seed %d", seed)
	return &planter{Rand: rand.New(rand.NewPCG(seed, 1)), planted: map[string]string{}, said: map[string]string{}}
}

// plant notes each part of a secret.
func (p *planter) plant(secret, where string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := 0; i+part <= len(secret); i++ {
		p.planted[secret[i:i+part]] = where
	}
}

// wantUnsaid fails for each secret of which a part went to Telegram.
func (p *planter) wantUnsaid(t *testing.T) {
	t.Helper()
	for where, said := range p.said {
		t.Errorf("%s is in %s", where, said)
	}
}

// part is how much of a secret nobody may see.
const part = 10

// text is a text with a secret in it.
func (p *planter) text(where string) string {
	if p.lines {
		return p.forgedLines(where)
	}
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
	body := make([]byte, 36)
	for i := range body {
		body[i] = letters[p.IntN(len(letters))]
	}
	body[0] = '7' // a password has a digit
	p.plant(string(body), where)
	kind := []string{"ghp_", "DB_PASS=", "MYSQL_PWD=", "npm_", "--token "}[p.IntN(5)]
	return strings.Repeat("word ", p.IntN(4)*p.IntN(20)) + kind + string(body) + []string{"", " end"}[p.IntN(2)]
}

// structural is what has no text from outside, by its name: keys, ids, what a program reads.
var structural = []string{
	"Pane", "Process", "Server", "Session", "By", "Proof", "Shape", "Fingerprint", "Key", "Approve", "Deny", "Send", "Dismiss", "Call",
	"Taught", "Socket", "Event", "Transcript", "Default", "Timeout", "Because",
}

// fill plants secrets in every text below a value.
func (p *planter) fill(v reflect.Value, where string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			p.fill(v.Elem(), where)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !slices.Contains(structural, f.Name) {
				p.fill(v.Field(i), where+"."+f.Name)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			p.fill(v.Index(i), where)
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(strings.TrimSpace(v.String() + " " + p.text(where)))
		}
	}
}

func filled[T any](p *planter, v T) T {
	p.fill(reflect.ValueOf(&v).Elem(), fmt.Sprintf("%T", v))
	return v
}

// note notes what each request to Telegram holds of a secret, in its text, its buttons and its files.
func (p *planter) note(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		var body []byte
		if r.Body != nil {
			body, _ = io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		p.mu.Lock()
		for i := 0; i+part <= len(body); i++ {
			if where, found := p.planted[string(body[i:i+part])]; found {
				p.said[where] = r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:] + ": " + string(body[max(0, i-200):min(len(body), i+80)])
			}
		}
		p.mu.Unlock()
		return next.RoundTrip(r)
	})
}

// step is one thing that happens to nod.
type step func(w *world, p *planter)

func (p *planter) sighting(state screen.State, prompt *screen.Prompt) detect.Sighting {
	s := sighting(1+p.IntN(3), state, prompt)
	s.Name, s.Words, s.Said, s.Above = "api", "I am done.", "I am done.", []string{"above"}
	s.Worked = state == screen.Idle
	return filled(p, s)
}

// steps are what happens, by its name.
var steps = map[string]step{
	"permission": func(w *world, p *planter) {
		ask := prompt("make test\nReason: to see")
		ask.Lead, ask.Verb, ask.Title = 1, []string{"", "use mcp__x__"}[p.IntN(2)], "Bash"
		if p.IntN(3) == 0 {
			ask.Partial, ask.Doubts, ask.Approve, ask.Why = true, []reason.Why{{Said: "It is cut."}}, nil, reason.Why{Said: "No key is known."}
		}
		if p.IntN(4) == 0 {
			ask.Subject = strings.Repeat(ask.Subject+"\n", 400) // goes as a file
		}
		s := p.sighting(screen.Permission, &ask)
		w.mu.Lock()
		w.panes, w.screen, w.above = []detect.Sighting{s}, s.Tail, s.Above
		w.mu.Unlock()
		w.see(s)
	},
	"question": func(w *world, p *planter) {
		ask := []screen.Prompt{page(1, "Which one?"), boxes("x-")}[p.IntN(2)]
		ask.Notes = []string{"the first", "the second"}
		w.see(p.sighting(screen.Question, &ask))
	},
	"idle": func(w *world, p *planter) { w.see(p.sighting(screen.Idle, nil)) },
	"blocked": func(w *world, p *planter) {
		s := p.sighting(screen.Idle, nil)
		s.Blocked = reason.Why{Said: p.text("Blocked")}
		w.see(s)
	},
	"silent":  func(w *world, p *planter) { w.see(p.sighting(screen.Silent, nil)) },
	"working": func(w *world, p *planter) { w.see(p.sighting(screen.Working, nil)) },
	"gone":    func(w *world, p *planter) { w.see(p.sighting(screen.Gone, nil)) },
	"program": func(w *world, p *planter) {
		w.programAsks(func(q *nudge.ProgramQuestion) {
			if p.IntN(2) == 0 {
				callOf("rm -rf build")(q)
				q.Call.Verb = "use mcp__x__y"
				p.fill(reflect.ValueOf(q.Call).Elem(), "nudge.Call")
			}
			q.File, q.Words = "-a\n+b", p.IntN(2) == 0
			for i, o := range q.Options { // no more than an option may have
				q.Options[i] = strings.TrimPrefix(p.text("nudge.ProgramQuestion.Options"), "word ") + o
				if len(q.Options[i]) > 100 {
					q.Options[i] = o
				}
				q.Default = q.Options[0]
			}
			options := q.Options
			q.Options = nil
			p.fill(reflect.ValueOf(q).Elem(), "nudge.ProgramQuestion")
			q.Options = options
		})
	},
	"monitor": func(w *world, p *planter) {
		r := filled(p, nudge.MonitorReport{Monitor: "build", Count: 2, Lines: []string{"a", "b"}})
		if p.IntN(3) == 0 {
			r.Ended = p.text("nudge.MonitorReport.Ended")
		}
		if err := w.keeper.Report(r); err != nil {
			w.t.Error(err)
		}
	},
	"wish": func(w *world, p *planter) {
		works(w)
		wisher := filled(p, nudge.Wisher{Name: "the agent"})
		if _, err := w.keeper.Wish(sighting(1, screen.Working, nil).Pane, p.text("wish"), wisher, time.Hour); err != nil {
			w.t.Error(err)
		}
	},
	"outside": func(w *world, p *planter) {
		e := filled(p, detect.HookEvent{Agent: "claude", Kind: detect.Asks, Message: "may I?", ToolCall: detect.ToolCall{Tool: "mcp__x__y"}, Cwd: "/home/ann/x", Version: "1"})
		e.Input, _ = json.Marshal(map[string]string{"command": p.text("input"), p.text("a name in the input"): "x"})
		w.bot.Outside(e)
	},
	"announce": func(w *world, p *planter) { w.bot.Announce(p.text("announcement")) },
	"digest": func(w *world, p *planter) {
		if err := w.bot.Digest(context.Background()); err != nil {
			w.t.Error(err)
		}
	},
	"refused": func(w *world, p *planter) {
		w.typed.then(filled(p, deliver.Result{Outcome: deliver.Refused, Reason: deliver.Changed, Detail: reason.Why{Said: "Why."}}))
	},
	"hours": func(w *world, p *planter) { w.sleepHours(1 + p.IntN(9)) },
	"command": func(w *world, p *planter) {
		commands := []string{"/status", "/queue", "/screen", "/next", "/log", "/settings", "/tell", "/mute nothere", "/tell api1 run", "/next api1", "/help", "/quiet"}
		w.ann.Say(commands[p.IntN(len(commands))])
	},
	"answer": func(w *world, p *planter) {
		text := []string{"y", "n", "1", "2", "send", "hello", "/tell api1 " + p.text("an instruction")}[p.IntN(7)]
		if said := w.botSaid(); len(said) > 0 && p.IntN(2) == 0 {
			w.ann.ReplyTo(said[p.IntN(len(said))].ID, text)
			return
		}
		w.ann.Say(text)
	},
	"tap":        anyTap,
	"tap again":  anyTap,
	"tap a last": anyTap,
}

// anyTap taps a button of one of the last messages.
func anyTap(w *world, p *planter) {
	said := w.botSaid()
	for _, i := range p.Perm(len(said)) {
		m := said[i]
		if m.Markup == nil || len(m.Markup.Rows) == 0 {
			continue
		}
		row := m.Markup.Rows[p.IntN(len(m.Markup.Rows))]
		w.ann.TapData(m.ID, row[p.IntN(len(row))].Data)
		return
	}
}

// TestNoSecretOfAnyFieldGoesToTelegram: whatever happens, in any order, with a secret in each text that comes from outside.
func TestNoSecretOfAnyFieldGoesToTelegram(t *testing.T) {
	t.Parallel()
	p := newPlanter(t)
	var names []string
	for name := range steps {
		names = append(names, name)
	}
	slices.Sort(names)
	for range testrun.Rounds(2, 8) { // worlds, short ones: each look reads all that still waits
		topics := p.IntN(2) == 0
		inWorldWith(t, botapi.Options{Token: token, Topics: topics}, func(w *world) {
			w.lossy = true // what is tapped twice changes nothing
			w.set(masking)
			w.set(func(s *bot.Settings) { s.Topics = topics; s.Preview = []string{"", "minimal"}[p.IntN(2)] })
			w.http = &http.Client{Transport: p.note(w.http.Transport)}
			w.restart()
			for range 20 {
				steps[names[p.IntN(len(names))]](w, p)
				time.Sleep(time.Duration(1+p.IntN(20)) * time.Second)
			}
			time.Sleep(time.Minute)
		})
	}
	p.wantUnsaid(t)
	if len(p.planted) < testrun.Rounds(100, 1000) {
		t.Error("nearly nothing was planted")
	}
}

// key is the middle of a private key, whose head has scrolled off, as a program shows its rows.
func (p *planter) key() (rows []string) {
	bytes := make([]byte, 48*(2+p.IntN(12))+1+p.IntN(40))
	for i := range bytes {
		bytes[i] = byte(p.Uint32())
	}
	first, number := p.IntN(90), p.IntN(3)
	for text := base64.StdEncoding.EncodeToString(bytes); text != ""; first++ {
		row := text[:min(64, len(text))]
		text = text[len(row):]
		p.plant(row, "a key")
		rows = append(rows, []string{fmt.Sprintf("  %3d + %s", first, row), "echo '" + row + "' >> ~/.ssh/id_rsa", row}[number])
	}
	return rows
}

// TestAPrivateKeyLeavesInNoWay: in no message, file, picture, or last words.
func TestAPrivateKeyLeavesInNoWay(t *testing.T) {
	p := newPlanter(t)
	inWorld(t, func(w *world) {
		w.set(masking)
		w.http = &http.Client{Transport: p.note(w.http.Transport)}
		w.restart()
		var images []string
		for i := range testrun.Rounds(4, 12) {
			rows := p.key()
			ask := prompt(strings.Join(rows, "\n"))
			if i%2 == 0 {
				ask.Subject += strings.Repeat("\nand a row of prose", 300) // goes as a file
			}
			s := sighting(1, screen.Permission, &ask)
			s.Tail = append(rows[max(0, len(rows)-12):], "Do you want to proceed?", "❯ 1. Yes", "  2. No")
			w.see(s)
			wantText(t, w.last(), "•••")
			w.leave(1)
			w.done(1, "This is the key:\n"+strings.Join(p.key(), "\n"))
			w.leave(1)
		}
		for range 2 {
			w.watched(append([]string{"$ make test"}, shown(p)...)...)
			w.ann.Say("/screen")
			images = append(images, string(w.image(w.last())))
		}
		if images[0] != images[1] {
			t.Error("the pictures of two keys are not the same")
		}
		if n := len(w.tg.Calls("sendDocument")); n == 0 {
			t.Error("no file was sent")
		}
	})
	p.wantUnsaid(t)
}

// shown is a key whose rows are as many and as long each time.
func shown(p *planter) (rows []string) {
	for i := range 4 {
		bytes := make([]byte, 48)
		for i := range bytes {
			bytes[i] = byte(p.Uint32())
		}
		rows = append(rows, fmt.Sprintf("  %d + %s", i, base64.StdEncoding.EncodeToString(bytes)))
	}
	return rows
}
