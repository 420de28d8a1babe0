package overhead

import (
	"context"
	"net/http"
	"net/http/httptrace"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
)

// observed sends the requests of calls that are measured, and stamps them.
type observed struct {
	p      *probe
	client *http.Client
	beside *http.Client // of calls that the SDK makes beside those that are measured
	wired  func()       // the request of the call is handed to the HTTP client
	keep   func(*http.Request)
}

// Do sends a request.
func (o *observed) Do(req *http.Request) (*http.Response, error) {
	if ctx := req.Context(); !o.p.owns(ctx) {
		return services.Guarded{Client: o.beside}.Do(req.WithContext(unobserved{ctx}))
	}
	if o.keep != nil {
		o.keep(req)
	}
	services.PlainBody(req)
	if o.p.staged {
		o.p.pass(doStart)
	}
	o.wired()
	resp, err := o.client.Do(req)
	if o.p.staged {
		o.p.pass(doEnd)
	}
	if err == nil {
		err = services.GuardAnswer(resp)
	}
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// unobserved is a context without the hooks of a call.
type unobserved struct {
	context.Context // stored context: it is one
}

// Value hides the hooks.
func (u unobserved) Value(key any) any {
	v := u.Context.Value(key)
	if _, ok := v.(*httptrace.ClientTrace); ok {
		return nil
	}
	return v
}
