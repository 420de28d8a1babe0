package hdfs

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// digest is one login by DIGEST-MD5 (RFC 2831), with the quality of protection "auth".
type digest struct {
	username, realm, nonce, cnonce, uri string
	secret                              [md5.Size]byte // the digest of user, realm and password
}

var errProtection = errors.New("the namenode requires signed or encrypted RPC (hadoop.rpc.protection), which is " +
	"not supported with delegation tokens")

// newDigest reads the server's challenge.
func newDigest(challenge []byte, t *token, uri string) (*digest, error) {
	given := directives(string(challenge))
	if given["nonce"] == "" || given["algorithm"] != "md5-sess" {
		return nil, errors.New("the namenode's challenge is not DIGEST-MD5")
	}
	if strings.ContainsAny(given["nonce"]+given["realm"]+uri, "\"\\\x00") {
		return nil, errors.New("the namenode's challenge contains unsupported characters")
	}
	protections := strings.Split(strings.ReplaceAll(given["qop"], " ", ""), ",")
	if given["qop"] != "" && !slices.Contains(protections, "auth") {
		return nil, errProtection
	}
	d := &digest{username: t.username(), realm: given["realm"], nonce: given["nonce"], cnonce: rand.Text(), uri: uri}
	d.secret = secretOf(d.username, d.realm, t.secret())
	return d, nil
}

func secretOf(username, realm, password string) [md5.Size]byte {
	return md5.Sum([]byte(username + ":" + realm + ":" + password))
}

// key is the value that proves the knowledge of the password. method is AUTHENTICATE in what
// the client sends and "" in what the server sends.
func (d *digest) key(method string) string {
	a1 := md5.Sum([]byte(string(d.secret[:]) + ":" + d.nonce + ":" + d.cnonce))
	a2 := md5.Sum([]byte(method + ":" + d.uri))
	sum := md5.Sum([]byte(hex.EncodeToString(a1[:]) + ":" + d.nonce + ":00000001:" + d.cnonce + ":auth:" +
		hex.EncodeToString(a2[:])))
	return hex.EncodeToString(sum[:])
}

// response is what the client answers to the challenge.
func (d *digest) response() []byte {
	return fmt.Appendf(nil,
		`charset=utf-8,username="%s",realm="%s",nonce="%s",nc=00000001,cnonce="%s",`+
			`digest-uri="%s",maxbuf=65536,response=%s,qop=auth`,
		d.username, d.realm, d.nonce, d.cnonce, d.uri, d.key("AUTHENTICATE"))
}

// proves tells whether what the server sent at last shows that it knows the password, too.
func (d *digest) proves(answer []byte) bool {
	given := directives(string(answer))["rspauth"]
	return subtle.ConstantTimeCompare([]byte(given), []byte(d.key(""))) == 1
}
