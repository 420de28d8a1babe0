package exec

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	awstarget "github.com/plimsoll/plimsoll/internal/server/aws"
)

// The null client calls for nullTime, and so many times at least.
const (
	nullTime  = 1250 * time.Millisecond
	nullCalls = 20
)

// callNull makes calls by net/http alone, one after the other on one connection, with
// a request like one that the command made. When enough is closed, the least number of calls will do.
func callNull(ctx context.Context, enough <-chan struct{}, url, certificate string, request *nullRequest) error {
	transport := &http.Transport{MaxConnsPerHost: 1, DisableCompression: true, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP2(request.http2)
	transport.Protocols.SetHTTP1(!request.http2)
	defer transport.CloseIdleConnections()
	if certificate != "" {
		pem, err := os.ReadFile(certificate)
		if err != nil {
			return fault.New(fault.RunFailed, "cannot read the certificate of the demo server: %w",
				outfile.Reason(err))
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(pem)
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	hurried := func() bool {
		select {
		case <-enough:
			return true
		default:
			return false
		}
	}
	for begun, n := time.Now(), 0; n < nullCalls || time.Since(begun) < nullTime && !hurried(); n++ {
		if err := request.send(ctx, transport, url); err != nil {
			return fault.New(fault.RunFailed, "cannot measure the null client: %w", err)
		}
	}
	return nil
}

// nullRequest is what the null client sends.
type nullRequest struct {
	method, path string
	header       http.Header
	body         string
	http2        bool
}

func (r *nullRequest) send(ctx context.Context, transport *http.Transport, url string) error {
	var body io.Reader
	if r.body != "" {
		body = strings.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, url+r.path, body)
	if err != nil {
		return err
	}
	req.Header = r.header
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close() // it was read to its end, or failed
	return err
}

// How long the parts of a request are, about.
const (
	nullHead    = 250     // of the null client's own headers
	nullSigned  = 700     // of what a signature adds to them
	nullPayload = 1 << 20 // of the largest body that is worth imitating
)

// nullShape makes a request of the operation and the length of one that was seen. What it
// cannot imitate, it sends as DynamoDB's GetItem.
func nullShape(like Exchange) *nullRequest {
	pad := max(0, like.Bytes-nullHead)
	signed := min(pad, nullSigned)
	r := &nullRequest{
		method: http.MethodPost, path: "/", http2: like.Protocol == awstarget.HTTP2,
		header: http.Header{"X-Plimsoll-Padding": {strings.Repeat("a", int(signed))}},
	}
	body := strings.Repeat("a", int(min(pad-signed, nullPayload)))
	json := func(target string) *nullRequest {
		r.header.Set("X-Amz-Target", target)
		r.header.Set("Content-Type", "application/x-amz-json-1.0")
		r.body = `{"TableName":"plimsoll","Padding":"` + body + `"}`
		return r
	}
	method := map[string]string{"HeadObject": http.MethodHead, "GetObject": http.MethodGet,
		"PutObject": http.MethodPut}[like.Operation]
	if like.Operation == "" {
		like.Service = "" // what the responder does not know, neither does the null client
	}
	switch like.Service {
	case awstarget.S3, awstarget.S3Express:
		if method == "" {
			break
		}
		r.method, r.path = method, "/plimsoll/key"
		if like.Service == awstarget.S3Express {
			r.path = "/plimsoll--x-s3/key"
		}
		if method == http.MethodPut {
			r.body = body
		}
		return r
	case awstarget.SNS, awstarget.STS, awstarget.IAM:
		r.header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.body = "Action=" + like.Operation + "&Padding=" + body
		return r
	case awstarget.SecretsManager:
		return json("secretsmanager." + like.Operation)
	case awstarget.EventBridge:
		return json("AWSEvents." + like.Operation)
	case awstarget.CloudWatch:
		return json("GraniteServiceVersion20100801." + like.Operation)
	case awstarget.DynamoDB:
		return json("DynamoDB_20120810." + like.Operation)
	}
	return json("DynamoDB_20120810.GetItem")
}
