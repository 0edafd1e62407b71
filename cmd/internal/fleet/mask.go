package fleet

import (
	"slices"
	"strings"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
)

// masked hides the secrets in what crosses of a look. Nothing that it is compared by is touched: not the prompt's fingerprint.
func masked(s *detect.Sighting, mask func(string) string) {
	if mask == nil {
		return
	}
	if p := s.Prompt; p != nil {
		hidden := *p
		for _, text := range []*string{&hidden.Title, &hidden.Question, &hidden.Subject, &hidden.Diff, &hidden.Plan, &hidden.Typed} {
			*text = mask(*text)
		}
		hidden.Rows, hidden.Notes = maskRows(p.Rows, mask), maskRows(p.Notes, mask)
		hidden.Options = slices.Clone(p.Options)
		for i := range hidden.Options {
			hidden.Options[i].Label = mask(hidden.Options[i].Label)
		}
		hidden.Furniture = nil
		s.Prompt = &hidden
	}
	rows := maskRows(slices.Concat(s.Above, s.Tail), mask)
	s.Above, s.Tail = rows[:len(s.Above):len(s.Above)], rows[len(s.Above):]
	shown := make([]string, len(s.Screen))
	for i, row := range s.Screen {
		shown[i] = row.Text
	}
	drawn := make([]screen.Drawn, len(s.Screen))
	for i, text := range maskRows(shown, mask) {
		drawn[i] = screen.Drawn{Role: s.Screen[i].Role, Text: text}
	}
	if s.Screen != nil {
		s.Screen = drawn
	}
	s.Words, s.Said, s.Name, s.Project = mask(s.Words), mask(s.Said), mask(s.Name), mask(s.Project)
	s.Edits = slices.Clone(s.Edits)
	for i := range s.Edits {
		s.Edits[i].Diff = mask(s.Edits[i].Diff)
	}
	s.Denied.Calls = slices.Clone(s.Denied.Calls)
	for i := range s.Denied.Calls {
		call := &s.Denied.Calls[i]
		call.Text, call.Reason = mask(call.Text), mask(call.Reason)
	}
}

// maskRows masks rows as the one text that they are: a secret may be wrapped from one into the next.
func maskRows(rows []string, mask func(string) string) []string {
	if len(rows) == 0 {
		return rows
	}
	hidden := strings.Split(mask(strings.Join(rows, "\n")), "\n")
	if len(hidden) == len(rows) {
		return hidden
	}
	hidden = make([]string, len(rows)) // it joins some of them: which row is which can't be told
	for i := range rows {
		hidden[i] = "[masked]"
	}
	return hidden
}

// unmasked gives a request the rows and the label that the pane shows, where it names them as they were told.
func (t *told) unmasked(r deliver.Request) deliver.Request {
	own, shown := t.own.Prompt, t.Prompt
	if own == nil || shown == nil || own.Fingerprint != r.Fingerprint {
		return r
	}
	if slices.Equal(r.Rows, shown.Rows) {
		r.Rows = own.Rows
	}
	if c := r.Choice; c != nil && c.Index >= 0 && c.Index < len(own.Options) && c.Label == shown.Options[c.Index].Label {
		r.Choice = &deliver.Choice{Index: c.Index, Label: own.Options[c.Index].Label}
	}
	return r
}
