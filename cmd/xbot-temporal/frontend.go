package main

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// frontendLimit bounds the wait for a started server to call itself healthy; it takes milliseconds.
const frontendLimit = 15 * time.Second

// awaitFrontend returns once the frontend at addr serves, over the same kind of connection that clients use.
func awaitFrontend(ctx context.Context, addr string, certs certificates) error {
	ctx, cancel := context.WithTimeout(ctx, frontendLimit)
	defer cancel()
	transport := insecure.NewCredentials()
	if certs.enabled() {
		client, err := certs.provider().GetFrontendClientConfig()
		if err != nil {
			return fmt.Errorf("prepare the client certificate: %w", err)
		}
		transport = credentials.NewTLS(client)
	}
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(transport))
	if err != nil {
		return fmt.Errorf("prepare a connection to the frontend: %w", err)
	}
	defer conn.Close()

	health := grpc_health_v1.NewHealthClient(conn)
	request := &grpc_health_v1.HealthCheckRequest{Service: "temporal.api.workflowservice.v1.WorkflowService"}
	for {
		answer, err := health.Check(ctx, request, grpc.WaitForReady(true))
		if err == nil && answer.GetStatus() == grpc_health_v1.HealthCheckResponse_SERVING {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the frontend at %s is not healthy %s after its start (%w); start again with --log-level=info to see why", addr, frontendLimit, err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
