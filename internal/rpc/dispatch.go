package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"
)

// Methods maps the names of methods to what answers them.
type Methods map[string]jrpc2.Handler

// Method makes a method of fn, which takes its parameters as an object whose fields are those of
// P: one that P does not have is answered with "invalid parameters".
func Method[P, R any](fn func(context.Context, P) (R, error)) jrpc2.Handler {
	info, err := handler.Check(fn)
	if err != nil {
		panic(err) // fn's type is right by construction
	}
	return info.SetStrict(true).Wrap()
}

// maxBatch bounds what one request can ask for.
const maxBatch = 100

// streamType is the content type of a stream.
const streamType = "application/x-ndjson"

// Stream is the result of a method that goes on to tell: it gives emit one value after the other, each a line of JSON for
// the caller, until ctx ends or emit fails. A method may give one where it is called by itself, not in a batch.
type Stream func(ctx context.Context, emit func(any) error) error

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *jrpc2.Error    `json:"error,omitempty"`

	stream Stream // in the place of all that
}

// size is how much of it there is to send, but for an error.
func (r response) size() int {
	text, _ := r.Result.(json.RawMessage)
	return len(text)
}

// dispatch answers one JSON-RPC 2.0 message, a request or a batch. It returns nil where the
// standard wants no answer: for notifications.
//
// jrpc2 reads the messages and the parameters. Its HTTP bridge is not used: it runs methods
// without the request's context, so that neither who calls nor that he hung up would reach them,
// and it answers what is no JSON with a status 500.
func (m Methods) dispatch(ctx context.Context, body []byte, log *slog.Logger) any {
	requests, err := jrpc2.ParseRequests(body)
	if err != nil {
		return failure(nil, jrpc2.Errorf(jrpc2.ParseError, "the request is no valid JSON"))
	}
	switch {
	case len(requests) == 0:
		return failure(nil, jrpc2.Errorf(jrpc2.InvalidRequest, "the batch is empty"))
	case len(requests) > maxBatch:
		return failure(nil, jrpc2.Errorf(jrpc2.InvalidRequest, "the batch holds more than %d requests", maxBatch))
	}
	var answers []response
	size := 0
	for _, request := range requests {
		if size > maxAnswer {
			return failure(nil, jrpc2.Errorf(jrpc2.InternalError, "the answers of the batch are too long: call one by one; those before %s are done", request.Method))
		}
		answer := m.answer(ctx, request, log)
		size += answer.size()
		if request.ID == "" && request.Error == nil {
			continue // a notification
		}
		if !request.Batch {
			return answer
		}
		if answer.stream != nil {
			answer = failure(answer.ID, jrpc2.Errorf(jrpc2.InvalidRequest, "%s is a stream: call it by itself", request.Method))
		}
		answers = append(answers, answer)
	}
	if answers == nil {
		return nil
	}
	return answers
}

// Call calls one method, for a caller whom ctx tells. Its error is a *Fault.
func (m Methods) Call(ctx context.Context, method string, params any, log *slog.Logger) (json.RawMessage, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return nil, faultOf(asError(err))
	}
	answer := m.answer(ctx, &jrpc2.ParsedRequest{ID: "1", Method: method, Params: text}, log)
	switch result, ok := answer.Result.(json.RawMessage); {
	case answer.Error != nil:
		return nil, faultOf(answer.Error)
	case !ok:
		return nil, faultOf(jrpc2.Errorf(jrpc2.InvalidRequest, "%s is a stream", method))
	default:
		return result, nil
	}
}

func (m Methods) answer(ctx context.Context, request *jrpc2.ParsedRequest, log *slog.Logger) response {
	id := json.RawMessage(request.ID)
	if request.Error != nil {
		// The text was JSON, so whatever is wrong with it is an invalid request: the standard's
		// example for [1] says so, jrpc2 calls it a parse error.
		return failure(id, jrpc2.Errorf(jrpc2.InvalidRequest, "%s", request.Error.Message))
	}
	if request.Method == "" {
		return failure(id, jrpc2.Errorf(jrpc2.InvalidRequest, "the request names no method"))
	}
	method, ok := m[request.Method]
	if !ok {
		return failure(id, jrpc2.Errorf(jrpc2.MethodNotFound, "there is no method %q", request.Method))
	}
	result, err := call(ctx, method, request.ToRequest(), log)
	if err != nil {
		return failure(id, asError(err))
	}
	if stream, ok := result.(Stream); ok {
		return response{ID: id, stream: stream}
	}
	text, err := json.Marshal(result)
	if err != nil {
		return failure(id, asError(err))
	}
	return response{Version: jrpc2.Version, ID: id, Result: json.RawMessage(text)}
}

// call keeps a method's panic from ending the bot: its caller hears of it, the log has the rest.
func call(ctx context.Context, method jrpc2.Handler, request *jrpc2.Request, log *slog.Logger) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			log.Error("method panicked", "method", request.Method(), "panic", r, "stack", string(debug.Stack()))
			err = errors.New("nod failed inside: its log says more")
		}
	}()
	return method(ctx, request)
}

func asError(err error) *jrpc2.Error {
	if e := (*jrpc2.Error)(nil); errors.As(err, &e) {
		return e
	}
	return jrpc2.Errorf(jrpc2.InternalError, "%s", err)
}

func failure(id json.RawMessage, e *jrpc2.Error) response {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	return response{Version: jrpc2.Version, ID: id, Error: e}
}
