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

// Methods maps the names of methods to their handlers.
type Methods map[string]jrpc2.Handler

// Method makes a method from fn. Its parameters are an object with the fields of P; an unknown field is
// answered with "invalid parameters".
func Method[P, R any](fn func(context.Context, P) (R, error)) jrpc2.Handler {
	info, err := handler.Check(fn)
	if err != nil {
		panic(err) // the type of fn is right by construction
	}
	return info.SetStrict(true).Wrap()
}

// maxBatch is the largest number of calls in one request.
const maxBatch = 100

// streamType is the content type of a stream.
const streamType = "application/x-ndjson"

// Stream is the result of a method that reports events: it passes one value after another to emit, each of
// which becomes a line of JSON for the caller, until ctx ends or emit fails. A method in a batch can't return
// one.
type Stream func(ctx context.Context, emit func(any) error) error

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *jrpc2.Error    `json:"error,omitempty"`

	stream Stream // instead of the fields above
}

// size returns the number of bytes of the result; 0 for an error.
func (r response) size() int {
	text, _ := r.Result.(json.RawMessage)
	return len(text)
}

// dispatch answers one JSON-RPC 2.0 message, which is a request or a batch. It returns nil for notifications,
// which the standard leaves unanswered.
//
// jrpc2 parses the messages and the parameters. Its HTTP bridge is not used for two reasons. It runs methods
// without the request's context, so they would not learn who calls or that the caller hung up. And it answers
// invalid JSON with status 500.
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

// Call calls one method on behalf of the caller in ctx. Its error is a *Fault.
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
		// The text was valid JSON, so any error is an invalid request, as in the standard's example for [1].
		// jrpc2 reports a parse error.
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

// call runs the method and recovers from a panic, so that it can't end the bot: the caller gets an error, the
// log has the details.
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
