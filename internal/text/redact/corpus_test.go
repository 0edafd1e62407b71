package redact

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"nod/internal/testrun"
)

// corpus has examples of secrets on agents' screens. Exactly the text between « and » must be hidden. The
// tokens are made up, and assembled here so that no scanner takes them for real ones.
var corpus = []string{
	"sk-proj-«" + letters[:48] + "» set",
	"claude reads sk-ant-«api03-" + letters[:60] + "»",
	"GH ghp_«" + letters[:36] + "», or",
	"GH gho_«" + letters[:36] + "» ok",
	"github_pat_«" + letters[:22] + "_" + letters[:59] + "»",
	"glpat-«" + letters[:20] + "» is the runner's",
	"AKIA«" + strings.ToUpper(letters)[:16] + "» in us-east-1",
	"xoxb-«123456789012-1234567890123-" + letters[:24] + "»",
	"curl https://hooks.slack.com/services/«T00000000/B00000000/" + letters[:24] + "»",
	"AIza«" + letters[:35] + "» for maps",
	"eyJ«hbGciOiJIUzI1NiJ9.eyJ" + letters[:30] + "." + letters[:43] + "»",
	"npm_«" + letters[:36] + "» publish",
	"hf_«" + letters[:34] + "» hub",
	"sk_live_«" + letters[:24] + "» pay",
	"SG.«" + letters[:22] + "." + letters[:43] + "» mail",
	"dop_v1_«" + strings.Repeat("0123456789abcdef", 4) + "» droplet",

	// A Telegram bot's token: plain, in an address, and percent-encoded.
	"NOD=123456789:«AAE" + letters[:32] + "» ok",
	"curl https://api.telegram.org/bot123456789:«AAE" + letters[:32] + "»/getMe && echo done",
	"curl https://proxy.test/?u=bot123456789%3A«AAE" + letters[:32] + "»%2FgetMe",
	"GET /bot123456789%3a«AAE" + letters[:32] + "»/getUpdates HTTP/1.1",

	"docker login -u ann -p «hunter2» registry.test",
	"docker login -p «s3» -u ann",
	"docker --config /tmp/d login registry.test -p=«hunter2»",
	"docker login \\\n  -u ann \\\n  -p «hunter2»",
	"podman login -p'«two words»' quay.io",
	"helm registry login -u ann -p «hunter2» reg",
	"sshpass -p «hunter2» ssh -p 22 ann@host",
	"sshpass -p'«two words»' scp -P 22 a b:",
	"sshpass -v -p «hunter2» ssh host",
	"mysql -u root -p«SECRET» app < dump.sql",
	"mysqldump --single-transaction -uroot -p'«S 3»' app | gzip",
	"mariadb-admin -p«x» ping",
	"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=«" + letters[:60] + "==»;EndpointSuffix=core.windows.net",
	"Endpoint=sb://a.test/;SharedAccessKeyName=k;SharedAccessKey=«" + letters[:43] + "=»",
	`PASSWORD="«two words»" ./run`,
	`DB_PASSWORD='«it is three words»'; export DB_PASSWORD`,
	"PASSWORD=\"«two\nwords»\" ./run",
	`vault --password "«two words»" --verbose`,
	`curl "https://x.test/?password%3D«hunter2»&n=1"`,
	"PASSWORD=«%2Fab%2Bcd» ./run",
	"Authorization: Bearer «" + letters[:32] + "»",
	"git clone https://ann:«ghp_" + letters[:36] + "»@github.com/a/b",
	"export ANTHROPIC_API_KEY=«sk-ant-api03-" + letters[:60] + "» && claude",
	"psql postgres://app:«s3cr3t»@db:5432/x",
	"curl -u ann:«hunter2» https://x.test",
}

// harmlessCorpus has texts that must stay readable.
var harmlessCorpus = []string{
	"mkdir -p dir/sub && cp -p a b",
	"ssh -p 22 ann@host && scp -P 22 a b:",
	"docker run -d --name web -p 80:80 -p 443:443 nginx",
	"docker run --name login -p 8080:80 img",
	"docker compose -p project up -d",
	"docker login registry.test --password-stdin < token.txt",
	"docker login -u ann -p \"$REGISTRY_PASSWORD\" registry.test",
	"kubectl port-forward svc/api -p 8080",
	"sshpass -e ssh -p 22 host",
	"sshpass -f secret.txt ssh -p 2222 host",
	"sshpass -p \"$SSH_PW\" ssh host",
	"mysql -u root -p app",
	"mysql -u root -p",
	"mysql --protocol=tcp -P 3306 -h db app",
	"mysql -p$MYSQL_PWD app",
	"gcc app.c $(mysql_config --libs) -pthread && ls -p",
	"systemctl restart mysql && ps -p 1234",
	"netstat -tulpen | grep -p; ps -p 1 -o pid=",
	"nmap -p 1-1000 host && rsync -p a b",
	"AccountKey=<your key>; AccountName=a",
	`PASSWORD="$(pass show db)" TOKEN="${TOKEN}" SECRET="<secret>"`,
	`label for="password" type="password" placeholder="Your password"`,
	"password: must be at least eight characters and not your name",
	"PASSWORD=%PASSWORD% printf 'token=%s' x",
	"at 12:34:56 789012:ready, see #123456: done",
	"2026-11-21T10:11:12 1234567: a short line",
	"https://example.com/a%3Ab%2Fc?id=1234567%3A12",
	"the bearer of this message has a token of esteem",
	"go test -p 2 ./... -run TestLogin",
	"login -p is no option of ours",
	"--- PASS: TestFoo2Bar (0.00s)\nPASS: 12 tests, pass=12 fail=0",
	"PWD=/home/ann/src2 OLDPWD=/home/ann bypass=always1 compass: north12",
	"primary_key: user12345, foreign_key = order_id_2, key: value12345",
	"the login page has a password reset, and an account to sign in",
	"redis-cli -h cache -p 6379 ping; redis-cli -a $REDIS_PASS ping",
	"Cookie: <yours>, and Set-Cookie: is a header. Accept cookies: all of them",
	"grep -n 'BEGIN\\|END' keys.txt; awk '{print $1$2$6}'; echo $1$FILE $5$name $6",
	"Authorization: required for this page, Authorization: Bearer $TOKEN",
	"git show 9fceb02d0ae598e95dc970b74767f19372d61af8:src/main/java/com/example/billing/InvoiceController.java",
	"--pass /etc/key.pem --key server.key --cert server.crt --passwd-file ~/x",
}

const letters = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2dE3fG4hJ5kL6mN7pQ8rS9tU0vW"

// plainText returns an entry without its marks, and for each character whether it must be hidden.
func plainText(entry string) (text string, secret []bool) {
	inside := false
	for _, r := range entry {
		switch r {
		case '«', '»':
			inside = r == '«'
		default:
			text += string(r)
			secret = append(secret, inside && hideable(r))
		}
	}
	return text, secret
}

func TestCorpusIsMaskedWholeAndNothingElse(t *testing.T) {
	for _, entry := range corpus {
		text, secret := plainText(entry)
		want := []rune(text)
		for i := range want {
			if secret[i] {
				want[i] = '•'
			}
		}
		if got := Mask(text); got != string(want) {
			t.Errorf("%s\n got %s\nwant %s", text, got, string(want))
		}
	}
}

func TestHarmlessCorpusIsSpared(t *testing.T) {
	for _, text := range harmlessCorpus {
		if got, hidden := mask(text); got != text || hidden {
			t.Errorf("\n  was %s\nbecame %s", text, got)
		}
	}
}

// TestTokensBrokenAnywhere: a token with its own shape is hidden wherever the edge of a pane or a box breaks
// it, even if something wider is beside the box.
func TestTokensBrokenAnywhere(t *testing.T) {
	const wider = "\n\nThis row is wider than all the others, as what stands outside of a dialog often is, in a pane of many columns\n"
	for _, entry := range corpus[:20] {
		text, secret := plainText(entry)
		for width := 24; width < utf8.RuneCountInString(text); width += testrun.Rounds(3, 1) {
			for _, frame := range []string{"%s", "  %s", "│ %-*s │"} {
				for _, below := range []string{"", wider} {
					screen := wrapped(text, frame, width) + below
					if shown := shownOf(Mask(screen), screen, text, secret); shown > 0 {
						t.Errorf("%d characters of a secret are shown at %d columns in %q:\n%s", shown, width, frame, Mask(screen))
						return
					}
				}
			}
		}
	}
}

// wrapped wraps a text to a width.
func wrapped(text, frame string, width int) string {
	var rows []string
	for text != "" {
		n := min(width, len(text))
		if strings.Contains(frame, "*") {
			rows = append(rows, fmt.Sprintf(frame, width, text[:n]))
		} else {
			rows = append(rows, fmt.Sprintf(frame, text[:n]))
		}
		text = text[n:]
	}
	return strings.Join(rows, "\n")
}

// shownOf counts the secret characters of text that remain visible on a masked screen on which text is
// wrapped.
func shownOf(masked, screen, text string, secret []bool) (shown int) {
	m, s, want := []rune(masked), []rune(screen), []rune(text)
	at := 0
	for i := range s {
		if at < len(want) && s[i] == want[at] {
			if secret[at] && m[i] != '•' {
				shown++
			}
			at++
		}
	}
	return shown
}
