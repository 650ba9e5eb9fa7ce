// node node.mjs ROOT TIMED FILE...
import { readFileSync } from "node:fs";
import { judge } from "./judge.mjs";

await judge(process.argv.slice(2), readFileSync, console.log);
