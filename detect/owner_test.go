package detect

import "testing"

func TestOwnerMark(t *testing.T) {
	me, err := self()
	if err != nil {
		t.Fatal(err)
	}
	if again, ok := parseOwner(me.String()); !ok || again != me {
		t.Errorf("%q was read as %v, %v", me, again, ok)
	}
	if !me.lives(me.boot) {
		t.Error("this process does not live")
	}
	for what, dead := range map[string]owner{
		"a used pid":          {ID: me.ID, boot: me.boot},
		"another boot":        {ID: me.ID, boot: "another"},
		"a process that left": {ID: me.ID, boot: me.boot},
	} {
		switch what {
		case "a used pid":
			dead.Start--
		case "a process that left":
			dead.PID = 1 << 30
		}
		if dead.lives(me.boot) {
			t.Errorf("%s still lives", what)
		}
	}
	for _, bad := range []string{"", "me", "1 2", "x 2 boot", "1 x boot", "0 1 boot", "-1 1 boot", "1 2 3 4"} {
		if o, ok := parseOwner(bad); ok {
			t.Errorf("%q was read as %v", bad, o)
		}
	}
}
