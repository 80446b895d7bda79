package temporalclient_test

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"

	"xbot/internal/host/temporalclient"
)

// polled answers polls.
type polled struct {
	workflowservice.UnimplementedWorkflowServiceServer
}

func (polled) PollActivityTaskQueue(context.Context, *workflowservice.PollActivityTaskQueueRequest) (*workflowservice.PollActivityTaskQueueResponse, error) {
	return &workflowservice.PollActivityTaskQueueResponse{ActivityId: "found"}, nil
}

func TestReconnecting_PollsWaitForTemporalAndOtherCallsDoNot(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	c, err := temporalclient.New(temporalclient.Config{Address: address, Namespace: "default", Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	service := c.WorkflowService()
	_, err = service.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{})
	require.Error(t, err)
	require.NoError(t, ctx.Err(), "it does not wait for its deadline")

	answers := make(chan error, 1)
	go func() {
		_, err := service.PollActivityTaskQueue(ctx, &workflowservice.PollActivityTaskQueueRequest{})
		answers <- err
	}()
	_, err = service.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{})
	require.Error(t, err)
	select {
	case err := <-answers:
		require.Fail(t, "the poll did not wait", "%v", err)
	default:
	}
	l, err = net.Listen("tcp", address)
	require.NoError(t, err)
	server := grpc.NewServer()
	workflowservice.RegisterWorkflowServiceServer(server, polled{})
	go func() { _ = server.Serve(l) }() // it ends with the test
	t.Cleanup(server.Stop)
	require.NoError(t, <-answers)
}
