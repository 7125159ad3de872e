package metrics

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Server serves the metrics of a run at /metrics.
type Server struct {
	listener net.Listener
	http     *http.Server
	done     chan error
}

// Serve listens at host:port; port 0 takes any free one.
func (m *Metrics) Serve(address string) (*Server, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	s := &Server{listener: l, done: make(chan error, 1),
		http: &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}}
	go func() { s.done <- s.http.Serve(l) }()
	return s, nil
}

// Address is where the server listens.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close ends the server after the requests under way, or after a second.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = s.http.Close()
	}
	if serveErr := <-s.done; !errors.Is(serveErr, http.ErrServerClosed) {
		return serveErr
	}
	return err
}
