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
  #asked = 0;
  /** Who waits for which number to come back. @type {Map<number, () => void>} */ #waiting = new Map();
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
      this.#heard(this.#asked);
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
        if (message.type === 'echo') this.#heard(message.number);
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

  /** Waits until everything that was asked for has happened, and what became of it has arrived here (or the connection is lost). */
  settled() {
    const number = ++this.#asked;
    this.ask('echo', { number });
    return new Promise((/** @type {(_: void) => void} */ done) => {
      if (this.#socket?.readyState === WebSocket.OPEN) this.#waiting.set(number, done);
      else done();
    });
  }

  /** Whether what the server says may be from before something that was asked for, by somebody who waits for it. */
  get isWaiting() {
    return this.#waiting.size > 0;
  }

  /** @param {number} number all up to this have come back */
  #heard(number) {
    for (const [asked, done] of this.#waiting) {
      if (asked > number) continue;
      this.#waiting.delete(asked);
      done();
    }
  }
}
