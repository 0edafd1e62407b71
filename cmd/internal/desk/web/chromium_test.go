//go:build browser

package web

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for the browser to show something.
const patience = 20 * time.Second

// chromium is a running browser that is controlled over a pipe (chromedevtools.github.io/devtools-protocol).
type chromium struct {
	to *os.File

	mu     sync.Mutex
	last   int
	waits  map[int]chan reply
	errors []string // complaints on the pages' consoles
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// startChromium starts Debian's chromium with an empty profile.
func startChromium(t *testing.T, flags ...string) *chromium {
	t.Helper()
	c := &chromium{waits: map[int]chan reply{}}
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.to = to
	cmd := exec.Command("chromium", append(flags, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "about:blank")...)
	cmd.ExtraFiles = []*os.File{in, out}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	var read sync.WaitGroup
	read.Go(func() { c.read(from) })
	t.Cleanup(func() {
		c.call(t, "", "Browser.close", nil, nil)
		_ = cmd.Wait() // it was told to end
		to.Close()
		read.Wait()
		from.Close()
	})
	return c
}

func (c *chromium) read(from *os.File) {
	messages := bufio.NewReader(from)
	for {
		text, err := messages.ReadString(0)
		if err != nil {
			return
		}
		var m struct {
			ID     int
			Method string
			reply
			Params json.RawMessage
		}
		if json.Unmarshal([]byte(strings.TrimSuffix(text, "\x00")), &m) != nil {
			continue
		}
		c.mu.Lock()
		if wait := c.waits[m.ID]; wait != nil {
			wait <- m.reply
			delete(c.waits, m.ID)
		}
		if m.Method == "Runtime.exceptionThrown" || m.Method == "Log.entryAdded" || m.Method == "Runtime.consoleAPICalled" {
			c.errors = append(c.errors, string(m.Params))
		}
		c.mu.Unlock()
	}
}

// call calls a method of the protocol.
func (c *chromium) call(t *testing.T, session, method string, params map[string]any, into any) {
	t.Helper()
	c.mu.Lock()
	c.last++
	id, wait := c.last, make(chan reply, 1)
	c.waits[id] = wait
	c.mu.Unlock()
	text, err := json.Marshal(map[string]any{"id": id, "sessionId": session, "method": method, "params": params})
	if session == "" {
		text, err = json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.to.Write(append(text, 0)); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-wait:
		if got.Error != nil {
			t.Fatalf("%s: %s", method, got.Error.Message)
		}
		if into != nil {
			if err := json.Unmarshal(got.Result, into); err != nil {
				t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(patience):
		t.Fatalf("%s: chromium does not answer", method)
	}
}

// complaints returns the messages on the consoles of all pages since the last call.
func (c *chromium) complaints() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	said := c.errors
	c.errors = nil
	return said
}

// tab is one tab of the browser.
type tab struct {
	*chromium
	t       *testing.T
	session string
}

// tab opens a tab of this size; dark requests dark colours.
func (c *chromium) tab(t *testing.T, width, height int, dark bool) tab {
	t.Helper()
	var made struct{ TargetID, SessionID string }
	c.call(t, "", "Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	c.call(t, "", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &made)
	b := tab{c, t, made.SessionID}
	t.Cleanup(func() { c.call(t, "", "Target.closeTarget", map[string]any{"targetId": made.TargetID}, nil) })
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.do(domain+".enable", nil)
	}
	scheme := map[bool]string{true: "dark", false: "light"}[dark]
	b.do("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": scheme}}})
	b.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
	return b
}

func (b tab) do(method string, params map[string]any) {
	b.t.Helper()
	b.call(b.t, b.session, method, params, nil)
}

// visit loads an address.
func (b tab) visit(address string) {
	b.t.Helper()
	b.do("Page.navigate", map[string]any{"url": address})
}

// eval returns the value of an expression as JSON.
func (b tab) eval(expression string) string {
	b.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call(b.t, b.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	return string(got.Result.Value)
}

// until waits until an expression becomes true.
func (b tab) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(patience); b.eval("(() => { try { return Boolean("+expression+"); } catch { return false; } })()") != "true"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("%s does not come true; the page says:\n%s", expression, b.eval("document.body.innerText"))
		}
	}
}

// shows waits until the page shows a text.
func (b tab) shows(text string) {
	b.t.Helper()
	b.until(fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

// press presses and releases a key.
func (b tab) press(key string) {
	b.t.Helper()
	text := key
	if len(key) > 1 {
		text = map[string]string{"Enter": "\r"}[key]
	}
	code := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}[key]
	down := map[string]any{"type": "keyDown", "key": key, "text": text, "windowsVirtualKeyCode": code}
	b.do("Input.dispatchKeyEvent", down)
	b.do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "windowsVirtualKeyCode": code})
}

// click clicks the first element that matches a selector, at its place on the screen.
func (b tab) click(selector string) {
	b.t.Helper()
	b.until(fmt.Sprintf("document.querySelector(%q)?.checkVisibility()", selector))
	var at struct{ X, Y float64 }
	place := fmt.Sprintf("(() => { const e = document.querySelector(%q); e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()", selector)
	if err := json.Unmarshal([]byte(b.eval(place)), &at); err != nil {
		b.t.Fatal(err)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1})
	}
}

// picture returns the page as a PNG image.
func (b tab) picture() []byte {
	b.t.Helper()
	var got struct{ Data string }
	b.call(b.t, b.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &got)
	png, err := base64.StdEncoding.DecodeString(got.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return png
}
