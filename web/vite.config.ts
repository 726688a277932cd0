import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

import { sourcesHash } from "./sources";

const root = fileURLToPath(new URL(".", import.meta.url));
const page = join(root, "../src/geopar/service/page");

/** `GEOPAR_SERVICE` is where `geopar serve` runs while one works on the page with `npm run dev`. */
const service = process.env["GEOPAR_SERVICE"] ?? "http://127.0.0.1:8000";
const paths = ["solvers", "generate", "read", "validate", "check", "solve", "jobs", "trace", "bound", "sheet", "openapi.json", "health", "metrics"];

function recordSources(): Plugin {
  return {
    name: "record-sources",
    apply: "build",
    closeBundle() {
      const text = JSON.stringify({ sources: sourcesHash(root) }) + "\n";
      writeFileSync(join(page, "sources.json"), text);
    },
  };
}

export default defineConfig({
  root,
  base: "./",
  plugins: [recordSources()],
  build: {
    outDir: page,
    emptyOutDir: true,
    rollupOptions: { input: [join(root, "index.html"), join(root, "docs.html")] },
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the content security policy has no data: addresses
  },
  server: {
    fs: { allow: [".."] },
    proxy: Object.fromEntries(paths.map((path) => [`/${path}`, { target: service }])),
  },
});
