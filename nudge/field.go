package nudge

import (
	"encoding/json"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"nod/internal/reason"
	"nod/internal/text/redact"
)

// Field is one value that a Form asks for.
type Field struct {
	Name         string
	Title, About string // for people
	Required     bool
	kind         fieldKind
	format       string
	choices      []choice // the only values allowed; none: free text
	byDefault    *choice
	least, most  float64 // of a number, or of the length of a text
}

// fieldKind is the type of a field's value.
type fieldKind string

const (
	textField   fieldKind = "string"
	wholeField  fieldKind = "integer"
	numberField fieldKind = "number"
	yesNoField  fieldKind = "boolean"
)

// choice is a value and its label for people.
type choice struct {
	label string
	value json.RawMessage
}

// maxValue is the maximum length of a text value in characters.
const maxValue = 2000

// knownKeywords are the keywords of a field's schema that nod understands. An unknown keyword may restrict
// the value, so the field is refused.
var knownKeywords = []string{
	"type", "title", "description", "default", "enum", "enumNames", "oneOf", "minLength", "maxLength", "format", "minimum", "maximum",
}

// schemaOf is a field's schema as MCP defines it.
type schemaOf struct {
	Type, Title, Description, Format       string
	Default                                json.RawMessage
	Enum, EnumNames                        []string
	OneOf                                  []struct{ Const, Title string }
	Minimum, Maximum, MinLength, MaxLength *float64
}

// parseField reads the schema of a field, or returns why nod does not ask for it.
func parseField(name string, schema json.RawMessage) (f Field, refused reason.Why) {
	var s schemaOf
	names, _, err := inOrder(schema)
	unread := reason.Why{Kind: reason.FormField, What: oneLine(name)}
	unknown := func(keyword string) bool { return !slices.Contains(knownKeywords, keyword) }
	if err != nil || json.Unmarshal(schema, &s) != nil || slices.ContainsFunc(names, unknown) {
		return f, unread
	}
	f = Field{Name: name, Title: oneLine(s.Title), About: strings.TrimSpace(s.Description), kind: fieldKind(s.Type), format: s.Format}
	if f.Title == "" {
		f.Title = oneLine(name)
	}
	if f.Title == "" || len(f.Title) > maxFormText/4 || len(f.About) > maxFormText || !f.bounds(s) || !f.choose(s) {
		return f, unread
	}
	if len(s.Default) > 0 && string(s.Default) != "null" {
		if f.byDefault = f.choiceOf(s.Default); f.byDefault == nil {
			return f, unread
		}
	}
	return f, reason.Why{}
}

// bounds takes over the limits of the value; false: nod can't enforce them.
func (f *Field) bounds(s schemaOf) bool {
	f.least, f.most = math.Inf(-1), math.Inf(1)
	least, most, others := s.Minimum, s.Maximum, []*float64{s.MinLength, s.MaxLength}
	switch f.kind {
	case textField:
		others = []*float64{s.Minimum, s.Maximum}
		least, most, f.least = s.MinLength, s.MaxLength, 0
		if formats[f.format] == nil {
			return false
		}
	case wholeField, numberField, yesNoField:
	default:
		return false
	}
	if f.kind != textField && f.format != "" || slices.ContainsFunc(others, func(bound *float64) bool { return bound != nil }) {
		return false
	}
	if least != nil {
		f.least = *least
	}
	if most != nil {
		f.most = *most
	}
	return f.least <= f.most
}

// formats check a text by the format that its schema names.
var formats = map[string]func(text string) bool{
	"":          anyText,
	"password":  anyText,
	"email":     func(text string) bool { a, err := mail.ParseAddress(text); return err == nil && a.Address == text },
	"uri":       func(text string) bool { u, err := url.Parse(text); return err == nil && u.Scheme != "" },
	"date":      func(text string) bool { _, err := time.Parse(time.DateOnly, text); return err == nil },
	"date-time": func(text string) bool { _, err := time.Parse(time.RFC3339, text); return err == nil },
}

func anyText(string) bool { return true }

// choose takes over the choices; false: nod can't offer them.
func (f *Field) choose(s schemaOf) bool {
	listed := len(s.Enum) + len(s.OneOf)
	switch {
	case f.kind == yesNoField:
		f.choices = []choice{{"Yes", json.RawMessage("true")}, {"No", json.RawMessage("false")}}
		return listed == 0
	case listed == 0:
		return len(s.EnumNames) == 0
	case f.kind != textField || len(s.Enum) > 0 && len(s.OneOf) > 0 || len(s.EnumNames) > 0 && len(s.EnumNames) != len(s.Enum):
		return false
	}
	for i, value := range s.Enum {
		label := value
		if len(s.EnumNames) > 0 {
			label = s.EnumNames[i]
		}
		f.choices = append(f.choices, choice{label, jsonOf(value)})
	}
	for _, one := range s.OneOf {
		f.choices = append(f.choices, choice{one.Title, jsonOf(one.Const)})
	}
	return true
}

// choiceOf returns the choice with that value; nil: the field does not allow the value.
func (f *Field) choiceOf(value json.RawMessage) *choice {
	var text string
	switch {
	case f.kind == textField && json.Unmarshal(value, &text) != nil:
		return nil
	case f.kind != textField:
		text = string(value)
	}
	for _, c := range f.choices {
		if string(c.value) == string(value) || string(c.value) == string(jsonOf(text)) {
			return &c
		}
	}
	got, wrong := f.parse(text)
	if len(f.choices) > 0 || !wrong.IsZero() {
		return nil
	}
	return &choice{text, got}
}

// Take returns the value that the answer to a field's question gives; nil: none. declined: the human declined
// the whole form. wrong: why the text is no value of the field; zero: it is one.
func (f Field) Take(claim *Claim) (value json.RawMessage, declined bool, wrong reason.Why) {
	c := claim.Choice
	switch {
	case c == nil:
		value, wrong = f.parse(claim.Text)
		return value, false, wrong
	case c.Label == Decline:
		return nil, true, reason.Why{}
	case c.Label == LeaveOut:
		return nil, false, reason.Why{}
	case len(f.choices) == 0:
		return f.byDefault.value, false, reason.Why{}
	}
	return f.choices[c.Index].value, false, reason.Why{}
}

// parse reads a text as a value.
func (f *Field) parse(text string) (json.RawMessage, reason.Why) {
	wrong := reason.Why{Kind: reason.FormWrong}
	switch f.kind {
	case textField:
		n := float64(utf8.RuneCountInString(text))
		switch {
		case redact.Mask(text) != text:
			return nil, reason.Why{Kind: reason.FormSecretValue}
		case n < f.least || n > min(f.most, maxValue) || !plainText(text) || !formats[f.format](text):
			return nil, wrong
		}
		return jsonOf(text), reason.Why{}
	case wholeField:
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return nil, wrong
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < f.least || n > f.most || !json.Valid([]byte(text)) {
		return nil, wrong
	}
	return json.RawMessage(text), reason.Why{}
}

// rule describes for people what the field takes and what the form suggests; empty if the choices say it all.
func (f *Field) rule() string {
	suggests := ""
	if f.byDefault != nil {
		suggests = "The form suggests “" + f.byDefault.label + "”."
	}
	if len(f.choices) > 0 {
		return suggests
	}
	what := map[fieldKind]string{textField: "Text", wholeField: "A whole number", numberField: "A number"}[f.kind]
	if f.format != "" {
		what = map[string]string{"email": "An email address", "uri": "An address such as https://…", "date": "A date, as 2026-01-31", "date-time": "A time, as 2026-01-31T15:04:05Z"}[f.format]
	}
	unit := ""
	if f.kind == textField {
		unit = " characters"
	}
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	switch least := f.least > 0 || f.kind != textField && !math.IsInf(f.least, -1); {
	case least && !math.IsInf(f.most, 1):
		what += fmt.Sprintf(" of %s to %s%s", number(f.least), number(f.most), unit)
	case least:
		what += fmt.Sprintf(" of at least %s%s", number(f.least), unit)
	case !math.IsInf(f.most, 1):
		what += fmt.Sprintf(" of at most %s%s", number(f.most), unit)
	}
	return strings.TrimSpace(what + ". " + suggests)
}

// shown returns a value for people.
func (f *Field) shown(value json.RawMessage) string {
	if value == nil {
		return "left out"
	}
	for _, c := range f.choices {
		if string(c.value) == string(value) {
			return c.label
		}
	}
	var text string
	if json.Unmarshal(value, &text) != nil || !fitsOneLine(text) || strings.TrimSpace(text) != text {
		return string(value)
	}
	return text
}

// secret reports whether the value may be a secret, judging by the field's format, name, title and
// description and the form's message. A secret stays off the chat.
func (f *Field) secret(message string) bool {
	if f.format == "password" {
		return true
	}
	if len(f.choices) > 0 {
		return false
	}
	sample := "Zx9kQ2vT7pLm4Rw8sB1nY6dC" // looks like no known kind of secret by itself
	if f.kind != textField {
		sample = "4839201756"
	}
	texts := []string{f.Name, f.Title, f.About, message}
	return slices.ContainsFunc(texts, func(text string) bool {
		return slices.ContainsFunc(wordsIn(text), func(word string) bool {
			return slices.Contains(shortSecrets, strings.ToLower(word)) || redact.Mask(word+"="+sample) != word+"="+sample
		})
	})
}

// shortSecrets announce secrets that are too short to be recognised by their looks.
var shortSecrets = []string{"pin", "otp", "totp", "cvv", "cvc", "2fa", "mfa"}

// wordsIn returns the words of a text, including the parts of an identifier.
func wordsIn(text string) []string {
	return append(strings.Fields(text), strings.FieldsFunc(text, func(r rune) bool {
		return r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x80
	})...)
}

// oneLine returns text as one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func jsonOf(text string) json.RawMessage {
	quoted, _ := json.Marshal(text) // a string can't fail
	return quoted
}
