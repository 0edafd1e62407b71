package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/creachadair/jrpc2"
)

// ErrNotRunning says that no bot answers on the socket.
var ErrNotRunning = errors.New("nod is not running")

// maxAnswer is the largest answer that a client reads, in bytes: enough for a capture with a long history.
const maxAnswer = 64 << 20

// callTimeout is the longest time of a call: an answer to a nudge waits up to a minute for its outcome.
const callTimeout = 75 * time.Second

// Client calls the methods of a running bot.
type Client struct{ http http.Client }

// Dial returns a client for the bot that listens on socket. It connects with the first call.
func Dial(socket string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		if err := checkLength(socket); err != nil {
			return nil, &unreached{err}
		}
		conn, err := connect(ctx, socket)
		if err != nil {
			return nil, dialError(socket, err)
		}
		// In a directory such as /tmp another user may have made the socket.
		if identify(conn).uid != os.Getuid() {
			conn.Close()
			return nil, &unreached{fmt.Errorf("the socket %s belongs to another user: set NOD_SOCKET to your own bot's", socket)}
		}
		return conn, nil
	}
	return &Client{http: http.Client{Transport: &http.Transport{DialContext: dial}}}
}

// fullPause is the pause before another attempt to connect if the socket's backlog is full.
const fullPause = 5 * time.Millisecond

// connect dials the socket, and tries again until ctx ends if the backlog is full: Linux refuses at once
// then, and another program can fill the backlog.
func connect(ctx context.Context, socket string) (net.Conn, error) {
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
		if !errors.Is(err, syscall.EAGAIN) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(fullPause):
		}
	}
}

// unreached is the reason why there is no connection, so that nothing was done.
type unreached struct{ error }

func dialError(socket string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return ErrNotRunning
	case errors.Is(err, fs.ErrPermission):
		return &unreached{fmt.Errorf("you may not open the socket %s: if that is another user's nod, work as that user, or set NOD_SOCKET and NOD_STATE_DIR to paths of your own", socket)}
	}
	return &unreached{fmt.Errorf("reach the running nod: %w", err)}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// request is a call in its wire form.
type request struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// Call calls method with params, which is an object, or nil for none. It decodes the result into result
// unless that is nil. The error is ErrNotRunning if no bot answers, and a *Fault if the bot answered with an
// error. After any other error the outcome of the call is unknown.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return c.Wait(ctx, method, params, result)
}

// Wait is Call for a method that waits for a human. Only ctx limits the time.
func (c *Client) Wait(ctx context.Context, method string, params, result any) error {
	sent, err := json.Marshal(request{jrpc2.Version, 1, method, params})
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	body, _, err := c.do(ctx, http.MethodPost, "/rpc", sent, nil)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err // leave out the url.Error's address, which helps nobody
	}
	if errors.Is(err, ErrNotRunning) {
		return ErrNotRunning
	}
	if busy := (*Fault)(nil); errors.As(err, &busy) {
		return busy
	}
	if no := (*unreached)(nil); errors.As(err, &no) {
		return no.error
	}
	if err != nil {
		return fmt.Errorf("the running nod gave no answer to %s, so what became of it is not known: %w", method, err)
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *jrpc2.Error    `json:"error"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("call %s: what answers on the socket is no nod: %w", method, err)
	}
	if answer.Error != nil {
		return faultOf(answer.Error)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return fmt.Errorf("call %s: the running nod answers otherwise than this one expects, perhaps another version: %w", method, err)
	}
	return nil
}

// Stream calls a method that returns a Stream, and passes each line to see, until ctx ends, see fails or the
// bot stops. A stopping bot is no error.
func (c *Client) Stream(ctx context.Context, method string, params any, see func(json.RawMessage) error) error {
	body, err := json.Marshal(request{jrpc2.Version, 1, method, params})
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://nod/rpc", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	// A stream changes nothing, so it may be asked for again where nod closes the connection of a call before, as when it stops. A header
	// without a value is not sent; net/http only reads it.
	r.Header["Idempotency-Key"] = nil
	response, err := c.http.Do(r)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		err = ErrNotRunning // the bot stopped just then, and a stream changes nothing
	}
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	defer response.Body.Close()
	if kind := response.Header.Get("Content-Type"); kind != streamType {
		text, _ := io.ReadAll(io.LimitReader(response.Body, maxRequest)) // an unreadable body is an empty message
		var answer struct {
			Error *jrpc2.Error `json:"error"`
		}
		if _ = json.Unmarshal(text, &answer); answer.Error != nil {
			return faultOf(answer.Error)
		}
		return fmt.Errorf("call %s: the running nod does not tell it: %s", method, strings.TrimSpace(string(text)))
	}
	for lines := json.NewDecoder(response.Body); ; {
		var line json.RawMessage
		switch err := lines.Decode(&line); {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
			return nil
		case err != nil:
			return fmt.Errorf("read what %s tells: %w", method, err)
		}
		if err := see(line); err != nil {
			return err
		}
	}
}

// Metrics returns the bot's counts in Prometheus's text format. The error is ErrNotRunning if no bot answers.
func (c *Client) Metrics(ctx context.Context) ([]byte, error) {
	text, _, err := c.do(ctx, http.MethodGet, "/metrics", nil, nil)
	if err != nil {
		return nil, fmt.Errorf("read the metrics: %w", err)
	}
	return text, nil
}

// Hook sends one event of an agent to the bot. It returns the word with which the caller may wait for a
// human's answer, or "" if there is nothing to wait for. The error is ErrNotRunning if no bot answers.
func (c *Client) Hook(ctx context.Context, h Hook) (door string, err error) {
	headers := http.Header{"X-Tmux": {h.Tmux}, "X-Tmux-Pane": {h.Pane}, versionHeader: {h.Version}}
	if h.Ended {
		headers.Set(endedHeader, "1")
	}
	_, told, err := c.do(ctx, http.MethodPost, "/hook/"+url.PathEscape(h.Agent), h.Event, headers)
	if err != nil {
		return "", fmt.Errorf("hand over an event of %s: %w", h.Agent, err)
	}
	return told.Get(doorHeader), nil
}

func (c *Client) do(ctx context.Context, method, path string, body []byte, headers http.Header) ([]byte, http.Header, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://nod"+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(request.Header, headers)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, nil, err
	}
	switch response.StatusCode {
	case http.StatusOK, http.StatusNoContent:
		return text, response.Header, nil
	case http.StatusServiceUnavailable: // the bot did nothing
		return nil, nil, &Fault{Code: int(refused), Message: strings.TrimSpace(string(text))}
	}
	return nil, nil, errors.New(strings.TrimSpace(string(text)))
}
