@file:JvmName("KotlinLoop")

package plimsoll

import aws.sdk.kotlin.services.dynamodb.DynamoDbClient
import aws.sdk.kotlin.services.dynamodb.getItem
import aws.sdk.kotlin.services.dynamodb.model.AttributeValue
import aws.sdk.kotlin.services.s3.S3Client
import aws.sdk.kotlin.services.s3.headObject
import java.io.File
import java.net.Socket
import kotlinx.coroutines.runBlocking

/** As Loop, with Amazon's SDK for Kotlin. */
fun main(args: Array<String>) {
  val calls = args[0].toInt()
  @Suppress("DEPRECATION") Socket.setSocketImplFactory(::HookedSocket)
  val medians = runBlocking {
    val head = S3Client.fromEnvironment { forcePathStyle = true }.use { s3 ->
      median(calls) { s3.headObject { bucket = "plimsoll-b"; key = "k" } }
    }
    val get = DynamoDbClient.fromEnvironment().use { dynamo ->
      median(calls) { dynamo.getItem { tableName = "t"; key = mapOf("id" to AttributeValue.S("x")) } }
    }
    mapOf("HeadObject" to head, "GetItem" to get)
  }
  File(args[1]).writeText(medians.entries.joinToString(", ", "{", "}") { "\"${it.key}\": ${it.value}" })
}

private suspend fun median(calls: Int, call: suspend () -> Unit): Long {
  HookedSocket.forget()
  val costs = List(calls) {
    call()
    HookedSocket.cost() // 0 of the first call
  }
  return costs.drop(1).sorted()[(calls - 1) / 2]
}
