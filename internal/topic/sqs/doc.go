// Package sqs is Amazon's SNS and SQS as a topic, by github.com/aws/aws-sdk-go-v2: messages are
// published to a topic of SNS, which puts them into one queue of SQS for each server.
//
// It stands under the updates workload and the key/value server. A topic, its publishers and its
// subscriptions may be used by several goroutines at the same time, as internal/topic says.
//
// # URL
//
//	awssnssqs://TOPIC[?OPTIONS]
//	awssnssqs:///ARN-OF-THE-TOPIC[?OPTIONS]
//
// Credentials come from the SDK's chain (environment, files, web identity, instance), never from
// the URL. The options are listed at settings. Topics for which order is kept (.fifo) are not
// taken: they are slower by two orders of magnitude, and updates need no order.
//
// # When Publish returns
//
// When SNS has answered that it has stored the message, which is before it is in any queue. The
// SDK's retries are off for it, so that each call is one request; they are off for receiving,
// too, whose caller tries again anyway. Setting up and acknowledging, which can be repeated
// without harm, are tried again by the SDK.
//
// SNS and SQS take text of 256 KiB, without most control characters: a payload is sent as
// base64 in the alphabet of URLs, which needs no escapes in SNS's form-encoded requests. A
// message that is not such text is handed over as it is; its reader will find that it is none of
// ours.
//
// # How messages are received
//
// Each Receive is one call of ReceiveMessage, or several when a long poll ends with nothing: for
// at most 10 messages, which is SQS's limit, and with a wait of up to 20 s. Nothing is fetched
// ahead. A message that is not acknowledged within the visibility time is delivered again; so is
// one whose receive call was given up just when it was answered. Ack deletes up to 10 messages a
// request. Entries that SQS could not delete are tried again.
//
// # The queue
//
// A server's queue is TOPIC-SERVER unless queue= names it. A queue that is missing is made, with
// a policy that lets the topic send to it from its first moment on; it is subscribed with raw
// delivery and without a filter. With create=false all that has to be there. An ephemeral
// subscription that made its queue deletes it at Close, and its subscription before.
package sqs
