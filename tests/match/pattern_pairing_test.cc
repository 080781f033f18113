// Two recordings of the same beats, each with its own clock, cut at the ends and with holes: who is who must come out
// right or not at all.
#include "match/pattern_pairing.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>

#include "match/exchange_finder.h"
#include "match/job_builder.h"

using namespace orrery;
using namespace orrery::match;

namespace {

struct TrueBeat {
  double at_us = 0;
  std::uint32_t token = 0;
};

struct Recording {
  std::vector<PatternEvent> beats;
  std::vector<std::size_t> truth;  ///< which of the true beats each is
};

class Beats {
 public:
  Beats(std::uint64_t seed, std::size_t count, double gap_jitter) : random_(seed) {
    double at = 0;
    for (std::size_t i = 0; i < count; ++i) {
      at += 5'000 * (1 + gap_jitter * uniform(-1, 1));
      true_.push_back({at, static_cast<std::uint32_t>(i % 3 == 2 ? 1 : 0)});
    }
  }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  Recording record(std::size_t head, std::size_t tail, double drop, double jitter_us) {
    Recording recording;
    const double offset_us = uniform(-1e7, 1e7), drift = uniform(-100e-6, 100e-6);
    for (std::size_t i = head; i + tail < true_.size(); ++i) {
      if (uniform(0, 1) < drop) continue;
      const double shown =
          offset_us + true_[i].at_us * (1 + drift) + std::abs(std::normal_distribution<double>(0, jitter_us)(random_));
      recording.beats.push_back({static_cast<TimePs>(shown * 1e6), true_[i].token});
      recording.truth.push_back(i);
    }
    return recording;
  }

 private:
  std::mt19937_64 random_;
  std::vector<TrueBeat> true_;
};

std::size_t wrong_pairs(const Recording& reference, const Recording& follower, const PatternPairing& pairing) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < pairing.partner.size(); ++i) {
    if (pairing.partner[i] != PatternPairing::kNone && reference.truth[pairing.partner[i]] != follower.truth[i])
      ++wrong;
  }
  return wrong;
}

std::size_t paired(const PatternPairing& pairing) {
  return static_cast<std::size_t>(std::count_if(pairing.partner.begin(), pairing.partner.end(),
                                                [](std::uint32_t p) { return p != PatternPairing::kNone; }));
}

}  // namespace

TEST_CASE("recordings cut at both ends and with holes are put together right") {
  const auto recorded = [](Beats& beats) {
    const std::size_t head = beats.below(120), tail = beats.below(120);
    return beats.record(head, tail, beats.uniform(0, 0.05), 50);
  };
  const auto is_right = [&](std::uint64_t seed) {
    Beats beats(seed, 400, 0.3);
    const Recording reference = recorded(beats), follower = recorded(beats);
    const PatternPairing pairing = pair_by_pattern(reference.beats, follower.beats);
    return wrong_pairs(reference, follower, pairing) == 0 &&
           paired(pairing) >= 110;  // at least 160 are in both, of which a tenth may be dropped
  };
  CHECK(rc::check([&] { RC_ASSERT(is_right(*rc::gen::arbitrary<std::uint64_t>())); }));
  CHECK(is_right(
      376693975));  // wrong shifts fit a dozen beats by chance nearly as well as the right one fits hundreds with holes
}

TEST_CASE("a clock that is set in the middle loses few beats and pairs none wrongly") {
  CHECK(rc::check([] {
    Beats beats(*rc::gen::arbitrary<std::uint64_t>(), 600, 0.3);
    const Recording reference = beats.record(0, 0, 0.01, 30);
    Recording follower = beats.record(50, 0, 0.01, 30);
    const TimePs jump = static_cast<TimePs>(beats.uniform(1'000, 200'000) * 1e6);
    for (std::size_t i = 300; i < follower.beats.size(); ++i) follower.beats[i].at += jump;
    const PatternPairing pairing = pair_by_pattern(reference.beats, follower.beats);
    RC_ASSERT(wrong_pairs(reference, follower, pairing) <=
              32u);  // until the beat is lost: the jump may be near a multiple of the step
    RC_ASSERT(paired(pairing) >= 450u);
  }));
}

TEST_CASE("evenly spaced beats fit in many ways, and are not paired") {
  Beats beats(1, 300, 0);
  const Recording reference = beats.record(0, 0, 0, 50);
  const Recording follower = beats.record(40, 0, 0, 50);
  const PatternPairing pairing = pair_by_pattern(reference.beats, follower.beats);
  CHECK(paired(pairing) == 0);
  CHECK(pairing.unclear == follower.beats.size());
}

TEST_CASE("beats of other jobs, too few beats and none at all are not paired") {
  Beats one(1, 300, 0.3), other(2, 300, 0.3);
  const Recording reference = one.record(0, 0, 0, 50);
  CHECK(paired(pair_by_pattern(reference.beats, other.record(0, 0, 0, 50).beats)) == 0);
  const std::vector<PatternEvent> few = {reference.beats[3], reference.beats[4]};
  CHECK(paired(pair_by_pattern(reference.beats, few)) == 0);
  CHECK(pair_by_pattern({}, reference.beats).unclear == 300);
  CHECK(pair_by_pattern(reference.beats, {}).partner.empty());
}

TEST_CASE(
    "collectives of eight nodes without numbers are matched although heads, tails and single events are missing") {
  CHECK(rc::check([] {
    Beats beats(*rc::gen::arbitrary<std::uint64_t>(), 300, 0.3);
    test::JobBuilder job(8);
    std::vector<Recording> recordings;
    for (std::size_t node = 0; node < 8; ++node) {
      recordings.push_back(beats.record(beats.below(80), beats.below(80), 0.02, 50));
      for (const PatternEvent& beat : recordings.back().beats) {
        job.add(node, {.start = beat.at - 1'000'000'000,
                       .end = beat.at,
                       .name = beat.token == 0 ? "all-reduce.1" : "all-reduce.2"});
      }
    }
    const Exchanges matched = find_exchanges(job.trace);
    RC_ASSERT(matched.mispaired.empty());
    RC_ASSERT(matched.all.size() > 100u);
    for (const Exchange& collective : matched.all) {
      RC_ASSERT(collective.by_pattern);
      const Participation& first = matched.parts[collective.first];
      for (std::uint32_t i = 0; i < collective.count; ++i) {
        const Participation& part = matched.parts[collective.first + i];
        RC_ASSERT(recordings[part.node].truth[part.event] == recordings[first.node].truth[first.event]);
      }
    }
  }));
}
