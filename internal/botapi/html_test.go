package botapi

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestHTML(t *testing.T) {
	tests := []struct {
		in, text string
		entities []Entity
	}{
		{"plain", "plain", nil},
		{"<b>bold</b> x", "bold x", []Entity{{Type: "bold", Length: 4}}},
		{"a &lt;b&gt; &amp; &quot;c&quot;", `a <b> & "c"`, nil},
		{"&lt x &ltx", "< x &ltx", nil}, // the semicolon may be missing, but then letters must not follow
		{"&nbsp; &copy; &", "&nbsp; &copy; &", nil},
		{"&#65;&#x42; &#0; &#xFFFFFFFF;", "AB &#0; &#xFFFFFFFF;", nil},
		{"😀<i>x</i>", "😀x", []Entity{{Type: "italic", Offset: 2, Length: 1}}},
		{"<pre>a\nb</pre>", "a\nb", []Entity{{Type: "pre", Length: 3}}},
		{`<pre><code class="language-go">x</code></pre>`, "x", []Entity{{Type: "pre", Length: 1, Language: "go"}}},
		{`<code class="language-go">x</code>`, "x", []Entity{{Type: "code", Length: 1}}},
		{"<blockquote expandable>q</blockquote>", "q", []Entity{{Type: "expandable_blockquote", Length: 1}}},
		{`<a href="http://a.bc/?x=1&amp;y">l</a>`, "l", []Entity{{Type: "text_link", Length: 1, URL: "http://a.bc/?x=1&y"}}},
		{`<a href="http://localhost:80/">l</a>`, "l", nil},
		{`<span class="tg-spoiler">s</span>`, "s", []Entity{{Type: "spoiler", Length: 1}}},
		{"<b></b>", "", nil},
		{`<tg-time unix="1647531900" format="r">5m ago</tg-time>`, "5m ago", []Entity{{Type: "date_time", Length: 6, Unix: 1647531900, Format: "r"}}},
		{`<tg-time unix="1647531900">then</tg-time>`, "then", []Entity{{Type: "date_time", Length: 4, Unix: 1647531900}}},
		{`<tg-time unix="soon">then</tg-time>`, "then", nil},
	}
	for _, tt := range tests {
		text, entities, err := parseHTML(tt.in, newest)
		if err != nil {
			t.Errorf("parseHTML(%q): %v", tt.in, err)
			continue
		}
		if diff := cmp.Diff(tt.text, text); diff != "" {
			t.Errorf("parseHTML(%q) text (-want +got):\n%s", tt.in, diff)
		}
		if diff := cmp.Diff(tt.entities, entities); diff != "" {
			t.Errorf("parseHTML(%q) entities (-want +got):\n%s", tt.in, diff)
		}
	}
}

func TestHTMLRefuses(t *testing.T) {
	tests := []struct{ in, want string }{
		{"<foo>x</foo>", `Unsupported start tag "foo" at byte offset 0`},
		{"é<", `Unclosed start tag at byte offset 2`},
		{"a < b", `Unsupported start tag "" at byte offset 2`},
		{`<tg-time unix="1" format="ago">x</tg-time>`, `Invalid date-time format specified`},
		{"</b>", `Unexpected end tag at byte offset 0`},
		{"<b>x</i>", `Unmatched end tag at byte offset 4, expected "</b>", found "</i>"`},
		{"<B>x</B>", `Unmatched end tag at byte offset 4, expected "</b>", found "</B>"`},
		{"<b>x", `Can't find end tag corresponding to start tag "b"`},
		{"<b>x</b", `Unclosed end tag at byte offset 4`},
		{"<b", `Unclosed start tag at byte offset 0`},
		{"<span>x</span>", `Tag "span" must have class "tg-spoiler" at byte offset 0`},
		{"<a href=x/y>z</a>", `Unexpected end of name token at byte offset 8`},
		{`<a ="x">z</a>`, `Empty attribute name in the tag "a" at byte offset 0`},
		{`<a href="x>z</a>`, `Unclosed start tag at byte offset 0`},
	}
	for _, tt := range tests {
		_, _, err := parseHTML(tt.in, newest)
		if err == nil || err.Error() != tt.want {
			t.Errorf("parseHTML(%q) = %v, want %q", tt.in, err, tt.want)
		}
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ in, want string }{
		{"\x1b[31mred\x1b[0m", "[31mred [0m"}, // control characters become blanks, and the front is trimmed
		{"a\r\nb\tc", "a\nb c"},
		{"a\u202eb\u2028c", "abc"},
		{" \n x \n ", "x"},
	}
	for _, tt := range tests {
		if got := (formatted{text: tt.in}).clean().text; got != tt.want {
			t.Errorf("clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestCleanMovesEntities(t *testing.T) {
	text, entities, err := parseHTML("  x\r <b>\u202ebold</b>  <i>  </i>", newest)
	if err != nil {
		t.Fatal(err)
	}
	got := formatted{text, entities}.clean()
	want := formatted{"x bold", []Entity{{Type: "bold", Offset: 2, Length: 4}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(formatted{})); diff != "" {
		t.Errorf("clean (-want +got):\n%s", diff)
	}
}

func TestCodeHoldsNoOtherFormat(t *testing.T) {
	text, entities, err := parseHTML("<b>a<code>b<i>c</i></code>d</b>", newest)
	if err != nil {
		t.Fatal(err)
	}
	want := []Entity{{Type: "bold", Length: 1}, {Type: "code", Offset: 1, Length: 2}, {Type: "bold", Offset: 3, Length: 1}}
	if diff := cmp.Diff(want, formatted{text, entities}.clean().entities); diff != "" {
		t.Errorf("entities (-want +got):\n%s", diff)
	}
}

func TestQuoteStandsAroundCode(t *testing.T) {
	text, entities, err := parseHTML("<blockquote expandable><code>a</code></blockquote>", newest)
	if err != nil {
		t.Fatal(err)
	}
	want := []Entity{{Type: "expandable_blockquote", Length: 1}, {Type: "code", Length: 1}}
	if diff := cmp.Diff(want, formatted{text, entities}.clean().entities); diff != "" {
		t.Errorf("entities (-want +got):\n%s", diff)
	}
}

// FuzzHTML: for any input, entities are inside the text, text without a tag or reference is unchanged, and
// escaped text decodes to itself.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{"<b>x</b>", "<pre><code class=\"language-go\">a</code></pre>", "a &lt; b", "<a href='x.y'>z", "</", "<b", "&#x10fffe;", "\r\u202e <i> </i>"} {
		f.Add(s)
	}
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	f.Fuzz(func(t *testing.T, in string) {
		if !utf8.ValidString(in) {
			t.Skip()
		}
		text, entities, err := parseHTML(in, newest)
		if err == nil {
			got := formatted{text, entities}.clean()
			n := len(utf16.Encode([]rune(got.text)))
			for _, e := range got.entities {
				if e.Offset < 0 || e.Length <= 0 || e.Offset+e.Length > n {
					t.Fatalf("entity %+v of %q lies outside its %d units", e, got.text, n)
				}
			}
		}
		if text, _, err := parseHTML(escape.Replace(in), newest); err != nil || text != in {
			t.Fatalf("escaped %q came back as %q, %v", in, text, err)
		}
	})
}
