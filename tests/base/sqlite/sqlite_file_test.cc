#include "base/sqlite/sqlite_file.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <array>
#include <filesystem>

#include "base/io/gzip.h"
#include "support/sqlite_writer.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr std::array<std::string_view, 3> kNumbersColumns = {"n", "word", "absent"};

std::vector<std::int64_t> numbers_in(const SqliteFile& file) {
  Result<SqliteRows> rows = file.rows("numbers", kNumbersColumns);
  REQUIRE(rows.ok());
  std::vector<std::int64_t> numbers;
  while (rows->next()) numbers.push_back(rows->integer(0, -1));
  CHECK_FALSE(rows->damage().has_value());
  return numbers;
}

std::vector<std::string> files_in(const TempDir& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("rows are read by the names of columns; what is absent is null") {
  const TempDir folder;
  const std::string path = folder.path("plain.sqlite");
  write_database(path,
                 "CREATE TABLE numbers (word TEXT, n INTEGER);"
                 "INSERT INTO numbers VALUES ('one', 1), (x'6100', 2), (NULL, 'three'), ('four', 4.5)");
  const Result<SqliteFile> file = SqliteFile::open(path);
  REQUIRE(file.ok());
  Result<SqliteRows> rows = file->rows("numbers", kNumbersColumns);
  REQUIRE(rows.ok());
  REQUIRE(rows->next());
  CHECK(rows->integer(0, -1) == 1);
  CHECK(rows->bytes(1) == "one");
  CHECK_FALSE(rows->is_integer(2));
  CHECK(rows->bytes(2).empty());
  REQUIRE(rows->next());
  // The column is declared TEXT and holds bytes, a zero among them.
  CHECK(rows->bytes(1) == std::string_view("a\0", 2));
  REQUIRE(rows->next());
  CHECK(rows->integer(0, -1) == -1);  // a text is no number
  REQUIRE(rows->next());
  CHECK(rows->integer(0, -1) == -1);  // nor is a fraction
  CHECK_FALSE(rows->next());
  CHECK(rows->rows() == 4);
  CHECK(files_in(folder) == std::vector<std::string>{"plain.sqlite"});
  Result<SqliteRows> none = file->rows("nothing", kNumbersColumns);
  REQUIRE(none.ok());
  CHECK_FALSE(none->next());
}

TEST_CASE("views and virtual tables are refused: reading them would execute them") {
  const TempDir folder;
  const std::string path = folder.path("view.sqlite");
  write_database(path,
                 "CREATE TABLE other (n INTEGER); CREATE VIEW numbers AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL "
                 "SELECT n + 1 FROM c) SELECT n FROM c");
  const Result<SqliteFile> file = SqliteFile::open(path);
  REQUIRE(file.ok());
  CHECK(file->has_view("numbers"));
  CHECK_FALSE(file->has_table("numbers"));
  const Result<SqliteRows> rows = file->rows("numbers", kNumbersColumns);
  REQUIRE_FALSE(rows.ok());
  CHECK(rows.error().message.find("view") != std::string::npos);
}

TEST_CASE("a value that is too long is null, and the rows around it are read") {
  const TempDir folder;
  const std::string path = folder.path("long.sqlite");
  write_database(path,
                 "CREATE TABLE numbers (n INTEGER, word TEXT);"
                 "INSERT INTO numbers VALUES (1, zeroblob(70000000)), (2, 'two'), (3, zeroblob(70000000)), (4, "
                 "'four')");
  const Result<SqliteFile> file = SqliteFile::open(path);
  REQUIRE(file.ok());
  Result<SqliteRows> rows = file->rows("numbers", kNumbersColumns);
  REQUIRE(rows.ok());
  std::string words;
  std::vector<std::int64_t> numbers;
  while (rows->next()) {
    numbers.push_back(rows->integer(0, -1));
    words += std::string(rows->bytes(1)) + ";";
  }
  CHECK(numbers == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(words == ";two;;four;");
  CHECK(rows->long_values() == 2);
}

TEST_CASE("a compressed database is read, and so is what a write-ahead log holds") {
  const TempDir folder;
  const std::string path = folder.path("numbers.sqlite");
  write_database(path, "CREATE TABLE numbers (n INTEGER, word TEXT); INSERT INTO numbers VALUES (7, 'seven')");
  const std::string content = read_file(path);
  const std::string_view parts[] = {content};
  const Result<SqliteFile> packed = SqliteFile::open(folder.write("numbers.sqlite.gz", gzip(parts)));
  REQUIRE(packed.ok());
  CHECK(numbers_in(*packed) == std::vector<std::int64_t>{7});

  // A connection that is still open leaves its log beside the file.
  sqlite3* writer = nullptr;
  REQUIRE(::sqlite3_open(path.c_str(), &writer) == SQLITE_OK);
  REQUIRE(::sqlite3_exec(writer, "PRAGMA journal_mode = WAL; INSERT INTO numbers VALUES (8, 'eight')", nullptr, nullptr,
                         nullptr) == SQLITE_OK);
  const std::string copy = folder.path("copy.sqlite");
  std::filesystem::copy_file(path, copy);
  std::filesystem::copy_file(path + "-wal", copy + "-wal");
  ::sqlite3_close(writer);
  const std::vector<std::string> before = files_in(folder);
  {
    const Result<SqliteFile> logged = SqliteFile::open(copy);
    REQUIRE(logged.ok());
    CHECK(numbers_in(*logged) == std::vector<std::int64_t>{7, 8});
  }
  CHECK(files_in(folder) == before);
}

TEST_CASE("what is damaged, cut or no database is an Error that names the file") {
  const TempDir folder;
  const std::string path = folder.path("numbers.sqlite");
  std::string rows = "CREATE TABLE numbers (n INTEGER, word TEXT);";
  for (int i = 0; i < 2000; ++i) rows += "INSERT INTO numbers VALUES (1, 'a word that fills a page sooner or later');";
  write_database(path, "BEGIN;" + rows + "COMMIT");
  const std::string whole = read_file(path);
  const Result<SqliteFile> other = SqliteFile::open(folder.write("text", "no database at all"));
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().file.ends_with("text"));
  CHECK_FALSE(SqliteFile::open(folder.write("half", whole.substr(0, whole.size() / 2))).ok());
  std::string broken = whole;
  for (std::size_t i = whole.size() / 2; i < whole.size() / 2 + 8192; ++i) broken[i] = static_cast<char>(i * 7);
  const Result<SqliteFile> damaged = SqliteFile::open(folder.write("broken", broken));
  REQUIRE(damaged.ok());
  Result<SqliteRows> some = damaged->rows("numbers", kNumbersColumns);
  REQUIRE(some.ok());
  while (some->next()) {
  }
  REQUIRE(some->damage().has_value());
  CHECK(some->damage()->remedy == Remedy::salvage);
  CHECK(some->rows() > 100);
  CHECK(some->rows() < 2000);
}
