// A job as PyTorch profiles of ranks whose clocks differ: forty collectives, with host work and flows around them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace orrery::testing {

/// What a rank's clock shows: `ahead_ns` more than the true time at the start, and `ppm` millionths more of what has
/// passed since.
struct RankClock {
  std::int64_t ahead_ns = 0;
  std::int64_t ppm = 0;

  [[nodiscard]] std::int64_t reading_ns(std::int64_t true_ns) const {
    return true_ns + ahead_ns + true_ns * ppm / 1'000'000;
  }
};

/// The file of one rank. ts count from `base_unix_ns`, the job begins at Unix time 1.7e18 ns.
inline std::string kineto_rank(int rank, int world, const RankClock& clock, std::int64_t base_unix_ns) {
  constexpr std::int64_t kBeginUnixNs = 1'700'000'000'000'000'000;
  const auto us = [](std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); };
  const auto ts = [&](std::int64_t true_ns) { return us(kBeginUnixNs - base_unix_ns + clock.reading_ns(true_ns)); };
  const auto span = [&](std::int64_t begin_ns, std::int64_t end_ns) {
    return fmt::format("\"ts\": {}, \"dur\": {}", ts(begin_ns),
                       us(clock.reading_ns(end_ns) - clock.reading_ns(begin_ns)));
  };
  std::string text = fmt::format(
      "{{\n  \"schemaVersion\": 1,\n  \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {}, \"world_size\": "
      "{}}},\n"
      "  \"baseTimeNanoseconds\": {},\n  \"traceEvents\": [\n",
      rank, world, base_unix_ns);
  text +=
      "  {\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"ts\": 0.000, \"args\": {\"name\": \"python\"}},\n";
  for (int i = 0; i < 40; ++i) {
    const std::int64_t ready_ns = 5'000'000LL + i * 50'000'000LL;                  // when the last rank comes
    const std::int64_t start_ns = ready_ns - (i * 7 + rank * 13) % 20 * 10'000LL;  // up to 190 us before
    const std::int64_t end_ns = ready_ns + 80'000 + (i * 3 + rank * 5) % 11 * 200LL;
    text += fmt::format(
        "  {{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": 2, {}, ",
        span(start_ns - 30'000, start_ns - 20'000));
    text += fmt::format("\"args\": {{\"correlation\": {}, \"ts\": 5.5}}}},\n", i);
    text += fmt::format(
        "  {{\"ph\": \"s\", \"id\": {}, \"pid\": 1, \"tid\": 2, \"ts\": {}, \"cat\": \"ac2g\", \"name\": \"ac2g\"}},\n",
        i, ts(start_ns - 30'000));
    text += fmt::format(
        "  {{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclDevKernel_AllReduce\", \"pid\": 0, \"tid\": 7, {}, ",
        span(start_ns, end_ns));
    text += fmt::format(
        "\"args\": {{\"correlation\": {}, \"stream\": 7, \"Collective name\": \"allreduce\", \"Seq\": {}, ", i, i);
    text += "\"Process Group Name\": \"0\"}},\n";
    text += fmt::format(
        "  {{\"ph\": \"f\", \"id\": {}, \"pid\": 0, \"tid\": 7, \"ts\": {}, \"cat\": \"ac2g\", \"name\": \"ac2g\", "
        "\"bp\": \"e\"}},\n",
        i, ts(start_ns));
  }
  text += fmt::format(
      "  {{\"ph\": \"i\", \"s\": \"g\", \"name\": \"Record Window End\", \"pid\": \"\", \"tid\": \"\", \"ts\": {}}}\n",
      ts(2'100'000'000));
  return text + "  ],\n  \"traceName\": \"trace.json\"\n}\n";
}

}  // namespace orrery::testing
