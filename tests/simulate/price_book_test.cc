#include "simulate/pricing/price_book.h"

#include <doctest/doctest.h>

#include "comm_cases.h"
#include "simulate/pricing/pricing_report.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::simulate;
using namespace orrery::simulate::testing;
using workload::Collective;

namespace {

struct Signed {
  machine::Machine machine;
  Lowering lowering;
  PriceSignatures signatures;

  explicit Signed(machine::Machine described, std::string_view model = "test 1", CommOptions options = {})
      : machine(std::move(described)),
        lowering(take(machine::Network::build(machine)), options),
        signatures(machine, lowering, model) {}

  std::string of(const CommOp& op) { return signatures.of(std::span(&op, 1)).value(); }
  std::string of(const std::vector<CommOp>& ops) { return signatures.of(ops).value(); }
};

machine::Machine two_leaves(double oversubscription = 2) {
  machine::Dimension fabric = dimension(machine::Topology::leaf_spine, 8, 10, 500);
  fabric.leaf_spine = {.leaf_size = 4, .spine_count = 1, .oversubscription = oversubscription};
  return machine_of({fabric});
}

}  // namespace

TEST_CASE("groups of one size under one leaf and across leaves are different questions") {
  Signed s(two_leaves());
  const Ranks under = {0, 1}, across = {0, 4};
  CHECK(s.of(collective(Collective::all_reduce, 1 << 20, under)) !=
        s.of(collective(Collective::all_reduce, 1 << 20, across)));
}

TEST_CASE("what a machine cannot tell apart is the same question") {
  Signed s(machine_of({switched(4, 100, 300), ring(6, 10, 1'000)}));
  const auto reduce = [](const Ranks& ranks, std::int64_t bytes = 1 << 20) {
    return collective(Collective::all_reduce, bytes, ranks);
  };
  const Ranks node0 = {0, 1, 2, 3}, node4 = {16, 17, 18, 19}, neighbours = {0, 4}, others = {9, 13}, opposite = {0, 12};
  CHECK(s.of(reduce(node0)) == s.of(reduce(node4)));
  CHECK(s.of(reduce(neighbours)) == s.of(reduce(others)));
  CHECK(s.of(reduce(neighbours)) != s.of(reduce(opposite)));
  CHECK(s.of(reduce(node0)) != s.of(reduce(node0, 1 << 21)));
  CHECK(s.of(reduce(node0)) != s.of(collective(Collective::all_gather, 1 << 20, node0)));
  // Two that meet are another question than two that do not.
  const Ranks same = {4, 8}, far = {17, 21};
  CHECK(s.of({reduce(neighbours), reduce(same)}) != s.of({reduce(neighbours), reduce(far)}));
  CHECK(s.of(reduce(node0)).starts_with("all_reduce/1048576/4/"));
}

TEST_CASE("a key holds the algorithm, the model and the state of the links") {
  const machine::Machine machine = machine_of({switched(8, 100, 300)});
  const Ranks all = first_ranks(8);
  const CommOp op = collective(Collective::all_reduce, 1 << 20, all);
  const auto by = [](Algorithm algorithm) {
    CommOptions options;
    options.algorithms.fill(algorithm);
    return options;
  };
  const std::string plain = Signed(machine).of(op);
  CHECK(Signed(machine).of(op) == plain);
  CHECK(Signed(machine, "test 2").of(op) != plain);
  CHECK(Signed(machine, "test 1", by(Algorithm::double_binary_tree)).of(op) !=
        Signed(machine, "test 1", by(Algorithm::ring)).of(op));
  machine::Machine derated = machine;
  derated.network[0].derate = 0.5;
  CHECK(Signed(derated).of(op) != plain);
  machine::Machine faulty = machine;  // somewhere else: prices are not what they were
  faulty.faults.push_back({.from = "device7", .to = "d0.switch", .derate = 0.5});
  const Ranks two = {0, 1};
  const CommOp elsewhere = collective(Collective::all_reduce, 1 << 20, two);
  CHECK(Signed(faulty).of(elsewhere) != Signed(machine).of(elsewhere));
}

TEST_CASE("prices outlive a run in a file") {
  const orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  const std::string file = dir.path("prices.json");
  {
    PriceCache cache(file, diagnostics);
    CHECK(cache.find("a") == nullptr);
    cache.keep("b/2", {7, 9});
    cache.keep("a", {5});
    cache.save(diagnostics);
  }
  CHECK(orrery::testing::read_file(file) == "{\"format\":\"orrery.prices/1\",\"prices\":{\"a\":[5],\"b/2\":[7,9]}}\n");
  PriceCache later(file, diagnostics);
  REQUIRE(later.find("a") != nullptr);
  CHECK(*later.find("a") == std::vector<TimePs>{5});
  CHECK(later.size() == 2);
  CHECK(diagnostics.empty());
}

TEST_CASE("a file that is no file of prices is passed over, and told of") {
  const orrery::testing::TempDir dir;
  for (const char* content :
       {"", "nonsense", "{\"format\":\"orrery.prices/0\",\"prices\":{}}", "{\"format\":\"orrery.prices/1\"}",
        "{\"format\":\"orrery.prices/1\",\"prices\":{\"a\":[5],\"b\":[-1]}}",
        "{\"format\":\"orrery.prices/1\",\"prices\":{\"a\":5}}",
        "{\"format\":\"orrery.prices/1\",\"prices\":{\"a\":[5]"}) {
    CAPTURE(content);
    Diagnostics diagnostics;
    PriceCache cache(dir.write("prices.json", content), diagnostics);
    CHECK(cache.size() == 0);
    CHECK(diagnostics.count(kUnusableCache) == 1);
    cache.keep("a", {5});
    cache.save(diagnostics);  // and replaced
    Diagnostics none;
    CHECK(PriceCache(dir.path("prices.json"), none).size() == 1);
    CHECK(none.empty());
  }
  Diagnostics diagnostics;
  PriceCache nowhere(dir.path("absent/prices.json"), diagnostics);
  nowhere.keep("a", {5});
  nowhere.save(diagnostics);
  CHECK(diagnostics.count(kUnusableCache) == 1);
}

TEST_CASE("a file that was cut off anywhere is passed over, and so is one with a byte changed that matters") {
  const orrery::testing::TempDir dir;
  const std::string whole = "{\"format\":\"orrery.prices/1\",\"prices\":{\"a/1\":[5],\"b/2\":[7,9]}}";
  for (std::size_t length = 1; length < whole.size(); ++length) {
    Diagnostics diagnostics;
    CHECK(PriceCache(dir.write("prices.json", whole.substr(0, length)), diagnostics).size() == 0);
    CHECK(diagnostics.count(kUnusableCache) == 1);
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char changed : {'{', '}', '[', ']', '"', ',', ':', '\\', '\0', '9'}) {
      std::string text = whole;
      text[at] = changed;
      Diagnostics diagnostics;
      const PriceCache cache(dir.write("prices.json", text), diagnostics);
      CHECK((cache.size() > 0) == diagnostics.empty());  // all of it or nothing
    }
  }
}

TEST_CASE("a question is asked once, and what cannot be answered falls back on the links") {
  Signed s(machine_of({switched(4, 100, 300)}));
  Diagnostics diagnostics;
  PriceCache cache(std::nullopt, diagnostics);
  int asked = 0;
  const PriceOracle oracle{[&](std::span<const CommOp> ops) -> Result<std::vector<TimePs>> {
                             ++asked;
                             if (ops[0].bytes == 13) return Error{.message = "unlucky"};
                             return std::vector<TimePs>(ops.size(), 1000 * static_cast<TimePs>(ops.size()));
                           },
                           "oracle"};
  PriceBook book(oracle, s.machine, s.lowering, cache);
  const Ranks low = {0, 1}, high = {2, 3}, alone = {2};
  const CommOp a = collective(Collective::all_reduce, 100, low), b = collective(Collective::all_reduce, 100, high);
  CHECK(book.alone(a)->total_ps == 1000);
  CHECK(book.alone(b)->total_ps == 1000);  // other ports of the same switch
  CHECK(book.alone(a)->total_ps == 1000);
  CHECK(asked == 1);
  CHECK(book.hits() == 2);
  CHECK(book.together(std::vector<CommOp>{a, b}).value() == std::vector<TimePs>{2000, 2000});
  CHECK(asked == 2);
  CHECK(book.alone(collective(Collective::all_reduce, 100, alone))->total_ps == 0);
  CHECK(asked == 2);
  const CommOp unlucky = collective(Collective::all_reduce, 13, low),
               rooted = collective(Collective::broadcast, 100, low);
  const PriceBook::Answer fallback = book.alone(unlucky).value();
  CHECK(fallback.is_fallback);
  CHECK(fallback.total_ps == isolated_price(*s.lowering.plan(unlucky).value(), 13).total_ps);
  CHECK(book.alone(rooted)->is_fallback);
  CHECK(book.first_refusal() == "unlucky");
  CHECK(book.fallbacks() == 2);
}
