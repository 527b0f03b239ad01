/**
 * A server on the loopback address that speaks Anthropic's Messages API (streamed and not), as far as Claude Code asks
 * for it. What the model says is the caller's: `answer` gets what came after the model's last words.
 */
import { createServer } from "node:http";

/**
 * @typedef {{ text: string } | { tool: string, input: Record<string, unknown> }} Turn a text ends the turn, a tool goes on
 * @typedef {{ tools: string[], said: string, whole: string }} Asked the tools on offer; what was said since the model's
 *   last words; the whole conversation
 */

/** @param {unknown} content @returns {string} the text in the content of a message, results of tools included */
function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => part.text ?? textOf(part.content)).join("\n");
}

/**
 * @param {(asked: Asked) => Turn} answer
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function startModel(answer) {
  let count = 0;
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = new URL(request.url ?? "/", "http://model").pathname;
    const json = (/** @type {number} */ status, /** @type {unknown} */ value) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (path.endsWith("/count_tokens")) return json(200, { input_tokens: 100 });
    if (request.method !== "POST" || !path.endsWith("/v1/messages")) return json(404, { type: "error", error: { type: "not_found_error", message: path } });
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const messages = body.messages ?? [];
    const last = messages.findLastIndex((/** @type {{ role: string }} */ { role }) => role === "assistant");
    const text = (/** @type {{ content: unknown }[]} */ some) => some.map(({ content }) => textOf(content)).join("\n");
    const tools = (body.tools ?? []).map((/** @type {{ name: string }} */ { name }) => name);
    /** @type {Turn} */
    let turn;
    try {
      // Requests without tools are the client's own: a title, a summary.
      turn = tools.length === 0 ? { text: "Ok" } : answer({ tools, said: text(messages.slice(last + 1)), whole: text(messages) });
    } catch (error) {
      turn = { text: `the test failed: ${error instanceof Error ? error.message : error}` };
    }
    count += 1;
    const block = "text" in turn ? { type: "text", text: turn.text } : { type: "tool_use", id: `toolu_${count}`, name: turn.tool, input: turn.input };
    const stop = "text" in turn ? "end_turn" : "tool_use";
    const usage = { input_tokens: 11, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 7 };
    const message = { id: `msg_${count}`, type: "message", role: "assistant", model: body.model, content: [block], stop_reason: stop, stop_sequence: null, usage };
    if (!body.stream) return json(200, message);
    const delta = "text" in turn ? { type: "text_delta", text: turn.text } : { type: "input_json_delta", partial_json: JSON.stringify(turn.input) };
    const events = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: "text" in turn ? { type: "text", text: "" } : { ...block, input: {} } },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() };
}
