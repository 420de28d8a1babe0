package peertest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Between stands between clients and the server at an address, for the time of a test, and gives its own address. copy
// hands on what a client says, until the client or the server has gone; what the server says goes through. It runs once
// for each connection, and an error of it fails the test.
func Between(t testing.TB, address string, copy func(server io.Writer, client io.Reader) error) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		all.Wait()
	})
	all.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", address)
			if err != nil {
				t.Error(err)
				_ = client.Close()
				return
			}
			end := func() {
				_ = client.Close()
				_ = server.Close()
			}
			all.Go(func() {
				defer end()
				_, _ = io.Copy(client, server)
			})
			all.Go(func() {
				defer end()
				if err := copy(server, client); err != nil {
					t.Error(err)
				}
			})
		}
	})
	return listener.Addr().String()
}
