package botapi

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Fault is a failure on request, for the next Times calls of Method.
type Fault struct {
	Method string // in the bot's spelling; empty for any
	Times  int    // 0 means once; negative means until Heal
	Delay  time.Duration

	// Exactly one of the following, or none for a call that is only slow.
	Code       int    // a Telegram error, with Description and RetryAfter
	HTML       int    // an HTML page with this status, as from the proxy in front of Telegram
	DropBefore bool   // the connection ends before the method runs
	DropAfter  bool   // the connection ends after the method ran, before the answer
	Garbage    string // this body with status 200

	Description string
	RetryAfter  int
}

// Fail makes calls fail. Faults are used up in the order of the calls to Fail.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Times == 0 {
		f.Times = 1
	}
	s.faults = append(s.faults, &f)
}

// Heal removes all faults.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *Server) takeFault(method string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Method != "" && !strings.EqualFold(f.Method, method) {
			continue
		}
		if f.Times--; f.Times == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		return f
	}
	return nil
}

// before applies the part of a fault that precedes the method, and reports whether the call ends there.
func (f *Fault) before(ctx context.Context, w http.ResponseWriter) bool {
	if f == nil {
		return false
	}
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-ctx.Done():
			return true
		}
	}
	switch {
	case f.DropBefore:
		panic(http.ErrAbortHandler) // net/http's way to cut a connection
	case f.HTML != 0:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.HTML)
		_, _ = io.WriteString(w, "<html>\r\n<head><title>"+http.StatusText(f.HTML)+"</title></head>\r\n</html>\r\n")
		return true
	case f.Garbage != "":
		_, _ = io.WriteString(w, f.Garbage)
		return true
	case f.Code != 0:
		e := &Error{Code: f.Code, Description: f.Description, RetryAfter: f.RetryAfter}
		if e.Description == "" {
			e.Description = http.StatusText(f.Code)
		}
		if f.Code == http.StatusTooManyRequests && f.Description == "" {
			e = tooMany(f.RetryAfter)
		}
		reply(w, nil, e)
		return true
	}
	return false
}

func (f *Fault) after() {
	if f != nil && f.DropAfter {
		panic(http.ErrAbortHandler)
	}
}

// Call is an answered request.
type Call struct {
	At     time.Time
	Method string
	Params map[string]string
	Err    *Error // nil if it succeeded
}

func (s *Server) log(r *request, err error) {
	e, _ := err.(*Error) // nothing here wraps it
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, Call{At: time.Now(), Method: r.method, Params: r.params, Err: e})
	if over := len(s.calls) - 10_000; over > 0 {
		s.calls = slices.Clone(s.calls[over:])
	}
}

// Calls returns the calls of a method so far, oldest first; of all methods if it is empty. It leaves out
// calls that a fault ended before the method ran.
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Call
	for _, c := range s.calls {
		if method == "" || strings.EqualFold(c.Method, method) {
			out = append(out, c)
		}
	}
	return out
}
