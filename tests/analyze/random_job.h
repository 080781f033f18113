// Random jobs for properties: ranks that work, take part in collectives of all or of some, and need what those give now
// or later.
#pragma once

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "analyze/small_job.h"

namespace orrery::analyze::testing {

/// What every rank does, before it is known which number it has. Times are long and odd, so that ties are chance.
struct RandomProgram {
  struct Event {
    std::vector<std::uint32_t> members;  // in the collective; their work before it and beside it
    std::vector<TimePs> before, beside;
    std::vector<std::uint32_t> before_name, beside_name;
    SmallJob::Collective collective;
    std::vector<TimePs> transfer;
    bool new_step = false;
  };
  std::uint32_t ranks = 2;
  std::vector<TimePs> begins;
  std::vector<Event> events;

  explicit RandomProgram(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    ranks = static_cast<std::uint32_t>(2 + below(4));
    for (std::uint32_t r = 0; r < ranks; ++r) begins.push_back(static_cast<TimePs>(below(1'000'000)));
    const std::uint64_t count = 1 + below(12);
    for (std::uint64_t e = 0; e < count; ++e) {
      Event event;
      event.new_step = e == 0 || below(3) == 0;
      for (std::uint32_t r = 0; r < ranks; ++r) {
        if (event.new_step || below(4) != 0) event.members.push_back(r);
      }
      if (event.members.size() < 2) continue;
      const std::uint64_t kind = below(4);
      if (kind == 0 && event.members.size() > 2) {
        event.collective = {.what = "broadcast", .root = event.members[below(event.members.size())]};
      }
      for (std::size_t m = 0; m < event.members.size(); ++m) {
        event.before.push_back(static_cast<TimePs>(below(10'000'000)));
        event.beside.push_back(static_cast<TimePs>(below(10'000'000)));
        event.before_name.push_back(static_cast<std::uint32_t>(below(4)));
        event.beside_name.push_back(static_cast<std::uint32_t>(below(4)));
        event.transfer.push_back(static_cast<TimePs>(below(3'000'000)));
      }
      events.push_back(event);
    }
  }

  /// `number[r]`: the rank that takes the part of r.
  [[nodiscard]] causal::CausalGraph make(const std::vector<std::uint32_t>& number) const {
    std::vector<TimePs> begin(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) begin[number[r]] = begins[r];
    SmallJob job(ranks, begin);
    for (std::size_t e = 0; e < events.size(); ++e) {
      const Event& event = events[e];
      for (std::size_t m = 0; m < event.members.size(); ++m) {
        const std::uint32_t rank = number[event.members[m]];
        if (event.new_step) job.step(rank);
        job.work(rank, "w" + std::to_string(event.before_name[m]), event.before[m]);
        SmallJob::Collective collective = event.collective;
        collective.transfer = event.transfer[m];
        if (collective.root != causal::kNoPart) collective.root = number[collective.root];
        const auto end = job.ask(rank, "c" + std::to_string(e), collective);
        job.work(rank, "w" + std::to_string(event.beside_name[m]), event.beside[m], EdgeKind::kernel);
        job.need(rank, end);
      }
    }
    return job.make();
  }
  [[nodiscard]] std::vector<std::uint32_t> as_they_are() const {
    std::vector<std::uint32_t> number(ranks);
    std::iota(number.begin(), number.end(), 0U);
    return number;
  }
};

}  // namespace orrery::analyze::testing
