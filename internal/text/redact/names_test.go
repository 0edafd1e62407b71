package redact

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	alnum   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	inShell = alnum + "!@#%^_+=./?-~*"
	inQuote = inShell + "$:,;&()[]{}|<>"
)

// randomPassword returns a password as people or programs choose them.
func randomPassword(random *rand.Rand, chars string) string {
	for {
		var b strings.Builder
		for range 8 + random.IntN(16) {
			b.WriteByte(chars[random.IntN(len(chars))])
		}
		if p := b.String(); strings.Contains(alnum, p[:1]) && strings.ContainsAny(p, "0123456789") && strings.ContainsAny(p, alnum[:52]) && !strings.Contains(p, "...") {
			return p
		}
	}
}

// randomName returns a name whose last word announces a secret.
func randomName(random *rand.Rand) string {
	last := oneOf(random, "pass", "password", "passwd", "pwd", "passphrase", "secret", "token", "credentials", "api key", "secret key", "private key", "access key", "encryption key")
	words := strings.Fields(oneOf(random, "db", "mysql", "redis", "smtp", "my app", "pg", "aws", "admin user", "ftp", "x2") + " " + last)
	switch random.IntN(4) {
	case 0:
		for i := range words[1:] {
			words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
		}
		return strings.Join(words, "")
	case 1:
		return strings.Join(words, "-")
	}
	return strings.Join(words, "_")
}

func upperName(random *rand.Rand) string {
	name := strings.ToUpper(strings.ReplaceAll(randomName(random), "-", "_"))
	return oneOf(random, name, name, "SSHPASS", "PGPASSWORD", "MYSQL_PWD", "DB_PASS", name+"_2")
}

// randomTelling returns one of the ways in which commands, files and programs contain a password.
func randomTelling(random *rand.Rand) (text, password string) {
	password = randomPassword(random, oneOf(random, alnum, inShell))
	quoted, plain := randomPassword(random, inQuote), randomPassword(random, alnum)
	name, upper, option := randomName(random), upperName(random), strings.ReplaceAll(randomName(random), "_", "-")
	type way struct{ text, password string }
	w := oneOf(random,
		way{upper + "=" + password + " ./run", password}, way{"export " + upper + "=" + password, password}, way{"docker run -e " + upper + "=" + password + " img", password},
		way{upper + "=" + password, password}, way{upper + `="` + quoted + `"`, quoted}, way{upper + "='" + quoted + "' ./run", quoted},
		way{`"` + name + `": "` + plain + `",`, plain}, way{"  " + name + ": " + password, password}, way{name + " = '" + plain + "'", plain},
		way{"run --" + option + " " + password + " --verbose", password}, way{"run --" + option + "=" + password, password},
		way{"curl https://x.test/?" + name + "=" + url.QueryEscape(plain) + "&n=1", plain},
		way{"psql postgres://app:" + plain + "@db:5432/x", plain}, way{"git clone https://ann:" + plain + "@github.com/a/b", plain},
		way{"machine github.com login ann password " + password, password}, way{"machine github.com\n  login ann\n  password " + password, password},
		way{"redis-cli -h x -a " + password + " PING", password}, way{"redis-cli --pass " + password, password},
		way{"mysql -u root -p" + password + " app", password}, way{"mysqldump -p'" + quoted + "' app", quoted}, way{"sshpass -p " + password + " ssh h", password},
		way{"docker login -u ann -p " + password + " x.test", password}, way{"curl -u ann:" + password + " https://x.test", password}, way{"curl --user 'ann:" + plain + "' https://x.test", plain},
		way{"Cookie: sid=" + plain + "; theme=dark", plain}, way{"< Set-Cookie: sid=" + plain + "; Path=/; HttpOnly", plain}, way{"curl -H 'Cookie: a=1; b=" + plain + "' x", plain}, way{"curl --cookie 'sid=" + plain + "' x", plain},
		way{"Authorization: Basic " + plain, plain}, way{`"authorization": "Bearer ` + plain + plain + `"`, plain}, way{"Proxy-Authorization: " + plain, plain})
	return w.text, w.password
}

// surrounded returns a text as a screen may show it: after a number, in a diff, in a box, with other rows,
// wrapped at an edge.
func surrounded(random *rand.Rand, text string) string {
	sign := oneOf(random, "", "  ", "+ ", "  12 ", "  12 + ", " 12 │ ")
	width, box := 40+random.IntN(60), random.IntN(2) == 0
	var rows []string
	for row := range strings.Lines(text) {
		line := []rune(sign + strings.TrimSuffix(row, "\n"))
		for len(line) > width {
			rows, line = append(rows, string(line[:width])), line[width:]
		}
		rows = append(rows, string(line))
	}
	for i, row := range rows {
		if box {
			rows[i] = fmt.Sprintf("│ %s%s │", row, strings.Repeat(" ", max(0, width-utf8.RuneCountInString(row))))
		}
	}
	return "Bash command\n\n" + strings.Join(rows, "\n") + "\n\nDo you want to proceed?\n❯ 1. Yes\n  2. No"
}

// TestPasswordsByTheirNamesAreMasked: with any program, name and surroundings.
func TestPasswordsByTheirNamesAreMasked(t *testing.T) {
	random := seeded(t)
	for range 10 * rounds() {
		text, password := randomTelling(random)
		screen := surrounded(random, text)
		masked := Mask(screen)
		for i := 0; i+5 <= len(password); i++ {
			if strings.Contains(masked, password[i:i+5]) {
				t.Fatalf("%q of %q is shown:\n%s\n---\n%s", password[i:i+5], password, screen, masked)
			}
		}
		if !strings.HasSuffix(masked, "Do you want to proceed?\n❯ 1. Yes\n  2. No") {
			t.Fatalf("the question is not readable:\n%s", masked)
		}
	}
}

// TestWhatCryptMakesOfAPasswordIsMasked: all hash formats.
func TestWhatCryptMakesOfAPasswordIsMasked(t *testing.T) {
	random := seeded(t)
	drawn := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = ("./" + alnum)[random.IntN(64)]
		}
		return string(b)
	}
	for range rounds() {
		secret := drawn(oneOf(random, 22, 31, 43, 86))
		hash := oneOf(random, "$1$"+drawn(8)+"$", "$5$rounds=5000$"+drawn(16)+"$", "$6$"+drawn(16)+"$", "$2b$12$", "$2y$10$", "$y$j9T$"+drawn(22)+"$", "$argon2id$v=19$m=65536,t=3,p=4$"+drawn(22)+"$") + secret
		screen := surrounded(random, oneOf(random, "ann:"+hash+":19000:0:99999:7:::", "htpasswd: "+hash, "usermod -p '"+hash+"' ann"))
		if masked := Mask(screen); strings.Contains(masked, secret[:12]) || strings.Contains(masked, secret[10:]) {
			t.Fatalf("%s is shown:\n%s\n---\n%s", hash, screen, masked)
		}
	}
}
