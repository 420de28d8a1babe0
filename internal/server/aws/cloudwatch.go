package aws

const (
	graniteTarget = "GraniteServiceVersion20100801."
	granitePath   = "/service/GraniteServiceVersion20100801/operation/"

	watchNamespace = `xmlns="http://monitoring.amazonaws.com/doc/2010-08-01/"`
)

// newYear is the time of the one value that there is.
const newYear = 1767225600

// addCloudWatch adds the operations in the three protocols that the service has.
func (r *router) addCloudWatch() {
	get := func(a *response) *operation {
		return &operation{service: CloudWatch, name: "GetMetricData", fixed: a}
	}
	put := func(a *response) *operation {
		return &operation{service: CloudWatch, name: "PutMetricData", fixed: a}
	}
	r.paths[granitePath+"GetMetricData"] = get(cborAnswer(200, metricCBOR()))
	r.paths[granitePath+"PutMetricData"] = put(cborAnswer(200, nil))
	r.targets[graniteTarget+"GetMetricData"] = get(jsonAnswer("1.0", 200,
		`{"MetricDataResults":[{"Id":"m1","Label":"canned",`+
			`"StatusCode":"Complete","Timestamps":[1767225600.0],"Values":[1.0]}],"Messages":[]}`))
	r.targets[graniteTarget+"PutMetricData"] = put(jsonAnswer("1.0", 200, `{}`))
	r.actions["GetMetricData"] = get(xmlAnswer(200,
		queryXML("GetMetricData", watchNamespace, "<MetricDataResults><member><Id>m1</Id>"+
			"<Label>canned</Label><StatusCode>Complete</StatusCode>"+
			"<Timestamps><member>2026-01-01T00:00:00Z</member></Timestamps>"+
			"<Values><member>1.0</member></Values></member></MetricDataResults><Messages/>")))
	r.actions["PutMetricData"] = put(xmlAnswer(200, queryXML("PutMetricData", watchNamespace, "")))
}

func metricCBOR() []byte {
	b := cborMap(nil, 2)
	b = cborArray(cborText(b, "MetricDataResults"), 1)
	b = cborMap(b, 5)
	b = cborText(cborText(b, "Id"), "m1")
	b = cborText(cborText(b, "Label"), "canned")
	b = cborText(cborText(b, "StatusCode"), "Complete")
	b = cborTime(cborArray(cborText(b, "Timestamps"), 1), newYear)
	b = cborFloat(cborArray(cborText(b, "Values"), 1), 1)
	return cborArray(cborText(b, "Messages"), 0)
}
