// Messages to partners that chance decides: the same for the same seed, on every rank and on every machine.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "motif/patterns/catalog.h"
#include "report/counted.h"

namespace orrery::motif {
namespace {

constexpr std::uint64_t kMostDraws = std::uint64_t{1} << 26;  // ranks times rounds, all of which are held

constexpr std::array kRandom = {Parameter{"messagesize", ParameterKind::count, "1", "elements of a message, 8 bytes each"},
                                Parameter{"iterations", ParameterKind::count, "1", "rounds, each with partners of its own"},
                                Parameter{"seed", ParameterKind::count, "1", "of the partners"}};
constexpr std::array kHotSpots = {Parameter{"messageSize", ParameterKind::count, "", "bytes of every message; left out: drawn"},
                                  Parameter{"messageSizeMean", ParameterKind::number, "1024", "mean of the sizes drawn"},
                                  Parameter{"messageSizeStdDev", ParameterKind::number, "1024", "their standard deviation"},
                                  Parameter{"maxMessageSize", ParameterKind::count, "1048576", "the largest that is drawn"},
                                  Parameter{"delayNano", ParameterKind::number, "1000", "ns between the messages of a rank"},
                                  Parameter{"hotSpots", ParameterKind::count, "0", "how many ranks get more than others"},
                                  Parameter{"hotSpotsRatio", ParameterKind::count, "99", "messages to anybody between two to a hot spot"},
                                  Parameter{"stopIterations", ParameterKind::count, "1000", "messages of each rank"},
                                  Parameter{"seed", ParameterKind::count, "1", "of partners and sizes"}};

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
      : ranks(rank_count), sent(rank_count * rounds), by_target(rank_count * rounds), first((rank_count + 1) * rounds, 0) {}
  Message& at(std::uint64_t round, std::uint32_t rank) { return sent[round * ranks + rank]; }
  [[nodiscard]] const Message& at(std::uint64_t round, std::uint32_t rank) const { return sent[round * ranks + rank]; }

  /// After all are set.
  void sort(std::uint64_t round) {
    std::uint32_t* const begin = first.data() + round * (ranks + 1);
    const auto each = [&](const auto& take) {
      for (std::uint32_t rank = 0; rank < ranks; ++rank)
        if (at(round, rank).peer != rank) take(rank, at(round, rank).peer);
    };
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
  if (rounds <= kMostDraws / ranks) return {};
  return Error{fmt::format("{} rounds of {}: at most {} messages are drawn", rounds, report::counted(ranks, "rank"), kMostDraws)};
}

Result<Pattern> random_partners(const Values& values, std::uint32_t ranks) {
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.rounds_alike = false;
  if (const Status checked = check_draws(ranks, pattern.rounds); !checked) return checked.error();
  const auto bytes = static_cast<std::int64_t>(values.count("messagesize")) * 8;
  const auto draws = std::make_shared<Draws>(ranks, pattern.rounds);
  std::uint64_t state = values.count("seed");
  std::vector<std::uint32_t> target(ranks);
  for (std::uint64_t round = 0; round < pattern.rounds; ++round) {
    std::iota(target.begin(), target.end(), 0u);
    for (std::uint32_t i = ranks; i > 1; --i) std::swap(target[i - 1], target[next_random(state) % i]);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) draws->at(round, rank) = {target[rank], bytes};
    draws->sort(round);
  }
  pattern.append = [draws](Script& script, std::uint32_t rank, std::uint64_t round) {
    script.phase("exchange");
    for (const std::uint32_t sender : draws->senders_to(round, rank)) script.irecv(sender, draws->at(round, sender).bytes);
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

Result<Pattern> hot_spots(const Values& values, std::uint32_t ranks) {
  if (ranks < 2) return Error{"it takes at least 2 ranks"};
  Pattern pattern;
  pattern.rounds = values.count("stopIterations");
  pattern.rounds_alike = false;
  if (const Status checked = check_draws(ranks, pattern.rounds); !checked) return checked.error();
  if (values.count("hotSpots") > ranks / 2)
    return Error{fmt::format("hotSpots={}: at most half of {}", values.count("hotSpots"), report::counted(ranks, "rank"))};
  std::uint64_t state = values.count("seed");
  const std::vector<std::uint32_t> hot = draw_hot_spots(values.count("hotSpots"), ranks, state);
  const std::uint64_t between = values.count("hotSpotsRatio");
  const double mean = values.number("messageSizeMean"), deviation = values.number("messageSizeStdDev");
  const auto largest = static_cast<double>(std::max<std::uint64_t>(1, values.count("maxMessageSize")));
  const auto draws = std::make_shared<Draws>(ranks, pattern.rounds);
  for (std::uint64_t round = 0; round < pattern.rounds; ++round) {
    const bool to_hot_spot = !hot.empty() && round % (between + 1) == between;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      auto peer = static_cast<std::uint32_t>(next_random(state) % (ranks - 1));
      peer += peer >= rank ? 1 : 0;
      if (to_hot_spot && std::find(hot.begin(), hot.end(), rank) == hot.end()) peer = hot[next_random(state) % hot.size()];
      const double drawn = std::clamp(std::abs(mean + deviation * next_gaussian(state)), 1.0, largest);
      draws->at(round, rank) = {
          peer, static_cast<std::int64_t>(values.has("messageSize") ? static_cast<double>(values.count("messageSize")) : drawn)};
    }
    draws->sort(round);
  }
  pattern.append = [draws, delay = values.nanoseconds("delayNano")](Script& script, std::uint32_t rank, std::uint64_t round) {
    script.phase("messages");
    // Nobody waits for what he gets: a rank goes on when its own message has left.
    for (const std::uint32_t sender : draws->senders_to(round, rank)) script.irecv(sender, draws->at(round, sender).bytes);
    script.send(draws->at(round, rank).peer, draws->at(round, rank).bytes);
    script.phase("delay");
    script.compute(delay);
  };
  return pattern;
}

constexpr std::array kRandomPatterns = {
    PatternInfo{"random", "every rank sends to one and gets from one, drawn anew in each round", kRandom, random_partners},
    PatternInfo{"hotspots", "messages to partners at random, every so often to one of a few hot spots", kHotSpots, hot_spots}};

}  // namespace

std::span<const PatternInfo> random_patterns() { return kRandomPatterns; }

}  // namespace orrery::motif
