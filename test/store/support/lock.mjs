// Another process that holds the database locked: `node lock.mjs <file> <milliseconds>`.
import Database from "better-sqlite3"

const [file, time] = process.argv.slice(2)
const database = new Database(file)
database.exec("BEGIN IMMEDIATE")
process.stdout.write("locked\n")
setTimeout(() => {
  database.exec("COMMIT")
  database.close()
}, Number(time))
