// Ranks that stream through their memory. Ember leaves that to a model of a processor, cycle by cycle; here it takes as
// long as the bytes at a rate.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "motif/patterns/catalog.h"

namespace orrery::motif {
namespace {

constexpr Parameter kRate{"memory_gb_per_s", ParameterKind::number, "10", "what a rank gets out of its memory"};
constexpr Parameter kIgnored{"printRank", ParameterKind::count, "0", "who prints, in Ember; here nobody does"};
constexpr std::array kDetailedRing = {
    Parameter{"messagesize", ParameterKind::count, "1024", "bytes of a message"},
    Parameter{"iterations", ParameterKind::count, "1", "rounds"},
    Parameter{"detailedCompute", ParameterKind::text, "", "ranks that stream, as 0,4-7 or all; left out: none"},
    Parameter{"stream_n", ParameterKind::count, "1000",
              "numbers of each array that they stream through, ten times a round"},
    kRate,
    Parameter{"computeTime", ParameterKind::number, "0", "ns of computation of the others in a round"},
    Parameter{"computeWindow", ParameterKind::number, "",
              "ns after which a message may move on in Ember; here it always may"},
    kIgnored};
constexpr std::array kDetailedStream = {
    Parameter{"stream_n", ParameterKind::count, "1024", "numbers of each array"},
    Parameter{"n_loops", ParameterKind::count, "2", "rounds of a copy and a triad"},
    kRate,
    Parameter{"n_per_call_copy", ParameterKind::count, "1000", "how Ember cuts the copy; nothing here"},
    Parameter{"n_per_call_triad", ParameterKind::count, "1000", "how Ember cuts the triad; nothing here"},
    Parameter{"operandwidth", ParameterKind::count, "8", "bytes of an access, in Ember; nothing here"}};

constexpr double kCopyBytes = 16, kTriadBytes = 24;  // of each number: read one and write one; read two and write one
constexpr double kTriadsOfRound = 10;

Result<double> nanoseconds_per_byte(const Values& values) {
  const double rate = values.number("memory_gb_per_s");
  if (rate <= 0) return Error{"memory_gb_per_s=0: nothing is ever read"};
  return 1 / rate;
}

/// Everybody sends to the next and gets from the one before at the same time, and computes meanwhile.
Result<Pattern> detailed_ring(const Values& values, std::uint32_t ranks) {
  if (ranks < 2) return Error{"it takes at least 2 ranks, not 1"};
  const auto per_byte = nanoseconds_per_byte(values);
  if (!per_byte) return per_byte.error();
  auto streaming = rank_list(values.text("detailedCompute"), ranks);
  if (!streaming) return streaming.error();
  const auto streams = [list = *streaming](std::uint32_t rank) {
    return std::binary_search(list.begin(), list.end(), rank);
  };
  const TimePs stream =
      to_picoseconds(kTriadsOfRound * kTriadBytes * static_cast<double>(values.count("stream_n")) * *per_byte);
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.relative = true;
  pattern.class_of = [streams](std::uint32_t rank) { return streams(rank) ? 1 : 0; };
  pattern.append = [ranks, streams, stream, compute = values.nanoseconds("computeTime"),
                    bytes = static_cast<std::int64_t>(values.count("messagesize"))](Script& script, std::uint32_t rank,
                                                                                    std::uint64_t) {
    script.phase("ring");
    script.irecv((rank + ranks - 1) % ranks, bytes);
    script.isend((rank + 1) % ranks, bytes);
    script.phase("compute");
    script.compute(streams(rank) ? stream : compute);
    script.wait_all();
  };
  return pattern;
}

Result<Pattern> detailed_stream(const Values& values, std::uint32_t /*ranks*/) {
  const auto per_byte = nanoseconds_per_byte(values);
  if (!per_byte) return per_byte.error();
  const double numbers = static_cast<double>(values.count("stream_n"));
  Pattern pattern;
  pattern.rounds = values.count("n_loops");
  pattern.relative = true;
  pattern.class_of = [](std::uint32_t) { return 0; };
  pattern.append = [copy = to_picoseconds(kCopyBytes * numbers * *per_byte),
                    triad = to_picoseconds(kTriadBytes * numbers * *per_byte)](Script& script, std::uint32_t,
                                                                               std::uint64_t) {
    script.phase("copy");
    script.compute(copy);
    script.phase("triad");
    script.compute(triad);
  };
  return pattern;
}

constexpr std::array kStreamPatterns = {
    PatternInfo{"detailedring", "everybody sends to the next at once, and computes or streams through memory meanwhile",
                kDetailedRing, detailed_ring},
    PatternInfo{"detailedstream", "ranks stream through their memory: a copy and a triad, again and again",
                kDetailedStream, detailed_stream}};

}  // namespace

std::span<const PatternInfo> stream_patterns() { return kStreamPatterns; }

}  // namespace orrery::motif
