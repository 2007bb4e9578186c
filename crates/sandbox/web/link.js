// @ts-check
// The connection to the server: sends requests, hands out messages by type, comes back after it was lost. With every picture it
// says how much it has seen, so that a slow machine is not sent more than it can show, and a hidden page nothing.

/** How long to wait before trying again, in milliseconds. */
const RETRY = 700;

/** @typedef {(message: any) => void} Hearer */

export class Link {
  /** @type {WebSocket | undefined} */ #socket;
  /** @type {Map<string, Hearer[]>} */ #hearers = new Map();
  /** @type {((data: DataView) => void)} */ onBinary = () => {};
  /** @type {((connected: boolean) => void)} */ onState = () => {};
  received = { frames: 0, bytes: 0 };

  /**
   * Calls back for messages of a type.
   * @param {string} type
   * @param {Hearer} hearer
   */
  on(type, hearer) {
    this.#hearers.set(type, [...(this.#hearers.get(type) ?? []), hearer]);
  }

  connect() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/socket${location.search}`);
    socket.binaryType = 'arraybuffer';
    let messages = 0;
    let saying = false;
    const say = () => {
      saying = false;
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ do: 'seen', messages }));
    };
    socket.onopen = () => this.onState(true);
    socket.onclose = () => {
      this.onState(false);
      setTimeout(() => this.connect(), RETRY);
    };
    socket.onmessage = (event) => {
      messages += 1;
      if (!saying) requestAnimationFrame(say);
      saying = true;
      if (event.data instanceof ArrayBuffer) {
        this.received.bytes += event.data.byteLength;
        this.received.frames += 1;
        this.onBinary(new DataView(event.data));
      } else {
        const message = JSON.parse(event.data);
        for (const hearer of this.#hearers.get(message.type) ?? []) hearer(message);
      }
    };
    this.#socket = socket;
  }

  /**
   * Asks for something; forgotten if there is no connection.
   * @param {string} what
   * @param {object} [details]
   */
  ask(what, details = {}) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ do: what, ...details }));
  }
}
