package fleet

import (
	"reflect"
	"slices"
	"strings"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
)

// This file hides the secrets in what crosses: in every text of it, whichever field that is in.

// plain are the fields that hold no text of anybody's: names by which both ends know a pane, an agent, a prompt or a call. Words of nod's own have
// types of their own, and are none either.
var plain = map[string]bool{
	"Whereabouts.Pane": true, "Whereabouts.Agent": true, "Sighting.By": true, "Sighting.Proof": true, "Content.Agent": true, "Content.Shape": true,
	"Session.Pane": true, "Prompt.Fingerprint": true, "Prompt.Call": true, "Prompt.Exact": true, "lines.ID": true, "hello.Nonce": true,
}

// single are the lists whose entries are no rows of one text.
var single = map[string]bool{"Keys": true, "Approve": true, "Deny": true, "Send": true, "Dismiss": true}

// hidden is a copy of what an edge tells, with the secrets in its texts masked ; a nil mask hides nothing.
func hidden[T any](told T, mask func(string) string) T {
	if mask != nil {
		hide(reflect.ValueOf(&told).Elem(), mask)
	}
	return told
}

// hiddenLook is the same for a look at a pane: a secret may be wrapped over the upper edge of what is shown.
func hiddenLook(s detect.Sighting, mask func(string) string) detect.Sighting {
	if mask == nil {
		return s
	}
	shown := slices.Concat(s.Above, s.Tail)
	rows, drawn := maskRows(shown, mask), s.Screen
	above, tail := rows[:len(s.Above):len(s.Above)], rows[len(s.Above):]
	same := slices.EqualFunc(drawn, shown, func(d screen.Drawn, row string) bool { return d.Text == row })
	if s.Above, s.Tail = nil, nil; same { // a hub keeps thousands of screens, each row once
		s.Screen = nil
	}
	s = hidden(s, mask)
	if same {
		s.Screen = slices.Clone(drawn)
		for i, row := range rows {
			s.Screen[i].Text = row
		}
	}
	s.Above, s.Tail = above, tail
	return s
}

// hide masks what v holds. It writes into nothing that v shares with others.
func hide(v reflect.Value, mask func(string) string) {
	switch {
	case v.Type() == reflect.TypeFor[string]() && v.Len() > 0:
		v.SetString(mask(v.String()))
	case v.Kind() == reflect.Pointer && !v.IsNil():
		copied := reflect.New(v.Type().Elem())
		copied.Elem().Set(v.Elem())
		v.Set(copied)
		hide(copied.Elem(), mask)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			switch name := v.Type().Name() + "." + f.Name; {
			case !f.IsExported(), plain[name]:
			case f.Type == reflect.TypeFor[[]string]() && !single[f.Name]:
				v.Field(i).Set(reflect.ValueOf(maskRows(v.Field(i).Interface().([]string), mask)))
			default:
				hide(v.Field(i), mask)
			}
		}
	case v.Kind() == reflect.Slice && v.Len() > 0:
		copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(copied, v)
		v.Set(copied)
		if drawn, ok := v.Interface().([]screen.Drawn); ok {
			hideDrawn(drawn, mask)
			return
		}
		for i := range v.Len() {
			hide(v.Index(i), mask)
		}
	}
}

// hideDrawn masks the rows of a screen.
func hideDrawn(rows []screen.Drawn, mask func(string) string) {
	shown := make([]string, len(rows))
	for i, row := range rows {
		shown[i] = row.Text
	}
	for i, text := range maskRows(shown, mask) {
		rows[i].Text = text
	}
}

// maskRows masks rows as the one text that they are: a secret may be wrapped from one into the next.
func maskRows(rows []string, mask func(string) string) []string {
	if len(rows) == 0 || mask == nil {
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
