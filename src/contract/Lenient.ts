// The reading rules that the official schema marks: bad value becomes default, bad items are skipped, null is absent.
import { Option, Schema } from "effect"

type Plain<A, I> = Schema.Schema<A, I, never>

/** Whether a value is one that `schema` decodes. Made when first asked: most members are absent from most messages. */
const fitting = <A, I>(schema: Plain<A, I>): ((value: unknown) => value is I) => {
  let is: ((value: unknown) => value is I) | undefined
  return (value): value is I => {
    // Bound: a number out of range is a bad value too.
    is ??= Schema.is(Schema.encodedBoundSchema(schema))
    return is(value)
  }
}

/** Optional; null reads as absent; a bad value is an error. */
export const optional = <A, I>(schema: Plain<A, I>) => Schema.optionalWith(schema, { exact: true, nullable: true })

/** Optional; null and bad values read as absent. @see `x-deserialize-default-on-error` */
export const lenient = <A, I>(schema: Plain<A, I>) => {
  const fits = fitting(schema)
  return Schema.optionalToOptional(Schema.Unknown, schema, {
    decode: Option.filter(fits),
    encode: Option.map((value): unknown => value)
  })
}

/** Always present; absent, null and bad values read as `fallback`. */
export const defaulted = <A, I>(schema: Plain<A, I>, fallback: I) => {
  const fits = fitting(schema)
  return Schema.optionalToRequired(Schema.Unknown, schema, {
    decode: Option.match({ onNone: () => fallback, onSome: (value) => (fits(value) ? value : fallback) }),
    encode: (value) => Option.some<unknown>(value)
  })
}

/** A list; absent and null read as empty, a bad list is an error. */
export const list = <A, I>(item: Plain<A, I>) => {
  const schema = Schema.Array(item)
  return Schema.optionalWith(schema, { exact: true, nullable: true, default: () => [] })
}

/** A list that must be there; null reads as empty, a bad list is an error. @see `x-deserialize-default-on-null` */
export const requiredList = <A, I>(item: Plain<A, I>) => {
  const schema = Schema.Array(item)
  return Schema.transform(Schema.NullOr(schema), Schema.typeSchema(schema), {
    strict: true,
    decode: (value) => value ?? [],
    encode: (value) => value
  })
}

const goodItems =
  <I>(fits: (value: unknown) => value is I) =>
  (value: unknown): Option.Option<ReadonlyArray<I>> =>
    Array.isArray(value) ? Option.some(value.filter(fits)) : Option.none()

/** A list whose bad items are left out; absent, null and anything but a list read as empty. @see `x-deserialize-skip-invalid-items` */
export const listSkipping = <A, I>(item: Plain<A, I>) => {
  const fits = fitting(item)
  return Schema.optionalToRequired(Schema.Unknown, Schema.Array(item), {
    decode: (value): ReadonlyArray<I> => Option.getOrElse(Option.flatMap(value, goodItems(fits)), () => []),
    encode: (value) => Option.some<unknown>(value)
  })
}

/** Optional; bad items are left out, null and anything but a list read as absent. @see `x-deserialize-skip-invalid-items` */
export const lenientList = <A, I>(item: Plain<A, I>) => {
  const fits = fitting(item)
  return Schema.optionalToOptional(Schema.Unknown, Schema.Array(item), {
    decode: Option.flatMap(goodItems(fits)),
    encode: Option.map((value): unknown => value)
  })
}

/** As `lenientList`, where null says something else than absence: there is none any more. */
export const lenientListOrNull = <A, I>(item: Plain<A, I>) => {
  const fits = fitting(item)
  return Schema.optionalToOptional(Schema.Unknown, Schema.NullOr(Schema.Array(item)), {
    decode: Option.flatMap((value) => (value === null ? Option.some(null) : goodItems(fits)(value))),
    encode: Option.map((value): unknown => value)
  })
}

/** A number that the protocol keeps in 32 bits. */
export const Uint32 = Schema.Int.pipe(Schema.between(0, 4_294_967_295))

/** Custom data, the only place for it in spec types. @see acp-v1 section 1.8 */
export const Meta = lenient(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** A present object marks support; absent, null and anything else mean no. */
export const marker = lenient(Schema.Struct({ _meta: Meta }))
