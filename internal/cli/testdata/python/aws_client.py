"""A foreign client of the canned responder: boto3 calls every operation that is measured, and
those around them. It ends with 0 if all was as botocore's models have it. The endpoint and the
credentials are in the environment."""

import datetime

import boto3
import botocore.exceptions
from botocore.config import Config

config = Config(retries={"total_max_attempts": 1})


def client(name):
    return boto3.client(name, config=config)


def fails(code, operation, call, **args):
    """The service's own error, which names the operation."""
    try:
        call(**args)
    except botocore.exceptions.ClientError as e:
        error = e.response["Error"]
        assert error["Code"] == code, error
        assert operation in error["Message"], error
        return
    raise AssertionError(operation + " has an answer")


s3 = client("s3")
s3.create_bucket(Bucket="plimsoll-b", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
s3.get_waiter("bucket_exists").wait(Bucket="plimsoll-b")
assert s3.put_object(Bucket="plimsoll-b", Key="k", Body=b"x")["ETag"]
assert s3.put_object(Bucket="plimsoll-b", Key="k", Body=b"x" * 3000000)["ETag"]
assert s3.head_object(Bucket="plimsoll-b", Key="k")["ContentLength"] == 1024
assert len(s3.get_object(Bucket="plimsoll-b", Key="k")["Body"].read()) == 1024
s3.delete_object(Bucket="plimsoll-b", Key="k")
s3.delete_bucket(Bucket="plimsoll-b")
s3.get_waiter("bucket_not_exists").wait(Bucket="plimsoll-b")
fails("NotImplemented", "ListObjectsV2", s3.list_objects_v2, Bucket="plimsoll-b")

express = "plimsoll--usw2-az1--x-s3"
assert s3.put_object(Bucket=express, Key="k", Body=b"x")["ETag"]
assert len(s3.get_object(Bucket=express, Key="k")["Body"].read()) == 1024
assert s3.create_session(Bucket=express)["Credentials"]["SessionToken"] == "canned"

sns = client("sns")
topic = sns.create_topic(Name="topic-1")["TopicArn"]
assert topic.endswith(":topic-1"), topic
assert sns.get_topic_attributes(TopicArn=topic)["Attributes"]["TopicArn"]
assert sns.publish(TopicArn=topic, Message="a&b=c")["MessageId"]
sns.delete_topic(TopicArn=topic)
fails("InvalidAction", "ListTopics", sns.list_topics)

sts = client("sts")
assert sts.get_caller_identity()["Account"] == "000000000000"
role = sts.assume_role(RoleArn="arn:aws:iam::000000000000:role/r", RoleSessionName="session")
assert role["Credentials"]["Expiration"] > datetime.datetime.now(datetime.timezone.utc)

iam = client("iam")
assert iam.create_role(RoleName="role-1", AssumeRolePolicyDocument="{}")["Role"]["Arn"].endswith("role/role-1")
iam.delete_role(RoleName="role-1")

now = datetime.datetime(2026, 1, 1)
queries = [{"Id": "m1", "Expression": "1"}]
cloudwatch = client("cloudwatch")
results = cloudwatch.get_metric_data(MetricDataQueries=queries, StartTime=now, EndTime=now)["MetricDataResults"]
assert results[0]["Values"] == [1.0] and results[0]["Timestamps"][0].year == 2026, results
cloudwatch.put_metric_data(Namespace="n", MetricData=[{"MetricName": "m", "Value": 1.0}])
# Long enough for botocore to compress it.
cloudwatch.put_metric_data(Namespace="n", MetricData=[{"MetricName": "m" * 200, "Value": 1.0}] * 200)

events = client("events")
assert events.create_event_bus(Name="bus-1")["EventBusArn"].endswith("/bus-1")
assert events.describe_event_bus(Name="bus-1")["Arn"]
assert events.put_events(Entries=[{"Source": "s", "DetailType": "d", "Detail": "{}"}])["FailedEntryCount"] == 0
events.delete_event_bus(Name="bus-1")
fails("UnknownOperationException", "AWSEvents.ListRules", events.list_rules)

dynamodb = client("dynamodb")
key = {"id": {"S": "x"}}
dynamodb.create_table(TableName="table-1", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                      AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}])
dynamodb.get_waiter("table_exists").wait(TableName="table-1")
dynamodb.put_item(TableName="table-1", Item=key)
assert dynamodb.get_item(TableName="table-1", Key=key)["Item"]["value"]["S"] == "canned"
dynamodb.delete_table(TableName="table-1")
dynamodb.get_waiter("table_not_exists").wait(TableName="table-1")
fails("UnknownOperationException", "DynamoDB_20120810.ListTables", dynamodb.list_tables)

secrets = client("secretsmanager")
assert secrets.create_secret(Name="secret-1", SecretString="x")["Name"] == "secret-1"
assert secrets.get_secret_value(SecretId="secret-1")["SecretString"]
assert secrets.put_secret_value(SecretId="secret-1", SecretString="x")["VersionStages"] == ["AWSCURRENT"]
assert secrets.delete_secret(SecretId="secret-1")["Name"] == "secret-1"

pinpoint = client("pinpoint")
app = pinpoint.create_app(CreateApplicationRequest={"Name": "app-1"})["ApplicationResponse"]
assert app["Name"] == "app-1"
pinpoint.update_endpoint(ApplicationId=app["Id"], EndpointId="e", EndpointRequest={})
assert pinpoint.get_endpoint(ApplicationId=app["Id"], EndpointId="e")["EndpointResponse"]["EndpointStatus"] == "ACTIVE"
batch = {"e": {"Endpoint": {}, "Events": {"v": {"EventType": "t", "Timestamp": "2026-01-01T00:00:00Z"}}}}
assert pinpoint.put_events(ApplicationId=app["Id"], EventsRequest={"BatchItem": batch})["EventsResponse"]["Results"]
pinpoint.delete_app(ApplicationId=app["Id"])
fails("NotFoundException", "/v1/apps", pinpoint.get_apps)

# A service that the responder has nothing of.
fails("UnknownOperationException", "AmazonSQS.ListQueues", client("sqs").list_queues)
