package redact

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/internal/testrun"
)

// repeated returns a text of a given size that repeats a part.
func repeated(part string, size int) string { return strings.Repeat(part, size/len(part)+1)[:size] }

// hostile are parts for slow texts: the hints of all rules, with possible continuations.
func hostile() map[string]string {
	parts := map[string]string{
		"blank": " ", "newlines": "\n", "letter": "a", "digit": "0", "equals": "=", "colon": ":", "quote": `"`, "escaped quote": `\"`, "backslash": `\`,
		"hidden": "•", "edge": "│", "percent": "%", "encoded": "%41", "encoded blanks": "%20", "wide": "漢", "broken": "\xff\xe2",
		"assignments": "password=x1 ", "assignments in a word": "password=", "fields": "password: a1b2c3d4 ", "names": "password:", "json": `{"api_key": "a1b2c3d4e5", `,
		"open quotes": `password="`, "rows of settings": "DB_PASSWORD=a1b2c3d4\n", "plain fields": "password: never ", "chained": "a=b=c:d:",
		"headers": "Authorization: Basic abcdefgh1234\n", "cookies": "Cookie: a=b; c=d; ", "open cookies": "Cookie: a=b;\n", "addresses": "https://u:p@h ", "signs": "://", "users": "a://b:c",
		"commands": "mysql -u root -p1 ", "open commands": "mysql -u root ", "logins": "docker login ", "subcommands": "docker -a b ", "options": "--password x -u a:b ", "netrc": "machine a login b password c1 ",
		"begins": "-----BEGIN PRIVATE KEY-----\n", "ends": "-----END PRIVATE KEY-----\n", "ends in a row": "-----END PRIVATE KEY-----", "dashes": "-", "certificates": "-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA04up8hoqzS1\n-----END CERTIFICATE-----\n",
		"base64": letters + "\n", "base64 in a word": letters, "runs": "aB3dE5gH7jK9mN1pQ ", "short runs": "a ", "digests": "sha512-" + letters[:40] + "\n",
		"jwts": "eyJaaaaaaaaaaaaaaaa.", "sk": "sk-", "hashes": "$6$", "hash fields": "$6$abc$", "keyed": "key = ", "key": "key", "curl": "curl -u ",
		"thick": "│ Do you want to proceed? token: none, key=$KEY /usr/local/bin/tool --flag │\n", "tilde": "q~", "stopwords": "key=abcdefghijk1234567\n", "generic": "key=" + letters[:40] + "\n", "generic without end": "key=" + letters[:40] + "[",
	}
	var all []string
	for _, l := range []*lookup{rulesOfOurs, keptRules()} {
		for _, r := range l.rules {
			all = append(all, r.hints...)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, behind := range []string{"", " ", "\n", "=", ": ", "='", "=" + letters[:20] + " ", letters[:24] + " ", "-" + letters[:24] + "\n"} {
		parts[fmt.Sprintf("hints with %q", behind)] = strings.Join(all, behind) + behind
		for _, word := range []string{"key", "secret", "discord", "ghp_", "sourcegraph", "hvs.", "s.", "atlasv1", "_mmk", "jira"} {
			parts[fmt.Sprintf("%s with %q", word, behind)] = word + behind
		}
	}
	return parts
}

// mixed returns a text of a given size with parts in random order.
func mixed(random *rand.Rand, parts []string, size int) string {
	some := make([]string, 1+random.IntN(4))
	for i := range some {
		some[i] = oneOf(random, parts...)
		some[i] = some[i][:min(len(some[i]), 4000)]
	}
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(oneOf(random, some...))
	}
	return b.String()[:size]
}

// BenchmarkHostile measures 64 KB of slow texts, in ms of processor time, which other processes don't affect.
func BenchmarkHostile(b *testing.B) {
	for name, part := range hostile() {
		text := repeated(part, 64<<10)
		Mask(text)
		b.Run(name, func(b *testing.B) {
			before, n := processorTime(b), 0
			for ; b.Loop(); n++ {
				Mask(text)
			}
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/1000/float64(n), "cpu-ms/op")
		})
	}
}

// processorTime returns this process's processor time, which other processes don't affect.
func processorTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestMaskingIsLinear: for any text, four times the length takes about four times as long. The kernel counts a short time in ticks, and a rule may
// begin to work at some length: where that looks otherwise, sixty-four times the length is tried.
func TestMaskingIsLinear(t *testing.T) {
	random := seeded(t)
	parts := hostile()
	all := slices.Sorted(maps.Values(parts))
	for i := range rounds() / 10 {
		parts[fmt.Sprint("mixed ", i)] = mixed(random, all, 1000)
	}
	took := func(part string, size, runs int) time.Duration {
		text, before := repeated(part, size), processorTime(t)
		for range runs {
			w := work(workPerByte * size)
			w.mask(text)
		}
		return (processorTime(t) - before) / time.Duration(runs)
	}
	names := slices.Sorted(maps.Keys(parts))
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[:testrun.Rounds(len(names)/3, len(names))] {
		const size = 4 << 10
		part := parts[name]
		if took(part, 4*size, 1) <= 10*took(part, size, 1) {
			continue
		}
		if one, many := took(part, size, 50), took(part, 64*size, 1); many > 32*64*one { // quadratic work takes 4096 times as long, and a collection of garbage some
			t.Errorf("%s: %v for %d KB, and %v for sixty-four times as much", name, one, size>>10, many)
		}
	}
}

// TestWhatTakesTooLongIsHidden: a rule without remaining work hides the text that it would have searched;
// rows and widths stay.
func TestWhatTakesTooLongIsHidden(t *testing.T) {
	text := strings.Repeat("a row of prose\nA1_TOKEN=hunter22\n", 300)
	w := work(10)
	masked, hidden := w.mask(text)
	if strings.Contains(masked, "hunter22") || !hidden || len([]rune(masked)) != len([]rune(text)) || strings.Count(masked, "\n") != 600 {
		t.Errorf("it is masked as %.200q", masked)
	}
	if !strings.Contains(masked, "prose") {
		t.Error("rows of which no rule knows a word are hidden, too")
	}
}

// TestOrdinaryTextsTakeLittle: no part of recorded screens, code and prose is hidden for taking too long.
func TestOrdinaryTextsTakeLittle(t *testing.T) {
	texts := recordedScreens(t)
	long := strings.Join(texts, "\n")[:testrun.Rounds(128, 512)<<10]
	seeded(t).Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	texts = append(texts[:testrun.Rounds(len(texts)/15, len(texts))], long)
	for _, pattern := range []string{"../../../bot/*.go", "../../../docs/*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal("no files: ", err)
		}
		var all strings.Builder
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		text := all.String()
		texts = append(texts, text[:min(len(text), testrun.Rounds(128, 4096)<<10)])
	}
	for _, text := range texts {
		most := work(workPerByte * max(len(text), leastWork))
		left := most
		if left.mask(text); left == 0 {
			t.Errorf("%d bytes take all of %d:\n%.400s", len(text), most, text)
		}
	}
}

// TestMoreThanAMegabyteIsLeftOut: the rest is not searched, so it is not sent, and the text says so.
func TestMoreThanAMegabyteIsLeftOut(t *testing.T) {
	text := strings.Repeat("a row of a log, nothing else\n", mostText/29) + strings.Repeat("PASSWORD=hunter2x\n", 3)
	got := Mask(text)
	if strings.Contains(got, "hunter2x") || len(got) > mostText+200 || !strings.Contains(got, "bytes are left out: secrets are looked for in a megabyte at most") {
		t.Errorf("%d bytes became %d: %q", len(text), len(got), got[len(got)-200:])
	}
	if Mask(got) != got {
		t.Error("masked again it is another")
	}
	if one := strings.Repeat("x", 3*mostText); len(Mask(one)) > 200 {
		t.Error("a row that is broken off is shown, and may hold a part of a secret")
	}
	if got := Coloured(text); strings.Contains(got, "hunter2x") || !strings.Contains(got, "are left out") {
		t.Error("a capture of more than a megabyte is not cut")
	}
}
