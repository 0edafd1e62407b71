package message

import (
	"bytes"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nod/internal/botapi"
)

var pictures = flag.Bool("pictures", false, "draw the messages of docs/messages.md again, in chromium")

const messagesPage = "../../docs/messages.md"

// pictured are the golden messages that the page shows.
func pictured(t *testing.T) (names []string) {
	t.Helper()
	page, err := os.ReadFile(messagesPage)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`\(messages/([a-z-]+)\.png\)`).FindAllStringSubmatch(string(page), -1) {
		names = append(names, found[1])
	}
	return names
}

// TestThePageShowsMessagesThatExist: each picture is of a message whose wording a golden file has.
func TestThePageShowsMessagesThatExist(t *testing.T) {
	names := pictured(t)
	for _, name := range names {
		if _, err := os.Stat(filepath.Join("testdata", name+".html")); err != nil {
			t.Error(err)
		}
	}
	if len(names) < 10 {
		t.Errorf("the page shows %d messages: it is read wrongly", len(names))
	}
}

// plain takes what is around a message off the page: the picture shows the message.
const plain = `header, footer, #phone::before, .day { display: none !important; } #phone { background: #cfdfd0 !important; } .row { margin: 0; } .mine { display: none !important; }`

// picture draws a message as the chat page shows it to a phone of 412 pixels, if docs/messages.md has it.
func picture(t *testing.T, name string, out Outgoing) {
	t.Helper()
	if !*pictures || !slices.Contains(pictured(t), name) {
		return
	}
	tg := botapi.New(botapi.Options{Token: "1:test"})
	ann := tg.Person(goldenChat, "Ann")
	ann.Start()
	hc, stop := tg.Pipe()
	defer stop()
	if _, err := sendTo(hc, out, out.Page.HTML, "HTML"); err != nil {
		t.Fatal(err)
	}
	chat := tg.Page(ann)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chat.ServeHTTP(w, r)
		if strings.HasSuffix(r.URL.Path, ".css") {
			_, _ = io.WriteString(w, plain)
		}
	}))
	defer server.CloseClientConnections() // the page's stream of events has no end
	path, err := filepath.Abs(filepath.Join("../../docs/messages", name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, patience := range []string{"3000", "10000", "30000"} { // a busy machine draws nothing in time
		chromium := exec.Command("chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
			"--disable-background-networking", "--user-data-dir="+t.TempDir(), "--window-size=412,1600", "--timeout="+patience, "--screenshot="+path, server.URL)
		if text, err := chromium.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if crop(t, path) {
			return
		}
	}
	t.Errorf("%s: the page shows nothing", name)
}

// crop leaves a picture the rows that are not all of one colour, with a margin. It reports whether there are any.
func crop(t *testing.T, path string) bool {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	b := whole.Bounds()
	first, last := b.Max.Y, b.Min.Y
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if whole.At(x, y) != whole.At(b.Min.X, b.Min.Y) {
				first, last = min(first, y), y
				break
			}
		}
	}
	if first > last {
		return false
	}
	part := image.NewRGBA(image.Rect(0, 0, b.Dx(), last-first+21))
	draw.Draw(part, part.Bounds(), image.NewUniform(whole.At(b.Min.X, b.Min.Y)), image.Point{}, draw.Src)
	draw.Draw(part, image.Rect(0, 10, b.Dx(), last-first+11), whole, image.Pt(b.Min.X, first), draw.Src)
	var text bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&text, part); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return true
}
