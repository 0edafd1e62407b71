package message

import (
	"strings"
	"testing"
)

// What buttons do is said in words that do it too: where only a button does, as with a wish, those name no answer.
func TestButtonsInWords(t *testing.T) {
	s := NewSealer([]byte("secret"))
	tap := func(p Tap) button { return s.Tap("x", p, goldenChat) }
	for name, c := range map[string]struct {
		keys Keys
		want string
	}{
		"a permission":    {Keys{{tap(Tap{Verb: VerbApprove, ID: "k3f", own: true}), tap(Tap{Verb: VerbDeny, ID: "k3f", own: true})}, {tap(Tap{Verb: VerbScreen, ID: "k3f"})}}, "Reply y k3f or n k3f, or"},
		"one that has no": {Keys{{tap(Tap{Verb: VerbChoose, ID: "k3f"}), tap(Tap{Verb: VerbDeny, ID: "k3f"})}}, "Reply n k3f, or"},
		"a question":      {Keys{{tap(Tap{Verb: VerbChoose, ID: "k3f", Option: 1})}}, "the number of an answer"},
		"consent":         {Keys{{tap(Tap{Verb: VerbApprove, ID: "k3f", Unseen: true})}}, "nod reply --unseen k3f y"},
		"a second tap":    {Keys{{tap(Tap{Verb: VerbChoose, ID: "k3f", Sure: true})}}, "nod inbox"},
		"a wish":          {Keys{{tap(Tap{Verb: VerbSendWish, ID: "w3f", own: true, subject: "abc"})}}, "nod inbox"},
		"a reason":        {Keys{{tap(Tap{Verb: VerbDeny, ID: "k3f", reason: true})}}, "nod inbox"},
		"a screen":        {Keys{{tap(Tap{Verb: VerbRenew, ID: "abc"})}}, "/help"},
		"several":         {Keys{{tap(Tap{Verb: VerbApprove, ID: "aaa"})}, {tap(Tap{Verb: VerbApprove, ID: "bbb"})}}, "Reply y aaa or y bbb, or"},
	} {
		got := c.keys.InWords()
		if !strings.Contains(got, c.want) || !strings.HasPrefix(c.want, "Reply") && strings.Contains(got, "Reply y") {
			t.Errorf("%s: %q lacks %q", name, got, c.want)
		}
	}
}
