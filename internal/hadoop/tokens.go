package hadoop

// Tokens is what a credentials file holds. Nil holds nothing.
type Tokens struct {
	Tokens  []Token
	Secrets []string // aliases of the secret keys in the file; their values are not kept
}

// Token is a delegation token, as its issuer wrote it.
type Token struct {
	Alias      string // its name in the file
	Kind       string // such as HDFS_DELEGATION_TOKEN or S3ADelegationToken/Session
	Service    string // whom it is for, such as 10.0.0.1:8020 or s3a://bucket
	Identifier []byte // secret in part
	Password   []byte // secret
}

// Find gives the first token of that kind for one of the services; with no services, the
// first of that kind.
func (t *Tokens) Find(kind string, services ...string) (Token, bool) {
	if t == nil {
		return Token{}, false
	}
	for _, token := range t.Tokens {
		if token.Kind != kind {
			continue
		}
		if len(services) == 0 {
			return token, true
		}
		for _, s := range services {
			if token.Service == s {
				return token, true
			}
		}
	}
	return Token{}, false
}
