package nudge

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/testrun"
)

// form returns a form with these fields, all optional.
func form(t *testing.T, fields string) (Form, reason.Why) {
	t.Helper()
	schema := `{"type":"object","properties":{` + fields + `}}`
	if !json.Valid([]byte(schema)) {
		t.Fatal(schema)
	}
	return ParseForm(detect.Elicitation{Server: "deploy", Message: "Which settings?", Form: json.RawMessage(schema)})
}

func TestWhatAFieldTakes(t *testing.T) {
	for schema, c := range map[string]struct{ takes, refuses []string }{
		`{"type":"string"}`:                                     {[]string{"main", "7", `a "quoted" \ one`}, nil},
		`{"type":"string","minLength":2,"maxLength":3}`:         {[]string{"ab", "äöü"}, []string{"a", "abcd"}},
		`{"type":"string","format":"email"}`:                    {[]string{"ann@example.com"}, []string{"ann", "Ann <ann@example.com>"}},
		`{"type":"string","format":"uri"}`:                      {[]string{"https://example.com/x"}, []string{"example", ":"}},
		`{"type":"string","format":"date"}`:                     {[]string{"2026-01-31"}, []string{"2026-02-31", "31.1.2026"}},
		`{"type":"string","format":"date-time"}`:                {[]string{"2026-01-31T15:04:05Z"}, []string{"2026-01-31"}},
		`{"type":"integer","minimum":-1,"maximum":5}`:           {[]string{"-1", "5", "0"}, []string{"6", "-2", "1.0", "1e0", "+1", "01", "x", "", "0x1"}},
		`{"type":"number","minimum":0}`:                         {[]string{"0", "0.5", "1e3"}, []string{"-0.1", "1,5", "NaN", "Inf", "1e400", ".5", "0x1p1"}},
		`{"type":"integer"}`:                                    {[]string{"9007199254740993"}, []string{"99999999999999999999"}},
		`{"type":"string","minLength":2001}`:                    {nil, []string{strings.Repeat("a", 2002)}},
		`{"type":"string","title":"Text","description":"Free"}`: {nil, []string{"ghp_" + strings.Repeat("a1B2", 9)}},
	} {
		f, refused := form(t, `"field":`+schema)
		if !refused.IsZero() {
			t.Errorf("%s is refused: %v", schema, refused)
			continue
		}
		for i, text := range append(c.takes, c.refuses...) {
			value, declined, wrong := f.Fields[0].Take(&Claim{Said: Said{Text: text}})
			if ok := i < len(c.takes); wrong.IsZero() != ok || declined || ok != json.Valid(value) {
				t.Errorf("%s: %q is %s, %v", schema, text, value, wrong)
			}
		}
	}
}

// TestWhatNodCannotHoldToIsNotAsked: nobody else checks the answer of a hook.
func TestWhatNodCannotHoldToIsNotAsked(t *testing.T) {
	for name, fields := range map[string]string{
		"an unknown type":     `"a":{"type":"array","items":{"type":"string","enum":["x"]}}`,
		"no type":             `"a":{"title":"A"}`,
		"a pattern":           `"a":{"type":"string","pattern":"^x$"}`,
		"an unknown format":   `"a":{"type":"string","format":"hostname"}`,
		"bounds of a text":    `"a":{"type":"integer","minLength":1}`,
		"no value fits":       `"a":{"type":"integer","minimum":2,"maximum":1}`,
		"another default":     `"a":{"type":"integer","maximum":1,"default":2}`,
		"two names":           `"a":{"type":"string","enum":["x","y"],"enumNames":["X"]}`,
		"one label twice":     `"a":{"type":"string","enum":["x","X"]}`,
		"nod's own label":     `"a":{"type":"string","enum":["x","decline the form"]}`,
		"too many choices":    `"a":{"type":"string","enum":["` + strings.Join(strings.Split(strings.Repeat("a,b,c,d,e,f,g,", 5), ","), `","`) + `"]}`,
		"a name twice":        `"a":{"type":"string"},"a":{"type":"integer"}`,
		"thirteen fields":     strings.TrimSuffix(strings.Repeat(`"a%":{"type":"string"},`, 13), ","),
		"a keyword otherwise": `"a":{"Type":"string"}`,
	} {
		for i := range 13 {
			fields = strings.Replace(fields, "%", fmt.Sprint(i), 1)
		}
		if f, refused := form(t, fields); refused.IsZero() {
			t.Errorf("%s: asked for %+v", name, f.Fields)
		}
	}
	for _, schema := range []string{
		`{}`, `[]`, `{"type":"object","properties":[]}`, `{"type":"object","properties":{},"required":["a"]}`,
		`{"type":"object","properties":{"a":{"type":"string","enum":["x","Leave it out"]}},"required":["a"]}`,
		`{"type":"object","properties":{"a":{"type":"string","default":"Leave it out"}},"required":["a"]}`,
	} {
		if _, refused := ParseForm(detect.Elicitation{Server: "s", Form: json.RawMessage(schema)}); refused.IsZero() {
			t.Errorf("%s is asked", schema)
		}
	}
}

// TestNoSecretIsAskedForByChat: a form with a field that looks like a secret is refused, whatever says so.
func TestNoSecretIsAskedForByChat(t *testing.T) {
	for _, field := range []string{
		`"password":{"type":"string"}`, `"dbPassword":{"type":"string"}`, `"value":{"type":"string","format":"password"}`, `"value":{"type":"string","format":"password","default":"x"}`,
		`"value":{"type":"string","title":"API key"}`, `"value":{"type":"string","description":"Your GitHub token."}`, `"pin":{"type":"integer"}`,
		`"code":{"type":"string","description":"The OTP of your phone"}`, `"client_secret":{"type":"string","default":"x"}`,
	} {
		if _, refused := form(t, `"branch":{"type":"string"},`+field); refused.Kind != reason.FormSecret {
			t.Errorf("%s: %+v", field, refused)
		}
	}
	if _, refused := ParseForm(detect.Elicitation{Server: "s", Message: "Enter your password", Form: json.RawMessage(`{"type":"object","properties":{"value":{"type":"string"}}}`)}); refused.Kind != reason.FormSecret {
		t.Errorf("by the message: %+v", refused)
	}
	for _, field := range []string{`"branch":{"type":"string"}`, `"author":{"type":"string"}`, `"spin":{"type":"boolean"}`, `"token":{"type":"string","enum":["a","b"]}`, `"shipping":{"type":"string"}`} {
		if _, refused := form(t, field); !refused.IsZero() {
			t.Errorf("%s: %+v", field, refused)
		}
	}
}

// TestAFreshWordNeverMeansAForm: neither a yes, a number nor a label, whatever else waits before or after it.
func TestAFreshWordNeverMeansAForm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	f, refused := form(t, `"dry":{"type":"boolean"},"env":{"type":"string","enum":["prod","stage"]},"n":{"type":"integer","default":2}`)
	if !refused.IsZero() {
		t.Fatal(refused)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	by := FormAsker{Whereabouts: detect.Whereabouts{Agent: "claude"}, Until: now.Add(time.Hour)}
	for range testrun.Rounds(300, 10_000) {
		q := f.Send([]json.RawMessage{json.RawMessage("true"), nil, json.RawMessage("3")}, by, now)
		if i := r.IntN(4); i < 3 {
			q = f.Ask(i, "", by, now)
		}
		asks := OpenQuestion("abc", q, Rules{}, now)
		place := Place("42")
		asks.Copies = []Copy{{Ref: Ref{Place: place, Message: 10}, Sent: now.Add(time.Duration(r.IntN(120)) * time.Second)}}
		other := OpenQuestion("def", ProgramQuestion{Text: "Go on?", Options: []string{"yes", "no"}, Timeout: time.Hour}, Rules{}, now)
		other.Copies = []Copy{{Ref: Ref{Place: place, Message: 9 + 2*r.IntN(2)}, Sent: now.Add(time.Duration(r.IntN(120)) * time.Second)}}
		written := now.Add(time.Duration(r.IntN(300)) * time.Second)
		a := Answer{Way: ByFresh, Ref: Ref{Place: place, Message: 12}, Written: written, Read: written}
		if r.IntN(2) == 0 {
			a.Decision = []screen.Decision{screen.Approve, screen.Deny}[r.IntN(2)]
		} else {
			a.Text = []string{"1", "2", "Yes", "prod", Decline, LeaveOut}[r.IntN(6)]
		}
		scene := Scene{Nudges: []*Nudge{asks, other}[:1+r.IntN(2)], OnTheWay: func(*Nudge) bool { return false }}
		m := Meant(a, scene)
		for _, n := range append(m.Among, m.Nudge) {
			if n != nil && n.ID == asks.ID {
				t.Fatalf("%+v is taken for %+v", a.Said, q)
			}
		}
		a.Nudge = asks.ID // y abc
		if _, v := asks.Read(a); v.Kind != Rejected {
			t.Fatalf("%+v is read as an answer to %+v: %+v", a.Said, q, v)
		}
		newer := asks.Copies[0].position().compare(other.Copies[0].position()) > 0
		if len(scene.Nudges) == 2 && newer && asks.Copies[0].Sent.Before(written) && a.Decision != "" && m.Nudge != nil {
			t.Fatalf("a form came behind, and %+v is taken for the question before it", a.Said)
		}
	}
}

// TestANumberIsAValue in fields that take numbers, and an option's number elsewhere.
func TestANumberIsAValue(t *testing.T) {
	f, _ := form(t, `"n":{"type":"integer","default":2},"env":{"type":"string","enum":["prod","stage"]}`)
	now := time.Now()
	for i, want := range []string{"3", `"stage"`} {
		n := OpenQuestion("abc", f.Ask(i, "", FormAsker{Until: now.Add(time.Hour)}, now), Rules{}, now)
		said := []string{"3", "2"}[i]
		a, v := n.Read(Answer{Way: ByReply, Said: Said{Text: said}, Written: now, Read: now})
		if v.Kind != "" {
			t.Fatal(v)
		}
		if value, _, wrong := f.Fields[i].Take(&Claim{Said: a.Said}); !wrong.IsZero() || string(value) != want {
			t.Errorf("%q is %s, %v", said, value, wrong)
		}
	}
}

// TestAFormIsAskedOnOrNotAtAll: if the last answer was invalid, the next question says why.
func TestAFormIsAskedOnOrNotAtAll(t *testing.T) {
	now, asked := time.Now(), 0
	for left := range 400 {
		message := strings.Repeat("a", MaxQuestion-left)
		f, refused := ParseForm(detect.Elicitation{Server: "s", Message: message, Form: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)})
		if !refused.IsZero() {
			continue
		}
		again := f.Ask(0, "That looks like a secret, and nod hands none on. Decline the form, or fill it in at the terminal.", FormAsker{Until: now}, now)
		if flaw := again.Flaw(); !flaw.IsZero() {
			t.Fatalf("with a message of %d characters: %s", len(message), flaw.Kind)
		}
		asked++
	}
	if asked == 0 {
		t.Error("no long message is asked")
	}
}

// FuzzParseForm: a form of any server leads to questions that can be asked, and to an answer with its own
// fields only.
func FuzzParseForm(f *testing.F) {
	f.Add("s", "m", `{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"type":"boolean","default":true}},"required":["a"]}`)
	f.Add("s", "m", `{"type":"object","properties":{"a":{"type":"string","enum":["Leave it out"]},"b":{"type":"string","format":"date","default":"2026-01-01"}},"required":["a"]}`)
	f.Add("s", "m", `{"type":"object","properties":{"a":{"type":"string","oneOf":[{"const":"x","title":"X"}]},"n":{"type":"number","maximum":1e308}}}`)
	f.Fuzz(func(t *testing.T, server, message, schema string) {
		asked, refused := ParseForm(detect.Elicitation{Server: server, Message: message, Form: json.RawMessage(schema)})
		if !refused.IsZero() {
			return
		}
		now := time.Now()
		by := FormAsker{Until: now.Add(time.Minute)}
		values := make([]json.RawMessage, len(asked.Fields))
		for i, field := range asked.Fields {
			q := asked.Ask(i, "", by, now)
			if flaw := q.Flaw(); !flaw.IsZero() {
				t.Fatal(flaw.Kind)
			}
			for at, label := range slices.Backward(q.Options) {
				declined := false
				values[i], declined, refused = field.Take(&Claim{Said: Said{Choice: &deliver.Choice{Index: at, Label: label}}})
				if !refused.IsZero() || values[i] != nil && !json.Valid(values[i]) || values[i] == nil && !declined && field.Required {
					t.Fatalf("its own option %q is %s, %t: %v", label, values[i], declined, refused)
				}
			}
		}
		var sent map[string]any
		if err := json.Unmarshal([]byte(asked.Content(values)), &sent); err != nil || len(sent) > len(values) || len(values) > maxFields {
			t.Fatalf("%s: %v", asked.Content(values), err)
		}
		if flaw := asked.Send(values, by, now).Flaw(); !flaw.IsZero() {
			t.Fatal(flaw.Kind)
		}
	})
}
