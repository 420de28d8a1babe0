package services

import (
	"testing"
	"time"
)

// at returns access to the server at url, with no other settings.
func at(url string) Access { return Access{Endpoint: url, Timeout: time.Minute} }

// standAt returns a Stand for the server at url that hardly pauses between tries.
func standAt(t *testing.T, url string) *Stand {
	t.Helper()
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
	remote, err := Connect(t.Context(), t.Context(), at(url))
	if err != nil {
		t.Fatal(err)
	}
	s := NewStand(remote, Needs{Timeout: time.Minute})
	t.Cleanup(s.Close)
	s.pause = time.Millisecond
	return s
}
