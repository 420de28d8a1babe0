package aws

import (
	"net/url"
)

// account is the one that everything belongs to.
const account = "000000000000"

const (
	snsNamespace = `xmlns="http://sns.amazonaws.com/doc/2010-03-31/"`
	stsNamespace = `xmlns="https://sts.amazonaws.com/doc/2011-06-15/"`
	iamNamespace = `xmlns="https://iam.amazonaws.com/doc/2010-05-08/"`
)

const topicARN = "arn:aws:sns:" + DefaultRegion + ":" + account + ":"

// queryXML wraps a result as Query has it; without one, only the id is in it.
func queryXML(operation, namespace, result string) string {
	if result != "" {
		result = "<" + operation + "Result>" + result + "</" + operation + "Result>"
	}
	return "<" + operation + "Response " + namespace + ">" + result + "<ResponseMetadata><RequestId>" + RequestID +
		"</RequestId></ResponseMetadata></" + operation + "Response>"
}

func (r *router) addQuery() {
	add := func(service, namespace, name, result string) {
		r.actions[name] = &operation{service: service, name: name,
			fixed: xmlAnswer(200, queryXML(name, namespace, result))}
	}
	add(SNS, snsNamespace, "GetTopicAttributes",
		"<Attributes>"+entry("TopicArn", topicARN+"plimsoll")+entry("Owner", account)+
			entry("SubscriptionsConfirmed", "0")+entry("SubscriptionsPending", "0")+entry("SubscriptionsDeleted", "0")+
			entry("DisplayName", "")+"</Attributes>")
	add(SNS, snsNamespace, "Publish", "<MessageId>"+RequestID+"</MessageId>")
	add(SNS, snsNamespace, "DeleteTopic", "")
	r.actions["CreateTopic"] = &operation{service: SNS, name: "CreateTopic", made: createTopic}
	add(STS, stsNamespace, "GetCallerIdentity",
		"<Arn>arn:aws:iam::"+account+":user/plimsoll</Arn><UserId>AIDAPLIMSOLLCANNED00</UserId><Account>"+
			account+"</Account>")
	add(STS, stsNamespace, "AssumeRole",
		"<AssumedRoleUser><Arn>arn:aws:sts::"+account+":assumed-role/plimsoll/plimsoll</Arn>"+
			"<AssumedRoleId>AROAPLIMSOLLCANNED00:plimsoll</AssumedRoleId></AssumedRoleUser><Credentials>"+
			"<AccessKeyId>ASIAPLIMSOLLCANNED00</AccessKeyId><SecretAccessKey>canned</SecretAccessKey>"+
			"<SessionToken>canned</SessionToken>"+
			"<Expiration>"+far+"</Expiration></Credentials><PackedPolicySize>0</PackedPolicySize>")
	add(IAM, iamNamespace, "DeleteRole", "")
	r.actions["CreateRole"] = &operation{service: IAM, name: "CreateRole", made: createRole}
}

func entry(key, value string) string {
	return "<entry><key>" + key + "</key><value>" + value + "</value></entry>"
}

func createTopic(q *request) *response {
	return xmlAnswer(200, queryXML("CreateTopic", snsNamespace,
		"<TopicArn>"+topicARN+formName(q, "Name")+"</TopicArn>"))
}

func createRole(q *request) *response {
	name := formName(q, "RoleName")
	return xmlAnswer(200, queryXML("CreateRole", iamNamespace,
		"<Role><Path>/</Path><RoleName>"+name+"</RoleName><RoleId>AROAPLIMSOLLCANNED00</RoleId>"+
			"<Arn>arn:aws:iam::"+account+":role/"+name+"</Arn><CreateDate>2026-01-01T00:00:00Z</CreateDate></Role>"))
}

// formName is a name in the form of a Query request.
func formName(q *request, parameterName string) string {
	form := q.body
	if len(q.contentEncoding) > 0 {
		form = inflated(q)
	}
	name, err := url.QueryUnescape(string(parameter(form, parameterName)))
	if err != nil {
		name = ""
	}
	return plain([]byte(name))
}
