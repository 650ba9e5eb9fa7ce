/** The octets of app-receipt.wasm as base64. */
declare const text: string;
export default text;
