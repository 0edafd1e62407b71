package settings

import (
	"reflect"
	"testing"
)

// TestAMachineIsNeverAnOption of the program that connects to it.
func TestAMachineIsNeverAnOption(t *testing.T) {
	for text, want := range map[string]Machines{
		"dev, gpu1=me@gpu1.example.com": {{Name: "dev", Host: "dev"}, {Name: "gpu1", Host: "me@gpu1.example.com"}},
		"web=docker:exec web_1":         {{Name: "web", Container: "web_1"}},
		"":                              nil,
	} {
		var got Machines
		if err := got.Decode(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		var again Machines
		if err := again.Decode(got.String()); err != nil || !reflect.DeepEqual(again, want) {
			t.Errorf("%q is written as %q: %+v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{
		"-oProxyCommand=x", "gpu1=-oProxyCommand=x", "web=docker:exec -it", "web=docker:exec", "a=docker:run x", "dev,dev", "a b", "a=", "a=b c", "a=$(x)", "a=b;c", "ümlaut",
	} {
		var got Machines
		if err := got.Decode(text); err == nil {
			t.Errorf("%q was taken: %+v", text, got)
		}
	}
}
