@file:JvmName("KotlinClient")

package plimsoll

import aws.sdk.kotlin.services.cloudwatch.CloudWatchClient
import aws.sdk.kotlin.services.cloudwatch.getMetricData
import aws.sdk.kotlin.services.cloudwatch.model.MetricDataQuery
import aws.sdk.kotlin.services.cloudwatch.model.MetricDatum
import aws.sdk.kotlin.services.cloudwatch.putMetricData
import aws.sdk.kotlin.services.dynamodb.DynamoDbClient
import aws.sdk.kotlin.services.dynamodb.createTable
import aws.sdk.kotlin.services.dynamodb.deleteTable
import aws.sdk.kotlin.services.dynamodb.getItem
import aws.sdk.kotlin.services.dynamodb.listTables
import aws.sdk.kotlin.services.dynamodb.model.AttributeDefinition
import aws.sdk.kotlin.services.dynamodb.model.AttributeValue
import aws.sdk.kotlin.services.dynamodb.model.BillingMode
import aws.sdk.kotlin.services.dynamodb.model.KeySchemaElement
import aws.sdk.kotlin.services.dynamodb.model.KeyType
import aws.sdk.kotlin.services.dynamodb.model.ScalarAttributeType
import aws.sdk.kotlin.services.dynamodb.putItem
import aws.sdk.kotlin.services.dynamodb.waiters.waitUntilTableExists
import aws.sdk.kotlin.services.dynamodb.waiters.waitUntilTableNotExists
import aws.sdk.kotlin.services.s3.S3Client
import aws.sdk.kotlin.services.s3.createBucket
import aws.sdk.kotlin.services.s3.deleteBucket
import aws.sdk.kotlin.services.s3.deleteObject
import aws.sdk.kotlin.services.s3.headObject
import aws.sdk.kotlin.services.s3.listObjectsV2
import aws.sdk.kotlin.services.s3.model.GetObjectRequest
import aws.sdk.kotlin.services.s3.putObject
import aws.sdk.kotlin.services.s3.waiters.waitUntilBucketExists
import aws.sdk.kotlin.services.s3.waiters.waitUntilBucketNotExists
import aws.sdk.kotlin.services.secretsmanager.SecretsManagerClient
import aws.sdk.kotlin.services.secretsmanager.createSecret
import aws.sdk.kotlin.services.secretsmanager.deleteSecret
import aws.sdk.kotlin.services.secretsmanager.getSecretValue
import aws.sdk.kotlin.services.secretsmanager.putSecretValue
import aws.sdk.kotlin.services.sts.StsClient
import aws.sdk.kotlin.services.sts.assumeRole
import aws.sdk.kotlin.services.sts.getCallerIdentity
import aws.smithy.kotlin.runtime.ServiceException
import aws.smithy.kotlin.runtime.content.ByteStream
import aws.smithy.kotlin.runtime.content.toByteArray
import aws.smithy.kotlin.runtime.time.Instant
import kotlin.time.Duration.Companion.hours
import kotlinx.coroutines.runBlocking

/** As CannedClient, with Amazon's SDK for Kotlin. */
fun main() = runBlocking {
  S3Client.fromEnvironment { forcePathStyle = true }.use { storage(it) }
  StsClient.fromEnvironment().use { identity(it) }
  CloudWatchClient.fromEnvironment().use { metrics(it) }
  DynamoDbClient.fromEnvironment().use { table(it) }
  SecretsManagerClient.fromEnvironment().use { secrets(it) }
}

private suspend fun storage(s3: S3Client) {
  s3.createBucket { bucket = "plimsoll-b" }
  s3.waitUntilBucketExists { bucket = "plimsoll-b" }
  for (size in listOf(1, 3_000_000)) {
    val put = s3.putObject { bucket = "plimsoll-b"; key = "k"; body = ByteStream.fromBytes(ByteArray(size)) }
    check(put.eTag != null) { "PutObject" }
  }
  check(s3.headObject { bucket = "plimsoll-b"; key = "k" }.contentLength == 1024L) { "HeadObject" }
  check(length(s3, "plimsoll-b") == 1024) { "GetObject" }
  s3.deleteObject { bucket = "plimsoll-b"; key = "k" }
  s3.deleteBucket { bucket = "plimsoll-b" }
  s3.waitUntilBucketNotExists { bucket = "plimsoll-b" }
  fails("NotImplemented", "ListObjectsV2") { s3.listObjectsV2 { bucket = "plimsoll-b" } }
  // With a session that the SDK asks for by itself.
  val express = "plimsoll--usw2-az1--x-s3"
  s3.putObject { bucket = express; key = "k"; body = ByteStream.fromString("x") }
  check(length(s3, express) == 1024) { "GetObject of S3 Express" }
}

private suspend fun length(s3: S3Client, from: String) =
  s3.getObject(GetObjectRequest { bucket = from; key = "k" }) { it.body!!.toByteArray().size }

private suspend fun identity(sts: StsClient) {
  check(sts.getCallerIdentity().account == "000000000000") { "GetCallerIdentity" }
  val role = sts.assumeRole { roleArn = "arn:aws:iam::000000000000:role/r"; roleSessionName = "session" }
  check(role.credentials!!.expiration > Instant.now()) { "AssumeRole" }
}

private suspend fun metrics(cloudWatch: CloudWatchClient) {
  val now = Instant.now()
  val got = cloudWatch.getMetricData {
    startTime = now - 1.hours
    endTime = now
    metricDataQueries = listOf(MetricDataQuery { id = "m1"; expression = "1" })
  }
  check(got.metricDataResults!![0].values == listOf(1.0)) { "GetMetricData: $got" }
  // The second one is long enough for the SDK to compress it.
  for (n in listOf(1, 200)) {
    val datum = MetricDatum { metricName = "m".repeat(n); value = 1.0 }
    cloudWatch.putMetricData { namespace = "n"; metricData = List(n) { datum } }
  }
}

private suspend fun table(dynamo: DynamoDbClient) {
  val id = mapOf("id" to AttributeValue.S("x"))
  dynamo.createTable {
    tableName = "table-1"
    billingMode = BillingMode.PayPerRequest
    keySchema = listOf(KeySchemaElement { attributeName = "id"; keyType = KeyType.Hash })
    attributeDefinitions = listOf(AttributeDefinition { attributeName = "id"; attributeType = ScalarAttributeType.S })
  }
  dynamo.waitUntilTableExists { tableName = "table-1" }
  dynamo.putItem { tableName = "table-1"; item = id }
  check(dynamo.getItem { tableName = "table-1"; key = id }.item!!["value"] == AttributeValue.S("canned")) { "GetItem" }
  dynamo.deleteTable { tableName = "table-1" }
  dynamo.waitUntilTableNotExists { tableName = "table-1" }
  fails("UnknownOperationException", "DynamoDB_20120810.ListTables") { dynamo.listTables() }
}

private suspend fun secrets(manager: SecretsManagerClient) {
  check(manager.createSecret { name = "secret-1"; secretString = "x" }.name == "secret-1") { "CreateSecret" }
  check(manager.getSecretValue { secretId = "secret-1" }.secretString != null) { "GetSecretValue" }
  val put = manager.putSecretValue { secretId = "secret-1"; secretString = "x" }
  check(put.versionStages == listOf("AWSCURRENT")) { "PutSecretValue: $put" }
  manager.deleteSecret { secretId = "secret-1" }
}

/** The service's own error, which names the operation. */
private suspend fun fails(code: String, operation: String, call: suspend () -> Unit) {
  try {
    call()
  } catch (e: ServiceException) {
    check(e.sdkErrorMetadata.errorCode == code && operation in e.message) { "$operation: $e" }
    return
  }
  error("$operation has an answer")
}
