package bot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
)

// How long a call may take. Telegram answers a long poll within pollWait. A poll longer than pollLimit is on
// a dead connection.
const (
	pollWait  = 50 * time.Second
	pollLimit = 65 * time.Second
	sendLimit = 20 * time.Second

	fetchLimit = 2 * time.Minute // for 20 MB

	slowestUpload = 64 << 10 // bytes a second; what takes longer breaks off
)

// maxBody is the maximum size of an answer: a hundred updates of 512 KB, the most that Telegram keeps.
const maxBody = 64 << 20

// client calls the Bot API. The library knows neither contexts nor deadlines and puts the token into its
// errors, so every call goes through a copy of it with its own transport.
type client struct {
	api    tgbotapi.BotAPI
	token  string
	files  string // the address in front of a file's path
	http   *http.Client
	called func(method, class string, took time.Duration)
}

func newClient(cfg Config) *client {
	own := *cfg.HTTP
	// A redirect would send the address, which has the token in it, to another host as the Referer.
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &client{token: cfg.Token, http: &own, called: cfg.Called}
	c.files = strings.TrimRight(cfg.API, "/") + "/file/bot" + cfg.Token + "/"
	if c.called == nil {
		c.called = func(string, string, time.Duration) {}
	}
	c.api.Token = cfg.Token
	c.api.SetAPIEndpoint(strings.ReplaceAll(strings.TrimRight(cfg.API, "/"), "%", "%%") + "/bot%s/%s")
	return c
}

// call calls method and decodes its result into into, unless that is nil. The error never contains the token;
// classify explains it.
func (c *client) call(ctx context.Context, limit time.Duration, method string, p tgbotapi.Params, into any) error {
	return c.do(ctx, limit, method, into, func(api *tgbotapi.BotAPI) (*tgbotapi.APIResponse, error) {
		return api.MakeRequest(method, p)
	})
}

// upload calls method with data as the file named name in a field.
func (c *client) upload(ctx context.Context, method, field string, p tgbotapi.Params, name string, data []byte, into any) error {
	limit := sendLimit + time.Duration(len(data))*time.Second/slowestUpload
	return c.do(ctx, limit, method, into, func(api *tgbotapi.BotAPI) (*tgbotapi.APIResponse, error) {
		file := tgbotapi.RequestFile{Name: field, Data: tgbotapi.FileBytes{Name: name, Bytes: data}}
		return api.UploadFiles(method, p, []tgbotapi.RequestFile{file})
	})
}

func (c *client) do(ctx context.Context, limit time.Duration, method string, into any,
	ask func(*tgbotapi.BotAPI) (*tgbotapi.APIResponse, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	api := c.api
	api.Client = transport{ctx, c.http}
	began := time.Now()
	resp, err := ask(&api)
	if err == nil && into != nil {
		if json.Unmarshal(resp.Result, into) != nil {
			err = &brokenAnswer{status: http.StatusOK}
		}
	}
	if err == nil {
		c.called(method, "", time.Since(began))
		return nil
	}
	err = fmt.Errorf("telegram %s: %w", method, c.scrub(err))
	class := classify(err).kind
	c.called(method, strings.ReplaceAll(string(class), " ", "_"), time.Since(began))
	if class == unsure {
		c.http.CloseIdleConnections() // a dead connection would be used again
	}
	return err
}

// fetch reads the file at a path from getFile, of at most limit bytes. The error never contains the token.
func (c *client) fetch(ctx context.Context, path string, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.files+(&url.URL{Path: path}).EscapedPath(), http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("fetch the file: %w", c.scrub(err))
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("fetch the file: %w", c.scrub(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetch the file: Telegram says %s", response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("fetch the file: %w", c.scrub(err))
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("fetch the file: it is larger than %d MB", limit>>20)
	}
	return data, nil
}

// scrub removes the token from err. *url.Error contains the whole address, which has the token in it.
func (c *client) scrub(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if c.token != "" && strings.Contains(err.Error(), c.token) {
		return errors.New(strings.ReplaceAll(err.Error(), c.token, "TOKEN"))
	}
	return err
}

// rejection is a refusal in Telegram's own words.
type rejection struct {
	code  int
	text  string
	after time.Duration // for 429: how long to wait
	moved int64         // the new id of a group; 0: none
}

func (e *rejection) Error() string {
	said := fmt.Sprintf("%d %s", e.code, e.text)
	if e.moved != 0 {
		said += fmt.Sprintf("; its id is %d now", e.moved)
	}
	return said
}

// brokenAnswer is an answer that is not from a Bot API: a proxy's page, a captive portal, a cut connection.
type brokenAnswer struct{ status int }

func (e *brokenAnswer) Error() string {
	return fmt.Sprintf("HTTP %d with a body that is no Bot API answer", e.status)
}

// transport ends the library's requests with ctx and turns refusals into errors, because the library drops
// the status of an answer without JSON, and the code of a refused upload.
type transport struct {
	ctx  context.Context
	http *http.Client
}

// Do implements tgbotapi.HTTPClient.
func (t transport) Do(r *http.Request) (*http.Response, error) {
	resp, err := t.http.Do(r.WithContext(t.ctx))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxBody {
		return nil, &brokenAnswer{resp.StatusCode}
	}
	if err := refusal(resp.StatusCode, body); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

func refusal(status int, body []byte) error {
	var a tgbotapi.APIResponse
	if json.Unmarshal(body, &a) != nil {
		return &brokenAnswer{status}
	}
	if a.Ok {
		return nil
	}
	if a.ErrorCode == 0 {
		return &brokenAnswer{status}
	}
	e := &rejection{code: a.ErrorCode, text: a.Description}
	if a.Parameters != nil {
		e.after = time.Duration(a.Parameters.RetryAfter) * time.Second
		e.moved = a.Parameters.MigrateToChatID
	}
	return e
}
