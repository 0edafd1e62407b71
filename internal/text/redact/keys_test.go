package redact

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	cryptorand "crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"nod/internal/testrun"
)

// rounds is the number of random screens in each test.
func rounds() int { return testrun.Rounds(50, 300) }

// seeded is a source of random numbers. A failing test prints its seed; SEED sets it.
func seeded(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	if s, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

func oneOf[T any](random *rand.Rand, of ...T) T { return of[random.IntN(len(of))] }

func randomBytes(random *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

func folded(text string, width int) (rows []string) {
	for text != "" {
		n := min(width, len(text))
		rows, text = append(rows, text[:n]), text[n:]
	}
	return rows
}

// keyFile is a private key file, row by row, between the rows of head and tail.
type keyFile struct {
	kind             string
	head, body, tail []string
}

func pemFile(kind string, data []byte, width int) keyFile {
	return keyFile{kind, []string{"-----BEGIN " + kind + "-----"}, folded(base64.StdEncoding.EncodeToString(data), width), []string{"-----END " + kind + "-----"}}
}

// keyFiles are keys of several kinds and sizes.
func keyFiles(t testing.TB, random *rand.Rand) (files []keyFile) {
	pkcs8 := func(key any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		data, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, pemFile("PRIVATE KEY", data, 64))
	}
	rsaKey, err := rsa.GenerateKey(cryptorand.Reader, 2048)
	pkcs8(rsaKey, err)
	files = append(files, pemFile("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey), 64))
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P521()} {
		pkcs8(ecdsa.GenerateKey(curve, cryptorand.Reader))
	}
	_, key, err := ed25519.GenerateKey(cryptorand.Reader)
	pkcs8(key, err)
	openssh := "openssh-key-v1\x00\x00\x00\x00\x04none\x00\x00\x00\x04none\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x33\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20"
	files = append(files,
		pemFile("OPENSSH PRIVATE KEY", append([]byte(openssh), randomBytes(random, 230)...), 70),
		pemFile("PGP PRIVATE KEY BLOCK", randomBytes(random, 700), 64),
		keyFile{"SSH2", []string{"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", `Comment: "ann"`}, folded(base64.StdEncoding.EncodeToString(randomBytes(random, 400)), 70), []string{"---- END SSH2 ENCRYPTED PRIVATE KEY ----"}},
		keyFile{"PuTTY", []string{"PuTTY-User-Key-File-3: ssh-rsa", "Encryption: none", "Private-Lines: 8"}, folded(base64.StdEncoding.EncodeToString(randomBytes(random, 400)), 64), []string{"Private-MAC: 0123"}})
	return files
}

// setting is a way in which a program shows the rows of a file.
type setting struct {
	name string
	row  func(i int, text string) string // the program's output for a row
	edge string                          // the beginning of a continuation row
	box  bool                            // the rows are in a box
	says string                          // text between two rows
}

func settings(random *rand.Rand) []setting {
	first := random.IntN(200)
	quote := string(`"'`[random.IntN(2)])
	indent := strings.Repeat(" ", random.IntN(6))
	around := func(before, after string) func(int, string) string {
		return func(_ int, text string) string { return indent + before + text + after }
	}
	numbered := func(format string) func(int, string) string {
		return func(i int, text string) string { return indent + fmt.Sprintf(format, first+i, text) }
	}
	return []setting{
		{name: "plain", row: around("", ""), edge: indent},
		{name: "diff", row: around("+", ""), edge: indent},
		{name: "removed", row: around("-", ""), edge: indent},
		{name: "numbered", row: numbered("%4d %s"), edge: indent + "     "},
		{name: "Claude's edit", row: numbered("%4d + %s"), edge: indent + "       "},
		{name: "numbered diff, sign again", row: numbered("%4d +%s"), edge: indent + "     +"},
		{name: "barred", row: numbered("%4d │ %s"), edge: indent + "     │ "},
		{name: "cat -n", row: numbered("%6d\t%s")},
		{name: "quoted", row: around("> ", "")},
		{name: "echo", row: around("echo "+quote, quote+" >> ~/.ssh/id_rsa"), edge: indent},
		{name: "echo of an agent", row: around("● Bash(echo "+quote, quote+" >> k)"), edge: indent + "  ", says: "  ⎿  (No output)\n"},
		{name: "printf", row: around("printf '%s\\n' "+quote, quote+" >> k"), edge: indent},
		{name: "string", row: around(`"`, `\n" +`), edge: indent},
		{name: "list", row: around(`- "`, `",`), edge: indent},
		{name: "box", row: around("", ""), box: true},
		{name: "diff in a box", row: numbered("%4d + %s"), edge: "       ", box: true},
	}
}

// shown returns the rows on a screen of a given width, wrapped at its edge.
func (how setting) shown(rows []string, width int) string {
	var b strings.Builder
	for i, row := range rows {
		line, edge := []rune(how.row(i, row)), ""
		for len(line) > 0 {
			n := min(width-utf8.RuneCountInString(edge), len(line))
			row := edge + string(line[:n])
			if how.box {
				row = fmt.Sprintf("│ %s%s │", row, strings.Repeat(" ", width-utf8.RuneCountInString(row)))
			}
			b.WriteString(row + "\n")
			line, edge = line[n:], how.edge
		}
		b.WriteString(how.says)
	}
	return b.String()
}

const keyQuestion = "\nDo you want to create id_rsa?\n❯ 1. Yes\n  2. No, and tell Claude what to do differently (esc)\n"

// leftOf returns the first run of 16 characters of some rows that is still visible in a text; empty if none
// is.
func leftOf(rows []string, text string) string {
	const run = 16
	body := strings.Join(rows, "")
	for row := range strings.Lines(text) {
		for i := 0; i+run <= len(row); i++ {
			if strings.Contains(body, row[i:i+run]) {
				return row[i : i+run]
			}
		}
	}
	return ""
}

// TestNoPartOfAPrivateKeyIsShown: whatever surrounds its rows, with its opening line on the screen, or with
// that scrolled off and a whole row left.
func TestNoPartOfAPrivateKeyIsShown(t *testing.T) {
	random := seeded(t)
	files := keyFiles(t, random)
	for range rounds() {
		k, how := oneOf(random, files...), oneOf(random, settings(random)...)
		rows, width := append(append(append([]string{}, k.head...), k.body...), k.tail...), 50+random.IntN(90)
		if random.IntN(2) == 0 { // the opening line has scrolled off
			rows, width = append(append([]string{}, k.body[random.IntN(max(1, len(k.body)-1)):]...), k.tail...), 100+random.IntN(50)
		}
		rows = rows[:len(rows)-random.IntN(min(len(rows), 4))]
		if random.IntN(6) == 0 {
			rows = []string{`KEY="` + strings.Join(rows, oneOf(random, `\n`, `\r\n`, " ")) + `"`}
		}
		screen := "Write(id_rsa)\n" + how.shown(rows, width) + keyQuestion
		masked := Mask(screen)
		if left := leftOf(k.body, masked); left != "" {
			t.Fatalf("%s, %s, %d columns: %q is shown\n%s\n---\n%s", k.kind, how.name, width, left, screen, masked)
		}
		if !strings.HasSuffix(masked, keyQuestion) {
			t.Fatalf("%s, %s: the question is not readable:\n%s", k.kind, how.name, masked)
		}
	}
}

// TestTheShortLastRowOfAKeyIsHidden, even if the key's opening line has scrolled off, but the text after it
// is not.
func TestTheShortLastRowOfAKeyIsHidden(t *testing.T) {
	random := seeded(t)
	for range rounds() {
		how := oneOf(random, settings(random)...)
		k := pemFile("PRIVATE KEY", randomBytes(random, 48*2+4+random.IntN(20)), 64)
		last := k.body[len(k.body)-1]
		screen := "Write(id_rsa)\n" + how.shown(k.body, 120) + keyQuestion
		if masked := Mask(screen); strings.Contains(masked, strings.TrimRight(last, "=")) || !strings.HasSuffix(masked, keyQuestion) {
			t.Fatalf("%s: %q is shown, or no question:\n%s\n---\n%s", how.name, last, screen, masked)
		}
	}
}

// ordinaryRows are common rows on screens that look like rows of keys.
func ordinaryRows(random *rand.Rand) (rows []string) {
	b64 := func(n int) string { return base64.StdEncoding.EncodeToString(randomBytes(random, n)) }
	words := func(n int, between string) string {
		var all []string
		for range n {
			all = append(all, oneOf(random, "config", "internal", "Invoice", "controller", "example", "service", "Test", "github", "billing", "Handler", "Uint64", "v2"))
		}
		return strings.Join(all, between)
	}
	kind := oneOf(random,
		func() string {
			return fmt.Sprintf("github.com/%s v1.%d.0 h1:%s", words(2, "/"), random.IntN(90), b64(32))
		},
		func() string { return fmt.Sprintf(`      "integrity": "sha512-%s",`, b64(64)) },
		func() string { return "  integrity sha512-" + b64(64) },
		func() string { return fmt.Sprintf(`<script integrity="sha384-%s">`, b64(48)) },
		func() string { return fmt.Sprintf("    --hash=sha256:%x \\", randomBytes(random, 32)) },
		func() string { return fmt.Sprintf("%x  %s.tar.gz", randomBytes(random, 32), words(3, "-")) },
		func() string { return fmt.Sprintf("%x", randomBytes(random, 32)) },
		func() string { return fmt.Sprintf("commit %x", randomBytes(random, 20)) },
		func() string { return fmt.Sprintf("%x %s", randomBytes(random, 4), words(6, " ")) },
		func() string { return "src/main/java/com/" + words(5, "/") + "/" + words(4, "") + ".java" },
		func() string { return "--- PASS: Test" + words(6, "") + " (0.00s)" },
		func() string { return words(9, "") },
		func() string { return words(8, "/") },
		func() string { return "/Users/ann/Projects/" + words(8, "/") },
		func() string { return "ssh-ed25519 " + b64(51) + " ann@laptop" },
		func() string { return fmt.Sprintf("img@sha256:%x", randomBytes(random, 32)) })
	for range 2 + random.IntN(12) {
		rows = append(rows, kind())
	}
	return rows
}

// TestWhatLooksLikeAKeyIsReadable: checksums, paths and names, in the same surroundings.
func TestWhatLooksLikeAKeyIsReadable(t *testing.T) {
	random := seeded(t)
	for range 3 * rounds() {
		how := oneOf(random, settings(random)...)
		screen := "Write(x)\n" + how.shown(ordinaryRows(random), 50+random.IntN(100)) + keyQuestion
		if masked := Mask(screen); masked != screen {
			t.Fatalf("%s:\n%s\n---\n%s", how.name, screen, masked)
		}
	}
}

// TestARowOfAKeyThatLooksLikeWordsIsHidden: by chance every second letter of a row is lower-case after another one.
func TestARowOfAKeyThatLooksLikeWordsIsHidden(t *testing.T) {
	for _, row := range []string{
		"0dZufzonlXcWk/QgydlmqcwZckjtbndpakwxzLSS3gJqhZ6wqY6sFUryNXu1DsKK",
		"oLniXFIpbnqD4rnNAgFgXy3eKNWkuqmsW9hhhDhts2uuUtfpbovgooyjbVbnOsnYq",
	} {
		if masked := Mask("Write(id_rsa)\n +" + row + "\n"); strings.Contains(masked, row) {
			t.Errorf("%s is shown", row)
		}
	}
	for _, name := range []string{
		"github.com/golang/tools/gopls/internal/analysis/unusedparams/FindUnusedParameters", "TestJetStreamClusterConsumerScaleFromAndToR1SkipsTeardown",
		"TestNoReaderOfTheFileGetsAnEventThatItDoesNotKnow", "Structs/InlinedFallback/MapNamedStringAny/MergeN1/ObjectN1",
	} {
		if masked := Mask("ok " + name + "\n"); !strings.Contains(masked, name) {
			t.Errorf("%s is hidden", name)
		}
	}
}
