// Holds the fluid network against answers that SimGrid gave (tests/judge/simgrid_judge.cc wrote them down), where both
// have the same model: plain max-min fairness, on paths of equal latency or none.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fluid_network_flows.h"

using namespace orrery;
using namespace orrery::simulate::testing;

namespace {

struct Answers {
  std::uint32_t devices = 0;
  double latency_ns = 0;
  std::string topology;
  std::vector<Message> messages;
  std::vector<double> finishes_s;
};

std::vector<Answers> read_answers(const std::string& path) {
  std::ifstream file(path);
  std::vector<Answers> cases;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    if (line.starts_with('#')) continue;
    if (line.starts_with("case ")) {
      std::string keyword;
      std::size_t count = 0;
      Answers next;
      words >> keyword >> next.devices >> next.latency_ns >> count >> std::ws;
      std::getline(words, next.topology);
      cases.push_back(std::move(next));
      continue;
    }
    Message message;
    double finish_s = 0;
    words >> message.source >> message.target >> message.bytes >> finish_s;
    REQUIRE(!words.fail());
    cases.back().messages.push_back(message);
    cases.back().finishes_s.push_back(finish_s);
  }
  return cases;
}

}  // namespace

TEST_CASE("messages end when SimGrid says, to one part in a million") {
  const std::vector<Answers> cases = read_answers(ORRERY_SOURCE_DIR "/tests/simulate/data/simgrid_answers.txt");
  REQUIRE(cases.size() == 25);
  std::size_t compared = 0;
  for (const Answers& answers : cases) {
    CAPTURE(answers.topology);
    CAPTURE(answers.latency_ns);
    const auto network = network_of(answers.devices, answers.latency_ns, answers.topology);
    REQUIRE_MESSAGE(network.ok(), network.error().to_string());
    const std::vector<TimePs> ends = message_finishes(*network, answers.messages);
    double largest = 0;
    for (std::size_t i = 0; i < ends.size(); ++i, ++compared) {
      largest = std::max(
          largest, std::abs(static_cast<double>(ends[i]) * 1e-12 - answers.finishes_s[i]) / answers.finishes_s[i]);
    }
    CHECK(largest <= 1e-6);
  }
  CHECK(compared > 4000);
}
