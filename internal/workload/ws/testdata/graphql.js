// A server of graphql-transport-ws: a login by a token, a mutation that is refused for some texts, a subscription to the
// messages of a room, pings to its clients, and its own counts at /counts.
const { createServer } = require("http");
const { buildSchema } = require("graphql");
const { WebSocketServer } = require("ws");
const { useServer } = require("graphql-ws/use/ws");

const counts = { logins: 0, strangers: 0, taken: 0, refused: 0, delivered: 0, pongs: 0 };
const rooms = new Map();
const schema = buildSchema(`
  type Message { id: String! text: String! }
  type Query { hello: String! }
  type Mutation { send(room: String!, id: String!, text: String!): Boolean! }
  type Subscription { messages(room: String!): Message! }
`);

// messages are those of a room, from now on.
function messages({ room }) {
  const waiting = [];
  let wake = null;
  const take = (message) => {
    waiting.push(message);
    if (wake) wake();
  };
  if (!rooms.has(room)) rooms.set(room, new Set());
  rooms.get(room).add(take);
  return {
    [Symbol.asyncIterator]() { return this; },
    async next() {
      while (waiting.length === 0) await new Promise((resolve) => (wake = resolve));
      counts.delivered++;
      return { value: { messages: waiting.shift() }, done: false };
    },
    async return() {
      rooms.get(room).delete(take);
      return { value: undefined, done: true };
    },
  };
}

const roots = {
  query: { hello: "hello" },
  mutation: {
    send({ room, id, text }) {
      if (text === "bad") {
        counts.refused++;
        throw new Error("bad text");
      }
      counts.taken++;
      for (const take of rooms.get(room) || []) take({ id, text });
      return true;
    },
  },
  subscription: { messages },
};

const web = createServer((request, response) => {
  if (request.url === "/counts") response.end(JSON.stringify(counts));
});
const server = new WebSocketServer({ server: web, path: "/graphql" });
server.on("connection", (socket) => {
  socket.on("message", (data) => {
    if (data.toString() === '{"type":"pong"}') counts.pongs++;
  });
});
useServer({
  schema, roots,
  onConnect(context) {
    if (context.connectionParams?.token !== "secret") {
      counts.strangers++;
      return false; // closes with 4403
    }
    counts.logins++;
    const socket = context.extra.socket;
    const timer = setInterval(() => socket.send('{"type":"ping"}'), 50);
    socket.on("close", () => clearInterval(timer));
    return true;
  },
}, server);
web.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${web.address().port}`));
process.stdin.resume().on("end", () => process.exit()); // with the test, should that be killed
