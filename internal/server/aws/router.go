package aws

import (
	"bytes"
	"strings"
)

// The services, by the names that the overhead command has for them.
const (
	S3             = "S3"
	S3Express      = "S3Express"
	SNS            = "SNS"
	STS            = "STS"
	IAM            = "IAM"
	CloudWatch     = "CloudWatch"
	EventBridge    = "EventBridge"
	DynamoDB       = "DynamoDB"
	Pinpoint       = "Pinpoint"
	SecretsManager = "SecretsManager"
)

// operation is one operation, or what stands for all that are not known of a service.
type operation struct {
	service, name string
	fixed         *response
	made          func(*request) *response // for those that are not measured; in place of fixed
}

func (o *operation) reply(q *request) *response {
	if o.fixed != nil {
		return o.fixed
	}
	return o.made(q)
}

// router finds the operation of a request. It does not change after it was made, but for what
// is gone.
type router struct {
	targets map[string]*operation // by X-Amz-Target
	paths   map[string]*operation // of RPC v2
	actions map[string]*operation // of Query
	s3      map[string]*operation // by method and kind: "PUT object"
	express map[string]*operation
	apps    map[string]*operation // of Pinpoint, by method and path's form
	unknown unknowns

	gone *gone
}

// unknowns answer what is not known, in the shape of the protocol.
type unknowns struct {
	json, cbor, query, s3, express, pinpoint, other *operation
	targets, actions                                map[string]*operation // of services that are known
}

func newRouter() *router {
	r := &router{
		targets: map[string]*operation{}, paths: map[string]*operation{}, actions: map[string]*operation{},
		s3: map[string]*operation{}, express: map[string]*operation{}, apps: map[string]*operation{},
		gone: newGone(),
		unknown: unknowns{
			json:     &operation{made: unknownJSON},
			cbor:     &operation{service: CloudWatch, made: unknownCBOR},
			query:    &operation{made: unknownQuery},
			s3:       &operation{service: S3, made: unknownS3},
			express:  &operation{service: S3Express, made: unknownS3},
			pinpoint: &operation{service: Pinpoint, made: unknownPinpoint},
			other:    &operation{made: unknownOther},
			targets: map[string]*operation{
				dynamoPrefix:  {service: DynamoDB, made: unknownJSON},
				eventsPrefix:  {service: EventBridge, made: unknownJSON},
				secretPrefix:  {service: SecretsManager, made: unknownJSON},
				graniteTarget: {service: CloudWatch, made: unknownJSON},
			},
			actions: map[string]*operation{
				"sns": {service: SNS, made: unknownQuery}, "sts": {service: STS, made: unknownQuery},
				"iam": {service: IAM, made: unknownQuery}, "monitoring": {service: CloudWatch, made: unknownQuery},
			},
		},
	}
	r.addS3()
	r.addQuery()
	r.addJSON()
	r.addCloudWatch()
	r.addPinpoint()
	return r
}

// route finds the operation; it always finds one, if only to say that it does not know.
func (r *router) route(q *request) *operation {
	if len(q.target) > 0 {
		if op := r.targets[string(q.target)]; op != nil {
			return op
		}
		prefix := q.target[:bytes.IndexByte(q.target, '.')+1]
		return pick(r.unknown.targets, prefix, r.unknown.json)
	}
	if len(q.smithy) > 0 {
		return pick(r.paths, q.path, r.unknown.cbor)
	}
	switch service := q.service(); string(service) {
	case "s3", "s3express":
		return r.object(q)
	case "mobiletargeting":
		return r.app(q)
	case "sns", "sts", "iam", "monitoring":
		if op := r.actions[string(q.action())]; op != nil {
			return op
		}
		return pick(r.unknown.actions, service, r.unknown.query)
	case "":
		// Without a signature, as of some operations of STS, the form has to do.
		if action := q.action(); action != nil {
			return pick(r.actions, action, r.unknown.query)
		}
		if bytes.HasPrefix(q.path, []byte("/v1/apps")) {
			return r.app(q)
		}
		return r.object(q)
	}
	if q.action() != nil {
		return r.unknown.query
	}
	return r.unknown.other
}

func pick(from map[string]*operation, name []byte, otherwise *operation) *operation {
	if op := from[string(name)]; op != nil {
		return op
	}
	return otherwise
}

// action is Query's, from the form or from the query; nil if there is none.
func (q *request) action() []byte {
	if string(q.method) == "POST" {
		if len(q.contentEncoding) > 0 {
			return parameter(inflated(q), "Action")
		}
		if action := parameter(q.body, "Action"); action != nil {
			return action
		}
	}
	return parameter(q.query, "Action")
}

// object finds an operation of S3.
func (r *router) object(q *request) *operation {
	bucket, key := q.bucketAndKey()
	known, unknown := r.s3, r.unknown.s3
	if bytes.HasSuffix(bucket, []byte("--x-s3")) {
		known, unknown = r.express, r.unknown.express
	}
	if q.copies || len(bucket) == 0 {
		return unknown
	}
	object := len(key) > 0
	sub, plain := q.subresource()
	switch {
	case !plain && !object && string(q.method) == "GET" && string(sub) == "session":
		return named(known, "GET session", unknown)
	case !plain:
		return unknown
	}
	switch string(q.method) {
	case "HEAD":
		return choose(known, object, "HEAD object", "HEAD bucket", unknown)
	case "PUT":
		return choose(known, object, "PUT object", "PUT bucket", unknown)
	case "GET":
		return choose(known, object, "GET object", "GET bucket", unknown)
	case "DELETE":
		return choose(known, object, "DELETE object", "DELETE bucket", unknown)
	}
	return unknown
}

func choose(from map[string]*operation, object bool, ofObject, ofBucket string, otherwise *operation) *operation {
	if object {
		return named(from, ofObject, otherwise)
	}
	return named(from, ofBucket, otherwise)
}

func named(from map[string]*operation, name string, otherwise *operation) *operation {
	if op := from[name]; op != nil {
		return op
	}
	return otherwise
}

// bucketAndKey takes the bucket and the key from the host and the path. A bucket is in the host if
// that ends in .localhost, or if it is a directory bucket.
func (q *request) bucketAndKey() (bucket, key []byte) {
	host := q.host
	if end := bytes.LastIndexByte(host, ':'); end >= 0 {
		host = host[:end]
	}
	path := q.path[1:]
	if at := bytes.Index(host, []byte("--x-s3.")); at >= 0 {
		return host[:at+len("--x-s3")], path
	}
	if bucket, found := bytes.CutSuffix(host, []byte(".localhost")); found {
		return bucket, path
	}
	bucket, key, _ = bytes.Cut(path, []byte("/"))
	return bucket, key
}

// subresource is the first parameter of the query that makes another operation of a request;
// plain says that there is none.
func (q *request) subresource() (name []byte, plain bool) {
	query := q.query
	for len(query) > 0 {
		pair := query
		if end := bytes.IndexByte(query, '&'); end >= 0 {
			pair, query = query[:end], query[end+1:]
		} else {
			query = nil
		}
		name, _, _ := bytes.Cut(pair, []byte("="))
		switch {
		case len(name) == 0, string(name) == "x-id", string(name) == "versionId",
			len(name) > 6 && strings.EqualFold(string(name[:6]), "x-amz-"), bytes.HasPrefix(name, []byte("response-")):
		default:
			return name, false
		}
	}
	return nil, true
}

// app finds an operation of Pinpoint.
func (r *router) app(q *request) *operation {
	rest, found := bytes.CutPrefix(q.path, []byte("/v1/apps"))
	if !found {
		return r.unknown.pinpoint
	}
	form := ""
	_, rest, _ = bytes.Cut(rest, []byte("/")) // "", ID, ID/events, ID/endpoints/ID
	if id, rest, _ := bytes.Cut(rest, []byte("/")); len(id) > 0 {
		form = "app"
		kind, which, _ := bytes.Cut(rest, []byte("/"))
		switch {
		case string(kind) == "events" && len(which) == 0:
			form = "events"
		case string(kind) == "endpoints" && len(which) > 0 && bytes.IndexByte(which, '/') < 0:
			form = "endpoint"
		case len(kind) > 0:
			form = "other"
		}
	}
	switch string(q.method) {
	case "POST":
		return choosePinpoint(r, form == "", "POST apps", form == "events", "POST events")
	case "DELETE":
		return choosePinpoint(r, form == "app", "DELETE app", false, "")
	case "PUT":
		return choosePinpoint(r, form == "endpoint", "PUT endpoint", false, "")
	case "GET":
		return choosePinpoint(r, form == "endpoint", "GET endpoint", false, "")
	}
	return r.unknown.pinpoint
}

func choosePinpoint(r *router, first bool, name string, second bool, other string) *operation {
	switch {
	case first:
		return named(r.apps, name, r.unknown.pinpoint)
	case second:
		return named(r.apps, other, r.unknown.pinpoint)
	}
	return r.unknown.pinpoint
}
