// Runs the same messages through SimGrid and through the fluid network and compares when they end.
//
//   simgrid_judge [--seed N] [--scale N] [--write FILE]
//
// Fails if a case in which both have the same model differs by more than one part in a million. Other cases, and
// SimGrid's other models, are shown for what they are: differences of the models. --write keeps SimGrid's answers, for
// simgrid_answers_test.cc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "judge/judge_patterns.h"
#include "judge/simgrid_run.h"

namespace {

using namespace orrery;
using namespace orrery::judge;

constexpr double kAgree = 1e-6;
const std::vector<std::string> kMaxMin = {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0"};

struct Options {
  std::uint64_t seed = 1;
  std::uint32_t scale = 1;
  std::string write;
};

double largest_difference(const std::vector<TimePs>& ours, const std::vector<double>& theirs) {
  double largest = theirs.size() == ours.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < ours.size() && i < theirs.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(ours[i]) * 1e-12 - theirs[i]) / theirs[i]);
  }
  return largest;
}

void write_answers(std::ofstream& out, const Case& what, const std::vector<double>& finishes) {
  out << fmt::format("case {} {} {} {}\n", what.platform.devices, what.latency_us * 1e3, what.messages.size(),
                     what.platform.topology);
  for (std::size_t i = 0; i < finishes.size(); ++i) {
    const auto& message = what.messages[i];
    out << fmt::format("{} {} {:.0f} {:.9f}\n", message.source, message.target, message.bytes, finishes[i]);
  }
}

/// Prints one line; whether the case is as it should be.
bool judge_case(const Case& what, std::ofstream& answers) {
  const auto network =
      simulate::testing::network_of(what.platform.devices, what.latency_us * 1e3, what.platform.topology);
  if (!network.ok()) {
    fmt::print(stderr, "simgrid_judge: {}\n", network.error().to_string());
    return false;
  }
  const std::vector<TimePs> ours = simulate::testing::message_finishes(*network, what.messages);
  const std::vector<double> theirs = simgrid_finishes(what, kMaxMin);
  const double difference = largest_difference(ours, theirs);
  const bool exact = what.agreement == Agreement::exact;
  fmt::print("| {} | {} us | {} | {} | {:.1e} | {:.1e} | {:.1e} | {} |\n", what.platform.name, what.latency_us,
             what.pattern, what.messages.size(), difference,
             largest_difference(ours, simgrid_finishes(what, {"network/model:CM02"})),
             largest_difference(ours, simgrid_finishes(what, {"network/model:LV08"})),
             !exact                 ? "differs by design"
             : difference <= kAgree ? "agrees"
                                    : "DIFFERS");
  if (exact && answers.is_open()) write_answers(answers, what, theirs);
  return !exact || difference <= kAgree;
}

bool parse(int count, char** arguments, Options& options) {
  for (int i = 1; i + 1 < count; i += 2) {
    if (std::strcmp(arguments[i], "--seed") == 0) options.seed = std::strtoull(arguments[i + 1], nullptr, 10);
    else if (std::strcmp(arguments[i], "--scale") == 0)
      options.scale = static_cast<std::uint32_t>(std::strtoul(arguments[i + 1], nullptr, 10));
    else if (std::strcmp(arguments[i], "--write") == 0) options.write = arguments[i + 1];
    else return false;
  }
  return count % 2 == 1 && options.scale > 0;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (!parse(count, arguments, options)) {
    fmt::print(stderr, "usage: simgrid_judge [--seed N] [--scale N] [--write FILE]\n");
    return 2;
  }
  std::ofstream answers;
  if (!options.write.empty()) {
    answers.open(options.write);
    answers << "# When messages end according to SimGrid 3.32 (CM02 without cross-traffic and TCP window), all started "
               "at once on links of "
               "1 GB/s.\n"
               "# Written by simgrid_judge --seed "
            << options.seed
            << ". \"case DEVICES LATENCY_NS MESSAGES TOPOLOGY\", then \"SOURCE TARGET BYTES FINISH_S\".\n";
  }
  fmt::print(
      "Largest relative difference of a finish time from SimGrid's, by SimGrid's model:\n\n"
      "| platform | link latency | pattern | messages | max-min | CM02 | LV08 | "
      "|\n|---|---|---|---|---|---|---|---|\n");
  int failed = 0;
  for (const Case& what : make_cases(options.seed, options.scale)) failed += judge_case(what, answers) ? 0 : 1;
  fmt::print("\n{} failed\n", failed);
  return failed == 0 ? 0 : 1;
}
