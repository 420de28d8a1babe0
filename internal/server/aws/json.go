package aws

import (
	"encoding/json"
)

const (
	dynamoPrefix = "DynamoDB_20120810."
	eventsPrefix = "AWSEvents."
	secretPrefix = "secretsmanager."

	busARN    = "arn:aws:events:" + DefaultRegion + ":" + account + ":event-bus/"
	tableARN  = "arn:aws:dynamodb:" + DefaultRegion + ":" + account + ":table/"
	secretARN = "arn:aws:secretsmanager:" + DefaultRegion + ":" + account + ":secret:"
)

func (r *router) addJSON() {
	add := func(service, prefix, name string, fixed *response, made func(*request) *response) {
		r.targets[prefix+name] = &operation{service: service, name: name, fixed: fixed, made: made}
	}
	add(DynamoDB, dynamoPrefix, "GetItem", dynamoAnswer(200, `{"Item":{"id":{"S":"plimsoll"},"value":{"S":"canned"}}}`),
		nil)
	add(DynamoDB, dynamoPrefix, "PutItem", dynamoAnswer(200, `{}`), nil)
	add(DynamoDB, dynamoPrefix, "DeleteItem", dynamoAnswer(200, `{}`), nil)
	add(DynamoDB, dynamoPrefix, "CreateTable", nil, r.createTable)
	add(DynamoDB, dynamoPrefix, "DescribeTable", nil, r.describeTable)
	add(DynamoDB, dynamoPrefix, "DeleteTable", nil, r.deleteTable)

	add(EventBridge, eventsPrefix, "DescribeEventBus",
		jsonAnswer("1.1", 200, `{"Arn":"`+busARN+`plimsoll","Name":"plimsoll"}`), nil)
	add(EventBridge, eventsPrefix, "PutEvents",
		jsonAnswer("1.1", 200, `{"FailedEntryCount":0,"Entries":[{"EventId":"`+RequestID+`"}]}`), nil)
	add(EventBridge, eventsPrefix, "CreateEventBus", nil, func(q *request) *response {
		return jsonAnswer("1.1", 200, `{"EventBusArn":"`+busARN+bodyName(q, "Name")+`"}`)
	})
	add(EventBridge, eventsPrefix, "DeleteEventBus", jsonAnswer("1.1", 200, `{}`), nil)

	about := `{"ARN":"` + secretARN + `plimsoll-canned","Name":"plimsoll","VersionId":"` + RequestID +
		`","VersionStages":["AWSCURRENT"]`
	add(SecretsManager, secretPrefix, "GetSecretValue",
		jsonAnswer("1.1", 200, about+`,"CreatedDate":1767225600.0,"SecretString":"canned, no secret"}`), nil)
	add(SecretsManager, secretPrefix, "PutSecretValue", jsonAnswer("1.1", 200, about+`}`), nil)
	add(SecretsManager, secretPrefix, "CreateSecret", nil, func(q *request) *response {
		name := bodyName(q, "Name")
		return jsonAnswer("1.1", 200,
			`{"ARN":"`+secretARN+name+`-canned","Name":"`+name+`","VersionId":"`+RequestID+`"}`)
	})
	add(SecretsManager, secretPrefix, "DeleteSecret", nil, func(q *request) *response {
		name := bodyName(q, "SecretId")
		return jsonAnswer("1.1", 200,
			`{"ARN":"`+secretARN+name+`-canned","Name":"`+name+`","DeletionDate":1767225600.0}`)
	})
}

// table describes a table as DynamoDB does.
func table(name, status string) string {
	return `{"TableName":"` + name + `","TableStatus":"` + status + `","TableArn":"` + tableARN + name +
		`","CreationDateTime":1767225600.0,"ItemCount":0,"TableSizeBytes":0,` +
		`"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],` +
		`"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"ProvisionedThroughput":` +
		`{"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,"WriteCapacityUnits":0}}`
}

func (r *router) createTable(q *request) *response {
	name := bodyName(q, "TableName")
	r.gone.remove("table " + name)
	return dynamoAnswer(200, `{"TableDescription":`+table(name, "ACTIVE")+`}`)
}

func (r *router) describeTable(q *request) *response {
	name := bodyName(q, "TableName")
	if r.gone.has("table " + name) {
		return dynamoAnswer(400,
			`{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",`+
				`"message":"Requested resource not found: Table: `+
				name+` not found"}`)
	}
	return dynamoAnswer(200, `{"Table":`+table(name, "ACTIVE")+`}`)
}

func (r *router) deleteTable(q *request) *response {
	name := bodyName(q, "TableName")
	r.gone.add("table " + name)
	return dynamoAnswer(200, `{"TableDescription":`+table(name, "DELETING")+`}`)
}

// bodyName is a name in the JSON of a request.
func bodyName(q *request, member string) string {
	var members map[string]json.RawMessage
	var name string
	// What cannot be read has no name: parameters are not checked here.
	if json.Unmarshal(q.body, &members) != nil || json.Unmarshal(members[member], &name) != nil {
		name = ""
	}
	return plain([]byte(name))
}
