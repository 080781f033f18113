#include "query/database_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/interrupt.h"
#include "base/io/output_file.h"

namespace orrery::query {
namespace {

constexpr DiagnosticKind kTableEmpty{
    "Q101", Severity::warning, "a table could not be made and is empty in the database",
    "ask for it alone to see what would help: orrery query TRACE 'SELECT * FROM path'"};

/// What people join by and look for.
constexpr const char* kIndexes =
    "CREATE UNIQUE INDEX events_id ON events(id); CREATE INDEX events_name ON events(name); CREATE INDEX events_start "
    "ON events(start_ps);"
    "CREATE INDEX events_correlation ON events(correlation) WHERE correlation IS NOT NULL; CREATE INDEX args_event ON "
    "args(event);"
    "CREATE INDEX path_event ON path(event); CREATE INDEX edges_event ON edges(event);";

/// A file beside the one that is wanted, gone when this goes.
class FileAside {
 public:
  explicit FileAside(const std::string& target) : path_(aside_name(target)), guard_(path_) {}
  FileAside(const FileAside&) = delete;
  FileAside& operator=(const FileAside&) = delete;
  ~FileAside() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  static std::string aside_name(const std::string& target) {
    // What goes to standard output or a device has no folder of its own.
    std::error_code ignored;
    const bool is_file = !is_standard_output(target) && (!std::filesystem::exists(target, ignored) ||
                                                         std::filesystem::is_regular_file(target, ignored));
    const std::string base = is_file ? target : (std::filesystem::temp_directory_path(ignored) / "orrery").string();
    return base + ".tables-" + std::to_string(::getpid());
  }
  std::string path_;
  RemovedWhenInterrupted guard_;
};

Error failed(sqlite3* connection, const std::string& path) {
  return {std::string("cannot write: ") + ::sqlite3_errmsg(connection), path};
}

/// Copies one table row by row.
Status copy_table(sqlite3* source, const VirtualTable& table, Failure& failure, sqlite3* target,
                  const std::string& path, Diagnostics& remarks) {
  if (const Status made = execute(target, declaration(table)); !made) return failed(target, path);
  std::string places;
  for (std::size_t i = 0; i < table.columns().size(); ++i) places += i == 0 ? "?" : ",?";
  const Result<Statement> insert = prepare(target, "INSERT INTO " + table.name() + " VALUES(" + places + ")");
  if (!insert) return insert.error();
  failure.clear();
  const Result<Statement> select = prepare(source, "SELECT * FROM " + table.name());
  if (!select) return select.error();
  int outcome = 0;
  while ((outcome = ::sqlite3_step(select->get())) == SQLITE_ROW) {
    for (int i = 0; i < static_cast<int>(table.columns().size()); ++i)
      ::sqlite3_bind_value(insert->get(), i + 1, ::sqlite3_column_value(select->get(), i));
    if (::sqlite3_step(insert->get()) != SQLITE_DONE) return failed(target, path);
    ::sqlite3_reset(insert->get());
  }
  if (outcome == SQLITE_DONE) return {};
  failure.rethrow();
  if (!failure.error) return Error{std::string("SQLite: ") + ::sqlite3_errmsg(source)};
  // The other tables are of use without a path.
  remarks.add(kTableEmpty, [&] { return table.name() + ": " + failure.error->message; });
  return {};
}

/// Through an OutputFile, which knows what must not be replaced and when files appear.
Status publish(const std::string& from, const std::string& to) {
  Result<OutputFile> out = OutputFile::create(to);
  if (!out) return out.error();
  std::ifstream in(from, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 20);
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    out->write({block.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (!in.eof()) return Error{"what was written aside cannot be read again", from};
  return out->commit();
}

}  // namespace

Status write_database(sqlite3* source, std::span<const VirtualTable* const> tables, Failure& failure,
                      const std::string& path, Diagnostics& remarks) {
  const FileAside aside(path);
  {
    const Result<Connection> target = open_connection(aside.path());
    if (!target) return Error{"cannot write beside it: is the folder there, and may it be written to?", path};
    // It is written once and thrown away if that fails: no journal is needed to go back.
    if (const Status set = execute(target->get(), "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN"); !set)
      return failed(target->get(), path);
    for (const VirtualTable* table : tables) {
      if (const Status copied = copy_table(source, *table, failure, target->get(), path, remarks); !copied)
        return copied;
    }
    for (const View& view : kViews) {
      const std::string sql = "CREATE VIEW " + std::string(view.name) + " AS " + std::string(view.select);
      if (const Status made = execute(target->get(), sql); !made) return failed(target->get(), path);
    }
    if (const Status made = execute(target->get(), std::string(kIndexes) + "COMMIT"); !made)
      return failed(target->get(), path);
  }
  return publish(aside.path(), path);
}

}  // namespace orrery::query
