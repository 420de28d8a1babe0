package store

import "net/http"

// seen is a transport that keeps the request.
type seen struct {
	request *http.Request
	err     error
}

func (s *seen) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.request = req; s.err != nil {
		return nil, s.err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: req}, nil
}

// closing closes the connection when so much was read.
type closing struct {
	*partBody
	conn  *partConn
	after int
}

func (c closing) Read(p []byte) (int, error) {
	if c.position() > c.after {
		_ = c.conn.Close()
	}
	return c.partBody.Read(p)
}
