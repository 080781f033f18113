#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/io/csv.h"
#include "formats/request_log/format.h"
#include "formats/request_log/request_table.h"
#include "formats/request_log/request_trace.h"
#include "support/temp_dir.h"

namespace orrery::request_log {
namespace {

constexpr std::string_view kMeasured =
    "id,ttft_ms,tpot_ms,latency_ms,queue_ms\n"
    "a,30,10,50,20\n"
    "b,8,0,8,0\n";
constexpr std::string_view kRequests =
    "id,arrival_s,prompt,generate\n"
    "b,0.5,7,1\n"
    "a,0.25,100,3\n";

Result<RequestLog> parsed(std::string_view text, std::string_view beside = {}) {
  const Result<CsvTable> table = parse_csv(text, "log.csv");
  REQUIRE(table.ok());
  if (beside.empty()) return take_requests(*table, nullptr);
  const Result<CsvTable> other = parse_csv(beside, "requests.csv");
  REQUIRE(other.ok());
  return take_requests(*table, &*other);
}

std::string refused(std::string_view text, std::string_view beside = {}) {
  const auto log = parsed(text, beside);
  REQUIRE_FALSE(log.ok());
  return log.error().message;
}

}  // namespace

TEST_CASE("a log of requests is known by its columns") {
  CHECK(is_request_log(kMeasured));
  CHECK(is_request_log("\xEF\xBB\xBFid,\"first_token_s\",last_token_s\r\n"));
  CHECK_FALSE(is_request_log(kRequests));
  // Measured points of serving have ids and TTFT, too.
  CHECK_FALSE(is_request_log("id,model,gpu,ttft_ms,tpot_ms\n"));
}

TEST_CASE("what is missing of a request comes from the table beside it") {
  const auto log = parsed(kMeasured, kRequests);
  REQUIRE(log.ok());
  REQUIRE(log->requests.size() == 2);
  const LoggedRequest& a = log->requests[0];
  CHECK(a.arrival_ps == kPsPerSecond / 4);
  CHECK(a.prompt == 100);
  CHECK(a.ttft_ps == 30 * kPsPerMs);
  CHECK(a.queue_ps == 20 * kPsPerMs);
  CHECK(a.tpot_ps == 10 * kPsPerMs);
  CHECK(refused(kMeasured).find("no column 'arrival_s'") != std::string::npos);
  CHECK(refused(kMeasured, "id,arrival_s\na,1\n").find("'b' has no arrival in requests.csv") != std::string::npos);
}

TEST_CASE("moments are as good as times since the arrival, and tokens tell the time of each") {
  const auto log = parsed("id,arrival_s,generate,first_token_s,last_token_s\nx,2,5,2.5,2.9\n");
  REQUIRE(log.ok());
  CHECK(log->requests[0].ttft_ps == kPsPerSecond / 2);
  CHECK(log->requests[0].latency_ps == 9 * kPsPerSecond / 10);
  CHECK(log->requests[0].tpot_ps == kPsPerSecond / 10);
  CHECK_FALSE(log->requests[0].queue_ps);
}

TEST_CASE("what breaks a rule is refused with its line and column") {
  const std::string head = "id,arrival_s,ttft_ms,latency_ms,queue_ms\n";
  CHECK(refused(head + "a,0,1,2,0\na,1,1,2,0\n") == "line 3, column 'id': 'a' is there twice");
  CHECK(refused(head + "a,0,soon,2,0\n") == "line 2, column 'ttft_ms': must be a time, found 'soon'");
  CHECK(refused(head + "a,-1,1,2,0\n").find("line 2, column 'arrival_s': must be at least 0") == 0);
  CHECK(refused(head + "a,0,3,2,0\n") == "line 2, column 'latency_ms': the last token is before the first");
  CHECK(refused(head + "a,0,1,2,1.5\n") == "line 2, column 'queue_ms': is more than the time to the first token");
  CHECK(refused(head + "a,0,,2,0\n") == "line 2, column 'ttft_ms': is empty");
  CHECK(refused(head) == "the table has no request");
  CHECK(refused("id,arrival_s,first_token_s,last_token_s\na,3,2,4\n") ==
        "line 2, column 'first_token_s': is before the request's arrival");
}

TEST_CASE("a request is an event with what it was doing in it, on a lane where nothing else is") {
  const auto log = parsed(kMeasured, kRequests);
  REQUIRE(log.ok());
  Interner strings;
  const trace::RankTrace rank = trace_requests(*log, strings);
  std::vector<std::string> events;
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e)
    events.push_back(fmt::format("{} {} {}+{}", rank.lane[e], strings.text(rank.name[e]), rank.start[e] / kPsPerMs,
                                 rank.duration[e] / kPsPerMs));
  // b comes when a has ended: one lane is enough.
  CHECK(events == std::vector<std::string>{"0 a 250+50", "0 queued 250+20", "0 prefill 270+10", "0 decode 280+20",
                                           "0 b 500+8", "0 prefill 500+8"});
  REQUIRE(rank.arguments.named().size() == 2);
  CHECK(rank.arguments.named()[0].name == "prompt");
  CHECK(rank.arguments.named()[0].values.find(4) == 7);
}

TEST_CASE("requests.csv is looked for in the folder of the log") {
  const testing::TempDir folder;
  const std::string path = folder.write("measured.csv", kMeasured);
  CHECK_FALSE(read_request_log(path).ok());
  static_cast<void>(folder.write("requests.csv", kRequests));
  const auto log = read_request_log(path);
  REQUIRE(log.ok());
  CHECK(log->requests[1].arrival_ps == kPsPerSecond / 2);
  Diagnostics diagnostics;
  const auto trace = kFormat.read_traces({path}, diagnostics, {});
  REQUIRE(trace.ok());
  CHECK(trace->ranks.size() == 1);
  CHECK(trace->ranks[0].event_count() == 6);
}

}  // namespace orrery::request_log
