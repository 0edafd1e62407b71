package grant

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestInputsAreEqualOnlyWhereTheyMeanTheSame: the order of fields and blanks between them do not count. Every
// byte of a value counts.
func TestInputsAreEqualOnlyWhereTheyMeanTheSame(t *testing.T) {
	same := [][2]string{
		{`{"command":"ls","timeout":5}`, "{ \"timeout\" : 5,\n\"command\":\"ls\"}"},
		{`{"command":"ls","description":"a"}`, `{"command":"ls","description":"b"}`},
		{`{"command":"\u0041"}`, `{"command":"A"}`},
	}
	for _, c := range same {
		a, errA := Input([]byte(c[0]), "description")
		b, errB := Input([]byte(c[1]), "description")
		if a != b || errA != nil || errB != nil {
			t.Errorf("%s and %s: %q, %q, %v, %v", c[0], c[1], a, b, errA, errB)
		}
	}
	other := [][2]string{
		{`{"command":"ls"}`, `{"command":"ls "}`}, {`{"command":"ls"}`, `{"command":"ls","run_in_background":true}`},
		{`{"timeout":1}`, `{"timeout":1.0}`}, {`{"timeout":9007199254740993}`, `{"timeout":9007199254740992}`},
		{`{"a":null}`, `{}`}, {`{"a":["b","c"]}`, `{"a":["c","b"]}`}, {`{"a":"1"}`, `{"a":1}`}, {`{"a":{"description":"x"}}`, `{"a":{"description":"y"}}`},
	}
	for _, c := range other {
		a, errA := Input([]byte(c[0]), "description")
		b, errB := Input([]byte(c[1]), "description")
		if a == b || errA != nil || errB != nil {
			t.Errorf("%s and %s: %q, %q, %v, %v", c[0], c[1], a, b, errA, errB)
		}
	}
	for _, text := range []string{
		``, `[]`, `"ls"`, `null`, `{"a":1}{"b":2}`, `{"command":"ls","command":"rm"}`, `{"a":{"b":1,"b":1}}`, `{"\u0061":1,"a":2}`,
		`{"command":"\ud800"}`, "{\"command\":\"\xff\"}", `{"\udfff":1}`, `{"a":"\ufffd"}`, `{"a":1`,
	} {
		if got, err := Input([]byte(text)); err == nil {
			t.Errorf("%s is compared as %q", text, got)
		}
	}
}

// TestTheFormOfAnInputStays the same in each version: nods of two versions may compare it, on two machines.
func TestTheFormOfAnInputStays(t *testing.T) {
	const form = `{"a":"<&>'é","b":[1.50,null,true],"c":{"d":{}}}`
	if got, err := Input([]byte(`{"c" : {"d":{}}, "b":[1.50, null,true], "x":0, "a":"\u003c&>'é"}`), "x"); got != form || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// TestACallIsAnotherWhereOneByteIs different, in any of its parts.
func TestACallIsAnotherWhereOneByteIs(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	word := func() string { return strings.Repeat(string(rune('a'+r.IntN(3))), r.IntN(4)) }
	sums := map[string]Call{}
	for range 3000 {
		c := Call{Session: word(), Part: word(), Folder: word(), Mode: word(), Tool: word(), Input: word()}
		if o, known := sums[c.Sum()]; known && o != c {
			t.Fatalf("%+v and %+v are taken for one", c, o)
		}
		sums[c.Sum()] = c
	}
}

func FuzzInput(f *testing.F) {
	for _, text := range []string{`{"command":"ls","description":"x","timeout":5}`, `{"a":[1,{"b":null}],"c":"é\u00e9"}`, `{"a":1,"a":2}`, `{"a":2E2222}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Input(text, "description")
		if err != nil {
			return
		}
		again, err := Input([]byte(got), "description")
		var value map[string]json.RawMessage // its numbers may be larger than any that Go knows
		if err != nil || again != got || !utf8.ValidString(got) || json.Unmarshal([]byte(got), &value) != nil {
			t.Errorf("%q is compared as %q, and that as %q: %v", text, got, again, fmt.Sprint(err))
		}
	})
}
