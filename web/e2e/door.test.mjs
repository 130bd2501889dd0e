// Who may connect: the page that the program served, and nobody else.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { view } from "./program.mjs";

let server, address;

before(async () => {
  server = await view("bounce");
  address = new URL(server.address);
});

after(() => server?.stop());

/** The status with which the program answers a WebSocket handshake. */
function handshake({ token = address.searchParams.get("token"), origin = address.origin, host = address.host } = {}) {
  return new Promise((resolve, reject) => {
    const asked = request({
      host: address.hostname,
      port: address.port,
      path: `/live?token=${token}`,
      headers: {
        host,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ...(origin === null ? {} : { origin }),
      },
    });
    asked.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve(response.statusCode);
    });
    asked.on("error", reject);
    asked.end();
  });
}

test("the page's own handshake is let in", async () => assert.equal(await handshake(), 101));

test("a wrong or empty token is refused", async () => {
  for (const token of ["", "0", "f".repeat(32)]) assert.equal(await handshake({ token }), 403, token);
});

test("another origin is refused", async () => {
  for (const origin of ["http://example.org", "https://127.0.0.1", "http://127.0.0.1:1", "null"]) {
    assert.equal(await handshake({ origin }), 403, origin);
  }
});

test("a handshake that does not say where it comes from is refused", async () => {
  assert.equal(await handshake({ origin: null }), 403);
});

test("another host is refused, so that a name cannot be pointed here", async () => {
  assert.equal(
    await handshake({ host: `example.org:${address.port}`, origin: `http://example.org:${address.port}` }),
    403,
  );
});

test("the page itself needs the token", async () => {
  assert.equal((await fetch(address)).status, 200);
  assert.equal((await fetch(address.origin)).status, 403);
});
