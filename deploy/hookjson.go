package deploy

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonHooks edits a settings file that lists commands by event under "hooks". It changes the file as a syntax
// tree and does not print it again, so that every byte of other text is kept, comments and trailing commas
// included.
type jsonHooks struct {
	events []string
	// entry returns one element of an event's list.
	entry func(event, command string) any
}

// matcherEntry makes elements for an agent that matches tools. The unit of timeout is the agent's.
func matcherEntry(matcher string, timeout func(event string) int) func(event, command string) any {
	type hook struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	type entry struct {
		Matcher string `json:"matcher"`
		Hooks   []hook `json:"hooks"`
	}
	return func(event, command string) any {
		return entry{Matcher: matcher, Hooks: []hook{{"command", command, timeout(event)}}}
	}
}

// commandEntry makes elements for an agent that only lists commands.
func commandEntry(seconds int) func(event, command string) any {
	type entry struct {
		Type    string `json:"type"`
		Bash    string `json:"bash"`
		Timeout int    `json:"timeoutSec"`
	}
	return func(_, command string) any { return entry{"command", command, seconds} }
}

func (j jsonHooks) install(text []byte, command string) ([]byte, error) {
	bare, err := j.remove(text)
	if err != nil {
		return nil, err
	}
	if j.complete(text, command) {
		return text, nil
	}
	root, err := parseObject(bare)
	if err != nil {
		return nil, err
	}
	hooks, err := member[*hujson.Object](root.Value.(*hujson.Object), "hooks", 1)
	if err != nil {
		return nil, err
	}
	for _, event := range j.events {
		list, err := member[*hujson.Array](hooks, event, 2)
		if err != nil {
			return nil, err
		}
		raw, err := json.Marshal(j.entry(event, command))
		if err != nil {
			return nil, fmt.Errorf("write the entry of %s: %w", event, err)
		}
		appendElement(list, raw, 3)
	}
	return root.Pack(), nil
}

func (j jsonHooks) remove(text []byte) ([]byte, error) {
	if len(text) == 0 {
		return text, nil
	}
	root, err := parseObject(text)
	if err != nil {
		return nil, err
	}
	top := root.Value.(*hujson.Object)
	i := find(top, "hooks")
	if i < 0 {
		return text, nil
	}
	if err := once(top, "hooks"); err != nil {
		return nil, err
	}
	hooks, ok := top.Members[i].Value.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New(`"hooks" is not an object`)
	}
	for _, event := range hooks.Members {
		if err := once(hooks, nameOf(event)); err != nil {
			return nil, err
		}
	}
	found := false
	for e := len(hooks.Members) - 1; e >= 0; e-- {
		list, ok := hooks.Members[e].Value.Value.(*hujson.Array)
		if !ok || !removeOurs(list) {
			continue
		}
		found = true
		if len(list.Elements) == 0 && !noted(hooks.Members[e], list.AfterExtra) {
			removeMember(hooks, e)
		}
	}
	if !found {
		return text, nil
	}
	if len(hooks.Members) == 0 && !noted(top.Members[i], hooks.AfterExtra) {
		removeMember(top, i)
	}
	return root.Pack(), nil
}

// complete reports whether text calls command on exactly the events of j.
func (j jsonHooks) complete(text []byte, command string) bool {
	std, err := hujson.Standardize(append([]byte(nil), text...))
	if err != nil {
		return false
	}
	var file struct {
		Hooks map[string]json.RawMessage `json:"hooks"`
	}
	if json.Unmarshal(std, &file) != nil {
		return false
	}
	events := make(map[string]bool)
	for event, value := range file.Hooks {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			continue // a setting beside the events: "enabled": true
		}
		want, err := json.Marshal(j.entry(event, command))
		if err != nil {
			return false
		}
		for _, raw := range list {
			if !isOurs(string(raw)) {
				continue
			}
			if events[event] || !sameJSON(raw, want) {
				return false
			}
			events[event] = true
		}
	}
	for _, event := range j.events {
		if !events[event] {
			return false
		}
	}
	return len(events) == len(j.events)
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}

// parseObject parses text as an object; empty text is an empty object.
func parseObject(text []byte) (hujson.Value, error) {
	if len(strings.TrimSpace(string(text))) == 0 {
		text = []byte("{\n}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return hujson.Value{}, fmt.Errorf("it is not JSON: %w", err)
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return hujson.Value{}, errors.New("it holds no JSON object")
	}
	return root, nil
}

func find(o *hujson.Object, name string) int {
	return slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return nameOf(m) == name })
}

// nameOf returns a member's name, unescaped: JSON can spell the same name in several ways.
func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// once refuses an object that has a name twice: JSON does not say which of the two an agent reads.
func once(o *hujson.Object, name string) error {
	i := find(o, name)
	if slices.ContainsFunc(o.Members[i+1:], func(m hujson.ObjectMember) bool { return nameOf(m) == name }) {
		return fmt.Errorf("it has %q twice, and an agent reads only one of them", name)
	}
	return nil
}

// member returns the object or list called name. If o has none, member appends an empty one.
func member[T interface {
	*hujson.Object | *hujson.Array
	hujson.ValueTrimmed
}](o *hujson.Object, name string, depth int) (T, error) {
	if i := find(o, name); i >= 0 {
		v, ok := o.Members[i].Value.Value.(T)
		if !ok {
			return nil, fmt.Errorf("%q is not what it should be", name)
		}
		return v, nil
	}
	var v T
	switch p := any(&v).(type) {
	case **hujson.Object:
		*p = &hujson.Object{AfterExtra: line(depth)}
	case **hujson.Array:
		*p = &hujson.Array{AfterExtra: line(depth)}
	}
	m := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: line(depth), Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: v},
	}
	if n := len(o.Members); n > 0 {
		m.Value.AfterExtra = comma(o.Members[n-1].Value.AfterExtra)
	} else if len(o.AfterExtra) == 0 {
		o.AfterExtra = line(depth - 1)
	}
	o.Members = append(o.Members, m)
	return v, nil
}

func appendElement(a *hujson.Array, raw []byte, depth int) {
	v, err := hujson.Parse(raw)
	if err != nil {
		panic(err) // raw comes from json.Marshal
	}
	v.BeforeExtra = line(depth)
	if n := len(a.Elements); n > 0 {
		v.AfterExtra = comma(a.Elements[n-1].AfterExtra)
	} else if len(a.AfterExtra) == 0 {
		a.AfterExtra = line(depth - 1)
	}
	a.Elements = append(a.Elements, v)
}

// comma returns what to put between the new last element and its comma. The new element gets a trailing comma
// if the last one so far had one; for hujson, nil means no comma.
func comma(last hujson.Extra) hujson.Extra {
	if last == nil {
		return nil
	}
	return hujson.Extra{}
}

// removeOurs removes nod's elements from a list and reports whether there were any.
func removeOurs(a *hujson.Array) (found bool) {
	for i := len(a.Elements) - 1; i >= 0; i-- {
		if !isOurs(a.Elements[i].String()) {
			continue
		}
		found = true
		keepNotes(i, len(a.Elements), &a.AfterExtra, func(i int) (before, after *hujson.Extra) {
			return &a.Elements[i].BeforeExtra, &a.Elements[i].AfterExtra
		})
		a.Elements = slices.Delete(a.Elements, i, i+1)
	}
	return found
}

func removeMember(o *hujson.Object, i int) {
	keepNotes(i, len(o.Members), &o.AfterExtra, func(i int) (before, after *hujson.Extra) {
		return &o.Members[i].Name.BeforeExtra, &o.Members[i].Value.AfterExtra
	})
	o.Members = slices.Delete(o.Members, i, i+1)
}

// keepNotes moves the comments around element i, which is about to be removed, to its neighbour: comments are
// always a person's. at returns the text before an element and the text between it and its comma; end is the
// text behind the last element.
func keepNotes(i, n int, end *hujson.Extra, at func(int) (before, after *hujson.Extra)) {
	before, after := at(i)
	notes := append(notesIn(*before), notesIn(*after)...)
	switch {
	case i < n-1:
		next, _ := at(i + 1)
		*next = append(notes, *next...)
		return
	case i > 0 && *after == nil: // the new last element has no comma
		_, last := at(i - 1)
		notes = append(notesIn(*last), notes...)
		*last = nil
	case i > 0:
		if _, last := at(i - 1); *last == nil {
			*last = hujson.Extra{}
		}
	}
	*end = append(notes, *end...)
}

// noted reports whether a member that holds nothing else has a comment.
func noted(m hujson.ObjectMember, inside hujson.Extra) bool {
	return notesIn(m.Name.AfterExtra) != nil || notesIn(m.Value.BeforeExtra) != nil || notesIn(inside) != nil
}

// notesIn returns a copy of extra if it contains a comment, else nil.
func notesIn(extra hujson.Extra) hujson.Extra {
	if strings.Contains(string(extra), "/") {
		return slices.Clone(extra)
	}
	return nil
}

// isOurs reports whether an element's JSON runs nod's hook: nod's own path, quoted or not, and `hook AGENT`.
func isOurs(element string) bool {
	var e struct {
		Bash  string                     `json:"bash"`
		Hooks []struct{ Command string } `json:"hooks"`
	}
	std, err := hujson.Standardize([]byte(element))
	if err != nil || json.Unmarshal(std, &e) != nil {
		return false
	}
	if len(e.Hooks) == 1 {
		return isNodHook(e.Hooks[0].Command)
	}
	return len(e.Hooks) == 0 && isNodHook(e.Bash)
}

func isNodHook(command string) bool {
	program, agent, ok := strings.Cut(command, " hook ")
	program = strings.Trim(program, "'")
	return ok && !strings.ContainsAny(agent, " ;|&") && (program == "nod" || strings.HasSuffix(program, "/nod"))
}

func line(depth int) hujson.Extra {
	return hujson.Extra("\n" + strings.Repeat("  ", depth))
}
