package fleet

import (
	"reflect"
	"slices"
	"strings"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Every text in every field of every frame passes through this file: its secrets are masked, at the edge and again at the hub, which cuts it as
// well.

// filter masks, or masks and cuts, a text.
type filter struct {
	mask func(string) string // nil: nothing is masked
	cuts bool                // to as much as nod tells at most
}

// names are the fields by which both ends know a pane, an agent, a prompt, a call or a frame. One that holds a secret names nothing. So are words
// of nod's own, which have types of their own.
var names = map[string]bool{
	"frame.Boot": true, "hello.Nonce": true, "ask.ID": true, "result.ID": true, "lines.ID": true, "call.ID": true, "call.Method": true,
	"PaneRef.Machine": true, "PaneRef.ID": true, "Life.Socket": true, "Whereabouts.Agent": true, "Content.Agent": true, "Content.Shape": true,
	"Sighting.By": true, "Sighting.Proof": true, "Prompt.Fingerprint": true, "Prompt.Call": true, "Prompt.Exact": true, "Effect.Fingerprint": true,
	"Effect.Call": true, "Call.Input": true,
}

// long are the fields whose texts may have more than maxName bytes.
var long = map[string]int{
	"LastTurn.Words": maxText, "LastTurn.Said": maxText, "Content.Question": maxText, "Content.Subject": maxText, "Content.Diff": maxText,
	"Content.Plan": maxText, "Field.Typed": maxText, "Edit.Diff": maxText, "DeniedCall.Text": maxText, "DeniedCall.Review": maxText,
	"Blocked.Text": maxText, "ProgramQuestion.Text": maxText, "ProgramQuestion.File": maxText, "Call.Subject": maxText,
	"Drawn.Text": maxRow, "FixedRow.Text": maxRow, "Option.Label": maxRow, "Edit.Path": maxRow, "DeniedCall.Folder": maxRow, "DeniedCall.Reason": maxRow,
	"Blocked.Verb": maxRow, "Blocked.Reason": maxRow, "Call.Verb": maxRow, "Call.Session": maxRow, "Call.Part": maxRow, "Call.Folder": maxRow, "Call.Mode": maxRow,
	"Call.Tool": maxRow, "MonitorReport.Ended": maxRow, "ProgramQuestion.Default": maxRow,
	"Why.Agent": maxSentence, "Why.Where": maxSentence, "Why.By": maxSentence, "Why.What": maxSentence, "Outcome.Error": maxSentence, "lines.Error": maxSentence, "bye.Why": maxSentence,
}

// single are the lists whose entries are separate texts, not rows of one.
var single = map[string]bool{"Ways.Approve": true, "Ways.Deny": true, "Ways.Send": true, "Ways.Dismiss": true, "Result.Keys": true, "Spec.Args": true, "ProgramQuestion.Options": true}

// passed returns a filtered copy of what is sent.
func passed[T any](told T, f filter) T {
	if f.mask != nil || f.cuts {
		f.pass(reflect.ValueOf(&told).Elem(), "")
	}
	return told
}

// pass filters v, the value of a field. It changes nothing that v shares with others.
func (f filter) pass(v reflect.Value, field string) {
	switch {
	case v.Kind() == reflect.String && v.Len() > 0:
		v.SetString(f.text(v.String(), field, names[field] || v.Type() != reflect.TypeFor[string]()))
	case v.Kind() == reflect.Pointer && !v.IsNil():
		copied := reflect.New(v.Type().Elem())
		copied.Elem().Set(v.Elem())
		v.Set(copied)
		f.pass(copied.Elem(), field)
	case v.Kind() == reflect.Interface && !v.IsNil():
		copied := reflect.New(v.Elem().Type()).Elem()
		copied.Set(v.Elem())
		f.pass(copied, field)
		v.Set(copied)
	case v.Kind() == reflect.Struct:
		f.fields(v)
	case v.Kind() == reflect.Slice && v.Len() > 0 && v.Type().Elem().Kind() != reflect.Uint8: // of bytes, what a call is about: read has that pass
		f.list(v, field)
	}
}

func (f filter) fields(v reflect.Value) {
	switch told := v.Addr().Interface().(type) {
	case *seen:
		f.look(told)
		return
	case *detect.Sighting:
		defer f.screen(told)()
	case *reason.Why:
		if f.cuts {
			capWhy(told)
		}
	}
	for i := range v.NumField() {
		if of := v.Type().Field(i); of.IsExported() {
			f.pass(v.Field(i), v.Type().Name()+"."+of.Name)
		}
	}
}

func (f filter) list(v reflect.Value, field string) {
	if f.cuts {
		v.SetLen(min(v.Len(), maxRows))
	}
	copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(copied, v)
	v.Set(copied)
	switch list := v.Interface().(type) {
	case []string:
		if !single[field] {
			copy(list, f.rows(list))
			return
		}
	case []screen.Drawn:
		f.drawn(list)
		return
	}
	for i := range v.Len() {
		f.pass(v.Index(i), field)
	}
}

// text filters one text, which may be a name. A text that is cut is cut again once it is masked, so that no part of a secret is left at its end.
func (f filter) text(text, field string, name bool) string {
	most := max(maxName, long[field])
	if f.cuts && (name || len(text) > most+maxRow) {
		text = capText(text, most+maxRow)
	}
	masked := text
	if f.mask != nil {
		masked = f.mask(text)
	}
	switch {
	case name && (masked != text || f.cuts && len(text) > maxName):
		return ""
	case f.cuts:
		return capText(masked, most)
	}
	return masked
}

// rows filters rows as one text, because a secret may be wrapped from one into the next.
func (f filter) rows(rows []string) []string {
	if f.cuts {
		rows = capList(rows)
	}
	if len(rows) == 0 || f.mask == nil {
		return rows
	}
	masked := strings.Split(f.mask(strings.Join(rows, "\n")), "\n")
	if len(masked) == len(rows) {
		return masked
	}
	masked = make([]string, len(rows)) // it joins some of them: which row is which can't be told
	for i := range rows {
		masked[i] = "[masked]"
	}
	return masked
}

func (f filter) drawn(list []screen.Drawn) {
	rows := make([]string, len(list))
	for i, row := range list {
		rows[i] = row.Text
	}
	for i, text := range f.rows(rows) {
		list[i].Text = text
	}
}

// screen has the rows of a look pass once where its screen shows the same ones, and puts them back once all else has: a hub keeps thousands of
// screens, each row once, and a secret may be wrapped over the upper edge of what is told.
func (f filter) screen(s *detect.Sighting) (restore func()) {
	if f.cuts {
		s.Above, s.Tail = s.Above[:min(len(s.Above), maxRows)], s.Tail[:min(len(s.Tail), maxRows)]
	}
	shown := slices.Concat(s.Above, s.Tail)
	same := slices.EqualFunc(s.Screen, shown, func(d screen.Drawn, row string) bool { return d.Text == row })
	rows, above := f.rows(slices.Clone(shown)), len(s.Above)
	drawn := slices.Clone(s.Screen)
	if s.Above, s.Tail = nil, nil; same {
		s.Screen = nil
	}
	return func() {
		s.Above, s.Tail = rows[:above:above], rows[above:]
		if same {
			s.Screen = drawn
			for i, row := range rows {
				drawn[i].Text = row
			}
		}
	}
}

// look has a look at a pane pass. Rows that only look fixed once a secret in them is masked are shown: none is called fixed.
func (f filter) look(s *seen) {
	own := s.Prompt
	f.pass(reflect.ValueOf(&s.Sighting).Elem(), "")
	if own != nil && f.mask != nil && !reflect.DeepEqual(own, s.Prompt) {
		s.bare, s.Prompt.Furniture = own, nil
	}
}

// unmasked gives a request the rows and the label of a prompt before it was masked, where it names them as they are shown.
func unmasked(r deliver.Request, own, shown *screen.Prompt) deliver.Request {
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
