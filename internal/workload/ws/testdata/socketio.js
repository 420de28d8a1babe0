// A server of Socket.IO: a login by a token, rooms, messages that it acknowledges or refuses and hands to their room, and
// its own counts at /counts.
const { createServer } = require("http");
const { Server } = require("socket.io");

const counts = { logins: 0, strangers: 0, taken: 0, refused: 0, delivered: 0, pongs: 0 };
const web = createServer((request, response) => {
  if (request.url === "/counts") response.end(JSON.stringify(counts));
});
const io = new Server(web, { transports: ["websocket"], pingInterval: 50, pingTimeout: 60000 });
io.use((socket, next) => {
  if (socket.handshake.auth.token === "secret") return next();
  counts.strangers++;
  next(new Error("not authorized"));
});
io.on("connection", (socket) => {
  counts.logins++;
  socket.join(socket.handshake.auth.room);
  socket.conn.on("packet", (packet) => packet.type === "pong" && counts.pongs++);
  socket.on("msg", (message, answer) => {
    if (message.text === "bad") {
      counts.refused++;
      return answer({ error: "bad text" });
    }
    counts.taken++;
    answer({ ok: true });
    counts.delivered += io.sockets.adapter.rooms.get(message.room).size;
    io.to(message.room).emit("msg", message);
  });
});
web.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${web.address().port}`));
process.stdin.resume().on("end", () => process.exit()); // with the test, should that be killed
