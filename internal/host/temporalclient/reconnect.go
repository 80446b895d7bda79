package temporalclient

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
)

const (
	// reconnectAtMost is the longest pause between two attempts to connect (the SDK's is 10 s): an attempt that is refused costs
	// next to nothing.
	reconnectAtMost = time.Second
	// connectTime is how long an attempt may take (the SDK's): a server that hangs takes the connection, and continues with it.
	connectTime = 20 * time.Second
)

// reconnecting makes a client continue soon after Temporal is back.
func reconnecting() []grpc.DialOption {
	pauses := backoff.DefaultConfig
	pauses.BaseDelay, pauses.MaxDelay = 100*time.Millisecond, reconnectAtMost
	return []grpc.DialOption{
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: pauses, MinConnectTimeout: connectTime}),
		grpc.WithChainUnaryInterceptor(waitWithPolls),
	}
}

// waitWithPolls lets polls of workers wait for the connection. The SDK pauses up to 10 s behind polls that fail, whether Temporal is back
// or not.
func waitWithPolls(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if strings.Contains(method, "/Poll") {
		opts = append(opts, grpc.WaitForReady(true))
	}
	return invoke(ctx, method, req, reply, conn, opts...)
}
