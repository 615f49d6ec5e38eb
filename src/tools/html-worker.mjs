// Turns a page into Markdown in a thread of its own, since what a page can make the parsers do has no bound.
import { parentPort, workerData } from "node:worker_threads"
import { Readability } from "@mozilla/readability"
import { parseHTML } from "linkedom"
import TurndownService from "turndown"

const { html, maxChars, url } = workerData

const { document } = parseHTML(html)

/** What links and pictures are relative to. */
const makeAbsolute = (selector, attribute) => {
  for (const element of document.querySelectorAll(selector)) {
    const value = element.getAttribute(attribute) ?? ""
    // Embedded data is of no use as text.
    if (/^\s*(?:data|javascript|blob):/i.test(value)) element.removeAttribute(attribute)
    else if (URL.canParse(value, url)) element.setAttribute(attribute, new URL(value, url).href)
  }
}

for (const element of document.querySelectorAll("script, style, noscript, template, svg, iframe, object, embed")) {
  element.remove()
}
makeAbsolute("a[href]", "href")
makeAbsolute("img[src]", "src")

const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
const whole = document.body?.innerHTML ?? html
const title = (document.title ?? "").replace(/\s+/g, " ").trim()
const article = new Readability(document, { charThreshold: 200 }).parse()

const markdown = turndown.turndown(article?.content ?? whole).trim()
parentPort?.postMessage({
  title: (article?.title ?? title).replace(/\s+/g, " ").trim().slice(0, 500),
  markdown: markdown.slice(0, maxChars)
})
