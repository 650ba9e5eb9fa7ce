// The worker as the page sees it: a question, and the promise of an answer.
import {workerText} from "./worker-text.js";

export class Judge {
    /** `stopped` is called with a sentence when the worker stopped. The next question starts a new worker. */
    constructor(stopped) {
        this.stopped = stopped;
        this.address = URL.createObjectURL(new Blob([workerText], {type: "text/javascript"}));
        this.worker = null;
        this.waiting = new Map();
        this.lastMessage = 0;
    }

    ask(message, transfer = []) {
        this.worker ??= this.started();
        return new Promise((resolve, reject) => {
            const id = ++this.lastMessage;
            this.waiting.set(id, {resolve, reject});
            this.worker.postMessage({...message, id}, transfer);
        });
    }

    started() {
        const worker = new Worker(this.address);
        worker.onmessage = ({data}) => {
            const {resolve, reject} = this.waiting.get(data.id);
            this.waiting.delete(data.id);
            if (data.error === undefined) resolve(data.value);
            else reject(new Error(data.error));
        };
        worker.onerror = event => this.stop(`The worker stopped: ${event.message}. Give the receipt again.`);
        return worker;
    }

    /** Ends the worker. Every question that it has not answered fails. */
    stop(reason) {
        this.worker.terminate();
        this.worker = null;
        const waiting = [...this.waiting.values()];
        this.waiting.clear();
        this.stopped(reason);
        for (const {reject} of waiting) reject(new Error(reason));
    }
}
