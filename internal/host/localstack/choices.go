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
	"time"
)

// Ports are chosen below the ranges from which Linux (32768) and macOS (49152) take the local ports of outgoing
// connections, and below those from which xbot-temporal takes its inner ones, so that the chosen ones stay free between two
// starts.
const (
	firstPort = 20000
	lastPort  = 26000
)

const (
	listenTries = 10
	listenPause = 20 * time.Millisecond
)

// The variables by which the product's configuration sets the ports of Config.
const (
	portVariable   = "XBOT_TEMPORAL_PORT"
	uiPortVariable = "XBOT_TEMPORAL_UI_PORT"
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
	err = json.Unmarshal(text, &chosen)
	if err == nil && (!isPort(chosen.TemporalPort) || !isPort(chosen.UIPort)) {
		err = errors.New("a port is not a number from 0 to 65535")
	}
	if err != nil {
		return choices{}, fmt.Errorf("%s is damaged; remove it, and new ports are chosen: %w", h.path("localstack.json"), err)
	}
	return chosen, nil
}

func isPort(n int) bool { return n >= 0 && n <= 65535 }

// keepChoices returns the earlier choices, overridden by the configuration, and stores them.
func (h home) keepChoices(cfg Config, socket string) (choices, error) {
	if err := checkPorts(cfg); err != nil {
		return choices{}, err
	}
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
	if err := chosen.pickPorts(cfg); err != nil {
		return choices{}, err
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

// forgetChoices makes the next start choose again.
func (h home) forgetChoices() error { return os.Remove(h.path("localstack.json")) }

func checkPorts(cfg Config) error {
	for variable, port := range map[string]int{portVariable: cfg.TemporalPort, uiPortVariable: cfg.UIPort} {
		if !isPort(port) {
			return fmt.Errorf("%s is %d; set it to a port from 1 to 65535, or to 0 for one chosen by xbot", variable, port)
		}
	}
	if cfg.TemporalPort != 0 && cfg.TemporalPort == cfg.UIPort {
		return fmt.Errorf("%s and %s are both %d; set them to two ports", portVariable, uiPortVariable, cfg.UIPort)
	}
	return nil
}

// pickPorts chooses the ports that are still 0. Of two that are the same, the configured one stays.
func (c *choices) pickPorts(cfg Config) error {
	if c.TemporalPort == c.UIPort {
		c.TemporalPort, c.UIPort = cfg.TemporalPort, cfg.UIPort
	}
	for _, port := range []*int{&c.TemporalPort, &c.UIPort} {
		for *port == 0 || c.TemporalPort == c.UIPort {
			picked, err := freePort()
			if err != nil {
				return err
			}
			*port = picked
		}
	}
	return nil
}

// freePort finds a loopback port on which no program listens.
func freePort() (int, error) {
	var err error
	for range 200 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		if err = listenOnce(port); err == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no port from %d to %d is free on 127.0.0.1; set %s and %s: %w", firstPort, lastPort, portVariable, uiPortVariable, err)
}

// tryListen listens on a port for a moment. A program that is being started at the same time has a copy of the socket until it
// runs, so that a port which was just tried can seem to be taken for a moment.
func tryListen(port int) error {
	var err error
	for range listenTries {
		if err = listenOnce(port); err == nil {
			return nil
		}
		<-time.After(listenPause)
	}
	return err
}

func listenOnce(port int) error {
	l, err := net.Listen("tcp", loopback(port))
	if err != nil {
		return err
	}
	return l.Close()
}
