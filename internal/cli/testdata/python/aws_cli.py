"""A foreign client of the canned responder: the AWS CLI calls every operation that is measured. It
ends with 0 if all was as botocore's models have it. The endpoint and the credentials are in the
environment. All is in one process: a program for each call would take most of a second."""

import contextlib
import io
import json
import os
import sys

from awscli.clidriver import create_clidriver


def run(*args):
    """The exit status of one call, and what it writes."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = create_clidriver().main(list(args))
    return status, out.getvalue(), err.getvalue()


def aws(*args):
    """The answer of a call, which must be one."""
    status, out, err = run(*args)
    assert status == 0, f"{args}: {status} {err}"
    return json.loads(out) if out.startswith("{") else out


def fails(code, operation, *args):
    """The service's own error, which names the operation."""
    status, _, err = run(*args)
    assert status != 0 and f"({code})" in err and operation in err, f"{args}: {status} {err}"


os.chdir(sys.argv[1])
with open("body", "w") as f:
    f.write("x" * 1024)
for bucket, get in (("plimsoll-b", "head-object"), ("plimsoll--usw2-az1--x-s3", "get-object")):
    place = ["--bucket", bucket, "--key", "k"]
    assert aws("s3api", "put-object", *place, "--body", "body")["ETag"]
    file = ["got"] if get == "get-object" else []
    assert aws("s3api", get, *place, *file)["ContentLength"] == 1024
assert os.path.getsize("got") == 1024
# The commands on files ask for more than one operation.
assert "upload: " in aws("s3", "cp", "body", "s3://plimsoll-b/k")
assert "download: " in aws("s3", "cp", "s3://plimsoll-b/k", "copy")
assert os.path.getsize("copy") == 1024
fails("NotImplemented", "ListObjectsV2", "s3", "ls", "s3://plimsoll-b/")

topic = aws("sns", "create-topic", "--name", "topic-1")["TopicArn"]
assert aws("sns", "get-topic-attributes", "--topic-arn", topic)["Attributes"]["TopicArn"]
assert aws("sns", "publish", "--topic-arn", topic, "--message", "a&b=c")["MessageId"]
fails("InvalidAction", "ListTopics", "sns", "list-topics")

assert aws("sts", "get-caller-identity")["Account"] == "000000000000"
role = ["--role-arn", "arn:aws:iam::000000000000:role/r", "--role-session-name", "session"]
assert aws("sts", "assume-role", *role)["Credentials"]["SessionToken"]

times = ["--start-time", "2026-01-01T00:00:00Z", "--end-time", "2026-01-01T01:00:00Z"]
metrics = aws("cloudwatch", "get-metric-data", *times, "--metric-data-queries", "Id=m1,Expression=1")
assert metrics["MetricDataResults"][0]["Values"] == [1.0], metrics
aws("cloudwatch", "put-metric-data", "--namespace", "n", "--metric-name", "m", "--value", "1")

assert aws("events", "describe-event-bus", "--name", "bus-1")["Arn"]
entries = '[{"Source": "s", "DetailType": "d", "Detail": "{}"}]'
assert aws("events", "put-events", "--entries", entries)["FailedEntryCount"] == 0

key = '{"id": {"S": "x"}}'
aws("dynamodb", "put-item", "--table-name", "t", "--item", key)
assert aws("dynamodb", "get-item", "--table-name", "t", "--key", key)["Item"]["value"]["S"] == "canned"
fails("UnknownOperationException", "DynamoDB_20120810.ListTables", "dynamodb", "list-tables")

assert aws("secretsmanager", "get-secret-value", "--secret-id", "s")["SecretString"]
stages = aws("secretsmanager", "put-secret-value", "--secret-id", "s", "--secret-string", "x")["VersionStages"]
assert stages == ["AWSCURRENT"]

endpoint = aws("pinpoint", "get-endpoint", "--application-id", "a", "--endpoint-id", "e")["EndpointResponse"]
assert endpoint["EndpointStatus"] == "ACTIVE"
batch = '{"BatchItem": {"e": {"Endpoint": {}, "Events": {"v": {"EventType": "t", "Timestamp": "2026-01-01T00:00:00Z"}}}}}'
assert aws("pinpoint", "put-events", "--application-id", "a", "--events-request", batch)["EventsResponse"]["Results"]
