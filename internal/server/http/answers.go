package http

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/server"
)

// plain answers with the status and the size that are asked for.
func (s *Server) plain(w http.ResponseWriter, r *http.Request, asked wish) {
	if !drain(w, r) {
		return
	}
	if asked.status == http.StatusNoContent || asked.status == http.StatusNotModified {
		w.WriteHeader(asked.status)
		return
	}
	if asked.size == 0 {
		server.AnswerJSON(w, asked.status, map[string]any{"ok": asked.status < 400, "path": r.URL.Path, "method": r.Method})
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.FormatInt(asked.size, 10))
	w.WriteHeader(asked.status)
	if r.Method != http.MethodHead {
		write(w, asked.size)
	}
}

// drain reads the body of a request to its end, since what is not read may cost the connection; false when it has
// answered that it cannot.
func drain(w http.ResponseWriter, r *http.Request) bool {
	_, err := io.Copy(io.Discard, r.Body)
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		refuse(w, http.StatusRequestEntityTooLarge, "the body is longer than "+strconv.FormatInt(tooLong.Limit, 10)+" bytes")
		return false
	}
	return err == nil
}

// lines are what answers of a size are made of: 64 bytes, of which each has its place.
const lines = "The depth to which she may be laden is marked upon her side. -\n\n"

// write sends n bytes of lines.
func write(w io.Writer, n int64) {
	const many = 512
	block := make([]byte, 0, min(int64(many*len(lines)), n+int64(len(lines))))
	for int64(len(block)) < min(n, many*int64(len(lines))) {
		block = append(block, lines...)
	}
	for n > 0 {
		part := block[:min(int64(len(block)), n)]
		if _, err := w.Write(part); err != nil {
			return // the client has left
		}
		n -= int64(len(part))
	}
}

// echo sends the body back, or with ?headers the headers as JSON.
func (s *Server) echo(w http.ResponseWriter, r *http.Request, _ wish) {
	if r.URL.Query().Has("headers") {
		if drain(w, r) {
			server.AnswerJSON(w, http.StatusOK, map[string]any{
				"method": r.Method, "path": r.URL.Path, "query": r.URL.RawQuery, "host": r.Host, "protocol": r.Proto,
				"headers": r.Header, "remote": r.RemoteAddr,
			})
		}
		return
	}
	if kind := r.Header.Get("Content-Type"); kind != "" {
		w.Header().Set("Content-Type", kind)
	} else {
		w.Header().Set("Content-Type", "application/octet-stream")
	}
	if r.ContentLength >= 0 {
		w.Header().Set("Content-Length", strconv.FormatInt(r.ContentLength, 10))
	}
	_, _ = io.Copy(w, r.Body) // what goes wrong ends the answer short, which the client sees
}

// chunked sends a body of unknown length, with a trailer behind it.
func (s *Server) chunked(w http.ResponseWriter, r *http.Request, asked wish) {
	if !drain(w, r) {
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Trailer", "X-Bytes")
	w.WriteHeader(asked.status)
	_ = http.NewResponseController(w).Flush() // so that the length is not known
	write(w, asked.size)
	w.Header().Set("X-Bytes", strconv.FormatInt(asked.size, 10))
}

// gzip sends a compressed body, whoever asked for it.
func (s *Server) gzip(w http.ResponseWriter, r *http.Request, asked wish) {
	if !drain(w, r) {
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(asked.status)
	z := gzip.NewWriter(w)
	write(z, asked.size)
	_ = z.Close()
}

// redirect leads on so many times, and then to the plain answer.
func (s *Server) redirect(w http.ResponseWriter, r *http.Request, asked wish) {
	n, err := strconv.Atoi(r.PathValue("times"))
	if err != nil || n < 0 || n > 1000 {
		refuse(w, http.StatusBadRequest, "the path must end with the number of redirects, at most 1000")
		return
	}
	to := "/"
	if n > 1 {
		to = "/redirect/" + strconv.Itoa(n-1)
	}
	if n == 0 {
		s.plain(w, r, asked)
		return
	}
	http.Redirect(w, r, to, http.StatusFound)
}
