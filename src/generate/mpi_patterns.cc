#include "generate/mpi_patterns.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "generate/pattern_workload.h"
#include "report/counted.h"
#include "workload/message_pattern.h"

namespace orrery::generate {
namespace {

using workload::MessagePattern;
using Options = MpiPatternOptions;

struct Pattern {
  std::string_view name;
  bool power_of_two;
  void (*append)(MessagePattern&, std::uint32_t rank, const Options&);
};

constexpr std::array kPatterns = {
    Pattern{"binomialtreebcast", false,
            [](MessagePattern& p, std::uint32_t rank, const Options& o) {
              append_binomial_broadcast(p, rank, o.ranks, 0, o.bytes);
            }},
    Pattern{"binomialtreereduce", false,
            [](MessagePattern& p, std::uint32_t rank, const Options& o) {
              append_binomial_reduce(p, rank, o.ranks, 0, o.bytes);
            }},
    Pattern{"binarytreebcast", false,
            [](MessagePattern& p, std::uint32_t rank, const Options& o) {
              append_binary_broadcast(p, rank, o.ranks, o.bytes);
            }},
    Pattern{"dissemination", false,
            [](MessagePattern& p, std::uint32_t rank, const Options& o) {
              append_dissemination(p, rank, o.ranks, o.bytes);
            }},
    Pattern{"allreduce_recdoub", true,
            [](MessagePattern& p, std::uint32_t rank, const Options& o) {
              append_recursive_halving(p, rank, o.ranks, o.bytes);
            }},
    Pattern{"allreduce_ring", false,
            [](MessagePattern& p, std::uint32_t rank, const Options& o) {
              // Around twice, to reduce and to gather, an n-th of the data at a time.
              append_ring(p, rank, o.ranks, 2 * (o.ranks - 1), o.bytes / o.ranks);
            }},
    Pattern{"linear_alltoall", false,
            [](MessagePattern& p, std::uint32_t rank, const Options& o) {
              append_linear_all_to_all(p, rank, o.ranks, o.bytes);
            }},
    Pattern{"gather", false,
            [](MessagePattern& p, std::uint32_t rank, const Options& o) {
              append_linear_gather(p, rank, o.ranks, 0, o.bytes);
            }},
    Pattern{"scatter", false,
            [](MessagePattern& p, std::uint32_t rank, const Options& o) {
              append_linear_scatter(p, rank, o.ranks, 0, o.bytes);
            }},
    Pattern{"pipelinedring", false,
            [](MessagePattern& p, std::uint32_t rank,
               const Options& o) { append_pipelined_chain(p, rank, o.ranks, o.bytes, o.segment_bytes); }},
    Pattern{"doublering", false, [](MessagePattern& p, std::uint32_t rank, const Options& o) {
              append_double_ring(p, rank, o.ranks, o.bytes);
            }}};

constexpr auto kNames = [] {
  std::array<std::string_view, kPatterns.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kPatterns[i].name;
  return names;
}();

}  // namespace

std::span<const std::string_view> mpi_pattern_names() { return kNames; }

Result<workload::Workload> mpi_pattern(std::string_view name, const Options& options) {
  if (options.ranks < 2 || options.ranks > kMaxRanks)
    return Error{fmt::format("a pattern among {}", report::counted(options.ranks, "rank"))};
  if (options.bytes < 0 || options.segment_bytes < 1) return Error{"messages of a negative size"};
  for (const Pattern& pattern : kPatterns) {
    if (pattern.name != name) continue;
    if (pattern.power_of_two && !std::has_single_bit(options.ranks))
      return Error{fmt::format("{} needs a power of two ranks, not {}", name, options.ranks)};
    return pattern_workload(options.ranks,
                            [&](MessagePattern& steps, std::uint32_t rank) { pattern.append(steps, rank, options); });
  }
  return Error{fmt::format("there is no pattern '{}'", name),
               {},
               Error::kNoOffset,
               fmt::format("choose from: {}", fmt::join(kNames, ", "))};
}

}  // namespace orrery::generate
