package bot_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/testrun"
)

// dislike is something of a message that a server refuses, and the words in which it does.
type dislike struct {
	what, words string
}

// picky is a Telegram that refuses every message with something that it dislikes, in the words of the first of those.
type picky struct {
	to       http.RoundTripper
	dislikes []dislike
	refused  int
}

var (
	anyTag  = regexp.MustCompile(`<[a-z]`)
	traitOf = map[string]func(text string, p url.Values) bool{
		"times":    func(text string, _ url.Values) bool { return strings.Contains(text, "<tg-time") },
		"entities": func(text string, p url.Values) bool { return anyTag.MatchString(text) && htmlMode(p) },
		"styles":   func(_ string, p url.Values) bool { return strings.Contains(p.Get("reply_markup"), `"style":`) },
		"buttons":  func(_ string, p url.Values) bool { return strings.Contains(p.Get("reply_markup"), "callback_data") },
		"markup":   func(_ string, p url.Values) bool { return p.Get("reply_markup") != "" },
		"force":    func(_ string, p url.Values) bool { return strings.Contains(p.Get("reply_markup"), "force_reply") },
		"length":   func(text string, _ url.Values) bool { return len([]rune(text)) > 1500 },
	}
)

func htmlMode(p url.Values) bool {
	return p.Get("parse_mode") == "HTML" || strings.Contains(p.Get("media"), "HTML")
}

// peek reads the fields of a request, which can be read again.
func peek(r *http.Request) (url.Values, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return fieldsOf(r.Header.Get("Content-Type"), body)
}

func (s *picky) RoundTrip(r *http.Request) (*http.Response, error) {
	method := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	if !slices.Contains([]string{"sendMessage", "editMessageText", "sendPhoto", "editMessageMedia"}, method) {
		return s.to.RoundTrip(r)
	}
	p, err := peek(r)
	if err != nil {
		return nil, err
	}
	for _, d := range s.dislikes {
		if !traitOf[d.what](p.Get("text")+p.Get("caption")+p.Get("media"), p) {
			continue
		}
		s.refused++
		said := fmt.Sprintf(`{"ok":false,"error_code":400,"description":%q}`, d.words)
		return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(said)), Request: r}, nil
	}
	return s.to.RoundTrip(r)
}

func fieldsOf(kind string, body []byte) (url.Values, error) {
	media, params, err := mime.ParseMediaType(kind)
	if err != nil || media != "multipart/form-data" {
		return url.ParseQuery(string(body))
	}
	form, err := multipart.NewReader(bytes.NewReader(body), params["boundary"]).ReadForm(64 << 20)
	if err != nil {
		return nil, err
	}
	return form.Value, nil
}

// words are some in which a server may refuse something: Telegram's prose, the upper-case form of its data centres, or what
// says nothing of the kind.
func words(r *rand.Rand, what string) string {
	shout := func() string {
		var b strings.Builder
		for range 3 + r.IntN(8) {
			b.WriteByte("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"[r.IntN(27)])
		}
		return b.String()
	}
	pick := func(list ...string) string { return "Bad Request: " + list[r.IntN(len(list))] }
	switch what {
	case "times", "entities":
		return pick("ENTITY_"+shout(), "ENTITIES_"+shout(), "ENTITY_BOUNDS_INVALID", "ENTITY_TEXT_INVALID", "ENTITIES_TOO_LONG", "can't parse entities: "+shout(),
			`can't parse entities: Unsupported start tag "tg-time" at byte offset 0`)
	case "length":
		return pick("message is too long", "MESSAGE_TOO_LONG")
	}
	return pick("BUTTON_"+shout(), "BUTTON_DATA_INVALID", "BUTTON_URL_INVALID", "REPLY_MARKUP_INVALID", "REPLY_MARKUP_TOO_LONG", "REPLY_MARKUP_"+shout(),
		"can't parse inline keyboard button: invalid button style specified", "can't parse reply keyboard markup JSON object", "Text buttons are unallowed in the inline keyboard", "KEYBOARD_"+shout())
}

// dislikes draws what a server refuses, in which order it looks, and its words. known says that those tell what is meant.
func dislikes(r *rand.Rand) (list []dislike, known bool) {
	known = r.IntN(4) > 0
	all := []string{"times", "entities", "styles", "buttons", "force", "length", "markup"}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, what := range all[:1+r.IntN(len(all))] {
		d := dislike{what, words(r, what)}
		if !known && what != "length" {
			d.words = []string{"Bad Request: WHATEVER_INVALID", "Bad Request", "Bad Request: " + fmt.Sprint(r.Uint64()), "Bad Request: Invalid date-time format specified"}[r.IntN(4)]
		}
		list = append(list, d)
	}
	return list, known
}

// TestWhateverOfAMessageIsRefusedItGoesAtOnce draws what Telegram refuses of a message, entities, times, styles, buttons, its
// length, in any order and in any words. The message is there at once, in the plainest form that Telegram takes, and where it
// takes no buttons it says how to answer without.
func TestWhateverOfAMessageIsRefusedItGoesAtOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testrun.Rounds(25, 100)) {
		r := rand.New(rand.NewPCG(seed, 18))
		list, known := dislikes(r)
		hates := func(what string) bool {
			return slices.ContainsFunc(list, func(d dislike) bool { return d.what == what })
		}
		inWorld(t, func(w *world) {
			defer func() {
				if t.Failed() {
					t.Fatalf("seed %d: refused is %q; the chat:\n%s", seed, list, w.chat())
				}
			}()
			w.stop()
			p := &picky{to: w.http.Transport, dislikes: list}
			w.http = &http.Client{Transport: p}
			w.begin()
			time.Sleep(2 * time.Second)
			subject, minimal := "make test", r.IntN(4) == 0
			if r.IntN(3) == 0 {
				subject += strings.Repeat(" make more", 200)
			}
			if minimal {
				w.set(func(s *bot.Settings) { s.Preview = "minimal" })
			}
			m := w.askPicky(r, subject)
			if hates("buttons") || hates("markup") {
				wantNoButtons(t, m)
				wantText(t, m, "Telegram refused the buttons")
			} else if known && m.Markup == nil && !hates("length") {
				t.Error("the buttons are lost")
			}
			if known && !hates("entities") && !hates("times") && !hates("length") && len(m.Entities) == 0 {
				t.Error("the entities are lost")
			}
			if known && !hates("styles") && m.Markup != nil && len(styles(m)) == 0 {
				t.Error("the styles are lost")
			}
			wantHealth(t, w)
			w.answerPicky(r, m, hates("buttons") || hates("markup"))
			w.watched("first")
			for _, command := range []string{"/screen main:1.0", "/queue", "/status"}[r.IntN(3):] {
				before := len(w.botSaid())
				w.ann.Say(command)
				time.Sleep(10 * time.Second)
				if len(w.botSaid()) == before {
					t.Errorf("%s is not answered", command)
				}
			}
			wantHealth(t, w)
		})
	}
}

// askPicky has an agent ask, or several at once, and gives the message, which must be there within seconds.
func (w *world) askPicky(r *rand.Rand, subject string) botapi.Record {
	w.t.Helper()
	if r.IntN(4) == 0 {
		w.seeTogether(3, func(i int) string { return fmt.Sprint(subject, i) })
	} else {
		p := prompt(subject)
		w.see(sighting(1, screen.Permission, &p))
	}
	time.Sleep(15 * time.Second)
	said := w.botSaid()
	m := said[len(said)-1]
	if !strings.Contains(m.Text, "claude in api1") {
		w.t.Fatalf("no message came")
	}
	return m
}

// answerPicky answers a message in words, or by one of its buttons, and looks at how it ends.
func (w *world) answerPicky(r *rand.Rand, m botapi.Record, bare bool) {
	w.t.Helper()
	pending, err := w.keeper.List(false)
	if err != nil || len(pending) == 0 {
		w.t.Fatalf("%d wait, %v", len(pending), err)
	}
	id := pending[0].ID
	if bare && len(pending) == 1 && !strings.Contains(m.Text, "y "+id) && !strings.Contains(m.Text, "/screen shows the pane") {
		w.t.Errorf("it does not say how to answer #%s", id)
	}
	if !bare && m.Markup != nil && r.IntN(2) == 0 {
		if b, ok := m.Button("✍ Deny…"); ok {
			w.tap(m, b.Text)
			wantText(w.t, w.last(), "why")
		}
	}
	w.ann.ReplyTo(m.ID, "n "+id)
	w.wantTyped(screen.Deny)
	if got := w.message(m.ID); len(pending) == 1 && !strings.Contains(got.Text, "Denied by") {
		w.t.Errorf("how it ended is not said")
	}
}
