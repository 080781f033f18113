// Logs of steps: lines become steps and phases of ranks, and what communicates is a collective of all.
#include "formats/step_logs/step_log.h"

#include <doctest/doctest.h>

#include "formats/step_logs/diagnostics.h"
#include "formats/step_logs/log_time.h"
#include "formats/step_logs/mllog.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::step_logs;

namespace {

trace::Trace read_lines(std::string_view lines, Diagnostics& diagnostics) {
  orrery::testing::TempDir dir;
  auto trace = read_step_log(dir.write("log.jsonl", lines), diagnostics);
  REQUIRE(trace);
  return std::move(*trace);
}

}  // namespace

TEST_CASE("numbers of logs become exact picoseconds, whatever they are written in") {
  CHECK(exact_ps("1760032159.298", 0) == Int128{1760032159298} * kPsPerMs);
  CHECK(exact_ps("30.25", 3) == Int128{30'250} * kPsPerUs);
  CHECK(exact_ps("2.5e-3", 0) == Int128{2'500} * kPsPerUs);
  CHECK(exact_ps("-1", 6) == -Int128{kPsPerUs});
  CHECK(exact_ps("0.0000000000019", 0) == Int128{1});  // what is finer is cut
  CHECK(exact_ps("0", 9) == Int128{0});
  for (const char* const none :
       {"", "-", ".", "null", "\"3\"", "1e", "1e999", "1x", "99999999999999999999999999999999"})
    CHECK_FALSE(exact_ps(none, 0).has_value());
  CHECK(unit_of_moment("1760032159.298") == 0);
  CHECK(unit_of_moment("1760032159298") == 3);
  CHECK(unit_of_moment("1760032159298000") == 6);
  CHECK(unit_of_moment("1760032159298000000") == 9);
  CHECK(unit_of_key("forward_ms") == 3);
  CHECK(without_unit("forward_ms") == "forward");
  CHECK_FALSE(unit_of_key("tokens_per_s").has_value());
  CHECK_FALSE(unit_of_key("loss").has_value());
}

TEST_CASE("phases of a line follow one another up to its time, and what communicates is numbered by step and place") {
  Diagnostics diagnostics;
  const trace::Trace trace = read_lines(
      "{\"rank\": 1, \"step\": 7, \"time\": 1790000000.1, \"forward_ms\": 30, \"allreduce_ms\": 10, \"loss\": 2.5}\n"
      "{\"rank\": 0, \"step\": 7, \"time\": 1790000000.1, \"forward_ms\": 25, \"allreduce_ms\": 15, \"step_time_ms\": "
      "41}\n",
      diagnostics);
  CHECK(diagnostics.empty());
  REQUIRE(trace.ranks.size() == 2);
  const trace::RankTrace& rank = trace.ranks[1];
  CHECK(rank.rank == 1);
  CHECK(rank.source.world_size == 2);
  REQUIRE(rank.event_count() == 3);
  CHECK(trace.name(rank, 0) == "step 7");
  CHECK(rank.field(trace::Field::step).find(0) == 7);
  CHECK(rank.duration[0] == 40 * kPsPerMs);
  CHECK(trace.name(rank, 2) == "allreduce");
  CHECK(rank.start[2] == rank.end(1));
  CHECK(rank.end(2) == rank.end(0));
  const auto kind = rank.field(trace::Field::collective_text).find(2);
  REQUIRE(kind);
  CHECK(trace.strings.text(static_cast<StringId>(*kind)) == "allreduce");
  CHECK(rank.field(trace::Field::collective_sequence).find(2) ==
        trace.ranks[0].field(trace::Field::collective_sequence).find(2));
  // A whole that is longer than its phases: what nobody logged comes last.
  CHECK(trace.ranks[0].duration[0] == 41 * kPsPerMs);
  CHECK(trace.ranks[0].start[1] == trace.ranks[0].start[0]);
}

TEST_CASE("lines that cannot be used are counted, and a log without any is refused") {
  Diagnostics diagnostics;
  const trace::Trace trace = read_lines(
      "{\"rank\": 0, \"step\": 1, \"step_time\": 0.5}\n"
      "{\"rank\": 0, \"step\": 1, \"step_time\": 0.5}\n"
      "nonsense\n\n"
      "{\"rank\": -1, \"step\": 2, \"step_time\": 0.5}\n"
      "{\"rank\": 0, \"step\": 2, \"step_time\": -0.5}\n"
      "{\"rank\": 0, \"step\": 3}\n",
      diagnostics);
  CHECK(diagnostics.count(kBadLine) == 4);
  CHECK(diagnostics.count(kStepTwice) == 1);
  CHECK(trace.ranks.front().event_count() == 1);
  orrery::testing::TempDir dir;
  CHECK_FALSE(read_step_log(dir.write("none.jsonl", "{\"rank\": 0}\n"), diagnostics));
  CHECK(is_step_log("{\"global_rank\": 3, \"iteration\": 9, \"elapsed_ms\": 3}\nx"));
  CHECK_FALSE(is_step_log("{\"traceEvents\": ["));
  CHECK_FALSE(is_step_log("{\"rank\": 3, \"step\": 4}"));
}

TEST_CASE("MLPerf logs: intervals, step times and the configuration, among whatever else was printed") {
  orrery::testing::TempDir dir;
  Interner strings;
  Diagnostics diagnostics;
  const auto rank = read_mllog(
      dir.write(
          "mllog.txt",
          "hello\n"
          "0: :::MLLOG {\"time_ms\": 1000, \"event_type\": \"INTERVAL_START\", \"key\": \"run_start\", \"value\": "
          "null, "
          "\"metadata\": {}}\n"
          ":::MLLOG {\"time_ms\": 1000, \"event_type\": \"POINT_IN_TIME\", \"key\": \"seed\", \"value\": 7, "
          "\"metadata\": {}}\n"
          ":::MLLOG {\"time_ms\": 3000, \"event_type\": \"POINT_IN_TIME\", \"key\": \"tracked_stats\", \"value\": "
          "{\"train_step_time\": 0.5}, \"metadata\": {\"step\": 12}}\n"
          ":::MLLOG {\"time_ms\": 3200, \"event_type\": \"POINT_IN_TIME\", \"key\": \"tracked_stats\", \"value\": "
          "{\"throughput\": 81.5}, \"metadata\": {\"step\": 13}}\n"
          ":::MLLOG {\"time_ms\": 3500, \"event_type\": \"INTERVAL_END\", \"key\": \"eval_stop\", \"value\": null}\n"
          ":::MLLOG {\"time_ms\": 4000, \"event_type\": \"INTERVAL_END\", \"key\": \"run_stop\", \"value\": null}\n"
          ":::MLLOG {\"time_ms\": 4000, \"event_type\": \"INTERVAL_START\", \"key\": \"block_start\", \"value\": "
          "null}\n"
          ":::MLLOG {broken}\n"),
      strings, diagnostics);
  REQUIRE(rank);
  REQUIRE(rank->event_count() == 3);
  CHECK(strings.text(rank->name[0]) == "step 12");
  CHECK(rank->duration[0] == kPsPerSecond / 2);
  CHECK(strings.text(rank->name[1]) == "run");
  CHECK(rank->duration[1] == 3 * kPsPerSecond);
  CHECK_FALSE(rank->has_duration(2));  // block, which never ends
  REQUIRE(rank->counters.size() == 1);
  CHECK(strings.text(rank->counters.name[0]) == "throughput");
  CHECK(rank->counters.value[0] == 81.5);
  CHECK(rank->counters.time[0] - rank->end(0) == kPsPerSecond / 5);
  CHECK(diagnostics.count(kOpenInterval) == 1);
  CHECK(diagnostics.count(kEndAlone) == 1);
  CHECK(diagnostics.count(kBadLine) == 1);
  REQUIRE(rank->source.properties.size() == 1);
  CHECK(rank->source.properties.front() == std::pair<std::string, std::string>("seed", "7"));
}
