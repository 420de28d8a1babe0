package hdfs

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// token is a delegation token, which stands for a user.
type token struct {
	user       string
	identifier []byte
	password   []byte
}

// The states of RpcSaslProto.
const (
	saslSuccess   = 0
	saslNegotiate = 1
	saslInitiate  = 2
	saslChallenge = 3
	saslResponse  = 4
)

// saslMessage is RpcSaslProto.
type saslMessage struct {
	state uint64
	token []byte
	auths []saslAuth
}

// saslAuth is a way to log in.
type saslAuth struct {
	method, mechanism, protocol, server string
	challenge                           []byte
}

// errLogin is for a login that was refused, or that cannot be done.
var errLogin = errors.New("login with the delegation token")

// login begins a connection to a namenode and logs in by SASL with DIGEST-MD5, as Hadoop's
// SaslRpcClient does. It asks for authentication alone: what follows is neither signed nor
// encrypted.
func (t *token) login(conn io.ReadWriter) error {
	if _, err := io.WriteString(conn, preface[:6]+"\xdf"); err != nil {
		return err
	}
	offer, err := askNamenode(conn, saslMessage{state: saslNegotiate})
	if err != nil {
		return err
	}
	auth, ok := offered(offer.auths)
	if offer.state != saslNegotiate || !ok {
		return fmt.Errorf("%w: the namenode does not support it", errLogin)
	}
	digest, err := newDigest(auth.challenge, t, auth.protocol+"/"+auth.server)
	if err != nil {
		return fmt.Errorf("%w: %w", errLogin, err)
	}
	auth.challenge = nil
	answer, err := askNamenode(conn,
		saslMessage{state: saslInitiate, token: digest.response(), auths: []saslAuth{auth}})
	if err != nil {
		return err
	}
	if answer.state == saslChallenge {
		// The server proves itself first, and asks for an empty answer.
		if !digest.proves(answer.token) {
			return fmt.Errorf("%w: the namenode does not know the token's password", errLogin)
		}
		answer, err = askNamenode(conn, saslMessage{state: saslResponse, token: []byte{}})
		if err != nil {
			return err
		}
	} else if !digest.proves(answer.token) {
		return fmt.Errorf("%w: the namenode does not know the token's password", errLogin)
	}
	if answer.state != saslSuccess {
		return fmt.Errorf("%w: the namenode responded with an unknown state: %d", errLogin, answer.state)
	}
	return nil
}

// offered is the way to log in with a token, if the namenode has one.
func offered(auths []saslAuth) (saslAuth, bool) {
	for _, a := range auths {
		if a.method == "TOKEN" && a.mechanism == "DIGEST-MD5" && a.challenge != nil {
			return a, true
		}
	}
	return saslAuth{}, false
}

// askNamenode sends a message and reads the answer.
func askNamenode(conn io.ReadWriter, m saslMessage) (saslMessage, error) {
	if _, err := conn.Write(m.frame()); err != nil {
		return saslMessage{}, err
	}
	frame, err := readFrame(conn)
	if err != nil {
		return saslMessage{}, err
	}
	r, err := remoteError(frame[4:])
	if err != nil {
		return saslMessage{}, err
	}
	if r != nil {
		return saslMessage{}, &refused{*r}
	}
	_, n := protowire.ConsumeBytes(frame[4:])
	body, k := protowire.ConsumeBytes(frame[4+n:])
	if k < 0 {
		return saslMessage{}, errNotHadoop
	}
	return parseSASL(body)
}

// refused is a login that the namenode refused.
type refused struct{ remote }

func (r *refused) Error() string { return errLogin.Error() + ": " + r.message }

func (r *refused) Unwrap() error { return errLogin }

// frame is the message as it is sent: its length, RpcRequestHeaderProto with the call id -33
// and no client id, and RpcSaslProto.
func (m saslMessage) frame() []byte {
	header := appendVarint(nil, 1, 2) // protocol buffers
	header = appendVarint(header, 2, 0)
	header = appendVarint(header, 3, protowire.EncodeZigZag(-33))
	header = appendBytes(header, 4, nil)
	header = appendVarint(header, 5, protowire.EncodeZigZag(-1))

	body := appendVarint(nil, 2, m.state)
	if m.token != nil {
		body = appendBytes(body, 3, m.token)
	}
	for _, a := range m.auths {
		auth := appendBytes(nil, 1, []byte(a.method))
		auth = appendBytes(auth, 2, []byte(a.mechanism))
		auth = appendBytes(auth, 3, []byte(a.protocol))
		auth = appendBytes(auth, 4, []byte(a.server))
		body = appendBytes(body, 4, auth)
	}
	frame := protowire.AppendBytes(protowire.AppendBytes(make([]byte, 4), header), body)
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame
}

func appendVarint(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func appendBytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func parseSASL(body []byte) (saslMessage, error) {
	var m saslMessage
	var inner error
	err := eachField(body, func(field protowire.Number, v uint64, value []byte) {
		switch field {
		case 2:
			m.state = v
		case 3:
			m.token = value
		case 4:
			var a saslAuth
			err := eachField(value, func(field protowire.Number, _ uint64, value []byte) {
				switch field {
				case 1:
					a.method = string(value)
				case 2:
					a.mechanism = string(value)
				case 3:
					a.protocol = string(value)
				case 4:
					a.server = string(value)
				case 5:
					a.challenge = value
				}
			})
			inner = errors.Join(inner, err)
			m.auths = append(m.auths, a)
		}
	})
	return m, errors.Join(err, inner)
}

// username and password are how Hadoop makes such of a token.
func (t *token) username() string { return base64.StdEncoding.EncodeToString(t.identifier) }

func (t *token) secret() string { return base64.StdEncoding.EncodeToString(t.password) }

// directives splits a challenge: name=value or name="value", with commas between them.
func directives(challenge string) map[string]string {
	all := map[string]string{}
	for challenge != "" {
		name, rest, ok := strings.Cut(challenge, "=")
		if !ok {
			break
		}
		var value string
		if quoted, is := strings.CutPrefix(rest, `"`); is {
			value, rest, _ = strings.Cut(quoted, `"`)
			_, challenge, _ = strings.Cut(rest, ",")
		} else {
			value, challenge, _ = strings.Cut(rest, ",")
		}
		all[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
	}
	return all
}
