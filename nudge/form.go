package nudge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/detect"
	"nod/internal/reason"
)

// Form is a form that an MCP server asks a human to fill in, through an agent. Each field is asked as a
// program's question, one after the other. The last question is whether to send the server all values.
type Form struct {
	Server, Message string // the server's own, as lines
	Fields          []Field
}

const (
	maxFields   = 12
	maxFormText = 1000 // bytes of a field's description; a title has a quarter of them
	maxWrong    = 200  // characters of the reason why an answer was wrong
)

// The answers to a field without a value.
const (
	LeaveOut = "Leave it out"
	Decline  = "Decline the form"
)

// ParseForm reads the form of an MCP server, or returns why nod does not ask for it in the chat.
func ParseForm(asked detect.Elicitation) (f Form, refused reason.Why) {
	if asked.Form == nil {
		return f, reason.Why{Kind: reason.FormPage}
	}
	f.Server, f.Message = oneLine(asked.Server), strings.TrimSpace(asked.Message)
	var schema struct {
		Type       string
		Properties json.RawMessage
		Required   []string
	}
	if json.Unmarshal(asked.Form, &schema) != nil || schema.Type != "object" || f.Server == "" || !plainText(f.Message) {
		return f, reason.Why{Kind: reason.FormUnread}
	}
	names, fields, err := inOrder(schema.Properties)
	switch {
	case err != nil || slices.ContainsFunc(schema.Required, func(name string) bool { return !slices.Contains(names, name) }):
		return f, reason.Why{Kind: reason.FormUnread}
	case len(names) > maxFields:
		return f, reason.Why{Kind: reason.FormTooLong, What: fmt.Sprintf("%d fields of at most %d", len(names), maxFields)}
	}
	for i, name := range names {
		field, refused := parseField(name, fields[i])
		switch {
		case !refused.IsZero():
			return f, refused
		case field.secret(f.Message):
			return f, reason.Why{Kind: reason.FormSecret, What: field.Title}
		}
		f.Fields = append(f.Fields, field)
		// A field's choices must differ from nod's own answers, and the question must have room for the
		// reason why an answer was wrong.
		if !f.question(i, strings.Repeat("x", maxWrong)).Flaw().IsZero() {
			return f, reason.Why{Kind: reason.FormField, What: field.Title}
		}
		f.Fields[i].Required = slices.Contains(schema.Required, name)
	}
	return f, reason.Why{}
}

// inOrder returns the members of a JSON object in their order. It fails if the value is no object, or has a
// name twice.
func inOrder(object json.RawMessage) (names []string, values []json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); open != json.Delim('{') {
		return nil, nil, fmt.Errorf("no object: %w", err)
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		name, _ := token.(string) // nothing else names a member
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, err
		}
		if slices.Contains(names, name) {
			return nil, nil, fmt.Errorf("%q stands twice", name)
		}
		names, values = append(names, name), append(values, value)
	}
	return names, values, nil
}

// FormAsker is the agent that asks for the form. Until is when its hook stops waiting.
type FormAsker struct {
	detect.Whereabouts
	Until time.Time
}

// Ask returns the question for a field. wrong says what was wrong with the last answer; empty: nothing.
func (f Form) Ask(field int, wrong string, by FormAsker, now time.Time) ProgramQuestion {
	return by.asks(f.question(field, wrong), now)
}

func (f Form) question(i int, wrong string) ProgramQuestion {
	field := f.Fields[i]
	lines := []string{fmt.Sprintf("%s, %d of %d that MCP server %s asks for", field.Title, i+1, len(f.Fields), f.Server)}
	for _, line := range []string{wrong, f.Message, field.About, field.rule()} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	q := ProgramQuestion{Text: strings.Join(lines, "\n"), Words: len(field.choices) == 0, Timeout: time.Minute}
	for _, c := range field.choices {
		q.Options = append(q.Options, c.label)
	}
	if d := field.byDefault; d != nil && q.Words {
		q.Options = append(q.Options, d.label)
	}
	if !field.Required {
		q.Options = append(q.Options, LeaveOut)
	}
	q.Options = append(q.Options, Decline)
	return q
}

// Send returns the question whether the server gets the values; it shows all of them.
func (f Form) Send(values []json.RawMessage, by FormAsker, now time.Time) ProgramQuestion {
	lines := []string{"MCP server " + f.Server + " with:"}
	for i, field := range f.Fields {
		lines = append(lines, field.Title+": "+field.shown(values[i]))
	}
	if len(f.Fields) == 0 {
		lines = append(lines, "nothing: it asks for no values.", f.Message)
	}
	return by.asks(ProgramQuestion{
		Call: &Call{Verb: "answer", Subject: strings.Join(lines, "\n"), Lead: len(lines)}, Door: true,
	}, now)
}

// Content returns the JSON object of values for the server, without those that were left out.
func (f Form) Content(values []json.RawMessage) string {
	var members []string
	for i, field := range f.Fields {
		if values[i] != nil {
			members = append(members, string(jsonOf(field.Name))+":"+string(values[i]))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// asks fills in whose question it is.
func (by FormAsker) asks(q ProgramQuestion, now time.Time) ProgramQuestion {
	q.Form, q.Timeout = true, max(by.Until.Sub(now), time.Second)
	q.Program, q.Name, q.Project, q.Where, q.Agent = by.Agent, by.Name, by.Project, by.Where, by.Process
	return q
}
