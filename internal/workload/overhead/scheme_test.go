package overhead

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/cause"
)

// A URL with the wrong scheme is found out at once, whichever it is, and so is what to do.
func TestWrongSchemeIsReported(t *testing.T) {
	nginx := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w,
			"<html>\r\n<head><title>400 The plain HTTP request was sent to HTTPS port</title></head>")
	}
	for name, test := range map[string]struct {
		tls      bool
		from, to string
		want     string
		answer   http.HandlerFunc
	}{
		"http at TLS":   {true, "https:", "http:", "the server expects TLS, but the request was plain HTTP", nil},
		"nginx":         {false, "", "", "the server expects TLS, but the request was plain HTTP", nginx},
		"https at HTTP": {false, "http:", "https:", "the server expects plain HTTP, but the request used TLS", nil},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(test.answer)
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.TLS = &tls.Config{}
			if test.tls {
				server.Listener = lingering{server.Listener}
				server.StartTLS()
			} else {
				server.Start()
			}
			defer server.Close()
			l := newLab(t, func(p *Plan) { p.Endpoint = strings.Replace(server.URL, test.from, test.to, 1) },
				"DynamoDB", "SecretsManager")
			_, result := l.run(t)
			f := result.Failure
			if f == nil || f.Cause != cause.Scheme || f.Error() != "DynamoDB/CreateTable: "+test.want ||
				!strings.HasPrefix(f.Hint(), "correct the scheme of --endpoint") {
				t.Errorf("%+v", f)
			}
			if len(result.Left) > 0 {
				t.Errorf("what was never there could not be removed: %q", result.Left)
			}
		})
	}
}

// lingering closes connections when their clients have: net/http answers a request that is not TLS
// and closes without having read all of it, with which the answer can be lost on its way.
type lingering struct{ net.Listener }

func (l lingering) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return lingers{c.(*net.TCPConn)}, nil
}

type lingers struct{ *net.TCPConn }

func (c lingers) Close() error {
	_ = c.CloseWrite()
	_, _ = io.Copy(io.Discard, c)
	return c.TCPConn.Close()
}
