package wrap

import "testing"

func TestText(t *testing.T) {
	for _, tt := range []struct {
		text    string
		indent  int
		columns int
		want    string
	}{
		{"all on one row", 2, 0, "all on one row"},
		{"two words more", 2, 12, "two words\n  more"},
		{"a https://example.com/long/address b", 3, 12, "a\n   https://example.com/long/address\n   b"},
		{"日本 日本 日本", 1, 10, "日本 日本\n 日本"},
		{"", 2, 20, ""},
	} {
		if got := Text(tt.text, tt.indent, tt.columns); got != tt.want {
			t.Errorf("%q at %d: %q, want %q", tt.text, tt.columns, got, tt.want)
		}
	}
}
