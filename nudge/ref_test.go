package nudge

import (
	"encoding/json"
	"testing"
)

// TestAPlaceIsWrittenAsItIsKnown: for programs that read the audit trail, a chat is a number and every other
// place is a name.
func TestAPlaceIsWrittenAsItIsKnown(t *testing.T) {
	for place, want := range map[Place]string{
		"7": `7`, "-1001234567890": `-1001234567890`, "": `""`, "web": `"web"`, "007": `"007"`, "1e3": `"1e3"`, "7 ": `"7 "`,
		"99999999999999999999": `"99999999999999999999"`,
	} {
		written, err := json.Marshal(place)
		if err != nil || string(written) != want {
			t.Errorf("%q is written as %s (%v), want %s", place, written, err, want)
		}
		var read Place
		if err := json.Unmarshal(written, &read); err != nil || read != place {
			t.Errorf("%s is read as %q (%v)", written, read, err)
		}
	}
	for _, bad := range []string{`true`, `{}`, `[1]`} {
		if err := json.Unmarshal([]byte(bad), new(Place)); err == nil {
			t.Errorf("%s is a place", bad)
		}
	}
}
