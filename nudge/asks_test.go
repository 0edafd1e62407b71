package nudge

import "testing"

func TestWordsThatAskSomething(t *testing.T) {
	for words, want := range map[string]bool{
		"":                            false,
		"All tests pass.":             false,
		"Shall I commit?":             true,
		"Shall I commit? I wait.":     true,
		"Shall I commit?\n\nI wait.":  true,
		"**Shall I commit?**":         true,
		"“Shall I commit?”":           true,
		"(Shall I commit?)":           true,
		"Shall I commit?!":            true,
		"Shall I commit ?":            true, // as French writes it
		"Proceed? [y/N]":              true,
		"Proceed?…":                   true,
		"提交吗？":                        true,
		"提交吗？我等着。":                    true,
		"هل أكمل؟":                    true,
		"Να συνεχίσω;":                true, // with a semicolon
		"Να συνεχίσω\u037e":           true, // with the Greek question mark
		"Τέλος.":                      false,
		"Να το κάνω; Περιμένω.":       true,
		"x := 1; y := 2":              false,
		"I fixed it; the tests pass;": false,
		"Շարունակե՞մ":                 true, // Armenian writes it above a vowel
		"ልቀጥል፧":                       true,
		"Really⁇":                     true,
		"Really‽":                     true,
		"See https://example.org/?q=1&r=2 for more.": false,
		"I grepped x?y and a?.b.":                    false,
		"? for shortcuts":                            false,
		"  ? for shortcuts\n":                        false,
		"What is left: nothing":                      false,
		"¿Sigo?":                                     true,
	} {
		if got := asksSomething(words); got != want {
			t.Errorf("%q asks something: %t", words, got)
		}
	}
}
