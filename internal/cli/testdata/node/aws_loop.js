// A foreign client that knows its own cost, as testdata/python/aws_loop.py is one: the AWS SDK for JavaScript calls two
// operations in turn, so many times each in a row, with hooks at the socket. The medians in ns go to a file, as JSON.
"use strict";

const fs = require("fs");
const net = require("net");

let received = null; // when the first bytes of the last answer came
let costs = []; // of the operation that is called

// Node tells of neither to its users: these two are where a socket writes, and where it hands on what it has read.
const { _writeGeneric, push } = net.Socket.prototype;

net.Socket.prototype._writeGeneric = function (...args) {
  const now = process.hrtime.bigint();
  if (received !== null) {
    costs.push(Number(now - received));
    received = null;
  }
  return _writeGeneric.apply(this, args);
};

net.Socket.prototype.push = function (piece, ...args) {
  if (piece && received === null) received = process.hrtime.bigint();
  return push.call(this, piece, ...args);
};

function median(list) {
  list.sort((a, b) => a - b);
  const middle = list.length >> 1;
  return list.length % 2 ? list[middle] : (list[middle - 1] + list[middle]) / 2;
}

const { DynamoDB } = require("@aws-sdk/client-dynamodb"); // once the hooks are in

async function main(calls, out) {
  const client = new DynamoDB({ maxAttempts: 1 });
  const key = { id: { S: "x" } };
  const medians = {};
  for (const [name, call] of [
    ["GetItem", () => client.getItem({ TableName: "t", Key: key })],
    ["PutItem", () => client.putItem({ TableName: "t", Item: key })],
  ]) {
    costs = [];
    for (let i = 0; i < calls; i++) await call();
    // As much is left out as Plimsoll does unless it is told otherwise, and WHOLE says so.
    medians[name] = median(costs.slice("WHOLE" in process.env ? 0 : Math.floor(calls / 5)));
  }
  fs.writeFileSync(out, JSON.stringify(medians));
}

main(Number(process.argv[2]), process.argv[3]).catch((err) => {
  console.error(err);
  process.exit(1);
});
