package plimsoll;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A foreign client that knows its own cost: it calls two operations in turn, so many times each in
 * a row. What a call costs is the time from the first bytes of an answer to the beginning of the
 * next request, at the socket. The medians in ns go to a file, as JSON.
 */
public final class Loop {
  public static void main(String[] args) throws IOException {
    int calls = Integer.parseInt(args[0]);
    Socket.setSocketImplFactory(HookedSocket::new); // deprecated, and the only way below the HTTP client
    Map<String, Long> medians = new LinkedHashMap<>();
    try (S3Client s3 = S3Client.builder().forcePathStyle(true).build()) {
      medians.put("HeadObject", median(calls, () -> s3.headObject(b -> b.bucket("plimsoll-b").key("k"))));
    }
    Map<String, AttributeValue> key = Map.of("id", AttributeValue.fromS("x"));
    try (DynamoDbClient dynamo = DynamoDbClient.create()) {
      medians.put("GetItem", median(calls, () -> dynamo.getItem(b -> b.tableName("t").key(key))));
    }
    String json = medians.entrySet().stream().map(e -> "\"" + e.getKey() + "\": " + e.getValue()).collect(Collectors.joining(", ", "{", "}"));
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(args[1]), StandardCharsets.UTF_8))) {
      out.println(json);
    }
  }

  /** Nothing is left out: a warm-up by time would be other calls here than there. */
  private static long median(int calls, Runnable call) {
    long[] costs = new long[calls];
    HookedSocket.forget();
    for (int i = 0; i < calls; i++) {
      call.run();
      costs[i] = HookedSocket.cost(); // 0 of the first call
    }
    long[] kept = Arrays.copyOfRange(costs, 1, calls);
    Arrays.sort(kept);
    return kept[kept.length / 2];
  }
}
