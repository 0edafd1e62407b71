package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/reason"
	"nod/internal/testrun"
	"nod/internal/text/visible"
	"nod/nudge"
)

// foreign is a text of any size, of what makes texts hard: long words, markup, characters of four bytes, characters
// that show nothing, many lines.
func foreign(r *rand.Rand) string { return foreignUpTo(r, 20_000) }

func foreignUpTo(r *rand.Rand, most int) string {
	pieces := []string{"rm -rf build ", "<b>&amp;</b>\"", "😀", "\u200e\u2066", "a\u030ab\u0333c\u033f", "line\n", "\n\n\n", "漢字", "x", "\x1b[31m\t", " · #abc", strings.Repeat("w", 50)}
	size := min(most, []int{0, 1, 7, 40, 300, 2000, 5000, 20_000}[r.IntN(8)])
	if r.IntN(3) > 0 {
		pieces = pieces[r.IntN(len(pieces)):][:1]
	}
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// fill puts foreign text into every plain string below v, and makes lists of them.
func fill(r *rand.Rand, v reflect.Value, most int) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(foreignUpTo(r, most))
		}
	case reflect.Slice:
		switch v.Type() {
		case reflect.TypeFor[[]string](), reflect.TypeFor[[]screen.Option]():
			v.Set(reflect.MakeSlice(v.Type(), r.IntN(60), 60))
			for i := range v.Len() {
				fill(r, v.Index(i), 500)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fill(r, v.Elem(), most)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() {
				fill(r, field, most)
			}
		}
	}
}

// anyNudge is about anything that a nudge may be about, with foreign text in every field that came from outside.
func anyNudge(r *rand.Rand) nudge.Nudge {
	n := anyPermission(r)
	p := n.Prompt()
	if n.About = anyAbout(r, p); n.Kind() == screen.Question {
		p.Approve, p.Deny = nil, nil
	}
	return n
}

func anyPermission(r *rand.Rand) nudge.Nudge {
	n := goldenNudge(func(n *nudge.Nudge) {
		claimed(n, nudge.Pending, screen.Approve)
		n.Claim.Choice = &deliver.Choice{}
		n.Effect = &nudge.Effect{Took: time.Second}
	})
	p := n.Prompt()
	approve, deny := p.Approve, p.Deny
	fill(r, reflect.ValueOf(&n).Elem(), 20_000)
	fill(r, reflect.ValueOf(p).Elem(), 20_000)
	n.ID, p.Approve, p.Deny = "k3f", approve, deny
	n.Proof = []string{"", "approved", "denied", "answered"}[r.IntN(4)]
	p.Partial, p.TextField = r.IntN(2) == 0, r.IntN(2) == 0
	p.Lead = r.IntN(4)
	p.Source = []screen.Source{screen.FromScreen, screen.FromEvent}[r.IntN(2)]
	scopes := []screen.Scope{screen.Once, screen.Session, screen.Always, screen.Mode, screen.No, screen.NoAlways, screen.Text, screen.Other}
	for i := range p.Options {
		p.Options[i].Scope = scopes[r.IntN(len(scopes))]
	}
	switch r.IntN(3) {
	case 0:
		n.Claim.Choice = nil
	case 1:
		n.Claim.Choice, n.Claim.Text = nil, ""
	}
	n.Claim.Ticks = p.Ticks()
	n.Reason = []deliver.Reason{"", deliver.CopyMode, deliver.Changed, deliver.Expired}[r.IntN(4)]
	return n
}

// anyAbout is one of all things that a nudge may be about.
func anyAbout(r *rand.Rand, p *screen.Prompt) nudge.About {
	permission, question := nudge.Permission{Prompt: p}, nudge.Question{Prompt: p}
	turn, program := nudge.TurnEnded{Did: &nudge.Did{}}, nudge.Program{Door: r.IntN(2) == 0, Hears: r.IntN(2) == 0}
	silence := nudge.Silence{Exited: r.IntN(2) == 0}
	for _, v := range []any{&turn, &program, &silence} {
		fill(r, reflect.ValueOf(v).Elem(), 20_000)
	}
	turn.Did.ID = "i2d" // nod's own, as the nudge's id is
	program.About = []nudge.About{permission, question}[r.IntN(2)]
	return []nudge.About{permission, question, program, turn, silence}[r.IntN(5)]
}

func anyStyle(r *rand.Rand) Style {
	host, redact := foreign(r), (func(string) string)(nil)
	if r.IntN(2) == 0 {
		redact = func(text string) string { return strings.ReplaceAll(text, "build", "•••") }
	}
	return NewStyle(host, false, time.UTC, redact)
}

// TestEveryMessageFits: whatever the size of what came from outside, Telegram takes the message, and it can be
// answered.
func TestEveryMessageFits(t *testing.T) {
	t.Parallel()
	tg := botapi.New(botapi.Options{Token: "1:test"})
	tg.Person(goldenChat, "Ann").Start()
	hc, stop := tg.Pipe()
	defer stop()
	over := []nudge.State{nudge.Delivered, nudge.Unknown, nudge.Refused, nudge.Recovered, nudge.Expired, nudge.Gone}
	for seed := range uint64(testrun.Rounds(1, 8)) {
		r := rand.New(rand.NewPCG(seed, 7))
		n, style := anyNudge(r), anyStyle(r)
		v := Of(n, style)
		short := v
		short.Style.Minimal = true
		ended := n
		ended.State, ended.Ended, ended.Standing = over[r.IntN(len(over))], noon, r.IntN(2) == 0
		a := nudge.Answer{Ref: nudge.Ref{Place: Place(goldenChat), Message: 12}, Said: nudge.Said{Decision: screen.Approve}}
		if len(n.Prompt().Options) > 0 {
			i := r.IntN(len(n.Prompt().Options))
			a.Choice = &deliver.Choice{Index: i, Label: n.Prompt().Options[i].Label}
		}
		verdict := nudge.Verdict{Kind: nudge.Rejected, Nudge: n, Reason: deliver.NoKey, Detail: reason.Why{Said: foreign(r)}}
		unfiled := v
		unfiled.Unfiled = true
		for name, l := range map[string]Outgoing{
			"whole":    v.Message(goldenChat, goldenSeal, noon, false),
			"reminder": v.Message(goldenChat, goldenSeal, noon, true),
			"unfiled":  unfiled.Message(goldenChat, goldenSeal, noon, false),
			"preview":  short.ShortPreview(goldenChat, goldenSeal, noon),
			"ending":   Of(ended, style).Over(goldenChat, goldenSeal, noon),
			"outcome":  Of(ended, style).ToAnswerer(goldenChat, goldenSeal, noon),
			"refused":  v.ToAnswerer(goldenChat, goldenSeal, noon),
			"unseen":   v.Unseen(a, goldenSeal),
			"sure":     v.Sure(a, goldenSeal),
			"rejected": Rejected(a, verdict, style, goldenSeal),
			"replaced": v.Replaced(),
			"which":    Which(a, nudge.Verdict{Among: slices.Repeat([]nudge.Nudge{n}, 12)}, style, goldenSeal, noon),
			"reason":   v.AskReason(goldenChat, goldenSeal),
			"several":  Group(slices.Repeat([]nudge.Nudge{n, ended}, 4), goldenChat, goldenSeal, style, noon, true),
			"outage":   Outage(slices.Repeat([]nudge.Nudge{n}, 12), noon, noon, style),
			"queue":    Queue(slices.Repeat([]nudge.Nudge{n}, 12), nil, goldenChat, goldenSeal, style, noon),
		} {
			m := deliverMessage(t, hc, l)
			if t.Failed() {
				t.Fatalf("seed %d: %s does not fit", seed, name)
			}
			checkAnswerable(t, name, n, l, m)
			if name == "whole" && n.Asks() && !holdsLines(m.Text, v.subject) && l.File == nil {
				t.Error("a part of the subject stands nowhere")
			}
			if t.Failed() {
				t.Fatalf("seed %d: %s:\n%.3000s", seed, name, m.Text)
			}
		}
	}
}

// holdsLines reports whether the lines of part stand in text, in order.
func holdsLines(text, part string) bool {
	for line := range strings.FieldsFuncSeq(part, func(r rune) bool { return r == '\n' }) {
		_, rest, ok := strings.Cut(text, strings.TrimSpace(line))
		if !ok {
			return false
		}
		text = rest
	}
	return true
}

// deliverMessage sends a message to Telegram, and gives what arrives.
func deliverMessage(t *testing.T, hc *http.Client, l Outgoing) (m botapi.Message) {
	t.Helper()
	for _, as := range []struct{ text, markup string }{{l.Page.Plain, ""}, {l.Page.HTML, "HTML"}} {
		if len(as.text) > 32_768 {
			t.Errorf("%d bytes", len(as.text))
		}
		var err error
		if m, err = sendTo(hc, l, as.text, as.markup); err != nil {
			t.Errorf("%v: %d characters, %d buttons", err, l.Page.Size(), len(l.Keys))
		}
		if n := utf8.RuneCountInString(m.Text); n > MaxText {
			t.Errorf("%d characters", n)
		}
	}
	return m
}

// sendTo sends a message's text with its buttons.
func sendTo(hc *http.Client, l Outgoing, text, markup string) (botapi.Message, error) {
	body := map[string]any{"chat_id": goldenChat, "text": text, "parse_mode": markup}
	if l.Keys != nil {
		body["reply_markup"] = map[string]Keys{"inline_keyboard": l.Keys}
	}
	data, err := json.Marshal(body)
	if err != nil {
		return botapi.Message{}, err
	}
	answer, err := hc.Post("http://telegram.test/bot1:test/sendMessage", "application/json", bytes.NewReader(data))
	if err != nil {
		return botapi.Message{}, err
	}
	defer answer.Body.Close()
	var got struct {
		OK          bool
		Description string
		Result      botapi.Message
	}
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		return botapi.Message{}, err
	}
	if !got.OK {
		return botapi.Message{}, errors.New(got.Description)
	}
	return got.Result, nil
}

func checkAnswerable(t *testing.T, name string, n nudge.Nudge, l Outgoing, m botapi.Message) {
	t.Helper()
	if got := visible.Text(m.Text); got != m.Text {
		t.Error("something in it shows nothing")
	}
	switch name {
	case "which", "queue", "replaced", "several", "outage":
		return
	}
	if end := regexp.MustCompile(`(^|\n)(.* · )?#k3f( · reminder \d+ of \d+)?$`); !end.MatchString(m.Text) {
		t.Error("its last line does not say which it is")
	}
	var labels []string
	for _, row := range l.Keys {
		for _, k := range row {
			if labels = append(labels, k.Text); k.Text != visible.Text(k.Text) || utf8.RuneCountInString(k.Text) > 64 {
				t.Errorf("a button says %q", k.Text)
			}
			if p, ok := goldenSeal.Open(k.Data, goldenChat); !ok || p.ID != "k3f" {
				t.Errorf("the button %s opens as %+v", k.Text, p)
			}
		}
	}
	if name != "whole" && name != "unfiled" && name != "reminder" {
		return
	}
	var want []string
	if n.Program() == nil {
		want = append(want, "🔎 Screen")
	}
	if n.Kind() == screen.Permission {
		want = append(want, "✅ Approve", "❌ Deny")
	}
	for _, label := range want {
		if !slices.Contains(labels, label) {
			t.Errorf("the button %s is missing", label)
		}
	}
}
