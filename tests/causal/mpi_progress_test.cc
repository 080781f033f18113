#include "causal/join/mpi_progress.h"

#include <doctest/doctest.h>

#include <vector>

namespace orrery::causal {
namespace {

constexpr graph::NodeId kBackInside = 77;

/// Messages of one class. The receiver asked for it at `asked`, computed on, and was back inside MPI at `back`.
struct Messages {
  std::vector<JobOperation> operations = {};
  std::vector<JobPart> parts = {};
  std::vector<PartMoments> moments = {};
  std::vector<PartProgress> progress = {};

  struct Times {
    TimePs sent, sender_entered, sender_ended, asked, back;
    bool had_seen = false;
  };
  void add(const Times& times) {
    const auto first = static_cast<std::uint32_t>(parts.size());
    operations.push_back({.first = first, .count = 2, .ordering = match::Ordering::message, .on_host = true});
    parts.push_back({.rank = 0, .arrival = 1, .progress = 1});
    parts.push_back({.rank = 1, .arrival = 2, .progress = 2});
    moments.push_back({times.sent, times.sender_ended});
    moments.push_back({times.asked, times.back + 10});
    progress.push_back({.entered = times.sender_entered});
    progress.push_back({.entered = times.back, .moment = times.back, .node = kBackInside, .had_seen = times.had_seen});
  }
  void judge() { find_progress(operations, progress, parts, moments); }
};

TEST_CASE("a sender that never ends before its receiver is back inside MPI waits for that") {
  Messages messages;
  messages.add({.sent = 0, .sender_entered = 5, .sender_ended = 510, .asked = 100, .back = 500});
  messages.judge();
  CHECK(messages.parts[1].progress == kBackInside);
  CHECK(messages.moments[1].served() == 500);
  CHECK(messages.moments[1].arrival == 100);
  // The receiver itself came when it asked, and what it waits for is the sender's arrival.
  CHECK(messages.parts[1].arrival == 2);
  CHECK(messages.parts[0].progress == 1);
  CHECK(messages.moments[0].served() == 0);
}

TEST_CASE("messages that are handed over need nobody to look") {
  Messages messages;
  messages.add({.sent = 0, .sender_entered = 5, .sender_ended = 110, .asked = 100, .back = 500});
  messages.add({.sent = 0, .sender_entered = 5, .sender_ended = 510, .asked = 100, .back = 500});
  messages.judge();
  for (const std::size_t receiver : {1, 3}) {
    CHECK(messages.parts[receiver].progress == 2);
    CHECK(messages.moments[receiver].served() == 100);
  }
}

TEST_CASE("one in ten may have ended sooner, and is not held to it") {
  Messages messages;
  for (int i = 0; i < 9; ++i)
    messages.add({.sent = 0, .sender_entered = 5, .sender_ended = 510, .asked = 100, .back = 500});
  messages.add({.sent = 0, .sender_entered = 5, .sender_ended = 110, .asked = 100, .back = 500});
  messages.judge();
  CHECK(messages.parts[1].progress == kBackInside);
  CHECK(messages.parts[19].progress == 2);
}

TEST_CASE("receivers that had seen their message are asked by themselves") {
  bool is_taken_when_asked = false;
  SUBCASE("the transport takes it when it is asked for") { is_taken_when_asked = true; }
  SUBCASE("the transport hands over the rest in the next call") {}
  Messages messages;
  messages.add({.sent = 0, .sender_entered = 5, .sender_ended = 510, .asked = 100, .back = 500});
  messages.add({.sent = 0,
                .sender_entered = 5,
                .sender_ended = is_taken_when_asked ? 110 : 510,
                .asked = 100,
                .back = 500,
                .had_seen = true});
  messages.judge();
  CHECK(messages.parts[1].progress == kBackInside);
  CHECK(messages.parts[3].progress == (is_taken_when_asked ? 2 : kBackInside));
}

TEST_CASE("a sender that came back later than its receiver says nothing") {
  Messages messages;
  messages.add({.sent = 0, .sender_entered = 600, .sender_ended = 610, .asked = 100, .back = 500});
  messages.judge();
  CHECK(messages.parts[1].progress == 2);
}

}  // namespace
}  // namespace orrery::causal
