// image_info: what it tells of pictures, and of what is none.
import { deflateSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { imageInfo } from "../../src/tools/ImageInfo.ts"
import { bench, call, prepare } from "../support/ToolRun.ts"

const png = (width: number, height: number, rest = deflateSync(Buffer.alloc(0))) => {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  return Buffer.concat([head, size, Buffer.of(8, 6, 0, 0, 0, 0, 0, 0, 0), rest])
}
const gif = (width: number, height: number) => {
  const size = Buffer.alloc(4)
  size.writeUInt16LE(width, 0)
  size.writeUInt16LE(height, 2)
  return Buffer.concat([Buffer.from("GIF89a"), size, Buffer.alloc(20)])
}
/** Little endian, its directory behind all else. */
const tiff = (width: number, height: number, filler: number) => {
  const head = Buffer.alloc(8 + filler)
  head.write("II*\0", "latin1")
  head.writeUInt32LE(8 + filler, 4)
  const entry = (tag: number, value: number) => {
    const it = Buffer.alloc(12)
    it.writeUInt16LE(tag, 0)
    it.writeUInt16LE(3, 2)
    it.writeUInt32LE(1, 4)
    it.writeUInt16LE(value, 8)
    return it
  }
  const compression = entry(259, 1)
  return Buffer.concat([head, Buffer.of(3, 0), entry(256, width), entry(257, height), compression, Buffer.alloc(4)])
}

describe("image_info", () => {
  it.scopedLive("tells size and format of a picture", () =>
    Effect.gen(function* () {
      const it = yield* bench
      it.write("a/b.png", png(640, 480))
      const { action, face } = yield* prepare(imageInfo, it, { path: "a/b.png" })
      assert.deepStrictEqual(action, { _tag: "Read", tool: "image_info", path: "a/b.png" })
      assert.deepInclude(face, { title: "Measure a/b.png", kind: "read" })
      const outcome = yield* call(imageInfo, it, { path: "a/b.png" })
      assert.strictEqual(outcome.text, `a/b.png: PNG, 640 × 480 pixels, ${png(1, 1).length} bytes`)
      assert.deepInclude(outcome.rawOutput, { format: "png", width: 640, height: 480 })
      it.write("c", gif(3, 7))
      assert.include((yield* call(imageInfo, it, { path: "c" })).text, "GIF, 3 × 7 pixels")
      it.write("d.svg", '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"></svg>')
      assert.include((yield* call(imageInfo, it, { path: "d.svg" })).text, "SVG, 20 × 10 pixels")
    })
  )

  it.scopedLive("finds it at the beginning of a large one, and at the end of a TIFF", () =>
    Effect.gen(function* () {
      const it = yield* bench
      it.write("a.png", png(4000, 3000, Buffer.alloc(8 * 1024 * 1024, 7)))
      assert.include((yield* call(imageInfo, it, { path: "a.png" })).text, "4000 × 3000")
      it.write("a.tif", tiff(30, 40, 1024 * 1024))
      assert.include((yield* call(imageInfo, it, { path: "a.tif" })).text, "TIFF, 30 × 40")
    })
  )

  it.scopedLive("says clearly what is no picture", () =>
    Effect.gen(function* () {
      const it = yield* bench
      it.write("text", "hello")
      it.write("empty", "")
      it.write("cut.png", png(1, 1).subarray(0, 12))
      it.write("zeros", Buffer.alloc(1000))
      // What any binary file may begin with is not taken for a TGA.
      it.write("bin", Buffer.concat([Buffer.alloc(12), Buffer.alloc(100, 9)]))
      it.write("flat.png", png(0, 5))
      for (const path of ["text", "empty", "cut.png", "zeros", "bin", "flat.png"]) {
        assert.include((yield* Effect.flip(call(imageInfo, it, { path }))).message, `${path} is not a picture`)
      }
      it.write("large", Buffer.alloc(10 * 1024 * 1024 + 1))
      assert.include((yield* Effect.flip(call(imageInfo, it, { path: "large" }))).message, "too large")
      assert.include((yield* Effect.flip(call(imageInfo, it, { path: "../x" }))).message, "outside")
    })
  )
})
