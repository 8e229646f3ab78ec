// Bundles each page into one file that asks nobody for anything: node build.mjs FOLDER
import { build } from "esbuild";
import { readFile, rename, writeFile } from "node:fs/promises";

// report.html, which every run has, carries nothing of the others; explain.html has no charts of ECharts.
const PAGES = {
  report: { entry: "src/main.js", style: "src/style.css", echarts: true, data: ["duet-stats", "duet-timeline", "duet-sources", "duet-machine", "duet-advice"] },
  pages: { entry: "src/pages/main.js", style: "src/style.css", echarts: true, data: ["duet-page"] },
  explain: { entry: "src/explain/main.js", style: "src/explain/style.css", echarts: false, data: ["duet-page"] },
};
const folder = process.argv[2];
if (!folder) throw new Error("usage: node build.mjs FOLDER");

async function bundle(entry) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    charset: "utf8",
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return result.outputFiles[0].text;
}

// What goes into <script> or <style> must not end it.
function put(html, mark, text) {
  const parts = html.split(mark);
  if (parts.length !== 2) throw new Error(`template.html has not one ${mark}`);
  return parts.join(text);
}

// The page passes on the code of others, so it has what they ask for.
const licenses = (await Promise.all(["echarts/NOTICE", "echarts/LICENSE", "echarts/licenses/LICENSE-d3", "zrender/LICENSE", "tslib/LICENSE.txt"]
  .map(async (path) => `${path}\n\n${(await readFile(`node_modules/${path}`, "utf8")).trim()}\n`))).join("\n\n");
if (/<\/script|<!--/i.test(licenses)) throw new Error("a licence would end its own tag");
const template = await readFile("template.html", "utf8");
for (const [name, { entry, style: sheet, echarts, data }] of Object.entries(PAGES)) {
  const script = await bundle(entry);
  const style = await bundle(sheet);
  if (/<\/style/i.test(style)) throw new Error("the style would end its own tag");
  if (/<\/script|<!--/i.test(script)) throw new Error(`the bundle of ${name} would end its own tag`);
  let html = put(template, "<!--data-->", data.map((id) => `<script type="application/json" id="${id}"></script>`).join("\n"));
  html = put(html, "/*style*/", style.trim());
  html = put(html, "/*licenses*/", echarts ? licenses : "");
  html = put(html, "/*script*/", script.trim());
  await writeFile(`${folder}/${name}.html.part`, html);
  await rename(`${folder}/${name}.html.part`, `${folder}/${name}.html`);
}
