package container

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIsAbsent_IsAMissingContainerAndNotAMissingEngine(t *testing.T) {
	for message, want := range map[string]bool{
		"Error: No such container: xbot-1":                                                                  true, // Docker
		"Error response from daemon: No such container: xbot-1":                                             true,
		"Error: No such object: xbot-1":                                                                     true,
		`Error: no container with name or ID "xbot-1" found: no such container`:                             true, // Podman
		`Error: error inspecting object: no such object: "xbot-1"`:                                          true,
		`time="2025-01-01T00:00:00Z" level=fatal msg="no such container: xbot-1"`:                           true, // nerdctl
		"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?": false,
		"failed to connect to the docker API at unix:///var/run/docker.sock; check if the path is correct and if the daemon is running: dial unix /var/run/docker.sock: connect: no such file or directory": false, // Docker 29
		"Error response from daemon: No such image: debian:bookworm": false,
		"": false,
	} {
		require.Equal(t, want, isAbsent(&engineError{action: "docker inspect", said: message, err: errors.New("exit status 1")}), message)
	}
	require.False(t, isAbsent(nil))
	require.False(t, isAbsent(errors.New("no such container")), "not of the engine")
}
