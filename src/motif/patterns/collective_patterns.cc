// One collective of all ranks, again and again, with computation before each.
#include <array>

#include "motif/patterns/catalog.h"

namespace orrery::motif {
namespace {

using workload::Collective;

constexpr std::int64_t kDouble = 8, kInt = 4, kLong = 8;

constexpr Parameter kIterations{"iterations", ParameterKind::count, "1", "rounds"};
constexpr Parameter kCompute{"compute", ParameterKind::number, "1", "ns of computation before each"};
constexpr Parameter kRoot{"root", ParameterKind::count, "0", "the rank that has or gets the whole"};

constexpr std::array kCounted = {kIterations, kCompute,
                                 Parameter{"count", ParameterKind::count, "1", "elements of each rank, 8 bytes each"}};
constexpr std::array kCountedInts = {kIterations, kCompute,
                                     Parameter{"count", ParameterKind::count, "1", "elements of each rank, 4 bytes each"}};
constexpr std::array kCountedRooted = {kIterations, kCompute,
                                       Parameter{"count", ParameterKind::count, "1", "elements of each rank, 8 bytes each"}, kRoot};
constexpr std::array kBytes = {kIterations, kCompute, Parameter{"bytes", ParameterKind::count, "1", "from each rank to each"}};
constexpr std::array kBarrier = {Parameter{"iterations", ParameterKind::count, "1024", "rounds"}, kCompute};

/// All ranks do the same: one program, whatever their number.
Result<Pattern> repeated(const Values& values, Collective collective, std::int64_t bytes) {
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.relative = true;
  pattern.class_of = [](std::uint32_t) { return 0; };
  pattern.append = [collective, bytes, compute = values.nanoseconds("compute")](Script& script, std::uint32_t, std::uint64_t) {
    script.phase("compute");
    script.compute(compute);
    script.phase(to_string(collective));
    script.collective(collective, bytes);
  };
  return pattern;
}

Result<Pattern> rooted(const Values& values, Collective collective, std::int64_t bytes, std::uint32_t ranks) {
  const std::uint64_t root = values.count("root");
  if (root >= ranks) return Error{"root=" + std::to_string(root) + ": there are " + std::to_string(ranks) + " ranks"};
  Result<Pattern> pattern = repeated(values, collective, bytes);
  pattern->append = [collective, bytes, root = static_cast<std::uint32_t>(root), compute = values.nanoseconds("compute")](
                        Script& script, std::uint32_t, std::uint64_t) {
    script.phase("compute");
    script.compute(compute);
    script.phase(to_string(collective));
    script.collective(collective, bytes, Script::kWorld, root);
  };
  return pattern;
}

std::int64_t counted(const Values& values, std::int64_t width, std::uint64_t times = 1) {
  return static_cast<std::int64_t>(values.count("count") * times) * width;
}

constexpr std::array kPatterns = {
    PatternInfo{"allreduce", "every rank gets the sum of what all have", kCounted,
                [](const Values& v, std::uint32_t) { return repeated(v, Collective::all_reduce, counted(v, kDouble)); }},
    PatternInfo{"reduce", "the root gets the sum of what all have", kCountedRooted,
                [](const Values& v, std::uint32_t n) { return rooted(v, Collective::reduce, counted(v, kDouble), n); }},
    PatternInfo{"bcast", "every rank gets what the root has", kCountedRooted,
                [](const Values& v, std::uint32_t n) { return rooted(v, Collective::broadcast, counted(v, kDouble), n); }},
    PatternInfo{"allgather", "every rank gets what each has", kCountedInts,
                [](const Values& v, std::uint32_t) { return repeated(v, Collective::all_gather, counted(v, kInt)); }},
    PatternInfo{"allgatherv", "the same through the call for unequal parts", kCountedInts,
                [](const Values& v, std::uint32_t) { return repeated(v, Collective::all_gather, counted(v, kInt)); }},
    PatternInfo{"scatter", "every rank gets its part of what the root has", kCountedRooted,
                [](const Values& v, std::uint32_t n) { return rooted(v, Collective::scatter, counted(v, kLong, n), n); }},
    PatternInfo{"scatterv", "the same through the call for unequal parts", kCountedRooted,
                [](const Values& v, std::uint32_t n) { return rooted(v, Collective::scatter, counted(v, kLong, n), n); }},
    PatternInfo{"alltoall", "every rank sends a part of its own to each", kBytes,
                [](const Values& v, std::uint32_t n) {
                  return repeated(v, Collective::all_to_all, static_cast<std::int64_t>(v.count("bytes") * n));
                }},
    PatternInfo{"alltoallv", "the same through the call for unequal parts, by count", kCounted,
                [](const Values& v, std::uint32_t n) { return repeated(v, Collective::all_to_all, counted(v, kDouble, n)); }},
    PatternInfo{"barrier", "nobody goes on before all have come", kBarrier,
                [](const Values& v, std::uint32_t) { return repeated(v, Collective::barrier, 0); }}};

}  // namespace

std::span<const PatternInfo> collective_patterns() { return kPatterns; }

}  // namespace orrery::motif
