package botapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxBody is the real server's limit for a request: 50 MB of file and some text.
const maxBody = 51 << 20

// request is one call with its parameters, which can come in three ways.
type request struct {
	ctx     context.Context
	method  string
	version int // of the Bot API that the server implements
	params  map[string]string
	files   map[string]upload
}

type upload struct {
	name string
	data []byte
}

// Error is a refusal, as it is sent.
type Error struct {
	Code        int
	Description string
	RetryAfter  int   // seconds; for 429
	MigrateTo   int64 // the group's new id
}

func (e *Error) Error() string { return strconv.Itoa(e.Code) + " " + e.Description }

// badRequest is a refusal in Telegram's words. Telegram begins sentences in lower case and keeps constants.
func badRequest(format string, args ...any) *Error {
	text := fmt.Sprintf(format, args...)
	if len(text) > 1 && text[1] != '_' && (text[1] < 'A' || text[1] > 'Z') {
		text = strings.ToLower(text[:1]) + text[1:]
	}
	return &Error{Code: http.StatusBadRequest, Description: "Bad Request: " + text}
}

// sentence is an error in Telegram's words, which begin with a capital.
type sentence string

func (s sentence) Error() string { return string(s) }

func sayf(format string, args ...any) error { return sentence(fmt.Sprintf(format, args...)) }

// readRequest reads query, form, multipart and JSON bodies. As with Telegram, every parameter is text, and a
// JSON value that is not a string is its JSON text.
func readRequest(r *http.Request, method string) (*request, error) {
	req := &request{ctx: r.Context(), method: method, params: map[string]string{}, files: map[string]upload{}}
	for k, v := range r.URL.Query() {
		req.params[k] = v[0]
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	var err error
	switch kind {
	case "application/json":
		err = req.readJSON(r.Body)
	case "multipart/form-data":
		err = req.readMultipart(r)
	default:
		if err = r.ParseForm(); err == nil {
			for k, v := range r.PostForm {
				req.params[k] = v[0]
			}
		}
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, &Error{Code: http.StatusRequestEntityTooLarge, Description: "Request Entity Too Large"}
	}
	if err != nil {
		return nil, badRequest("Can't parse request: %v", err)
	}
	for _, v := range req.params {
		if !utf8.ValidString(v) {
			return nil, badRequest("Strings must be encoded in UTF-8")
		}
	}
	return req, nil
}

func (r *request) readJSON(body io.Reader) error {
	var fields map[string]json.RawMessage
	if err := json.NewDecoder(body).Decode(&fields); err != nil {
		return fmt.Errorf("read JSON: %w", err)
	}
	for k, raw := range fields {
		var text string
		if json.Unmarshal(raw, &text) != nil || string(raw) == "null" {
			text = string(raw)
		}
		r.params[k] = text
	}
	return nil
}

func (r *request) readMultipart(h *http.Request) error {
	if err := h.ParseMultipartForm(maxBody); err != nil {
		return fmt.Errorf("read form: %w", err)
	}
	for k, v := range h.MultipartForm.Value {
		r.params[k] = v[0]
	}
	for k, v := range h.MultipartForm.File {
		f, err := v[0].Open()
		if err != nil {
			return fmt.Errorf("read file %s: %w", k, err)
		}
		data, err := io.ReadAll(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("read file %s: %w", k, err)
		}
		r.files[k] = upload{name: v[0].Filename, data: data}
	}
	return nil
}

// int returns a number; 0 if it is missing or invalid, as in the real server.
func (r *request) int(name string) int {
	n, _ := strconv.Atoi(strings.TrimSpace(r.params[name]))
	return n
}

func (r *request) bool(name string) bool {
	switch strings.ToLower(strings.TrimSpace(r.params[name])) {
	case "true", "yes", "1":
		return true
	}
	return false
}

// reply writes one answer. err is an *Error or nil.
func reply(w http.ResponseWriter, result any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err == nil {
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result}) // the client may have gone
		return
	}
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Code: http.StatusInternalServerError, Description: "Internal Server Error: " + err.Error()}
	}
	body := map[string]any{"ok": false, "error_code": e.Code, "description": e.Description}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
		body["parameters"] = map[string]any{"retry_after": e.RetryAfter}
	}
	if e.MigrateTo != 0 {
		body["parameters"] = map[string]any{"migrate_to_chat_id": e.MigrateTo}
	}
	w.WriteHeader(e.Code)
	_ = json.NewEncoder(w).Encode(body) // the client may have gone
}
