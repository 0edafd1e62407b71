package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"

	"nod/internal/rpc"
)

// serveMethods answers calls of these methods on listener until the test is over.
func serveMethods(t *testing.T, listener net.Listener, methods rpc.Methods) {
	t.Helper()
	hook := func(context.Context, rpc.Hook) (string, error) { return "", nil }
	server := rpc.NewServer(methods, hook, http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	serve(t, func(ctx context.Context) error { return server.Serve(ctx, listener) })
}

// serve runs a server until the test is over.
func serve(t *testing.T, run func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); serving.Wait() })
}
