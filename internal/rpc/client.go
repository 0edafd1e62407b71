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
var ErrNotRunning = errors.New("no nod is running")

// maxAnswer bounds what a client reads: a capture of a long history fits.
const maxAnswer = 64 << 20

// patience is how long a call may take: an answer to a nudge waits up to a minute for its outcome.
const patience = 75 * time.Second

// Client calls the methods of a running bot.
type Client struct{ http http.Client }

// Dial returns a client for the bot that listens on socket. It connects with the first call.
func Dial(socket string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
		if err != nil {
			return nil, dialError(err)
		}
		// In a directory like /tmp another user may have made the socket.
		if p, err := identify(conn); err != nil || p.uid != os.Getuid() {
			conn.Close()
			return nil, fmt.Errorf("the socket %s belongs to another user: set NOD_SOCKET to your own bot's", socket)
		}
		return conn, nil
	}
	return &Client{http: http.Client{Transport: &http.Transport{DialContext: dial}, Timeout: patience}}
}

func dialError(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return ErrNotRunning
	}
	return fmt.Errorf("reach the running nod: %w", err)
}

// Close gives the connection back.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Call calls method with params, an object or nil for none, and reads its result into result,
// unless that is nil. The error is ErrNotRunning where no bot answers and a *Fault where it
// answered with an error. After any other error nobody knows what became of the call.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	request, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{jrpc2.Version, 1, method, params})
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	body, err := c.post(ctx, "/rpc", request, nil)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err // the address in front of it tells nobody anything
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

// Hook hands one event of an agent to the bot. The error is ErrNotRunning where no bot answers.
func (c *Client) Hook(ctx context.Context, h Hook) error {
	_, err := c.post(ctx, "/hook/"+url.PathEscape(h.Agent), h.Event, http.Header{
		"X-Tmux": {h.Tmux}, "X-Tmux-Pane": {h.Pane},
	})
	if err != nil {
		return fmt.Errorf("hand over an event of %s: %w", h.Agent, err)
	}
	return nil
}

func (c *Client) post(ctx context.Context, path string, body []byte, headers http.Header) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://nod"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, headers)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 {
		return nil, errors.New(strings.TrimSpace(string(text)))
	}
	return text, nil
}
