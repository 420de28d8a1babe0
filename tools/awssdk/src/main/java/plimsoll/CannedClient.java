package plimsoll;

import java.util.List;
import java.util.Map;

import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.sns.SnsClient;

/**
 * Calls the canned responder with Amazon's SDK, which checks what it gets: checksums, XML, JSON.
 * It ends with 0 if all was as expected. The endpoint and the credentials are in the environment.
 */
public final class CannedClient {
  public static void main(String[] args) {
    try (S3Client s3 = S3Client.builder().forcePathStyle(true).build()) {
      storage(s3);
    }
    try (DynamoDbClient dynamo = DynamoDbClient.create()) {
      table(dynamo);
    }
    try (SnsClient sns = SnsClient.create()) {
      topic(sns);
    }
  }

  private static void storage(S3Client s3) {
    s3.createBucket(b -> b.bucket("plimsoll-b"));
    s3.waiter().waitUntilBucketExists(b -> b.bucket("plimsoll-b"));
    check(s3.putObject(b -> b.bucket("plimsoll-b").key("k"), RequestBody.fromString("x")).eTag() != null, "PutObject");
    s3.putObject(b -> b.bucket("plimsoll-b").key("k"), RequestBody.fromBytes(new byte[3_000_000]));
    check(s3.headObject(b -> b.bucket("plimsoll-b").key("k")).contentLength() == 1024, "HeadObject");
    ResponseBytes<?> body = s3.getObjectAsBytes(b -> b.bucket("plimsoll-b").key("k"));
    check(body.asByteArray().length == 1024, "GetObject");
    s3.deleteObject(b -> b.bucket("plimsoll-b").key("k"));
    s3.deleteBucket(b -> b.bucket("plimsoll-b"));
    s3.waiter().waitUntilBucketNotExists(b -> b.bucket("plimsoll-b"));
    fails("NotImplemented", "ListObjectsV2", () -> s3.listObjectsV2(b -> b.bucket("plimsoll-b")));
  }

  private static void table(DynamoDbClient dynamo) {
    Map<String, AttributeValue> key = Map.of("id", AttributeValue.fromS("x"));
    dynamo.createTable(b -> b.tableName("table-1").billingMode(BillingMode.PAY_PER_REQUEST)
        .keySchema(KeySchemaElement.builder().attributeName("id").keyType(KeyType.HASH).build())
        .attributeDefinitions(List.of(AttributeDefinition.builder().attributeName("id").attributeType(ScalarAttributeType.S).build())));
    dynamo.waiter().waitUntilTableExists(b -> b.tableName("table-1"));
    dynamo.putItem(b -> b.tableName("table-1").item(key));
    check(dynamo.getItem(b -> b.tableName("table-1").key(key)).item().get("value").s().equals("canned"), "GetItem");
    dynamo.deleteTable(b -> b.tableName("table-1"));
    dynamo.waiter().waitUntilTableNotExists(b -> b.tableName("table-1"));
    fails("UnknownOperationException", "DynamoDB_20120810.ListTables", dynamo::listTables);
  }

  private static void topic(SnsClient sns) {
    String arn = sns.createTopic(b -> b.name("topic-1")).topicArn();
    check(arn.endsWith(":topic-1"), arn);
    check(sns.getTopicAttributes(b -> b.topicArn(arn)).attributes().get("Owner").equals("000000000000"), "GetTopicAttributes");
    check(!sns.publish(b -> b.topicArn(arn).message("a&b=c")).messageId().isEmpty(), "Publish");
    sns.deleteTopic(b -> b.topicArn(arn));
    fails("InvalidAction", "ListTopics", sns::listTopics);
  }

  /** The service's own error, which names the operation. */
  private static void fails(String code, String operation, Runnable call) {
    try {
      call.run();
    } catch (AwsServiceException e) {
      check(e.awsErrorDetails().errorCode().equals(code) && e.awsErrorDetails().errorMessage().contains(operation),
          operation + ": " + e.awsErrorDetails());
      return;
    }
    throw new IllegalStateException(operation + " has an answer");
  }

  private static void check(boolean held, String what) {
    if (!held) {
      throw new IllegalStateException(what + " did not answer as expected");
    }
  }
}
