#include "query/database.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <filesystem>

#include "base/interrupt.h"

#include "query/small_database.h"

namespace {

using namespace orrery;
using testing::SmallDatabase;
using Rows = std::vector<std::string>;

Error error_of(SmallDatabase& small, std::string_view sql) {
  const Result<query::Answer> answer = small.database().ask(sql);
  REQUIRE(!answer);
  return answer.error();
}

TEST_CASE("events are the rows of the trace") {
  SmallDatabase small;
  CHECK(small.ask("SELECT count(*), min(id), max(id) FROM events") == Rows{"11|0|10"});
  CHECK(small.ask("SELECT id, rank, lane, name, category, activity, dur_ps, end_ps - start_ps, correlation, stream, "
                  "device FROM events "
                  "WHERE id = 7") == Rows{"7|0|1|gemm|kernel|kernel|50000000|50000000|1|7|0"});
  CHECK(small.ask("SELECT name, dur_ps FROM events WHERE name = 'mark'") == Rows{"mark|0"});
}

TEST_CASE("depth and parent are the call stack") {
  SmallDatabase small;
  CHECK(small.ask("SELECT e.name, e.depth, p.name FROM events e LEFT JOIN events p ON p.id = e.parent WHERE e.lane = 0 "
                  "ORDER BY "
                  "e.start_ps, e.depth") ==
        Rows{"ProfilerStep#1|0|", "aten::mm|1|ProfilerStep#1", "cudaLaunchKernel|2|aten::mm", "ProfilerStep#2|0|",
             "aten::add|1|ProfilerStep#2", "cudaLaunchKernel|2|aten::add", "cudaLaunchKernel|2|aten::add"});
}

TEST_CASE("device work belongs to the step that launched it") {
  SmallDatabase small;
  CHECK(small.ask("SELECT name, step FROM events WHERE activity = 'kernel' ORDER BY id") ==
        Rows{"gemm|0", "add|1", "gemm|1"});
  CHECK(small.ask("SELECT step, name, dur_ps FROM steps") ==
        Rows{"0|ProfilerStep#1|100000000", "1|ProfilerStep#2|100000000"});
}

TEST_CASE("steps, annotations and tracks of many events are looked up, not looked through") {
  // 100,000 steps of an operator each: looked through once per step, they would be looked at 2 * 10^10 times.
  trace::Trace job;
  trace::RankTrace& rank = job.ranks.emplace_back();
  rank.lanes.resize(1);
  rank.categories = {{job.strings.intern("user_annotation"), trace::Activity::annotation},
                     {job.strings.intern("cpu_op"), trace::Activity::cpu_operator}};
  const StringId step = job.strings.intern("ProfilerStep#1"), op = job.strings.intern("aten::mm");
  constexpr std::int64_t kSteps = 100'000;
  for (std::int64_t s = 0; s < kSteps; ++s) {
    rank.append_event({.start = 10 * s, .duration = 10, .name = step, .category = 0});
    rank.append_event({.start = 10 * s + 2, .duration = 5, .name = op, .category = 1});
  }
  Diagnostics remarks;
  Result<query::Database> database = query::Database::open({.trace = job, .remarks = remarks});
  REQUIRE(database);
  for (const char* question :
       {"SELECT count(*) FROM steps s JOIN events e ON e.rank = s.rank AND e.step = s.step AND e.activity = 'cpu "
        "operator'",
        "SELECT count(*) FROM events a JOIN events e ON e.start_ps >= a.start_ps AND e.start_ps < a.end_ps AND e.rank "
        "= a.rank AND e.lane "
        "= a.lane "
        "WHERE a.activity = 'annotation' AND e.activity = 'cpu operator'",
        "SELECT count(*) / 2 FROM slice s JOIN thread_track t ON s.track_id = t.id",
        "SELECT count(*) FROM steps s JOIN steps t ON t.step = s.step + 0 AND t.rank = s.rank"}) {
    CAPTURE(question);
    const Result<query::Answer> answer = database->ask(question);
    REQUIRE(answer);
    CHECK(answer->at(0, 0) == query::Value(kSteps));
  }
}

TEST_CASE("SQLite's tables of JSON can be asked, and texts by expressions") {
  SmallDatabase small;
  CHECK(small.ask("SELECT key, value FROM json_each('[5,\"x\"]')") == Rows{"0|5", "1|x"});
  CHECK(small.ask("SELECT count(*) FROM json_tree('{\"a\":[1,2]}')") == Rows{"4"});
  CHECK(small.ask("SELECT DISTINCT name FROM events WHERE name REGEXP '^aten::(add|mul)$'") == Rows{"aten::add"});
  CHECK(small.ask("SELECT 'a' REGEXP NULL, NULL REGEXP 'a', 12 REGEXP '^1', 'ab' REGEXP 'b'") == Rows{"||1|1"});
  CHECK(error_of(small, "SELECT name REGEXP '(' FROM events").message.find("REGEXP: ") != std::string::npos);
}

TEST_CASE("a launch is found by its correlation") {
  SmallDatabase small;
  CHECK(small.ask("SELECT k.name, k.start_ps - l.start_ps FROM events k JOIN events l ON l.correlation = k.correlation "
                  "AND l.rank = k.rank "
                  "WHERE k.activity = 'kernel' AND l.activity = 'runtime call' ORDER BY 2") ==
        Rows{"gemm|10000000", "add|15000000", "gemm|15000000"});
}

TEST_CASE("the path adds up to the step, and events know whether they are on it") {
  SmallDatabase small;
  CHECK(small.ask("SELECT sum(dur_ps) = max(start_ps + dur_ps) - min(start_ps) FROM path") == Rows{"1"});
  CHECK(small.ask("SELECT (SELECT count(*) FROM path) = (SELECT sum(on_path) FROM edges)") == Rows{"1"});
  CHECK(small.ask("SELECT count(*) > 0 FROM events WHERE critical = 1") == Rows{"1"});
  CHECK(small.ask("SELECT count(*) FROM events WHERE critical = 1 AND slack_ps <> 0") == Rows{"0"});
  CHECK(small.ask("SELECT count(*) FROM path p JOIN events e ON e.id = p.event WHERE e.name <> p.name") == Rows{"0"});
}

TEST_CASE("a trace without a path has events all the same") {
  SmallDatabase small("2 150 - Trace mark");
  // Nobody asked for a path yet: none was looked for.
  CHECK(small.ask("SELECT id, name, depth, step FROM events WHERE name = 'mark'") == Rows{"0|mark|0|"});
  CHECK(small.remarks().empty());
  CHECK(small.ask("SELECT name, critical, slack_ps FROM events") == Rows{"mark||"});
  CHECK(small.ask("SELECT code FROM diagnostics WHERE code = 'Q102'") == Rows{"Q102"});
  CHECK(error_of(small, "SELECT * FROM path").kind == Error::Kind::unusable);
}

TEST_CASE("lanes, processes and Perfetto's names") {
  SmallDatabase small;
  CHECK(small.ask("SELECT lane, process, thread, kind, device, stream FROM lanes") ==
        Rows{"0|100|1|thread||", "1|0|7|stream|0|7", "2|0|8|stream|0|8", "3|100|2|other||"});
  CHECK(small.ask("SELECT s.name, s.ts, s.dur, t.tid, p.pid FROM slice s JOIN thread_track k ON s.track_id = k.id JOIN "
                  "thread t USING (utid) "
                  "JOIN process p USING (upid) WHERE s.name = 'aten::mm'") == Rows{"aten::mm|5000|60000|1|100"});
  CHECK(small.ask("SELECT flat_key, int_value, value_type FROM args_flat WHERE arg_set_id = 7 ORDER BY 1") ==
        Rows{"correlation|1|int", "device|0|int", "stream|7|int"});
}

TEST_CASE("a slice is rounded down to nanoseconds, before time 0 as well") {
  SmallDatabase small;
  CHECK(small.ask("WITH e(start_ps) AS (VALUES (-1), (-1000), (-1001), (999), (1000)) "
                  "SELECT (start_ps - ((start_ps % 1000) + 1000) % 1000) / 1000 FROM e") ==
        Rows{"-1", "-1", "-2", "0", "1"});
}

TEST_CASE("union_ps is how long any of the intervals lasts") {
  SmallDatabase small;
  CHECK(small.ask("SELECT sum(dur_ps), union_ps(start_ps, dur_ps) FROM events WHERE activity = 'kernel'") ==
        Rows{"110000000|100000000"});
  CHECK(small.ask("SELECT union_ps(a, b) FROM (SELECT 1 AS a, 2 AS b UNION ALL SELECT NULL, 5 UNION ALL SELECT 9, -3 "
                  "UNION ALL SELECT 3, 1)") == Rows{"3"});
  CHECK(small.ask("SELECT union_ps(start_ps, dur_ps) FROM events WHERE name = 'nothing'") == Rows{"0"});
  CHECK(error_of(small, "SELECT union_ps(9223372036854775807, 1)").kind == Error::Kind::misuse);
}

TEST_CASE("arguments that only the file has are read when asked for") {
  const std::string_view lines = "1 0 10 cpu_op aten::mm grid=\"[1, 2]\" note=small correlation=5";
  SmallDatabase known(lines);
  CHECK(known.ask("SELECT key, value FROM args") == Rows{"correlation|5"});
  SmallDatabase all(lines, true);
  CHECK(all.ask("SELECT key, value FROM args ORDER BY key") == Rows{"correlation|5", "grid|[1, 2]", "note|small"});
  CHECK(all.ask("SELECT value FROM args WHERE event = 0 AND key = 'note'") == Rows{"small"});
  CHECK(all.ask("SELECT count(*) FROM args WHERE event = 1") == Rows{"0"});
}

TEST_CASE("only questions are answered") {
  SmallDatabase small;
  for (const char* sql : {"DELETE FROM events",
                          "ATTACH 'x' AS y",
                          "DROP TABLE events",
                          "DROP VIEW slice",
                          "PRAGMA writable_schema = 1",
                          "CREATE TABLE t(a)",
                          "CREATE TEMP TABLE t(a)",
                          "INSERT INTO events(id) VALUES (1)",
                          "UPDATE events SET name = ''",
                          "VACUUM",
                          "VACUUM INTO 'x'",
                          "BEGIN",
                          "SAVEPOINT s",
                          "ANALYZE",
                          "REINDEX",
                          "SELECT load_extension('x')",
                          "EXPLAIN DELETE FROM events",
                          "ALTER TABLE events ADD COLUMN a",
                          "SELECT * FROM pragma_table_list",
                          ""}) {
    CAPTURE(sql);
    CHECK(error_of(small, sql).kind == Error::Kind::misuse);
  }
  CHECK(!std::filesystem::exists("x"));
  CHECK(small.ask("SELECT count(*) FROM events") == Rows{"11"});
  CHECK(!small.ask("EXPLAIN QUERY PLAN SELECT * FROM events WHERE name = 'gemm'").empty());
  CHECK(small.ask("VALUES (1), (2)") == Rows{"1", "2"});
}

TEST_CASE("mistakes are pointed at") {
  SmallDatabase small;
  CHECK(error_of(small, "selekt 1").offset == 0);
  const Error column = error_of(small, "SELECT nmae FROM events");
  CHECK(column.offset == 7);
  CHECK(column.hint == "did you mean name?");
  CHECK(error_of(small, "SELECT * FROM evnts").hint == "did you mean events?");
  CHECK(error_of(small, "SELECT * FROM evnts").offset == 14);
  CHECK(error_of(small, "SELECT 1; SELECT 2").offset == 9);
  CHECK(error_of(small, "SELECT ?").message.find("parameters") != std::string::npos);
  CHECK(small.ask("SELECT 1; -- that is all\n") == Rows{"1"});
}

TEST_CASE("a question that never ends can be stopped") {
  SmallDatabase small;
  int looks = 0;
  small.database().stop_if([&] { return ++looks > 3; });
  CHECK(error_of(small, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
            .message.find("stopped") != std::string::npos);
  small.database().stop_if({});
  CHECK(small.ask("SELECT 1") == Rows{"1"});
}

TEST_CASE("a question is given up with all other work") {
  SmallDatabase small;
  request_stop();
  CHECK_THROWS_AS((void)small.database().ask(
                      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"),
                  Stopped);
  allow_work();
  CHECK(small.ask("SELECT 1") == Rows{"1"});
}

TEST_CASE("columns of one name are told apart") {
  SmallDatabase small;
  const Result<query::Answer> answer = small.database().ask("SELECT 1 AS a, 2 AS a, 'x' AS b, NULL AS c");
  REQUIRE(answer);
  CHECK(std::vector(answer->columns().begin(), answer->columns().end()) ==
        std::vector<std::string>{"a", "a:1", "b", "c"});
  report::Facts facts;
  query::tell_answer(facts, *answer);
  std::string json;
  JsonWriter writer(json);
  writer.begin_object();
  facts.write_json(writer);
  writer.end_object();
  CHECK(json == R"({"columns":["a","a:1","b","c"],"rows":[[1,2,"x",null]]})");
}

TEST_CASE("a sheet of an answer has the type of its values") {
  SmallDatabase small;
  const Result<query::Answer> answer = small.database().ask(
      "SELECT column1 AS i, column2 AS r, column3 AS m, column4 AS n FROM (VALUES (1, 1, 'x', NULL), (2, 0.5, 2, "
      "NULL))");
  REQUIRE(answer);
  const report::Sheet sheet = query::to_sheet(*answer);
  CHECK(sheet.columns()[0].type == report::Type::integer);
  CHECK(sheet.columns()[1].type == report::Type::real);
  CHECK(sheet.columns()[2].type == report::Type::text);
  CHECK(sheet.text(2, 1) == "2");
  CHECK(sheet.is_null(3, 0));
}

TEST_CASE("the database file has the same tables") {
  SmallDatabase small;
  const std::string path = small.trace().dir().path("out.sqlite");
  REQUIRE(small.database().write(path).ok());
  sqlite3* file = nullptr;
  REQUIRE(::sqlite3_open_v2(path.c_str(), &file, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  const auto read = [&](const std::string& sql) {
    Rows rows;
    const auto collect = [](void* into, int count, char** values, char**) {
      std::string row;
      for (int i = 0; i < count; ++i) row += (i == 0 ? "" : "|") + std::string(values[i] == nullptr ? "" : values[i]);
      static_cast<Rows*>(into)->push_back(row);
      return 0;
    };
    CHECK(::sqlite3_exec(file, sql.c_str(), collect, &rows, nullptr) == SQLITE_OK);
    return rows;
  };
  for (const std::string& table : small.database().table_names()) {
    CAPTURE(table);
    if (table != "contributors" && table != "clocks")
      CHECK(read("SELECT * FROM " + table) == small.ask("SELECT * FROM " + table));
    else CHECK(read("SELECT count(*) FROM " + table) == small.ask("SELECT count(*) FROM " + table));
  }
  ::sqlite3_close(file);
  CHECK(std::distance(std::filesystem::directory_iterator(small.trace().dir().path()), {}) == 2);
}

TEST_CASE("works has kernels, copies and sets, and what of them communicates") {
  SmallDatabase small(R"(
    1       0    5    cuda_runtime  cudaLaunchKernel  correlation=1
    gpu0/7  20   50   kernel        gemm              correlation=1
    gpu0/8  30   10   kernel        ncclDevKernel_AllReduce_Sum_f32_RING_LL
    gpu0/7  90   10   gpu_memcpy    "Memcpy HtoD"     bytes=10
  )");
  CHECK(
      small.ask(
          "SELECT w.rank, w.device, w.stream, c.name, w.name, library, communication, role, w.group_size, bytes_moved "
          "FROM works w LEFT JOIN events c ON c.id = w.call ORDER BY w.event") ==
      Rows{"0|0|7|cudaLaunchKernel|gemm|||||", "0|0|8||ncclDevKernel_AllReduce_Sum_f32_RING_LL|nccl|all_reduce|data||",
           "0|0|7||Memcpy HtoD|||||"});
}

}  // namespace
