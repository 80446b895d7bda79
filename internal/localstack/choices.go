package localstack

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
)

// Ports are chosen below the ranges from which Linux (32768) and macOS (49152) take the local ports of outgoing
// connections, so that the chosen ones stay free between two starts.
const (
	firstPort = 20000
	lastPort  = 32000
)

// choices are kept, so that addresses stay the same from start to start.
type choices struct {
	TemporalPort int    `json:"temporal_port"`
	UIPort       int    `json:"temporal_ui_port"`
	Namespace    string `json:"namespace"`
	Socket       string `json:"postgres_socket"` // folder
}

func (h home) readChoices() (choices, error) {
	var chosen choices
	text, err := os.ReadFile(h.path("localstack.json"))
	if err != nil {
		return choices{}, err
	}
	if err := json.Unmarshal(text, &chosen); err != nil {
		return choices{}, fmt.Errorf("%s is damaged; remove it, and new ports are chosen: %w", h.path("localstack.json"), err)
	}
	return chosen, nil
}

// keepChoices returns what was chosen before, changed by what the configuration says, and keeps it.
func (h home) keepChoices(cfg Config, socket string) (choices, error) {
	before, err := h.readChoices()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return choices{}, err
	}
	chosen := choices{
		TemporalPort: cmp.Or(cfg.TemporalPort, before.TemporalPort),
		UIPort:       cmp.Or(cfg.UIPort, before.UIPort),
		Namespace:    cmp.Or(cfg.Namespace, before.Namespace, "default"),
		Socket:       socket,
	}
	for _, port := range []*int{&chosen.TemporalPort, &chosen.UIPort} {
		for *port == 0 || chosen.TemporalPort == chosen.UIPort {
			if *port, err = freePort(); err != nil {
				return choices{}, err
			}
		}
	}
	if chosen == before {
		return chosen, nil
	}
	text, err := json.MarshalIndent(chosen, "", "  ")
	if err != nil {
		return choices{}, fmt.Errorf("encode the choices of the local stack: %w", err)
	}
	if err := writePrivate(h.path("localstack.json"), append(text, '\n')); err != nil {
		return choices{}, fmt.Errorf("keep the choices of the local stack: %w", err)
	}
	return chosen, nil
}

// freePort finds a loopback port on which nobody listens.
func freePort() (int, error) {
	var err error
	for range 200 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		if err = tryListen(port); err == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no port from %d to %d is free on 127.0.0.1; set XBOT_TEMPORAL_PORT and XBOT_TEMPORAL_UI_PORT: %w", firstPort, lastPort, err)
}

func tryListen(port int) error {
	l, err := net.Listen("tcp", loopback(port))
	if err != nil {
		return err
	}
	return l.Close()
}
