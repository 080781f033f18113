// What all ranks do alike: one collective, again and again, with computation before each; the begin and the end of a
// program.
#include <array>
#include <functional>
#include <utility>

#include "motif/patterns/catalog.h"

namespace orrery::motif {
namespace {

using workload::Collective;

constexpr std::uint64_t kDouble = 8, kInt = 4, kLong = 8;

constexpr Parameter kIterations{"iterations", ParameterKind::count, "1", "rounds"};
constexpr Parameter kCompute{"compute", ParameterKind::number, "1", "ns of computation before each"};
constexpr Parameter kRoot{"root", ParameterKind::count, "0", "the rank that has or gets the whole"};

constexpr std::array kCounted = {kIterations, kCompute,
                                 Parameter{"count", ParameterKind::count, "1", "elements of each rank, 8 bytes each"}};
constexpr std::array kCountedInts = {
    kIterations, kCompute, Parameter{"count", ParameterKind::count, "1", "elements of each rank, 4 bytes each"}};
constexpr std::array kCountedRooted = {
    kIterations, kCompute, Parameter{"count", ParameterKind::count, "1", "elements of each rank, 8 bytes each"}, kRoot};
constexpr std::array kBytes = {kIterations, kCompute,
                               Parameter{"bytes", ParameterKind::count, "1", "from each rank to each"}};
constexpr std::array kBarrier = {Parameter{"iterations", ParameterKind::count, "1024", "rounds"}, kCompute};
constexpr std::array kStop = {Parameter{"iterations", ParameterKind::count, "1", "barriers"},
                              Parameter{"compute", ParameterKind::number, "0", "ns of computation before each"}};
constexpr std::array<Parameter, 0> kNoParameters = {};

/// All ranks do the same: one program, whatever their number.
Pattern same_on_all(std::uint64_t rounds, std::function<void(Script&)> append) {
  Pattern pattern;
  pattern.rounds = rounds;
  pattern.relative = true;
  pattern.class_of = [](std::uint32_t) { return 0; };
  pattern.append = [append = std::move(append)](Script& script, std::uint32_t, std::uint64_t) { append(script); };
  return pattern;
}

Result<Pattern> repeated(const Values& values, Collective collective, std::int64_t bytes, std::uint32_t root = 0) {
  return same_on_all(values.count("iterations"),
                     [collective, bytes, root, compute = values.nanoseconds("compute")](Script& script) {
                       script.phase("compute");
                       script.compute(compute);
                       script.phase(to_string(collective));
                       script.collective(collective, bytes, Script::kWorld, root);
                     });
}

Result<Pattern> rooted(const Values& values, Collective collective, std::int64_t bytes, std::uint32_t ranks) {
  const std::uint64_t root = values.count("root");
  if (root >= ranks) return Error{"root=" + std::to_string(root) + ": there are " + std::to_string(ranks) + " ranks"};
  return repeated(values, collective, bytes, static_cast<std::uint32_t>(root));
}

Result<Pattern> do_nothing(const Values& /*values*/, std::uint32_t /*ranks*/) {
  return same_on_all(1, [](Script&) {});
}

/// The end of a program waits for all, as a barrier does.
Result<Pattern> finalize(const Values& /*values*/, std::uint32_t /*ranks*/) {
  return same_on_all(1, [](Script& script) {
    script.phase("finalize");
    script.collective(Collective::barrier, 0);
  });
}

std::int64_t counted(const Values& values, std::uint64_t width, std::uint64_t times = 1) {
  return product({values.count("count"), times, width});
}

constexpr std::array kPatterns = {
    PatternInfo{
        "allreduce", "every rank gets the sum of what all have", kCounted,
        [](const Values& v, std::uint32_t) { return repeated(v, Collective::all_reduce, counted(v, kDouble)); }},
    PatternInfo{"reduce", "the root gets the sum of what all have", kCountedRooted,
                [](const Values& v, std::uint32_t n) { return rooted(v, Collective::reduce, counted(v, kDouble), n); }},
    PatternInfo{
        "bcast", "every rank gets what the root has", kCountedRooted,
        [](const Values& v, std::uint32_t n) { return rooted(v, Collective::broadcast, counted(v, kDouble), n); }},
    PatternInfo{"allgather", "every rank gets what each has", kCountedInts,
                [](const Values& v, std::uint32_t) { return repeated(v, Collective::all_gather, counted(v, kInt)); }},
    PatternInfo{"allgatherv", "the same through the call for unequal parts", kCountedInts,
                [](const Values& v, std::uint32_t) { return repeated(v, Collective::all_gather, counted(v, kInt)); }},
    PatternInfo{
        "scatter", "every rank gets its part of what the root has", kCountedRooted,
        [](const Values& v, std::uint32_t n) { return rooted(v, Collective::scatter, counted(v, kLong, n), n); }},
    PatternInfo{
        "scatterv", "the same through the call for unequal parts", kCountedRooted,
        [](const Values& v, std::uint32_t n) { return rooted(v, Collective::scatter, counted(v, kLong, n), n); }},
    PatternInfo{"alltoall", "every rank sends a part of its own to each", kBytes,
                [](const Values& v, std::uint32_t n) {
                  return repeated(v, Collective::all_to_all, product({v.count("bytes"), n}));
                }},
    PatternInfo{
        "alltoallv", "the same through the call for unequal parts, by count", kCounted,
        [](const Values& v, std::uint32_t n) { return repeated(v, Collective::all_to_all, counted(v, kDouble, n)); }},
    PatternInfo{"barrier", "nobody goes on before all have come", kBarrier,
                [](const Values& v, std::uint32_t) { return repeated(v, Collective::barrier, 0); }},
    PatternInfo{"null", "nothing at all: nodes that are left alone", kNoParameters, do_nothing},
    PatternInfo{"init", "the begin of a program, which costs nothing", kNoParameters, do_nothing},
    PatternInfo{"fini", "the end of a program: nobody leaves before all have come", kNoParameters, finalize},
    PatternInfo{"stop", "barriers, after which the job ends", kStop,
                [](const Values& v, std::uint32_t) { return repeated(v, Collective::barrier, 0); }}};

}  // namespace

std::span<const PatternInfo> collective_patterns() { return kPatterns; }

}  // namespace orrery::motif
