// Motifs that try one call of the library: to begin and to end, to send and receive at once, to wait for whichever message comes first.
#include <fmt/format.h>

#include <array>

#include "base/random.h"
#include "motif/patterns/catalog.h"

namespace orrery::motif {
namespace {

using workload::Collective;

constexpr std::array<Parameter, 0> kNoParameters = {};
constexpr std::array kStop = {Parameter{"iterations", ParameterKind::count, "1", "barriers"},
                              Parameter{"compute", ParameterKind::number, "0", "ns of computation before each"}};
constexpr std::array kSendReceive = {Parameter{"messageSize", ParameterKind::count, "1024", "elements of a message, 4 bytes each"},
                                     Parameter{"iterations", ParameterKind::count, "1", "rounds"}};
constexpr Parameter kLatestSend{"latest", ParameterKind::number, "1000000", "ns by which all have sent"};
constexpr Parameter kSendTimeSeed{"seed", ParameterKind::count, "1", "of the times at which they send"};
constexpr std::array kFirst = {kLatestSend, kSendTimeSeed};
constexpr std::array kTest = {Parameter{"interval", ParameterKind::number, "10000", "ns between two looks"}, kLatestSend, kSendTimeSeed};
constexpr std::array kTestAny = {Parameter{"interval", ParameterKind::number, "1000", "ns between two looks"}, kLatestSend, kSendTimeSeed};

/// All ranks do the same.
Pattern same_on_all(std::uint64_t rounds, std::function<void(Script&)> append) {
  Pattern pattern;
  pattern.rounds = rounds;
  pattern.relative = true;
  pattern.class_of = [](std::uint32_t) { return 0; };
  pattern.append = [append = std::move(append)](Script& script, std::uint32_t, std::uint64_t) { append(script); };
  return pattern;
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

Result<Pattern> stop_job(const Values& values, std::uint32_t /*ranks*/) {
  return same_on_all(values.count("iterations"), [compute = values.nanoseconds("compute")](Script& script) {
    script.phase("compute");
    script.compute(compute);
    script.phase("barrier");
    script.collective(Collective::barrier, 0);
  });
}

Result<Pattern> send_receive(const Values& values, std::uint32_t ranks) {
  if (ranks != 2) return Error{fmt::format("it is between 2 ranks, not {}", ranks)};
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.append = [bytes = static_cast<std::int64_t>(values.count("messageSize") * 4)](Script& script, std::uint32_t rank, std::uint64_t) {
    script.phase("sendrecv");
    script.irecv(1 - rank, bytes);
    script.isend(1 - rank, bytes);
    script.wait_all();
  };
  return pattern;
}

/// Everybody computes for a time that is drawn and sends to rank 0, which goes on when the first message has come. That is the one of whoever computes
/// least: it is empty, and all are as far as the network is wide. `interval`: how long rank 0 computes before it looks for the first time.
Pattern first_to_come(const Values& values, std::uint32_t ranks, TimePs interval) {
  std::vector<TimePs> computes(ranks);
  std::uint64_t state = values.count("seed");
  const TimePs latest = values.nanoseconds("latest");
  for (std::uint32_t rank = 1; rank < ranks; ++rank)
    computes[rank] = static_cast<TimePs>(next_random(state) % static_cast<std::uint64_t>(latest + 1));
  std::uint32_t first = 1;
  for (std::uint32_t rank = 2; rank < ranks; ++rank) first = computes[rank] < computes[first] ? rank : first;
  Pattern pattern;
  pattern.append = [computes = std::move(computes), first, ranks, interval](Script& script, std::uint32_t rank, std::uint64_t) {
    if (rank != 0) {
      script.phase("compute");
      script.compute(computes[rank]);
      script.phase("message");
      return script.send(0, 0);
    }
    script.phase("message");
    Script::StepId awaited = 0;
    for (std::uint32_t sender = 1; sender < ranks; ++sender) {
      const Script::StepId request = script.irecv(sender, 0);
      if (sender == first) awaited = request;
    }
    script.phase("compute");
    script.compute(interval);
    script.wait(awaited);
  };
  return pattern;
}

Result<Pattern> wait_any(const Values& values, std::uint32_t ranks) {
  if (ranks < 2) return Error{"it takes at least 2 ranks, not 1"};
  return first_to_come(values, ranks, 0);
}

Result<Pattern> test_any(const Values& values, std::uint32_t ranks) {
  if (ranks < 2) return Error{"it takes at least 2 ranks, not 1"};
  return first_to_come(values, ranks, values.nanoseconds("interval"));
}

Result<Pattern> test_one(const Values& values, std::uint32_t ranks) {
  if (ranks != 2) return Error{fmt::format("it is between 2 ranks, not {}", ranks)};
  return first_to_come(values, ranks, values.nanoseconds("interval"));
}

constexpr std::array kSingleCalls = {
    PatternInfo{"null", "nothing at all: nodes that are left alone", kNoParameters, do_nothing},
    PatternInfo{"init", "the begin of a program, which costs nothing", kNoParameters, do_nothing},
    PatternInfo{"fini", "the end of a program: nobody leaves before all have come", kNoParameters, finalize},
    PatternInfo{"stop", "barriers, after which the job ends", kStop, stop_job},
    PatternInfo{"sendrecv", "two ranks send and receive in one call", kSendReceive, send_receive},
    PatternInfo{"test", "rank 0 looks again and again for a message of rank 1", kTest, test_one},
    PatternInfo{"testany", "rank 0 looks again and again for a message of anybody", kTestAny, test_any},
    PatternInfo{"waitany", "rank 0 waits for a message of anybody", kFirst, wait_any}};

}  // namespace

std::span<const PatternInfo> single_call_patterns() { return kSingleCalls; }

}  // namespace orrery::motif
