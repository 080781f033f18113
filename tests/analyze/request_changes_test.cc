// Two logs of the same requests: what is compared, and which part explains the difference.
#include "analyze/diff/request_changes.h"

#include <doctest/doctest.h>

using namespace orrery;
using namespace orrery::analyze;

namespace {

using request_log::LoggedRequest;
using request_log::RequestLog;

LoggedRequest logged(const char* id, std::optional<double> queue_ms, double ttft_ms, double latency_ms,
                     std::optional<double> tpot_ms) {
  const auto ps = [](double ms) { return static_cast<TimePs>(ms * kPsPerMs); };
  LoggedRequest request{.id = id, .ttft_ps = ps(ttft_ms), .latency_ps = ps(latency_ms)};
  if (queue_ms) request.queue_ps = ps(*queue_ms);
  if (tpot_ms) request.tpot_ps = ps(*tpot_ms);
  return request;
}

RequestLog log_of(std::vector<LoggedRequest> requests) {
  RequestLog log;
  log.requests = std::move(requests);
  return log;
}

}  // namespace

TEST_CASE("requests are the same where their ids are, whatever their order") {
  const RequestLog a =
      log_of({logged("one", 1, 10, 100, 5), logged("two", 2, 20, 200, 5), logged("gone", 3, 30, 300, 5)});
  const RequestLog b = log_of({logged("two", 4, 26, 190, 4), logged("one", 1, 12, 100, 6), logged("new", 9, 9, 9, 9)});
  const RequestChanges changes = compare_requests(a, b);
  CHECK(changes.only_a == 1);
  CHECK(changes.only_b == 1);
  REQUIRE(changes.requests.size() == 2);
  // The largest difference of the first token comes first.
  CHECK(changes.requests[0].id == "two");
  CHECK(changes.requests[0].ttft() == 6 * kPsPerMs);
  CHECK(changes.requests[0].queue == 2 * kPsPerMs);
  CHECK(changes.requests[0].prefill == 4 * kPsPerMs);
  CHECK(changes.requests[0].latency == -10 * kPsPerMs);
  CHECK(changes.requests[1].ttft() == 2 * kPsPerMs);
  const PartChange* const ttft = changes.find(RequestPart::ttft);
  REQUIRE(ttft != nullptr);
  CHECK(ttft->requests == 2);
  CHECK(ttft->a_mean == 15 * kPsPerMs);
  CHECK(ttft->change() == 4 * kPsPerMs);
  // Means may agree where requests do not.
  const PartChange* const tpot = changes.find(RequestPart::tpot);
  REQUIRE(tpot != nullptr);
  CHECK(tpot->change() == 0);
  CHECK(tpot->mean_difference == kPsPerMs);
}

TEST_CASE("queue and prefill are the whole first token, in sums and in the sentence") {
  const RequestLog a = log_of({logged("one", 6, 10, 100, 5), logged("two", 8, 20, 200, 5)});
  const RequestLog b = log_of({logged("one", 2, 12, 100, 5), logged("two", 3, 20, 200, 5)});
  const RequestChanges changes = compare_requests(a, b);
  const PartChange *const ttft = changes.find(RequestPart::ttft), *const queue = changes.find(RequestPart::queue),
                          *const prefill = changes.find(RequestPart::prefill);
  REQUIRE((ttft != nullptr && queue != nullptr && prefill != nullptr));
  CHECK(queue->change() + prefill->change() == ttft->change());
  const std::string sentence = request_sentence(changes);
  CHECK_MESSAGE(sentence.find("queueing -4.50 ms and prefill +5.50 ms") != std::string::npos, sentence);
}

TEST_CASE("what one of the logs did not record is not compared") {
  const RequestLog a = log_of({logged("one", std::nullopt, 10, 100, 5), logged("two", 8, 20, 200, 0)});
  const RequestLog b = log_of({logged("one", 2, 12, 100, 5), logged("two", std::nullopt, 20, 200, 5)});
  const RequestChanges changes = compare_requests(a, b);
  CHECK(changes.find(RequestPart::queue) == nullptr);
  CHECK(changes.find(RequestPart::prefill) == nullptr);
  CHECK_FALSE(changes.requests[0].queue.has_value());
  // A request of one token has no time per further token.
  REQUIRE(changes.find(RequestPart::tpot) != nullptr);
  CHECK(changes.find(RequestPart::tpot)->requests == 1);
  CHECK(request_sentence(changes).find("queueing") == std::string::npos);
}

TEST_CASE("logs without a request in common say so") {
  const RequestChanges changes =
      compare_requests(log_of({logged("one", 1, 10, 100, 5)}), log_of({logged("two", 1, 10, 100, 5)}));
  CHECK(changes.parts.empty());
  CHECK(changes.requests.empty());
  CHECK(request_sentence(changes) == "The runs have no request in common.");
}
