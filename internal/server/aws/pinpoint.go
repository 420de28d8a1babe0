package aws

import "encoding/json"

const appARN = "arn:aws:mobiletargeting:" + DefaultRegion + ":" + account + ":apps/"

// appID is that of every application.
const appID = "706c696d736f6c6c63616e6e65643030"

func (r *router) addPinpoint() {
	add := func(how, name string, a *response) {
		r.apps[how] = &operation{service: Pinpoint, name: name, fixed: a}
	}
	message := `{"Message":"Accepted","RequestID":"` + RequestID + `"}`
	add("GET endpoint", "GetEndpoint", restAnswer(200,
		`{"Address":"canned","ApplicationId":"`+appID+`","ChannelType":"CUSTOM",`+
			`"CohortId":"1","CreationDate":"2026-01-01T00:00:00.000Z","EffectiveDate":"2026-01-01T00:00:00.000Z",`+
			`"EndpointStatus":"ACTIVE",`+
			`"Id":"plimsoll","OptOut":"NONE","RequestId":"`+RequestID+`"}`))
	add("PUT endpoint", "UpdateEndpoint", restAnswer(202, message))
	add("POST events", "PutEvents", restAnswer(202,
		`{"Results":{"plimsoll":{"EndpointItemResponse":{"Message":"Accepted","StatusCode":202},`+
			`"EventsItemResponse":{"plimsoll":{"Message":"Accepted","StatusCode":202}}}}}`))
	add("DELETE app", "DeleteApp", restAnswer(200, application("plimsoll")))
	r.apps["POST apps"] = &operation{service: Pinpoint, name: "CreateApp", made: func(q *request) *response {
		var body struct{ Name string }
		if json.Unmarshal(q.body, &body) != nil {
			body.Name = ""
		}
		return restAnswer(201, application(plain([]byte(body.Name))))
	}}
}

func application(name string) string {
	return `{"Arn":"` + appARN + appID + `","Id":"` + appID + `","Name":"` + name + `","tags":{}}`
}
