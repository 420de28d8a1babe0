package s3

import (
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
	"github.com/plimsoll/plimsoll/internal/server/s3/sigv4"
)

// serveHTTP answers one request.
func (s *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	if s.serveOwn(w, r) {
		return
	}
	x := &request{s: s, w: w, r: r, ctx: r.Context(), received: time.Now(), number: s.requests.Add(1)}
	s.metrics.inFlight.Inc()
	admitted := s.admitted.Enter()
	defer func() {
		x.endBody()
		x.endDocument()
		if admitted {
			s.admitted.Leave()
		}
		s.metrics.inFlight.Dec()
		s.metrics.request(x.name, x.status)
	}()
	x.decision = s.cfg.decide(x.number)
	err := x.route(admitted)
	if err != nil {
		x.fail(err)
	}
}

// route finds the operation and performs it.
func (x *request) route(admitted bool) error {
	x.address()
	var bad *refusal.Error
	x.query, bad = sigv4.ParseQuery(x.r.URL.RawQuery)
	op := x.operation()
	x.name = op.name
	if bad != nil {
		return bad
	}
	if x.signed, bad = x.s.identity.Check(x.r, x.query, x.s.now()); bad != nil {
		return bad
	}
	if !admitted {
		return slowDown()
	}
	if x.decision.fail {
		x.s.metrics.faults[faultError].Inc()
		return slowDown()
	}
	if err := x.check(op); err != nil {
		return err
	}
	return op.serve(x)
}

func slowDown() *refusal.Error {
	return refusal.New(http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate.")
}

// check refuses what no operation takes.
func (x *request) check(op *operation) error {
	if op.serve == nil {
		return refusal.NotImplemented(op.name)
	}
	if x.bucket != "" {
		if why := badBucketName(x.bucket); why != "" {
			return refusal.BadRequest("InvalidBucketName", "The specified bucket is not valid: %s.", why).
				With("BucketName", x.bucket)
		}
	}
	if err := checkKey(x.key); err != nil {
		return err
	}
	for _, name := range refusedHeaders {
		if x.r.Header.Get(name) != "" {
			return refusal.NotImplemented("the header "+strings.ToLower(name)).With("Header", strings.ToLower(name))
		}
	}
	if v := x.param("versionId"); v != "" && v != "null" {
		return refusal.NotImplemented("versionId")
	}
	return nil
}

// refusedHeaders would change what an operation does.
var refusedHeaders = [...]string{
	"X-Amz-Server-Side-Encryption", "X-Amz-Server-Side-Encryption-Customer-Algorithm", "X-Amz-Tagging",
	"X-Amz-Website-Redirect-Location", "X-Amz-Object-Lock-Mode", "X-Amz-Write-Offset-Bytes",
}

// address splits the URL into bucket and key: http://BUCKET.DOMAIN/KEY or http://HOST/BUCKET/KEY.
func (x *request) address() {
	path := strings.TrimPrefix(x.r.URL.Path, "/")
	if x.bucket = x.s.hostBucket(x.r.Host); x.bucket != "" {
		x.key = path
		return
	}
	x.bucket, x.key, _ = strings.Cut(path, "/")
}

// hostBucket is the bucket that a host's name addresses, or "".
func (s *Server) hostBucket(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	bucket, found := strings.CutSuffix(strings.ToLower(host), "."+s.cfg.Domain)
	if !found || s.cfg.Domain == "" {
		return ""
	}
	return bucket
}

// operation is one of the API's.
type operation struct {
	name  string
	serve func(*request) error // nil: not implemented
}

// operation finds what the request asks for.
func (x *request) operation() *operation {
	level, method := "Object", x.r.Method
	switch {
	case x.bucket == "":
		level = "Service"
	case x.key == "":
		level = "Bucket"
	}
	for i := range operations {
		o := &operations[i]
		if o.method != method || o.level != level || !x.matches(o) {
			continue
		}
		return &operation{o.name, o.serve}
	}
	return &operation{name: unknownOperation(level, method)}
}

// unknownOperation is the name of what is in no table. It is one of a few, since it labels a
// metric.
func unknownOperation(level, method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodOptions:
		return method + " " + level
	}
	return "unknown method"
}

func (x *request) matches(o *route) bool {
	if o.header != "" && x.r.Header.Get(o.header) == "" {
		return false
	}
	return o.query == "" || x.query.Has(o.query)
}

// serveOwn answers what is not S3: no bucket's name begins with an underscore.
func (s *Server) serveOwn(w http.ResponseWriter, r *http.Request) bool {
	if s.hostBucket(r.Host) != "" {
		return false
	}
	switch r.URL.Path {
	case "/_plimsoll/metrics":
		if !s.knows(r) {
			w.Header().Set("WWW-Authenticate", `Basic realm="access key and secret key"`)
			http.Error(w, "metrics require a signed request, or the access key and secret key as user and password",
				http.StatusUnauthorized)
			return true
		}
		s.metrics.Handler().ServeHTTP(w, r)
	case "/_plimsoll/health":
		server.AnswerJSON(w, http.StatusOK, map[string]any{"status": "UP"})
	default:
		return false
	}
	return true
}

// knows reports whether a request is of somebody who may see what the server did: it is signed, or has the keys as user
// and password, since Prometheus cannot sign.
func (s *Server) knows(r *http.Request) bool {
	if user, password, is := r.BasicAuth(); is {
		right := subtle.ConstantTimeCompare([]byte(user), []byte(s.cfg.AccessKey)) &
			subtle.ConstantTimeCompare([]byte(password), []byte(s.cfg.SecretKey))
		return right == 1
	}
	query, bad := sigv4.ParseQuery(r.URL.RawQuery)
	if bad == nil {
		_, bad = s.identity.Check(r, query, s.now())
	}
	return bad == nil
}
