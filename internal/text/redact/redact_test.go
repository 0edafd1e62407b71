package redact

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"nod/internal/host/ansi"
)

// dots returns n hidden characters.
func dots(n int) string { return strings.Repeat("•", n) }

const (
	alnum36 = "abcDEF0123456789abcDEF0123456789abcd"
	jwt     = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4"
)

func TestMask(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"openai", "OPENAI sk-" + alnum36, "OPENAI sk-" + dots(36)},
		{"openai project", "sk-proj-" + alnum36, "sk-proj-" + dots(36)},
		{"anthropic", "sk-ant-api03-" + alnum36, "sk-ant-" + dots(6+36)},
		{"github", "git clone https://x@github.com with ghp_" + alnum36, "git clone https://x@github.com with ghp_" + dots(36)},
		{"github app", "gho_" + alnum36 + " ok", "gho_" + dots(36) + " ok"},
		{"github fine-grained", "github_pat_" + alnum36, "github_pat_" + dots(36)},
		{"gitlab", "glpat-" + alnum36[:20], "glpat-" + dots(20)},
		{"aws id", "AKIAIOSFODNN7EXAMPLE.", "AKIA" + dots(16) + "."},
		{"aws secret", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = " + dots(40)},
		{"slack", "xoxb-123456789012-abcdefgh", "xoxb-" + dots(21)},
		{"google", "AIzaSyA-" + alnum36[:31], "AIza" + dots(4+31)},
		{"jwt", "token is " + jwt + "!", "token is eyJ" + dots(len(jwt)-3) + "!"},
		{"telegram", "api.telegram.org/bot123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc/getMe", "api.telegram.org/bot123456789:" + dots(35) + "/getMe"},
		{"npm", "npm_" + alnum36, "npm_" + dots(36)},
		{"hugging face", "hf_" + alnum36, "hf_" + dots(36)},
		{"stripe", "sk_live_" + alnum36[:24], "sk_live_" + dots(24)},
		{"bearer", `curl -H "Authorization: Bearer abcdef0123456789abcdef"`, `curl -H "Authorization: Bearer ` + dots(22) + `"`},
		{"basic", "Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic " + dots(12)},
		{"assignment", "DB_PASSWORD=hunter2 ./run", "DB_PASSWORD=" + dots(7) + " ./run"},
		{"quoted assignment", `export API_KEY="s3cr3t-value"`, `export API_KEY="` + dots(12) + `"`},
		{"json", `{"password": "corr3ct-horse", "user": "ann"}`, `{"password": "` + dots(13) + `", "user": "ann"}`},
		{"yaml", "client_secret: 9f8a7b6c5d", "client_secret: " + dots(10)},
		{"query", "https://x.test/cb?token=abc123&n=1", "https://x.test/cb?token=" + dots(6) + "&n=1"},
		{"url", "psql postgres://app:s3cr3t@db:5432/x", "psql postgres://app:" + dots(6) + "@db:5432/x"},
		{"flag", "mysql --password hunter2 -h db", "mysql --password " + dots(7) + " -h db"},
		{"curl user", "curl -u ann:hunter2 https://x.test", "curl -u ann:" + dots(7) + " https://x.test"},
		{"twice in a row", "A_TOKEN=abcd1234 B_TOKEN=efgh5678", "A_TOKEN=" + dots(8) + " B_TOKEN=" + dots(8)},
		{"pem", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA04up8hoqzS1\nabcdefghijklmnopqrstuvwxyz0\nxyz=\n-----END RSA PRIVATE KEY-----\nDo you want to proceed?",
			"-----BEGIN RSA PRIVATE KEY-----\n" + dots(27) + "\n" + dots(27) + "\n" + dots(4) + "\n" + "-----END RSA PRIVATE KEY-----\nDo you want to proceed?"},
		{"pem in a box", "│ -----BEGIN PRIVATE KEY----- │\n│ MIIEpAIBAAKCAQEA04up8hoqzS1 │\n╰─╯", "│ -----BEGIN PRIVATE KEY----- │\n│ " + dots(27) + " │\n╰─╯"},
		{"pem without its top", strings.Repeat("Ab1/", 16) + "\nxyz=\n-----END PRIVATE KEY-----", dots(64) + "\n" + dots(4) + "\n-----END PRIVATE KEY-----"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, hidden := mask(c.in)
			if got = foldEnd(got); got != foldEnd(c.want) || !hidden {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// foldEnd merges the five dashes and the word END of a key's last line: it does not matter whether they are
// hidden.
func foldEnd(s string) string {
	return strings.NewReplacer(dots(5)+dots(3)+" ", "END ", "-----END ", "END ").Replace(s)
}

// TestMaskSpares has common texts on screens that must stay readable.
func TestMaskSpares(t *testing.T) {
	for _, text := range []string{
		"commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
		"id 550e8400-e29b-41d4-a716-446655440000",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"/home/ann/src/api/internal/token/token_test.go:42:10: undefined",
		"max_tokens: 4096, tokenizer = BertTokenizer, 12,345 tokens: 3.4k",
		"password: string; secret: null, token = os.Getenv(\"X\")",
		"token: $GITHUB_TOKEN key=${KEY} PASSWORD=<yours> api_key: process.env.API_KEY",
		"Do you want to proceed?\n❯ 1. Yes\n  2. No, and tell Claude what to do differently (esc)",
		"docker run -u 1000:1000 -p 8080:80 --token --verbose img",
		"sk-learn-contrib-examples-basic and task-runner-for-all-the-things",
		"go.sum h1:Xi4q5MGkDD2Wf6C0mTvZ0nV2YIeFRBdHzJxQ= // h1:",
		"The secret: never give up. Password must be changed.",
		"https://user@host/path http://localhost:8080/a@b 12:34:56",
		"grep -r 'BEGIN PRIVATE KEY' . || echo none found in this repository",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ann@laptop",
		"Token usage: 12345 in, 678 out · tokens=5",
		"",
	} {
		if got, hidden := mask(text); got != text || hidden {
			t.Errorf("\n  was %q\nbecame %q", text, got)
		}
	}
}

func TestMaskAcrossTwoRows(t *testing.T) {
	wrapped := "$ export GH=ghp_abcDEF0123456789abcDEF01\n23456789abcd && rm -rf build\n? "
	want := "$ export GH=ghp_" + dots(24) + "\n" + dots(12) + " && rm -rf build\n? "
	if got := Mask(wrapped); got != want {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	boxed := "╭──────────────────────────────╮\n│ curl -H token:ghp_abcDEF0123 │\n│   456789abcDEF0123456789abcd │\n│ Do you want to proceed?      │\n╰──────────────────────────────╯"
	want = "╭──────────────────────────────╮\n│ curl -H token:ghp_" + dots(10) + " │\n│   " + dots(26) + " │\n│ Do you want to proceed?      │\n╰──────────────────────────────╯"
	if got := Mask(boxed); strings.Contains(got, "abcDEF") || strings.Contains(got, "456789") {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

func TestRowsKeepTheirWidth(t *testing.T) {
	in := "│ PASSWORD=größe-ist-geheim1 │\n│ x                         │"
	got := Mask(in)
	if got == in {
		t.Fatal("not masked")
	}
	a, b := strings.Split(in, "\n"), strings.Split(got, "\n")
	for i := range a {
		if utf8.RuneCountInString(a[i]) != utf8.RuneCountInString(b[i]) {
			t.Errorf("row %d: %q became %q", i, a[i], b[i])
		}
	}
}

func FuzzMask(f *testing.F) {
	f.Add("--token password=abcd1234 --secret token=AKIAIOSFODNN7EXAMPLE")
	f.Add("│ ghp_abcDEF0123456789abcDEF01 │\n│ 23456789abcd │")
	f.Add("\xff\xfePASSWORD=\xffabc1234\n-----BEGIN PRIVATE KEY-----\n" + alnum36)
	f.Fuzz(func(t *testing.T, text string) {
		once, hidden := mask(text)
		if twice := Mask(once); twice != once {
			t.Errorf("%q became %q, then %q", text, once, twice)
		}
		if hidden == (once == text) {
			t.Errorf("%q: hidden %v", text, hidden)
		}
		if strings.Count(once, "\n") != strings.Count(text, "\n") || utf8.RuneCountInString(once) != utf8.RuneCountInString(text) {
			t.Errorf("%q lost its layout: %q", text, once)
		}
	})
}

// BenchmarkMask measures recorded screens, one whose rows all look wrapped and contain words that announce
// secrets, and 256 KB of such rows.
func BenchmarkMask(b *testing.B) {
	worst := strings.Repeat("│ Do you want to proceed? token: none, key=$KEY /usr/local/bin/tool --flag │\n", 40)
	screens := recordedScreens(b)
	for _, in := range []struct {
		name  string
		texts []string
	}{{"recorded", screens}, {"worst", []string{worst}}, {"256KB", []string{strings.Repeat(worst, 256<<10/len(worst))}}} {
		b.Run(in.name, func(b *testing.B) {
			for _, text := range in.texts {
				Mask(text) // compiles the patterns
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				Mask(in.texts[i%len(in.texts)])
			}
		})
	}
}

func recordedScreens(t testing.TB) []string {
	recorded, err := filepath.Glob("../../../detect/agents/testdata/*/*.ansi")
	if err != nil || len(recorded) == 0 {
		t.Fatal("no recorded screens: ", err)
	}
	var screens []string
	for _, path := range recorded {
		capture, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		screens = append(screens, ansi.Harmless(string(capture)))
	}
	return screens
}

// enoughWork is more than any text here needs.
func enoughWork() *work {
	w := work(1 << 50)
	return &w
}
