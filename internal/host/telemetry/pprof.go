package telemetry

import (
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"xbot/internal/fault"
)

// ServeProfiles answers /debug/pprof/ on a loopback address for as long as the process lives. Profiles show what the
// process has in memory, so no other address is accepted.
func ServeProfiles(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return fault.Errorf(fault.Invalid, "XBOT_PPROF_ADDR is %q; profiles are only served on a loopback address such as 127.0.0.1:6060", addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fault.Errorf(fault.Invalid, "XBOT_PPROF_ADDR: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }() // ends with the process
	return nil
}
