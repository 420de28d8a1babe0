package hadoop

import (
	"fmt"
	"time"
)

// The kinds of tokens that the stores use.
const (
	KindHDFS       = "HDFS_DELEGATION_TOKEN"
	KindS3AFull    = "S3ADelegationToken/Full"
	KindS3ASession = "S3ADelegationToken/Session"
	KindS3ARole    = "S3ADelegationToken/Role"
)

// Owner is whom a delegation token stands for.
type Owner struct {
	User   string    // the name that the server will know
	Real   string    // who acts for that user; "" when it is the user
	Issued time.Time //
	Max    time.Time // when it ends, even when it is renewed; zero when that is not said
}

// DelegationOwner reads the part of an identifier that all delegation tokens of Hadoop begin
// with (AbstractDelegationTokenIdentifier). Token files of HDFS have nothing else.
func DelegationOwner(t Token) (Owner, error) {
	d := &decoder{rest: t.Identifier}
	o := owner(d)
	if d.err != nil {
		return Owner{}, fmt.Errorf("cannot read the identifier of token %q: %w", t.Alias, d.err)
	}
	return o, nil
}

func owner(d *decoder) Owner {
	if version := d.byte(); version != 0 && d.err == nil {
		d.fail(fmt.Errorf("unknown format %d (known: 0)", version))
	}
	o := Owner{User: d.text()}
	d.text() // who may renew it
	o.Real = d.text()
	o.Issued, o.Max = milliseconds(d.vint()), milliseconds(d.vint())
	d.vint() // its number
	d.vint() // the number of its key
	return o
}

// milliseconds is a time of Java, where 0 says that there is none.
func milliseconds(n int64) time.Time {
	if n <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(n)
}

// The serialVersionUIDs of EncryptionSecrets, which they begin with: those that hold an
// algorithm and a key, as Hadoop 3.3 and 3.4 write them, and those with a context, too.
const (
	encryptionPlain   = 1208329045511296375
	encryptionContext = 8834417969966697162
)

// S3ACredentials are the credentials in a token of S3A: full credentials, or those of a
// session or a role. A zero expires says that the token does not tell.
func S3ACredentials(t Token) (accessKey, secret, session string, expires time.Time, err error) {
	switch t.Kind {
	case KindS3AFull, KindS3ASession, KindS3ARole:
	default:
		return "", "", "", time.Time{}, fmt.Errorf("a token of kind %q contains no S3 credentials", t.Kind)
	}
	d := &decoder{rest: t.Identifier}
	owner(d)
	d.text() // the URI of the bucket
	d.text() // where it was made
	d.text() // its UUID
	version := d.long()
	d.text() // the algorithm of the encryption
	d.text() // the key of the encryption
	switch version {
	case encryptionPlain:
	case encryptionContext:
		d.text()
	default:
		d.fail(fmt.Errorf("its encryption secrets have the unknown format %d", version))
	}
	d.long() // when it was made
	accessKey, secret, session = d.text(), d.text(), d.text()
	d.text() // the role
	expires = milliseconds(d.long())
	if d.err == nil && (accessKey == "" || secret == "") {
		d.fail(fmt.Errorf("it contains no access key"))
	}
	if d.err != nil {
		return "", "", "", time.Time{}, fmt.Errorf("cannot read the identifier of token %q: %w", t.Alias, d.err)
	}
	return accessKey, secret, session, expires, nil
}
