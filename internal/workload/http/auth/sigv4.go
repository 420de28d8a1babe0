package auth

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/plimsoll/plimsoll/internal/awsload"
)

// Signer signs requests to a service of AWS.
type Signer struct {
	service, region string
	keys            aws.CredentialsProvider
	of              *v4.Signer
}

// NewSigner takes the credentials that the environment, the shared files or the machine's role give.
// A request for them may take so long.
func NewSigner(ctx context.Context, service, region string, within time.Duration) (*Signer, error) {
	loaded, err := awsload.Load(ctx, awsload.Options{Region: region, Within: within})
	if err != nil {
		return nil, errors.New("cannot read the AWS configuration")
	}
	if _, err := loaded.Credentials.Retrieve(ctx); err != nil {
		return nil, errors.New("no AWS credentials found")
	}
	s := &Signer{service: service, region: region, keys: loaded.Credentials}
	s.of = v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = service == "s3" })
	return s, nil
}

// Now is the time that a signature made now would have.
func (s *Signer) Now() time.Time { return time.Now() }

// Sign gives the text of an HTTP/1.1 request with a signature of this moment: its headers of AWS and its Authorization
// are replaced. A text that is no request stays as it is.
func (s *Signer) Sign(text []byte) []byte {
	head, body, whole := bytes.Cut(text, []byte("\r\n\r\n"))
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(text)))
	if err != nil || !whole {
		return text
	}
	keys, err := s.keys.Retrieve(context.Background()) // cached, but for the moment when they expire
	if err != nil {
		return text // which the service refuses
	}
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	signed := &http.Request{Method: r.Method, URL: r.URL, Host: r.Host, Header: http.Header{},
		ContentLength: int64(len(body))}
	signed.URL.Host = r.Host
	if kind := r.Header.Get("Content-Type"); kind != "" {
		signed.Header.Set("Content-Type", kind)
	}
	signed.Header.Set("X-Amz-Content-Sha256", hash)
	for name, values := range r.Header {
		if !replaced(name) && strings.HasPrefix(name, "X-Amz-") {
			signed.Header[name] = values
		}
	}
	if err := s.of.SignHTTP(context.Background(), keys, signed, hash, s.service, s.region, s.Now()); err != nil {
		return text
	}
	var b []byte
	for line := range bytes.SplitSeq(head, []byte("\r\n")) {
		if name, _, _ := bytes.Cut(line, []byte(":")); !replaced(http.CanonicalHeaderKey(string(name))) {
			b = append(append(b, line...), "\r\n"...)
		}
	}
	for _, name := range ofSignature {
		if v := signed.Header.Get(name); v != "" {
			b = append(b, name+": "+v+"\r\n"...)
		}
	}
	return append(append(b, "\r\n"...), body...)
}

// ofSignature are the headers that belong to a signature.
var ofSignature = [...]string{"Authorization", "X-Amz-Date", "X-Amz-Security-Token", "X-Amz-Content-Sha256"}

func replaced(name string) bool {
	for _, of := range ofSignature {
		if name == of {
			return true
		}
	}
	return false
}
