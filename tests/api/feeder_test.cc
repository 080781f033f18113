// The feeder against a model of plain sets, and its promises in small.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "et_file.h"
#include "orrery/feeder.h"
#include "support/temp_dir.h"

namespace orrery::api::testing {
namespace {

Workload opened(const std::string& content) {
  const orrery::testing::TempDir folder;
  Result<Workload> workload = Workload::open(folder.write("job.0.et", content));
  if (!workload) throw std::invalid_argument(workload.error().to_string());
  return std::move(*workload);
}

Feeder feeder_of(const Workload& workload, Dependencies dependencies = Dependencies::data_and_control) {
  Result<Feeder> feeder = Feeder::make(workload, 0, dependencies);
  if (!feeder) throw std::invalid_argument(feeder.error().to_string());
  return std::move(*feeder);
}

// The ids in the order in which they come, each completed at once.
std::vector<std::uint64_t> drained(Feeder& feeder) {
  std::vector<std::uint64_t> ids;
  while (const std::optional<Node> node = feeder.next_ready()) {
    ids.push_back(node->id());
    if (!feeder.complete(*node)) throw std::logic_error("a taken node cannot be completed");
  }
  return ids;
}

/// The rules, as slowly as they can be written.
class NaiveFeeder {
 public:
  NaiveFeeder(const std::vector<EtNode>& nodes, Dependencies dependencies) {
    for (const EtNode& node : nodes) {
      std::set<std::uint64_t>& open = open_[node.id];
      open.insert(node.data.begin(), node.data.end());
      if (dependencies == Dependencies::data_and_control) open.insert(node.control.begin(), node.control.end());
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> lowest_ready() const {
    for (const auto& [id, open] : open_) {
      if (open.empty() && !taken_.contains(id)) return id;
    }
    return std::nullopt;
  }
  void take(std::uint64_t id) { taken_.insert(id); }
  void push_back(std::uint64_t id) { taken_.erase(id); }
  void complete(std::uint64_t id) {
    taken_.erase(id);
    open_.erase(id);
    for (auto& [ignored, open] : open_) open.erase(id);
  }
  [[nodiscard]] const std::set<std::uint64_t>& taken() const { return taken_; }
  [[nodiscard]] std::size_t remaining() const { return open_.size(); }

 private:
  std::map<std::uint64_t, std::set<std::uint64_t>> open_;  // of nodes that are not completed: what they wait for
  std::set<std::uint64_t> taken_;
};

std::size_t draw(std::size_t below) { return *rc::gen::inRange<std::size_t>(0, below); }

/// Dependencies run along a random order, ids are distinct and have gaps, nodes come in any order of ids.
std::vector<EtNode> random_nodes() {
  std::set<std::uint64_t> ids;
  const std::uint64_t spread = draw(2) == 0 ? 40 : std::uint64_t{1} << 40;
  for (std::size_t n = draw(30) + 1; n > 0; --n) ids.insert(draw(spread));
  std::vector<EtNode> nodes;
  for (const std::uint64_t id : ids) nodes.push_back({.id = id});
  for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[draw(i)]);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    for (std::size_t n = draw(4); n > 0; --n)
      (draw(2) == 0 ? nodes[i].data : nodes[i].control).push_back(nodes[draw(i)].id);
  }
  for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[draw(i)]);
  return nodes;
}

}  // namespace

TEST_CASE("feeder: does what a plain model does, whatever is asked of it") {
  rc::check([] {
    const std::vector<EtNode> nodes = random_nodes();
    const Dependencies dependencies = draw(2) == 0 ? Dependencies::data_and_control : Dependencies::data_only;
    const Workload workload = opened(et_file(nodes));
    Feeder feeder = feeder_of(workload, dependencies);
    NaiveFeeder model(nodes, dependencies);
    while (model.remaining() > 0) {
      RC_ASSERT(feeder.remaining() == model.remaining());
      RC_ASSERT(feeder.has_ready() == model.lowest_ready().has_value());
      const std::vector<std::uint64_t> taken(model.taken().begin(), model.taken().end());
      // Whatever is drawn, the run ends: of three actions one completes a node, and it is taken when there is no other.
      const std::size_t action = draw(3);
      if (!model.lowest_ready()) RC_ASSERT(!feeder.next_ready());
      if (taken.empty() || (action == 2 && model.lowest_ready())) {
        const std::optional<Node> node = feeder.next_ready();
        RC_ASSERT(node.has_value());
        RC_ASSERT(node->id() == *model.lowest_ready());
        model.take(node->id());
      } else if (action == 1) {
        const std::uint64_t id = taken[draw(taken.size())];
        const Status pushed = draw(2) == 0 ? feeder.push_back(id) : feeder.push_back(*feeder.lookup(id));
        RC_ASSERT(pushed.ok());
        model.push_back(id);
      } else {
        const std::uint64_t id = taken[draw(taken.size())];
        const Status completed = draw(2) == 0 ? feeder.complete(id) : feeder.complete(*feeder.lookup(id));
        RC_ASSERT(completed.ok());
        model.complete(id);
      }
    }
    RC_ASSERT(feeder.remaining() == 0);
    RC_ASSERT(!feeder.has_ready());
    RC_ASSERT(!feeder.next_ready());
  });
}

TEST_CASE("feeder: data dependencies only, or control as well") {
  const Workload workload = opened(et_file({{.id = 1, .control = {3}}, {.id = 2, .data = {3}}, {.id = 3}}));
  Feeder both = feeder_of(workload), data_only = feeder_of(workload, Dependencies::data_only);
  CHECK(drained(both) == std::vector<std::uint64_t>{3, 1, 2});
  CHECK(drained(data_only) == std::vector<std::uint64_t>{1, 3, 2});
}

TEST_CASE("feeder: an id that is given as data and as control counts as data") {
  const Workload workload = opened(et_file({{.id = 1, .data = {2}, .control = {2}}, {.id = 2}}));
  Feeder data_only = feeder_of(workload, Dependencies::data_only);
  CHECK(drained(data_only) == std::vector<std::uint64_t>{2, 1});
}

TEST_CASE("feeder: what cannot be completed or pushed back") {
  const Workload workload = opened(et_file({{.id = 5}, {.id = 6, .data = {5}}, {.id = 9}}));
  Feeder feeder = feeder_of(workload);
  CHECK(feeder.complete(5).error().message == "node 5 cannot be completed: it was not taken");
  CHECK(feeder.complete(6).error().message == "node 6 cannot be completed: it waits for others");
  CHECK(feeder.complete(7).error().message == "there is no node 7");
  CHECK(feeder.push_back(5).error().message == "node 5 cannot be pushed back: it was not taken");
  CHECK(feeder.push_back(10).error().message == "there is no node 10");
  REQUIRE(feeder.next_ready()->id() == 5);
  CHECK(feeder.remaining() == 3);
  CHECK(feeder.push_back(5));
  CHECK_FALSE(feeder.push_back(5));
  REQUIRE(feeder.next_ready()->id() == 5);
  CHECK(feeder.complete(5));
  CHECK(feeder.complete(5).error().message == "node 5 cannot be completed: it was completed before");
  CHECK_FALSE(feeder.push_back(5));
  CHECK(feeder.remaining() == 2);
  CHECK(feeder.lookup(5)->id() == 5);
  CHECK_FALSE(feeder.lookup(7));
}

TEST_CASE("feeder: nodes of others are refused") {
  const Workload one = opened(et_file({{.id = 1}})), other = opened(et_file({{.id = 1}}));
  Feeder feeder = feeder_of(one), stranger = feeder_of(other);
  const std::optional<Node> node = stranger.next_ready();
  REQUIRE(feeder.next_ready());
  CHECK_FALSE(feeder.complete(*node));
  CHECK_FALSE(feeder.push_back(*node));
  CHECK(feeder.complete(1));
}

TEST_CASE("feeder: a rank that is not there, a rank without nodes") {
  const Workload workload = opened(et_header());
  CHECK(Feeder::make(workload, 1).error().message == "there is no rank 1 among 1");
  Feeder feeder = feeder_of(workload);
  CHECK_FALSE(feeder.has_ready());
  CHECK_FALSE(feeder.next_ready());
  CHECK(feeder.remaining() == 0);
}

TEST_CASE("feeder: workload and feeder may be moved") {
  Workload workload = opened(et_file({{.id = 1, .name = "first"}, {.id = 2, .data = {1}}}));
  Feeder feeder = feeder_of(workload);
  const Node first = *feeder.next_ready();
  const Workload moved = std::move(workload);
  Feeder moved_feeder = std::move(feeder);
  CHECK(first.name() == "first");
  CHECK(moved_feeder.complete(first));
  CHECK(moved_feeder.next_ready()->id() == 2);
}

TEST_CASE("feeder: a chain of a million and a fan of a million") {
  constexpr std::uint64_t kCount = 1'000'000;
  std::string chain = et_header(), fan = et_header();
  for (std::uint64_t i = 0; i < kCount; ++i) {
    put_node(chain,
             {.id = i, .data = i + 1 < kCount ? std::vector{i + 1} : std::vector<std::uint64_t>{}});  // against the ids
    put_node(fan, {.id = 2 * i, .data = i > 0 ? std::vector<std::uint64_t>{0} : std::vector<std::uint64_t>{}});
  }
  const Workload deep = opened(chain), wide = opened(fan);
  Feeder deep_feeder = feeder_of(deep), wide_feeder = feeder_of(wide);
  const std::vector<std::uint64_t> deep_order = drained(deep_feeder), wide_order = drained(wide_feeder);
  CHECK(deep_order.size() == kCount);
  CHECK(std::is_sorted(deep_order.rbegin(), deep_order.rend()));
  CHECK(wide_order.size() == kCount);
  CHECK(std::is_sorted(wide_order.begin(), wide_order.end()));
}

}  // namespace orrery::api::testing
