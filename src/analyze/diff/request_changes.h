// How the requests of two runs of a serving engine differ, request by request: a recording and its twin, or two
// recordings.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "formats/request_log/request_table.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// The time to the first token is queue + prefill: until it was first scheduled, and from then on.
enum class RequestPart : std::uint8_t { ttft, queue, prefill, tpot, latency };
inline constexpr std::array<std::string_view, 5> kRequestPartNames = {"ttft", "queue", "prefill", "tpot", "latency"};

/// Over the requests in which both runs recorded it.
struct PartChange {
  RequestPart part = RequestPart::ttft;
  std::size_t requests = 0;
  TimePs a_mean = 0, b_mean = 0, a_p50 = 0, b_p50 = 0, a_p99 = 0, b_p99 = 0;
  TimePs mean_difference = 0;  ///< of one request, whichever run is slower

  [[nodiscard]] TimePs change() const { return b_mean - a_mean; }
};

/// B less A.
struct RequestChange {
  std::string id;
  TimePs a_ttft = 0, b_ttft = 0;
  std::optional<TimePs> queue = {}, prefill = {}, tpot = {};
  TimePs latency = 0;

  [[nodiscard]] TimePs ttft() const { return b_ttft - a_ttft; }
};

struct RequestChanges {
  std::vector<PartChange> parts;        ///< without those that one of the runs did not record
  std::vector<RequestChange> requests;  ///< those with the largest difference of TTFT first, then as in A
  std::size_t only_a = 0, only_b = 0;   ///< requests that the other run does not have

  [[nodiscard]] const PartChange* find(RequestPart part) const;
};

/// Requests are the same where their ids are.
RequestChanges compare_requests(const request_log::RequestLog& a, const request_log::RequestLog& b);

/// "B has the first token after 798 ms in the mean, A after 812 ms: -1.7 % (-14.0 ms), of which queueing -18.0 ms and
/// prefill +4.00 ms."
std::string request_sentence(const RequestChanges& changes);
/// How far single requests are apart, and which part of TTFT that is.
std::string unexplained_sentence(const RequestChanges& changes);

/// "parts": a row per part.
report::Sheet part_changes_sheet(const RequestChanges& changes);
/// "requests": a row per request.
report::Sheet request_changes_sheet(const RequestChanges& changes);

}  // namespace orrery::analyze
