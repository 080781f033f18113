#include "formats/kineto/skeleton.h"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "formats/kineto/limits.h"

namespace orrery::kineto {
namespace {

/// An event of one kind, cut into the steps that the generic parser finds in it: {"name": "TEXT", "KEY": NUMBER}
class Sample {
 public:
  Sample(std::string_view name, std::string_view key, int number) {
    text_ = R"({"name": ")" + std::string(name) + R"(", ")" + std::string(key) + R"(": )";
    const std::size_t of_name = text_.find(": \"") + 3, of_number = text_.size();
    text_ += std::to_string(number) + "}";
    const std::string_view text = text_;
    steps_ = {SkeletonStep{text.substr(0, of_name), ValueKind::string, kName},
              SkeletonStep{text.substr(of_name + name.size(), of_number - of_name - name.size()), ValueKind::number,
                           kIgnored},
              SkeletonStep{text.substr(text.size() - 1), ValueKind::end, kIgnored}};
  }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  void teach(Skeleton& skeleton) const { skeleton.learn(steps_); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::array<SkeletonStep, 3> steps_;
};

/// The name that a skeleton takes out of an event; "miss" if it does not know the kind.
std::string name_by(const Skeleton& skeleton, const std::string& event) {
  const auto memory = std::make_unique<char[]>(event.size() + 64);  // zeros behind it, as behind every window
  std::memcpy(memory.get(), event.data(), event.size());
  EventRecord record;
  record.clear();
  const Skeleton::Match match = skeleton.match(memory.get(), memory.get() + event.size(), record);
  if (match.outcome != Skeleton::Outcome::parsed) return "miss";
  CHECK(match.after == memory.get() + event.size());
  return std::string(record.name.view);
}

TEST_CASE("one event of a kind teaches all of it, whatever its values are") {
  Skeleton skeleton;
  const Sample first("gemm", "ts", 1), other("copy", "ts", 345);
  CHECK(name_by(skeleton, first.text()) == "miss");
  first.teach(skeleton);
  CHECK(name_by(skeleton, first.text()) == "gemm");
  // Nobody reads the number, so it was taken for part of the text: one more event shows that it varies.
  other.teach(skeleton);
  CHECK(name_by(skeleton, other.text()) == "copy");
  CHECK(name_by(skeleton, Sample("gemm", "ts", 99).text()) == "gemm");
  CHECK(name_by(skeleton, Sample("gemm", "dur", 1).text()) == "miss");
}

TEST_CASE("kinds without anything in common are learned up to a limit, and those before stay known") {
  Skeleton skeleton;
  Sample("first", "key", 1).teach(skeleton);
  for (std::size_t i = 0; i < kMaxSkeletonEdges; ++i) Sample("other", "key " + std::to_string(i), 1).teach(skeleton);
  CHECK(name_by(skeleton, Sample("first", "key", 1).text()) == "first");
  CHECK(name_by(skeleton, Sample("other", "key 5", 1).text()) == "other");
  CHECK(name_by(skeleton, Sample("other", "key " + std::to_string(kMaxSkeletonEdges - 1), 1).text()) == "miss");
}

}  // namespace
}  // namespace orrery::kineto
