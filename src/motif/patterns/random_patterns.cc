// Messages to partners that chance decides: the same for the same seed, on every rank and on every machine.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "base/interrupt.h"
#include "base/random.h"
#include "motif/patterns/catalog.h"
#include "report/counted.h"

namespace orrery::motif {
namespace {

constexpr std::uint64_t kMostDraws = std::uint64_t{1} << 26;  // ranks times rounds, all of which are held

constexpr std::array kRandom = {
    Parameter{"messagesize", ParameterKind::count, "1", "elements of a message, 8 bytes each"},
    Parameter{"iterations", ParameterKind::count, "1", "rounds, each with partners of its own"},
    Parameter{"seed", ParameterKind::count, "1", "of the partners"}};
constexpr std::array kHotSpots = {
    Parameter{"messageSize", ParameterKind::count, "", "bytes of every message; left out: drawn"},
    Parameter{"messageSizeMean", ParameterKind::number, "1024", "mean of the sizes drawn"},
    Parameter{"messageSizeStdDev", ParameterKind::number, "1024", "their standard deviation"},
    Parameter{"maxMessageSize", ParameterKind::count, "1048576", "the largest that is drawn"},
    Parameter{"delayNano", ParameterKind::number, "1000", "ns between the messages of a rank"},
    Parameter{"hotSpots", ParameterKind::count, "0", "how many ranks get more than others"},
    Parameter{"hotSpotsRatio", ParameterKind::count, "99", "messages to anybody between two to a hot spot"},
    Parameter{"stopIterations", ParameterKind::count, "1000", "messages of each rank"},
    Parameter{"seed", ParameterKind::count, "1", "of partners and sizes"}};

constexpr std::array kTraffic = {
    Parameter{"pattern", ParameterKind::text, "plusOne", "plusOne: two ranks exchange; random: messages to anybody"},
    Parameter{"messageSize", ParameterKind::count, "1024", "plusOne: bytes of a message"},
    Parameter{"mean", ParameterKind::number, "5000", "plusOne: ns of computation before an exchange, in the mean"},
    Parameter{"stddev", ParameterKind::number, "300", "plusOne: its standard deviation"},
    Parameter{"startDelay", ParameterKind::number, "0", "plusOne: ns more before the first"},
    Parameter{"iterations", ParameterKind::count, "1000", "plusOne: exchanges; Ember's go on until the other jobs end"},
    Parameter{"messageSizeMean", ParameterKind::number, "1024",
              "random: elements of 8 bytes of a message, in the mean"},
    Parameter{"messageSizeStdDev", ParameterKind::number, "1024", "random: their standard deviation"},
    Parameter{"maxMessageSize", ParameterKind::count, "1048576", "random: the most elements of a message"},
    Parameter{"computeDelay", ParameterKind::number, "100", "random: ns of computation for each element that comes"},
    Parameter{"hotSpots", ParameterKind::count, "0", "random: how many ranks get more than others"},
    Parameter{"hotSpotsRatio", ParameterKind::count, "99", "random: messages to anybody between two to a hot spot"},
    Parameter{"stopIterations", ParameterKind::count, "1000", "random: messages of each rank"},
    Parameter{"seed", ParameterKind::count, "1", "of all that is drawn"}};

/// Who sends how much to whom, by round and sender.
struct Draws {
  struct Message {
    std::uint32_t peer = 0;
    std::int64_t bytes = 0;
  };
  std::uint32_t ranks;
  std::vector<Message> sent;             // by round and sender; a peer that is the sender: nothing
  std::vector<std::uint32_t> by_target;  // senders of a round, by whom they send to
  std::vector<std::uint32_t> first;      // by round and target: where these begin, and one more per round

  Draws(std::uint32_t rank_count, std::uint64_t rounds)
      : ranks(rank_count),
        sent(rank_count * rounds),
        by_target(rank_count * rounds),
        first((rank_count + 1) * rounds, 0) {}
  Message& at(std::uint64_t round, std::uint32_t rank) { return sent[round * ranks + rank]; }
  [[nodiscard]] const Message& at(std::uint64_t round, std::uint32_t rank) const { return sent[round * ranks + rank]; }

  /// After all are set.
  void sort(std::uint64_t round) {
    stop_if_requested();  // millions of messages are drawn before the first is sent
    std::uint32_t* const begin = first.data() + round * (ranks + 1);
    const auto each = [&](const auto& take) {
      for (std::uint32_t rank = 0; rank < ranks; ++rank)
        if (at(round, rank).peer != rank) take(rank, at(round, rank).peer);
    };
    // A counting sort by target: counts, their sums, and then the places.
    each([&](std::uint32_t, std::uint32_t peer) { ++begin[peer + 1]; });
    for (std::uint32_t rank = 0; rank < ranks; ++rank) begin[rank + 1] += begin[rank];
    std::vector<std::uint32_t> next(begin, begin + ranks);
    each([&](std::uint32_t rank, std::uint32_t peer) { by_target[round * ranks + next[peer]++] = rank; });
  }
  [[nodiscard]] std::span<const std::uint32_t> senders_to(std::uint64_t round, std::uint32_t rank) const {
    const std::uint32_t* const begin = first.data() + round * (ranks + 1) + rank;
    return {by_target.data() + round * ranks + begin[0], by_target.data() + round * ranks + begin[1]};
  }
};

Status check_draws(std::uint32_t ranks, std::uint64_t rounds) {
  // A division, because the product may overflow.
  if (rounds <= kMostDraws / ranks) return {};
  return Error{fmt::format("{} rounds of {}: at most {} messages are drawn", rounds, report::counted(ranks, "rank"),
                           kMostDraws)};
}

Result<Pattern> random_partners(const Values& values, std::uint32_t ranks) {
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.rounds_alike = false;
  if (const Status checked = check_draws(ranks, pattern.rounds); !checked) return checked.error();
  const std::int64_t bytes = product({values.count("messagesize"), 8});
  const auto draws = std::make_shared<Draws>(ranks, pattern.rounds);
  std::uint64_t state = values.count("seed");
  std::vector<std::uint32_t> target(ranks);
  for (std::uint64_t round = 0; round < pattern.rounds; ++round) {
    // From the same order in every round.
    std::iota(target.begin(), target.end(), 0u);
    // Fisher and Yates: every permutation is as likely. Whoever draws itself sends nothing.
    for (std::uint32_t i = ranks; i > 1; --i) std::swap(target[i - 1], target[next_random(state) % i]);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) draws->at(round, rank) = {target[rank], bytes};
    draws->sort(round);
  }
  pattern.append = [draws](Script& script, std::uint32_t rank, std::uint64_t round) {
    script.phase("exchange");
    for (const std::uint32_t sender : draws->senders_to(round, rank))
      script.irecv(sender, draws->at(round, sender).bytes);
    if (const auto& message = draws->at(round, rank); message.peer != rank) script.isend(message.peer, message.bytes);
    script.wait_all();
  };
  return pattern;
}

/// Distinct, in the order in which they are drawn.
std::vector<std::uint32_t> draw_hot_spots(std::uint64_t count, std::uint32_t ranks, std::uint64_t& state) {
  std::vector<std::uint32_t> hot;
  while (hot.size() < count) {
    const auto rank = static_cast<std::uint32_t>(next_random(state) % ranks);
    if (std::find(hot.begin(), hot.end(), rank) == hot.end()) hot.push_back(rank);
  }
  return hot;
}

/// A message of each rank in each round, of `bytes`, or else of a size that is drawn.
Result<std::shared_ptr<const Draws>> draw_hot_messages(const Values& values, std::uint32_t ranks,
                                                       std::optional<std::uint64_t> bytes) {
  if (ranks < 2) return Error{"it takes at least 2 ranks"};
  const std::uint64_t rounds = values.count("stopIterations");
  if (const Status checked = check_draws(ranks, rounds); !checked) return checked.error();
  if (values.count("hotSpots") > ranks / 2)
    return Error{
        fmt::format("hotSpots={}: at most half of {}", values.count("hotSpots"), report::counted(ranks, "rank"))};
  std::uint64_t state = values.count("seed");
  const std::vector<std::uint32_t> hot = draw_hot_spots(values.count("hotSpots"), ranks, state);
  const std::uint64_t between = values.count("hotSpotsRatio");
  const double mean = values.number("messageSizeMean"), deviation = values.number("messageSizeStdDev");
  const auto largest = static_cast<double>(std::max<std::uint64_t>(1, values.count("maxMessageSize")));
  auto draws = std::make_shared<Draws>(ranks, rounds);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    // The last of every so many rounds goes to a hot spot.
    const bool to_hot_spot = !hot.empty() && round % (between + 1) == between;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      auto peer = static_cast<std::uint32_t>(next_random(state) % (ranks - 1));
      // Anybody but the rank itself.
      peer += peer >= rank ? 1 : 0;
      // A hot spot itself sends to anybody in these rounds, too.
      if (to_hot_spot && std::find(hot.begin(), hot.end(), rank) == hot.end())
        peer = hot[next_random(state) % hot.size()];
      // A size below zero counts by its absolute value.
      const double drawn = std::clamp(std::abs(mean + deviation * next_gaussian(state)), 1.0, largest);
      draws->at(round, rank) = {peer, static_cast<std::int64_t>(bytes ? static_cast<double>(*bytes) : drawn)};
    }
    draws->sort(round);
  }
  return std::shared_ptr<const Draws>(std::move(draws));
}

Result<Pattern> hot_spots(const Values& values, std::uint32_t ranks) {
  const auto made = draw_hot_messages(
      values, ranks, values.has("messageSize") ? std::optional(values.count("messageSize")) : std::nullopt);
  if (!made) return made.error();
  Pattern pattern;
  pattern.rounds = values.count("stopIterations");
  pattern.rounds_alike = false;
  pattern.append = [draws = *made, delay = values.nanoseconds("delayNano")](Script& script, std::uint32_t rank,
                                                                            std::uint64_t round) {
    script.phase("messages");
    // Nobody waits for what he gets: a rank goes on when its own message has left.
    for (const std::uint32_t sender : draws->senders_to(round, rank))
      script.irecv(sender, draws->at(round, sender).bytes);
    script.send(draws->at(round, rank).peer, draws->at(round, rank).bytes);
    script.phase("delay");
    script.compute(delay);
  };
  return pattern;
}

/// Whoever gets a message computes for as long as it is large before the next.
Result<Pattern> random_traffic(const Values& values, std::uint32_t ranks) {
  constexpr std::int64_t kElement = 8;
  const auto made = draw_hot_messages(values, ranks, std::nullopt);
  if (!made) return made.error();
  Pattern pattern;
  pattern.rounds = values.count("stopIterations");
  pattern.rounds_alike = false;
  pattern.append = [draws = *made, delay_ns = values.number("computeDelay")](Script& script, std::uint32_t rank,
                                                                             std::uint64_t round) {
    script.phase("messages");
    double elements = 0;
    for (const std::uint32_t sender : draws->senders_to(round, rank)) {
      elements += static_cast<double>(draws->at(round, sender).bytes);
      script.irecv(sender, draws->at(round, sender).bytes * kElement);
    }
    script.isend(draws->at(round, rank).peer, draws->at(round, rank).bytes * kElement);
    script.wait_all();
    script.phase("compute");
    script.compute(to_picoseconds(elements * delay_ns));
  };
  return pattern;
}

Result<Pattern> traffic(const Values& values, std::uint32_t ranks) {
  const std::string& kind = values.text("pattern");
  if (kind != "plusOne" && kind != "random") return Error{fmt::format("pattern={}: plusOne or random", kind)};
  if (kind == "random") return random_traffic(values, ranks);
  if (ranks != 2)
    return Error{.message = fmt::format("plusOne is between 2 ranks, not {}", ranks), .hint = "pattern=random"};
  const double mean = values.number("mean"), deviation = values.number("stddev"), delay = values.number("startDelay");
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.rounds_alike = deviation == 0 && delay == 0;
  pattern.append = [mean, deviation, delay, seed = values.count("seed"),
                    bytes = static_cast<std::int64_t>(values.count("messageSize"))](Script& script, std::uint32_t rank,
                                                                                    std::uint64_t round) {
    // Without a sequence that is shared: each rank draws for itself, and still the same every time.
    std::uint64_t state = seed + (std::uint64_t{rank} << 32) + round;
    next_random(state);  // numbers that lie close together begin alike
    const double drawn = deviation > 0 ? mean + deviation * next_gaussian(state) : mean;
    script.phase("compute");
    script.compute(to_picoseconds(std::max(0.0, drawn) + (round == 0 ? delay : 0)));
    script.phase("exchange");
    const Script::StepId received = script.irecv(1 - rank, bytes);
    script.send(1 - rank, bytes);
    script.wait(received);
  };
  return pattern;
}

constexpr std::array kRandomPatterns = {
    PatternInfo{"random", "every rank sends to one and gets from one, drawn anew in each round", kRandom,
                random_partners},
    PatternInfo{"hotspots", "messages to partners at random, every so often to one of a few hot spots", kHotSpots,
                hot_spots},
    PatternInfo{"trafficgen", "traffic beside other jobs: two ranks after times that vary, or anybody to anybody",
                kTraffic, traffic}};

}  // namespace

std::span<const PatternInfo> random_patterns() { return kRandomPatterns; }

}  // namespace orrery::motif
