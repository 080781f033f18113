#include "base/team/sweep.h"

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>

#include "support/temp_dir.h"

namespace orrery {
namespace {

/// Squares; point `bad` and those above have no answer.
class Squares : public Sweep {
 public:
  explicit Squares(std::size_t count, std::size_t bad = ~std::size_t{0}) : count_(count), bad_(bad) {}
  [[nodiscard]] std::size_t size() const override { return count_; }
  [[nodiscard]] std::vector<Result<std::string>> solve(std::span<const std::size_t> points) const override {
    std::vector<Result<std::string>> answers;
    for (const std::size_t point : points) {
      ++solved;
      if (point < bad_) answers.emplace_back(std::to_string(point * point));
      else answers.emplace_back(Error{"no answer to " + std::to_string(point)});
    }
    return answers;
  }
  [[nodiscard]] std::size_t smallest_batch() const override { return 2; }

  mutable std::atomic<std::size_t> solved{0};

 private:
  std::size_t count_, bad_;
};

CheckpointKey key_of(const Sweep& sweep) {
  return {.version = "1", .command = "squares", .inputs = {}, .points = sweep.size()};
}

}  // namespace

TEST_CASE("a sweep answers by number, with and without a checkpoint") {
  const testing::TempDir folder;
  const Squares sweep(50);
  const auto plain = run_sweep(sweep, {});
  REQUIRE(plain);
  CHECK((*plain)[7] == "49");
  auto checkpoint = Checkpoint::open(folder.path("points"), key_of(sweep));
  REQUIRE(checkpoint);
  const auto kept = run_sweep(sweep, {.checkpoint = &*checkpoint});
  REQUIRE(kept);
  CHECK(*kept == *plain);
}

TEST_CASE("points that a checkpoint has are not solved again") {
  const testing::TempDir folder;
  const Squares sweep(50);
  {
    auto begun = Checkpoint::open(folder.path("points"), key_of(sweep));
    REQUIRE(begun);
    for (const std::uint64_t point : {3, 4, 49}) REQUIRE(begun->append(point, "kept"));
  }
  auto checkpoint = Checkpoint::open(folder.path("points"), key_of(sweep));
  REQUIRE(checkpoint);
  std::size_t done = 0;
  const auto answers =
      run_sweep(sweep, {.checkpoint = &*checkpoint, .on_done = [&](std::size_t points) { done += points; }});
  REQUIRE(answers);
  CHECK(sweep.solved == 47);
  CHECK(done == 50);
  CHECK((*answers)[4] == "kept");
  CHECK((*answers)[5] == "25");
}

TEST_CASE("the first point without an answer is the error") {
  const auto answers = run_sweep(Squares(20, 13), {});
  REQUIRE(!answers);
  CHECK(answers.error().message == "no answer to 13");
}

}  // namespace orrery
