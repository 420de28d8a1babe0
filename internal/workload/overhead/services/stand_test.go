package services

import (
	"testing"
	"time"
)

// at is access to a server, as a run without anything else has it.
func at(url string) Access { return Access{Endpoint: url, Timeout: 10 * time.Second} }

// standAt is a stand at a server that waits for hardly anything.
func standAt(t *testing.T, url string) *Stand {
	t.Helper()
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
	remote, err := Connect(t.Context(), t.Context(), at(url))
	if err != nil {
		t.Fatal(err)
	}
	s := NewStand(remote, Needs{Timeout: 10 * time.Second})
	t.Cleanup(s.Close)
	s.pause = time.Millisecond
	return s
}
