// Messages between two ranks, around a ring, from all to one, and from whoever is first.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/random.h"
#include "motif/patterns/catalog.h"
#include "report/counted.h"

namespace orrery::motif {
namespace {

constexpr Parameter kRounds{"iterations", ParameterKind::count, "1", "rounds"};
constexpr Parameter kMessageSize{"messageSize", ParameterKind::count, "1024", "bytes of a message"};

constexpr std::array kPingPong = {
    kMessageSize, kRounds, Parameter{"rank2", ParameterKind::count, "1", "who answers rank 0"},
    Parameter{"blockingSend", ParameterKind::flag, "1", "send instead of isend and wait"},
    Parameter{"blockingRecv", ParameterKind::flag, "1", "recv instead of irecv and wait"}};
constexpr std::array kTwoWay = {kMessageSize, kRounds};
constexpr std::array kAllPairs = {Parameter{"iterations", ParameterKind::count, "1024", "rounds"},
                                  Parameter{"messageSize", ParameterKind::count, "128", "bytes of a message"},
                                  Parameter{"computetime", ParameterKind::number, "1000", "ns before each round"}};
constexpr std::array kRing = {Parameter{"messagesize", ParameterKind::count, "1024", "bytes of the message"}, kRounds};
constexpr std::array kIncast = {kMessageSize, kRounds,
                                Parameter{"incasttarget", ParameterKind::count, "0", "the rank that all send to"}};
constexpr std::array kMessageRate = {Parameter{"msgSize", ParameterKind::count, "0", "bytes of a message"},
                                     Parameter{"numMsgs", ParameterKind::count, "128", "messages of a round"}, kRounds};

constexpr std::array kSendReceive = {
    Parameter{"messageSize", ParameterKind::count, "1024", "elements of a message, 4 bytes each"}, kRounds};
constexpr std::array kWaitAny = {Parameter{"latest", ParameterKind::number, "1000000", "ns by which all have sent"},
                                 Parameter{"seed", ParameterKind::count, "1", "of the times at which they send"}};
constexpr std::array kTest =
    joined(std::array{Parameter{"interval", ParameterKind::number, "10000", "ns between two looks"}}, kWaitAny);
constexpr std::array kTestAny =
    with(kTest, Parameter{"interval", ParameterKind::number, "1000", "ns between two looks"});

constexpr std::array kManyToMany = {
    kMessageSize, kRounds,
    Parameter{"numRecvBufs", ParameterKind::count, "1", "receives that a target has posted at once"},
    Parameter{"targetRankList", ParameterKind::text, "0", "the ranks that all others send to, as 0,4-7"}};

Status at_least(std::uint32_t ranks, std::uint32_t least) {
  if (ranks >= least) return {};
  return Error{fmt::format("it takes at least {}, not {}", report::counted(least, "rank"), ranks)};
}

Status just_two(std::uint32_t ranks) {
  if (ranks == 2) return {};
  return Error{fmt::format("it is between 2 ranks, not {}", ranks)};
}

Result<Pattern> ping_pong(const Values& values, std::uint32_t ranks) {
  if (const Status enough = at_least(ranks, 2); !enough) return enough.error();
  const std::uint64_t other = values.count("rank2");
  if (other == 0 || other >= ranks) return Error{fmt::format("rank2={}: from 1 to {}", other, ranks - 1)};
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  // Three programs however many ranks there are: who asks, who answers, and who looks on.
  pattern.class_of = [other](std::uint32_t rank) { return rank == 0 ? 0u : rank == other ? 1u : 2u; };
  pattern.append = [other = static_cast<std::uint32_t>(other),
                    bytes = static_cast<std::int64_t>(values.count("messageSize")),
                    blocking_send = values.flag("blockingSend"),
                    blocking_recv = values.flag("blockingRecv")](Script& script, std::uint32_t rank, std::uint64_t) {
    if (rank != 0 && rank != other) return;
    const std::uint32_t peer = rank == 0 ? other : 0;
    // Rank 0 sends first and the other receives first: the same two steps in opposite order.
    for (const bool sends : {rank == 0, rank != 0}) {
      script.phase(sends == (rank == 0) ? "ping" : "pong");
      if (sends ? blocking_send : blocking_recv) {
        sends ? script.send(peer, bytes) : script.recv(peer, bytes);
      } else {
        script.wait(sends ? script.isend(peer, bytes) : script.irecv(peer, bytes));
      }
    }
  };
  return pattern;
}

/// Both at the same time.
void exchange(Script& script, std::uint32_t peer, std::int64_t bytes) {
  const Script::StepId received = script.irecv(peer, bytes);
  script.send(peer, bytes);
  script.wait(received);
}

Result<Pattern> two_way_ping_pong(const Values& values, std::uint32_t ranks) {
  if (const Status enough = at_least(ranks, 2); !enough) return enough.error();
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  // Programs are shared by class; everybody beyond the first two has an empty one.
  pattern.class_of = [](std::uint32_t rank) { return rank < 2 ? rank : 2; };
  pattern.append = [bytes = static_cast<std::int64_t>(values.count("messageSize"))](Script& script, std::uint32_t rank,
                                                                                    std::uint64_t) {
    if (rank > 1) return;
    script.phase("both ways");
    exchange(script, 1 - rank, bytes);
  };
  return pattern;
}

/// Rank r of the first half with rank r of the second.
Result<Pattern> all_ping_pong(const Values& values, std::uint32_t ranks) {
  if (ranks % 2 != 0) return Error{fmt::format("it takes an even number of ranks, not {}", ranks)};
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  // Partners are told by distance, so that all ranks of a half share one program.
  pattern.relative = true;
  pattern.class_of = [ranks](std::uint32_t rank) { return rank < ranks / 2 ? 0 : 1; };
  pattern.append = [ranks, bytes = static_cast<std::int64_t>(values.count("messageSize")),
                    compute = values.nanoseconds("computetime")](Script& script, std::uint32_t rank, std::uint64_t) {
    script.phase("compute");
    script.compute(compute);
    const bool first = rank < ranks / 2;
    const std::uint32_t peer = first ? rank + ranks / 2 : rank - ranks / 2;
    for (const bool ping : {true, false}) {
      script.phase(ping ? "ping" : "pong");
      first == ping ? script.send(peer, bytes) : script.recv(peer, bytes);
    }
  };
  return pattern;
}

Result<Pattern> ring(const Values& values, std::uint32_t ranks) {
  if (const Status enough = at_least(ranks, 2); !enough) return enough.error();
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.relative = true;
  // Rank 0 is apart because it sends first.
  pattern.class_of = [](std::uint32_t rank) { return rank == 0 ? 0 : 1; };
  pattern.append = [ranks, bytes = static_cast<std::int64_t>(values.count("messagesize"))](
                       Script& script, std::uint32_t rank, std::uint64_t) {
    const std::uint32_t next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    script.phase("ring");
    // One must send before it receives, or all would wait for each other.
    if (rank == 0) script.send(next, bytes);
    script.recv(previous, bytes);
    if (rank != 0) script.send(next, bytes);
  };
  return pattern;
}

Result<Pattern> incast(const Values& values, std::uint32_t ranks) {
  const std::uint64_t target = values.count("incasttarget");
  if (target >= ranks)
    return Error{fmt::format("incasttarget={}: there are {}", target, report::counted(ranks, "rank"))};
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  // All senders alike, and who receives.
  pattern.class_of = [target](std::uint32_t rank) { return rank == target ? 0 : 1; };
  pattern.append = [ranks, target = static_cast<std::uint32_t>(target),
                    bytes = static_cast<std::int64_t>(values.count("messageSize"))](Script& script, std::uint32_t rank,
                                                                                    std::uint64_t) {
    script.phase("incast");
    if (rank != target) return script.send(target, bytes);
    for (std::uint32_t sender = 0; sender < ranks; ++sender)
      if (sender != target) script.irecv(sender, bytes);
    script.wait_all();
  };
  return pattern;
}

Result<Pattern> message_rate(const Values& values, std::uint32_t ranks) {
  if (const Status two = just_two(ranks); !two) return two.error();
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.append = [bytes = static_cast<std::int64_t>(values.count("msgSize")), count = values.count("numMsgs")](
                       Script& script, std::uint32_t rank, std::uint64_t) {
    script.phase("messages");
    // Receives are posted before the barrier, so that every message finds its own.
    if (rank == 1)
      for (std::uint64_t i = 0; i < count; ++i) script.irecv(0, bytes);
    script.phase("barrier");
    script.collective(workload::Collective::barrier, 0);
    script.phase("messages");
    if (rank == 0)
      for (std::uint64_t i = 0; i < count; ++i) script.isend(1, bytes);
    script.wait_all();
  };
  return pattern;
}

/// After a barrier every other rank sends to each of a few, in turn; these take the messages in the order of the
/// senders.
Result<Pattern> many_to_many(const Values& values, std::uint32_t ranks) {
  const auto targets = rank_list(values.text("targetRankList"), ranks);
  if (!targets) return targets.error();
  if (targets->empty() || targets->size() == ranks)
    return Error{
        fmt::format("targetRankList={}: some of the {} ranks, and not all", values.text("targetRankList"), ranks)};
  const std::uint64_t buffers = values.count("numRecvBufs");
  if (buffers == 0) return Error{"numRecvBufs=0: nothing is ever received"};
  std::vector<std::uint32_t> sources;
  std::vector<bool> is_target(ranks, false);
  for (const std::uint32_t target : *targets) is_target[target] = true;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (!is_target[rank]) sources.push_back(rank);
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.rounds_alike = pattern.rounds == 1;  // the first has the barrier
  pattern.content = [](std::uint32_t, std::uint64_t round) { return round == 0 ? 1 : 2; };
  pattern.class_of = [is_target](std::uint32_t rank) { return is_target[rank] ? 0 : 1; };
  pattern.append = [targets = *targets, sources, is_target, buffers,
                    bytes = static_cast<std::int64_t>(values.count("messageSize"))](Script& script, std::uint32_t rank,
                                                                                    std::uint64_t round) {
    std::vector<Script::StepId> posted;
    const auto post = [&] { posted.push_back(script.irecv(sources[posted.size()], bytes)); };
    script.phase("messages");
    // As many receives as there are buffers are posted before the barrier: no message comes unexpected that has one.
    while (is_target[rank] && posted.size() < std::min<std::size_t>(buffers, sources.size())) post();
    if (round == 0) {
      script.phase("barrier");
      script.collective(workload::Collective::barrier, 0);
      script.phase("messages");
    }
    if (!is_target[rank])
      for (const std::uint32_t target : targets) script.send(target, bytes);
    for (std::size_t i = 0; i < posted.size(); ++i) {
      script.wait(posted[i]);
      // A buffer that has become free takes the next sender.
      if (posted.size() < sources.size()) post();
    }
  };
  return pattern;
}

Result<Pattern> send_receive(const Values& values, std::uint32_t ranks) {
  if (const Status two = just_two(ranks); !two) return two.error();
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.append = [bytes = product({values.count("messageSize"), 4})](Script& script, std::uint32_t rank,
                                                                       std::uint64_t) {
    script.phase("sendrecv");
    script.irecv(1 - rank, bytes);
    script.isend(1 - rank, bytes);
    script.wait_all();
  };
  return pattern;
}

/// Everybody computes for a time that is drawn and sends to rank 0, which goes on when the first message has come. That
/// is the one of whoever computes least: it is empty, and all are as far as the network is wide. `interval`: how long
/// rank 0 computes before it looks for the first time.
Pattern first_to_come(const Values& values, std::uint32_t ranks, TimePs interval) {
  std::vector<TimePs> computes(ranks);
  std::uint64_t state = values.count("seed");
  const TimePs latest = values.nanoseconds("latest");
  for (std::uint32_t rank = 1; rank < ranks; ++rank)
    computes[rank] = static_cast<TimePs>(next_random(state) % static_cast<std::uint64_t>(latest + 1));
  std::uint32_t first = 1;
  // Of equal times the lowest rank: arbitrary, but the same every time.
  for (std::uint32_t rank = 2; rank < ranks; ++rank) first = computes[rank] < computes[first] ? rank : first;
  Pattern pattern;
  pattern.append = [computes = std::move(computes), first, ranks, interval](Script& script, std::uint32_t rank,
                                                                            std::uint64_t) {
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
  if (const Status enough = at_least(ranks, 2); !enough) return enough.error();
  return first_to_come(values, ranks, 0);
}

Result<Pattern> test_any(const Values& values, std::uint32_t ranks) {
  if (const Status enough = at_least(ranks, 2); !enough) return enough.error();
  return first_to_come(values, ranks, values.nanoseconds("interval"));
}

Result<Pattern> test_one(const Values& values, std::uint32_t ranks) {
  if (const Status two = just_two(ranks); !two) return two.error();
  return first_to_come(values, ranks, values.nanoseconds("interval"));
}

constexpr std::array kMessagePatterns = {
    PatternInfo{"pingpong", "rank 0 sends to one other, which sends back", kPingPong, ping_pong},
    PatternInfo{"bipingpong", "ranks 0 and 1 send to each other at the same time", kTwoWay, two_way_ping_pong},
    PatternInfo{"allpingpong", "each rank of the first half with one of the second, there and back", kAllPairs,
                all_ping_pong},
    PatternInfo{"ring", "a message goes around through all ranks", kRing, ring},
    PatternInfo{"incast", "all ranks send to one at the same time", kIncast, incast},
    PatternInfo{"msgrate", "many messages at once from rank 0 to rank 1", kMessageRate, message_rate},
    PatternInfo{"ntom", "all ranks but a few send to each of these few", kManyToMany, many_to_many},
    PatternInfo{"sendrecv", "two ranks send and receive in one call", kSendReceive, send_receive},
    PatternInfo{"test", "rank 0 looks again and again for a message of rank 1", kTest, test_one},
    PatternInfo{"testany", "rank 0 looks again and again for a message of anybody", kTestAny, test_any},
    PatternInfo{"waitany", "rank 0 waits for a message of anybody", kWaitAny, wait_any}};

}  // namespace

std::span<const PatternInfo> message_patterns() { return kMessagePatterns; }

}  // namespace orrery::motif
