/** What the page is made from, as one number: the build records it, a Python test recomputes it. */

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Files and folders under web/, and the examples that the page carries. */
export const PARTS = [
  "docs.html",
  "index.html",
  "package.json",
  "sources.ts",
  "src",
  "tsconfig.json",
  "vite.config.ts",
  "../examples/couriers.json",
  "../examples/deliveries.json",
  "../examples/working-day/deliveries.json",
];

function files(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => files(join(path, name)));
}

/** SHA-256 over "path, newline, length, newline, bytes" of every file, sorted by path. */
export function sourcesHash(root: string): string {
  const name = (path: string) => relative(root, path).split(sep).join("/");
  const all = PARTS.flatMap((part) => files(join(root, part)));
  const sorted = all.sort((a, b) => (name(a) < name(b) ? -1 : 1));
  const hash = createHash("sha256");
  for (const path of sorted) {
    const bytes = readFileSync(path);
    hash.update(`${name(path)}\n${bytes.length}\n`);
    hash.update(bytes);
  }
  return hash.digest("hex");
}
