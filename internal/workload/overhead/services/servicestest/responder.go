package servicestest

import (
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Responder answers a few operations, and counts them.
type Responder struct {
	mu    sync.Mutex
	count map[string]int
	last  map[string]string // the last body of each operation
	// Answer, if not nil, answers an operation in another way; false leaves it as it is.
	Answer func(w http.ResponseWriter, operation string) bool
}

// ServeHTTP answers a request.
func (s *Responder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	operation := OperationOf(r, string(body))
	s.mu.Lock()
	if s.count == nil {
		s.count, s.last = map[string]int{}, map[string]string{}
	}
	s.count[operation]++
	s.last[operation] = string(body)
	s.mu.Unlock()
	if s.Answer != nil && s.Answer(w, operation) {
		return
	}
	switch operation {
	case "DynamoDB CreateTable":
		JSON(w, `{"TableDescription":{"TableStatus":"ACTIVE"}}`)
	case "GetCallerIdentity":
		w.Header().Set("Content-Type", "text/xml")
		fmt.Fprint(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">`+
			`<GetCallerIdentityResult><Arn>a</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`)
	case "session":
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprint(w, `<CreateSessionResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Credentials>`+
			`<SessionToken>t</SessionToken><SecretAccessKey>s</SecretAccessKey><AccessKeyId>k</AccessKeyId>`+
			`<Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></CreateSessionResult>`)
	default:
		if r.Header.Get("X-Amz-Target") != "" {
			JSON(w, `{}`)
			return
		}
		w.Header().Set("Etag", `"e"`)
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
		}
		if r.Method == http.MethodGet {
			fmt.Fprint(w, "sixteen bytes, .")
		}
	}
}

// JSON answers in the way of a service that speaks JSON.
func JSON(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.Header().Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(body))), 10))
	fmt.Fprint(w, body)
}

// OperationOf is which operation a request is of.
func OperationOf(r *http.Request, body string) string {
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		version, op, _ := strings.Cut(target, ".")
		service, _, _ := strings.Cut(version, "_")
		return service + " " + op
	}
	if i := strings.Index(body, "Action="); i >= 0 {
		op, _, _ := strings.Cut(body[i+len("Action="):], "&")
		return op
	}
	if r.URL.Query().Has("session") {
		return "session"
	}
	level := "bucket"
	if strings.HasSuffix(r.URL.Path, "object") {
		level = "object"
	}
	return r.Method + " " + level
}

// Counted is how often an operation was asked for.
func (s *Responder) Counted(operation string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[operation]
}

// Total is how often anything was asked for.
func (s *Responder) Total() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, each := range s.count {
		n += each
	}
	return n
}

// Body is what an operation was asked with last.
func (s *Responder) Body(operation string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last[operation]
}

// Refuse answers with an error of a service that speaks JSON.
func Refuse(w http.ResponseWriter, code string) bool {
	w.Header().Set("X-Amzn-Errortype", code)
	w.WriteHeader(http.StatusBadRequest)
	return true
}

// Serve serves it until the test ends, and gives its URL.
func Serve(t testing.TB, h http.Handler) string {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}
