package nudge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
)

// TestWhichFieldsAreAskedFor at the limits of what can be shown and checked.
func TestWhichFieldsAreAskedFor(t *testing.T) {
	text := func(key string, n int) string {
		return fmt.Sprintf(`"a":{"type":"string",%q:%q}`, key, strings.Repeat("x", n))
	}
	for fields, want := range map[string]reason.Kind{
		text("title", maxFormText/4):                                                  "",
		text("title", maxFormText/4+1):                                                reason.FormField,
		text("description", maxFormText):                                              "",
		text("description", maxFormText+1):                                            reason.FormField,
		`" ":{"type":"string"}`:                                                       reason.FormField,
		`" ":{"type":"string","title":"A"}`:                                           "",
		`"a":{"type":"string","type":"integer"}`:                                      reason.FormField,
		`"a":{"type":"string","title":7}`:                                             reason.FormField,
		`"a":{"type":"number","format":"email"}`:                                      reason.FormField,
		`"a":{"type":"boolean","minLength":1}`:                                        reason.FormField,
		`"a":{"type":"string","minimum":1}`:                                           reason.FormField,
		`"a":{"type":"string","minLength":3,"maxLength":3}`:                           "",
		`"a":{"type":"integer","minimum":5,"maximum":5}`:                              "",
		`"a":{"type":"string","minLength":3,"maxLength":2}`:                           reason.FormField,
		`"a":{"type":"string","default":null}`:                                        "",
		`"a":{"type":"string","default":7}`:                                           reason.FormField,
		`"a":{"type":"string","enum":["x","y"],"default":"y"}`:                        "",
		`"a":{"type":"string","enum":["x","y"],"default":"z"}`:                        reason.FormField,
		`"a":{"type":"integer","enum":["1","2"]}`:                                     reason.FormField,
		`"a":{"type":"boolean","enum":["x"]}`:                                         reason.FormField,
		`"a":{"type":"string","enumNames":["X"]}`:                                     reason.FormField,
		`"a":{"type":"string","enum":["x"],"enumNames":["X","Y"]}`:                    reason.FormField,
		`"a":{"type":"string","enum":["x"],"enumNames":[]}`:                           "",
		`"a":{"type":"string","oneOf":[{"const":"x","title":"X"}]}`:                   "",
		`"a":{"type":"string","enum":["x"],"oneOf":[{"const":"y","title":"Y"}]}`:      reason.FormField,
		`"a":{"type":"string","oneOf":[{"const":"x","title":"X"}],"enumNames":["Y"]}`: reason.FormField,
		`"key":{"type":"string"}`:                                                     reason.FormSecret,
		`"key":{"type":"integer"}`:                                                    "",
		`"token":{"type":"integer"}`:                                                  reason.FormSecret,
		`"token":{"type":"boolean"}`:                                                  "",
	} {
		if _, why := form(t, fields); why.Kind != want {
			t.Errorf("%.90s: %q; want %q", fields, why.Kind, want)
		}
	}
}

// TestWhatAFieldSaysOfItself: what it takes, within which bounds, and what the form suggests.
func TestWhatAFieldSaysOfItself(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string"}`:                                                      "Text.",
		`{"type":"string","minLength":2}`:                                        "Text of at least 2 characters.",
		`{"type":"string","maxLength":9}`:                                        "Text of at most 9 characters.",
		`{"type":"string","minLength":2,"maxLength":9}`:                          "Text of 2 to 9 characters.",
		`{"type":"string","minLength":0,"maxLength":9}`:                          "Text of at most 9 characters.",
		`{"type":"string","format":"email"}`:                                     "An email address.",
		`{"type":"string","format":"uri"}`:                                       "An address such as https://….",
		`{"type":"string","format":"date","default":"2026-01-31"}`:               "A date, as 2026-01-31. The form suggests “2026-01-31”.",
		`{"type":"integer","minimum":0}`:                                         "A whole number of at least 0.",
		`{"type":"integer","minimum":-1,"maximum":5}`:                            "A whole number of -1 to 5.",
		`{"type":"number","maximum":0.5}`:                                        "A number of at most 0.5.",
		`{"type":"number"}`:                                                      "A number.",
		`{"type":"boolean"}`:                                                     "",
		`{"type":"boolean","default":true}`:                                      "The form suggests “Yes”.",
		`{"type":"boolean","default":false}`:                                     "The form suggests “No”.",
		`{"type":"string","enum":["a","b"],"default":"\u0062"}`:                  "The form suggests “b”.",
		`{"type":"string","enum":["a","b"],"enumNames":["A","B"]}`:               "",
		`{"type":"string","enum":["a","b"],"enumNames":["A","B"],"default":"b"}`: "The form suggests “B”.",
	} {
		f, why := form(t, `"field":`+schema)
		if !why.IsZero() {
			t.Fatalf("%s: %v", schema, why)
		}
		if got := f.Fields[0].rule(); got != want {
			t.Errorf("%s: %q; want %q", schema, got, want)
		}
	}
}

// TestTheValueThatIsTakenIsTheOneThatIsShown, chosen by its label, or written.
func TestTheValueThatIsTakenIsTheOneThatIsShown(t *testing.T) {
	choose := func(i int, label string) Said { return Said{Choice: &deliver.Choice{Index: i, Label: label}} }
	enum := `{"type":"string","enum":["a","b"],"enumNames":["Apple","Pear"],"default":"a"}`
	for name, c := range map[string]struct {
		schema       string
		said         Said
		value, shown string
	}{
		"a choice":           {enum, choose(1, "Pear"), `"b"`, "Pear"},
		"the suggested one":  {enum, choose(0, "Apple"), `"a"`, "Apple"},
		"one of":             {`{"type":"string","oneOf":[{"const":"a","title":"Apple"},{"const":"b","title":"Pear"}]}`, choose(1, "Pear"), `"b"`, "Pear"},
		"yes":                {`{"type":"boolean"}`, choose(0, "Yes"), "true", "Yes"},
		"a suggested text":   {`{"type":"string","default":"main"}`, choose(0, "main"), `"main"`, "main"},
		"words":              {`{"type":"string"}`, Said{Text: "main"}, `"main"`, "main"},
		"lines":              {`{"type":"string"}`, Said{Text: "a\nb"}, `"a\nb"`, `"a\nb"`},
		"words with a blank": {`{"type":"string"}`, Said{Text: " a"}, `" a"`, `" a"`},
		"a number":           {`{"type":"number"}`, Said{Text: "1e3"}, "1e3", "1e3"},
		"left out":           {enum, choose(2, LeaveOut), "", "left out"},
		"nothing":            {`{"type":"string"}`, Said{Text: ""}, `""`, `""`},
	} {
		f, why := form(t, `"field":`+c.schema)
		if !why.IsZero() {
			t.Fatalf("%s: %v", name, why)
		}
		value, declined, wrong := f.Fields[0].Take(&Claim{Said: c.said})
		if string(value) != c.value || declined || !wrong.IsZero() || f.Fields[0].shown(value) != c.shown {
			t.Errorf("%s: %s, shown as %s, %v", name, value, f.Fields[0].shown(value), wrong)
		}
	}
	f, _ := form(t, `"field":{"type":"string"}`)
	if value, _, wrong := f.Fields[0].Take(&Claim{Said: Said{Text: "a\x07"}}); value != nil || wrong.IsZero() {
		t.Errorf("a control character is the value %s", value)
	}
	if got := f.Fields[0].shown([]byte("7")); got != "7" {
		t.Errorf("what is no text is shown as %s", got)
	}
}

// TestTheWordsOfAnIdentifier are found as well as those between blanks; other letters than ASCII part no words.
func TestTheWordsOfAnIdentifier(t *testing.T) {
	for text, want := range map[string][]string{
		"api_key":      {"api_key", "api", "key"},
		"a/b:c@d[e`f{": {"a/b:c@d[e`f{", "a", "b", "c", "d", "e", "f"},
		"0a9 A-Z az":   {"0a9", "A-Z", "az", "0a9", "A", "Z", "az"},
		"schlüssel_é":  {"schlüssel_é", "schlüssel", "é"},
		"a\x7fb\u0080": {"a\x7fb\u0080", "a", "b\u0080"},
	} {
		if got := wordsIn(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q; want %q", text, got, want)
		}
	}
}

// TestWhichFormsAreAskedFor: those of a known server, in plain text, with as many fields as a person answers.
func TestWhichFormsAreAskedFor(t *testing.T) {
	fields := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"a%d":{"type":"boolean"}`, i))
		}
		return `{"type":"object","properties":{` + strings.Join(all, ",") + `}}`
	}
	for name, c := range map[string]struct {
		server, message, form string
		want                  reason.Kind
	}{
		"twelve fields":   {"deploy", "Which?", fields(maxFields), ""},
		"thirteen fields": {"deploy", "Which?", fields(maxFields + 1), reason.FormTooLong},
		"no fields":       {"deploy", "Which?", fields(0), ""},
		"no server":       {" \n", "Which?", fields(1), reason.FormUnread},
		"no plain text":   {"deploy", "Which?\x07", fields(1), reason.FormUnread},
		"no object":       {"deploy", "Which?", `{"type":"array","properties":{"a":{"type":"boolean"}}}`, reason.FormUnread},
		"no properties":   {"deploy", "Which?", `{"type":"object"}`, reason.FormUnread},
		"a list of them":  {"deploy", "Which?", `{"type":"object","properties":[]}`, reason.FormUnread},
		"no JSON":         {"deploy", "Which?", `{"type":"object"`, reason.FormUnread},
		"another field":   {"deploy", "Which?", `{"type":"object","properties":{"a":{"type":"boolean"}},"required":["b"]}`, reason.FormUnread},
	} {
		if _, why := ParseForm(detect.Elicitation{Server: c.server, Message: c.message, Form: json.RawMessage(c.form)}); why.Kind != c.want {
			t.Errorf("%s: %q; want %q", name, why.Kind, c.want)
		}
	}
}

// TestWhatAFormAsks: each field with what was wrong, what it means and takes; then whether the server gets the
// values, which are all shown.
func TestWhatAFormAsks(t *testing.T) {
	schema := `{"type":"object","properties":{
		"env":{"type":"string","enum":["a","b"],"title":"Environment","description":"Where it runs"},
		"count":{"type":"integer","minimum":1,"default":3}},"required":["count"]}`
	f, why := ParseForm(detect.Elicitation{Server: "deploy", Message: "Which settings?", Form: json.RawMessage(schema)})
	if !why.IsZero() {
		t.Fatal(why)
	}
	by := FormAsker{Until: second(600)}
	by.Agent, by.Name, by.Project, by.Where, by.Process = "claude", "api", "src", "main:2.0", look().Process
	env, count := f.Ask(0, "", by, noon), f.Ask(1, "That is no number.", by, noon)
	for _, c := range []struct{ got, want string }{
		{env.Text, "Environment, 1 of 2 that MCP server deploy asks for\nWhich settings?\nWhere it runs"},
		{count.Text, "count, 2 of 2 that MCP server deploy asks for\nThat is no number.\nWhich settings?\nA whole number of at least 1. The form suggests “3”."},
		{strings.Join(env.Options, ", "), "a, b, " + LeaveOut + ", " + Decline},
		{strings.Join(count.Options, ", "), "3, " + Decline},
		{f.Send([]json.RawMessage{nil, json.RawMessage("5")}, by, noon).Call.Subject, "MCP server deploy with:\nEnvironment: left out\ncount: 5"},
		{Form{Server: "deploy", Message: "Go on?"}.Send(nil, by, noon).Call.Subject, "MCP server deploy with:\nnothing: it asks for no values.\nGo on?"},
		{f.Content([]json.RawMessage{json.RawMessage(`"a"`), json.RawMessage("5")}), `{"env":"a","count":5}`},
		{f.Content([]json.RawMessage{nil, json.RawMessage("5")}), `{"count":5}`},
	} {
		if c.got != c.want {
			t.Errorf("%q; want %q", c.got, c.want)
		}
	}
	if q := count; !q.Form || !q.Words || q.Timeout != 10*time.Minute || q.Program != "claude" || q.Name != "api" || q.Project != "src" || q.Where != "main:2.0" || q.Agent != by.Process || env.Words {
		t.Errorf("%+v", q)
	}
	if q := f.Ask(0, "", by, second(600)); q.Timeout != time.Second {
		t.Errorf("out of time, it waits %s", q.Timeout)
	}
}
