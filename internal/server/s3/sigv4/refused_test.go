package sigv4

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// ask is a request of which a test changes one thing; the rest is as it should be.
type ask struct {
	ahead     time.Duration     // the server's clock
	header    map[string]string // "": without
	scope     func(*scope)
	key       string
	signed    string // the names of the signed headers
	query     string // in front of what presigns
	expires   string // of a presigned one, "": it is signed in its header
	presigned map[string]string
	token     string // the server's
	anonymous bool
	forged    bool
}

const allSigned = "host;x-amz-content-sha256;x-amz-date;x-amz-security-token"

// made is the request, signed.
func (a ask) made(t *testing.T, id *Identity) (*http.Request, Query) {
	t.Helper()
	r, err := http.NewRequest("GET", "http://examplebucket.s3.amazonaws.com/test.txt", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := scope{"20130524", id.Region, service, terminator}
	if a.scope != nil {
		a.scope(&s)
	}
	by := authorization{accessKey: id.AccessKey, scope: s, headers: strings.Split(allSigned, ";")}
	if a.key != "" {
		by.accessKey = a.key
	}
	if a.signed != "" {
		by.headers = strings.Split(a.signed, ";")
	}
	query, refused := ParseQuery(a.query)
	if refused != nil {
		t.Fatal(refused)
	}
	date, hash := exampleDate, UnsignedBody
	if a.expires != "" {
		for _, p := range []parameter{
			{"X-Amz-Algorithm", Algorithm}, {"X-Amz-Credential", by.accessKey + "/" + s.String()},
			{"X-Amz-Date", exampleDate}, {"X-Amz-Expires", a.expires}, {"X-Amz-SignedHeaders", strings.Join(by.headers, ";")},
		} {
			if other, found := a.presigned[p.name]; found {
				p.value = other
			}
			query = append(query, p)
		}
	} else {
		hash = EmptySHA256
		r.Header.Set("X-Amz-Date", exampleDate)
		r.Header.Set("X-Amz-Content-Sha256", hash)
	}
	for name, value := range a.header {
		r.Header.Set(name, value)
		if value == "" {
			r.Header.Del(name)
		}
	}
	if query.Has("X-Amz-Content-Sha256") || r.Header.Get("X-Amz-Content-Sha256") != "" {
		hash = EmptySHA256
	}
	signature := (&check{r: r, query: query}).signature(signingKey(id.SecretKey, s), date, &by, hash)
	if a.forged {
		signature = strings.Repeat("0", len(signature))
	}
	switch {
	case a.expires != "":
		query = append(query, parameter{"X-Amz-Signature", signature})
	case a.header["Authorization"] == "":
		r.Header.Set("Authorization", Algorithm+" Credential="+by.accessKey+"/"+s.String()+",SignedHeaders="+
			strings.Join(by.headers, ";")+",Signature="+signature)
	}
	return r, query
}

// judge says what a server answers.
func (a ask) judge(t *testing.T) (signed Signed, code string, status int, message string) {
	t.Helper()
	id := &Identity{
		AccessKey: "AKIAIOSFODNN7EXAMPLE", SecretKey: "secret", Region: "us-east-1", SessionToken: a.token,
		Anonymous: a.anonymous,
	}
	r, query := a.made(t, id)
	if r.Header.Get("Authorization") == "none" {
		r.Header.Del("Authorization")
	}
	now, err := time.Parse(TimeFormat, exampleDate)
	if err != nil {
		t.Fatal(err)
	}
	signed, refused := id.Check(r, query, now.Add(a.ahead))
	if refused == nil {
		return signed, "", 0, ""
	}
	all := fmt.Sprint(*refused) // with the elements of its answer
	if refused.Code == "RequestTimeTooSkewed" && !strings.Contains(all, "{MaxAllowedSkewMilliseconds 900000}") {
		t.Error(all)
	}
	return signed, refused.Code, refused.Status, refused.Message
}

// A request is taken when all of it is right, to the second, and is refused for whatever is not, by its reason.
func TestCheckRefusesInvalidRequests(t *testing.T) {
	const skew, week = 15 * time.Minute, "604800"
	set := func(name, value string) map[string]string { return map[string]string{name: value} }
	names := func(n int) string { return "host" + strings.Repeat(";h", n-1) }
	for name, test := range map[string]struct {
		ask
		status int
		code   string
	}{
		"signed": {},

		"14:59 late":          {ask: ask{ahead: skew - time.Second}},
		"14:59 early":         {ask: ask{ahead: time.Second - skew}},
		"15 minutes late":     {ask: ask{ahead: skew}},
		"15 minutes early":    {ask: ask{ahead: -skew}},
		"more than that":      {ask{ahead: skew + 1}, 403, "RequestTimeTooSkewed"},
		"more than that less": {ask{ahead: -skew - 1}, 403, "RequestTimeTooSkewed"},

		"a Date":        {ask: ask{header: map[string]string{"X-Amz-Date": "", "Date": "Fri, 24 May 2013 00:00:00 GMT"}}},
		"no date":       {ask{header: set("X-Amz-Date", "")}, 403, "AccessDenied"},
		"no such date":  {ask{header: set("X-Amz-Date", "yesterday")}, 403, "AccessDenied"},
		"no hash":       {ask{header: set("X-Amz-Content-Sha256", "")}, 400, "InvalidRequest"},
		"another kind":  {ask{header: set("Authorization", "Bearer x")}, 400, "InvalidArgument"},
		"two ways":      {ask{query: "X-Amz-Algorithm=" + Algorithm}, 400, "InvalidArgument"},
		"the old way":   {ask{query: "AWSAccessKeyId=x", header: set("Authorization", "none")}, 400, "InvalidRequest"},
		"not at all":    {ask{header: set("Authorization", "none")}, 403, "AccessDenied"},
		"another token": {ask{token: "one", header: set("X-Amz-Security-Token", "two")}, 400, "InvalidToken"},
		"the token":     {ask: ask{token: "one", header: set("X-Amz-Security-Token", "one")}},
		"another key":   {ask{key: "AKIAOTHER"}, 403, "InvalidAccessKeyId"},
		"a service":     {ask{scope: func(s *scope) { s.service = "ec2" }}, 400, "AuthorizationHeaderMalformed"},
		"a terminator":  {ask{scope: func(s *scope) { s.terminator = "aws5" }}, 400, "AuthorizationHeaderMalformed"},
		"a region":      {ask{scope: func(s *scope) { s.region = "eu-west-1" }}, 400, "AuthorizationHeaderMalformed"},
		"a day":         {ask{scope: func(s *scope) { s.date = "20130523" }}, 400, "AuthorizationHeaderMalformed"},
		"a month":       {ask{scope: func(s *scope) { s.date = "201305" }}, 400, "AuthorizationHeaderMalformed"},
		"no host":       {ask{signed: "x-amz-content-sha256;x-amz-date"}, 403, "AccessDenied"},
		"an unsigned":   {ask{signed: "host;x-amz-date"}, 403, "AccessDenied"},
		"forged":        {ask{forged: true}, 403, "SignatureDoesNotMatch"},

		"presigned":        {ask: ask{expires: "60", ahead: time.Minute}},
		"for no time":      {ask: ask{expires: "0"}},
		"for a week":       {ask: ask{expires: week, ahead: 7 * 24 * time.Hour}},
		"for longer":       {ask{expires: "604801"}, 400, "AuthorizationQueryParametersError"},
		"for less":         {ask{expires: "-1"}, 400, "AuthorizationQueryParametersError"},
		"for words":        {ask{expires: "long"}, 400, "AuthorizationQueryParametersError"},
		"over":             {ask{expires: "60", ahead: time.Minute + 1}, 403, "AccessDenied"},
		"nearly begun":     {ask: ask{expires: "60", ahead: -skew}},
		"not begun":        {ask{expires: "60", ahead: -skew - 1}, 403, "AccessDenied"},
		"many headers":     {ask: ask{expires: "60", signed: names(100)}},
		"too many headers": {ask{expires: "60", signed: names(101)}, 400, "AuthorizationQueryParametersError"},
		"a query's algorithm": {ask{expires: "60", presigned: set("X-Amz-Algorithm", "AWS4-RSA")}, 400,
			"AuthorizationQueryParametersError"},
		"a query's credential": {ask{expires: "60", presigned: set("X-Amz-Credential", "x")}, 400,
			"AuthorizationQueryParametersError"},
		"a query's date": {ask{expires: "60", presigned: set("X-Amz-Date", "now")}, 400, "AuthorizationQueryParametersError"},
		"a query's key":  {ask{expires: "60", key: "AKIAOTHER"}, 403, "InvalidAccessKeyId"},
		"a query forged": {ask{expires: "60", forged: true}, 403, "SignatureDoesNotMatch"},
		"a hash":         {ask: ask{expires: "60", header: set("X-Amz-Content-Sha256", EmptySHA256)}},
		"a query's hash": {ask: ask{expires: "60", query: "X-Amz-Content-Sha256=" + EmptySHA256}},
	} {
		signed, code, status, message := test.judge(t)
		if code != test.code || status != test.status {
			t.Errorf("%s: %d %q, want %d %q: %s", name, status, code, test.status, test.code, message)
		}
		want := EmptySHA256
		if test.expires != "" && test.query == "" && test.header == nil {
			want = UnsignedBody
		}
		if test.code == "" && (signed.PayloadHash != want || signed.Chunks == nil) {
			t.Errorf("%s: %+v", name, signed)
		}
	}
	signed, code, _, _ := ask{anonymous: true, header: set("Authorization", "none")}.judge(t)
	if code != "" || signed.PayloadHash != EmptySHA256 || signed.Chunks != nil {
		t.Errorf("without a signature: %q, %+v", code, signed)
	}
}
