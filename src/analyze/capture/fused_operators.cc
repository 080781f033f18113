#include "analyze/capture/fused_operators.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/names/operator_list.h"

namespace orrery::analyze {
namespace {

/// The words between the front and the number at the end; nothing if it is no such name.
std::optional<std::string_view> between(std::string_view kernel) {
  constexpr std::string_view kFront = "triton_";
  if (!kernel.starts_with(kFront)) return std::nullopt;
  std::string_view rest = kernel.substr(kFront.size());
  // Point-wise, (persistent) reductions, templates, for each, split scans, mixed orders.
  constexpr std::string_view kKinds[] = {"poi_", "per_", "red_", "tem_", "for_", "spl_", "mix_"};
  const auto kind =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](std::string_view k) { return rest.starts_with(k); });
  if (kind == std::end(kKinds)) return std::nullopt;
  rest.remove_prefix(kind->size());
  constexpr std::string_view kFused = "fused_";
  if (!rest.starts_with(kFused)) return std::nullopt;
  rest.remove_prefix(kFused.size());
  const std::size_t number = rest.find_last_not_of("0123456789") + 1;
  if (number == rest.size()) return std::nullopt;
  if (number == 0) return std::string_view();
  return rest[number - 1] == '_' ? std::optional(rest.substr(0, number - 1)) : std::nullopt;
}

/// Best cuts by where they begin and what stands before: a piece and the one behind it must ascend.
class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {
    // A piece may begin at the front, and behind every _; a name may begin with one: "_to_copy".
    starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '_') starts_.push_back(i + 1);
    }
  }

  std::vector<std::string> cut() {
    std::vector<std::string> pieces;
    std::size_t place = 0, before = 0;
    bool after_unknown = false;
    while (place < starts_.size()) {
      const Best& best = from(place, before, after_unknown);
      pieces.emplace_back(piece(place, best.next));
      after_unknown = !is_compiled_operator(pieces.back());
      before = place;
      place = best.next;
    }
    return pieces;
  }

 private:
  using Cost = std::tuple<std::size_t, std::size_t, std::size_t>;  // unknown words, descents, pieces
  struct Best {
    Cost cost;
    std::size_t next;  // place where the next piece begins
  };

  /// Words [a, b), without the _ behind them.
  [[nodiscard]] std::string_view piece(std::size_t a, std::size_t b) const {
    const std::size_t end = b < starts_.size() ? starts_[b] - 1 : text_.size();
    return text_.substr(starts_[a], end - starts_[a]);
  }

  /// The best way on from `place`, behind the piece [before, place); of the first there is none.
  const Best& from(std::size_t place, std::size_t before, bool after_unknown) {
    const auto key = std::tuple(place, before, after_unknown);
    if (const auto known = best_.find(key); known != best_.end()) return known->second;
    std::optional<Best> best;
    for (std::size_t next = place + 1; next <= starts_.size(); ++next) {
      const std::string_view own = piece(place, next);
      const bool is_known = is_compiled_operator(own);
      // Unknown words that stand together are one piece.
      if (own.empty() || (!is_known && after_unknown)) continue;
      Cost cost{is_known ? 0 : next - place, place > 0 && own <= piece(before, place) ? 1 : 0, 1};
      if (next < starts_.size()) {
        const Cost rest = from(next, place, !is_known).cost;
        cost = {std::get<0>(cost) + std::get<0>(rest), std::get<1>(cost) + std::get<1>(rest),
                std::get<2>(cost) + std::get<2>(rest)};
      }
      if (!best || cost < best->cost) best = Best{cost, next};
    }
    // Behind unknown words with nothing known ahead: no cut, which any other is better than.
    return best_.emplace(key, best.value_or(Best{Cost{text_.size() + 1, 0, 0}, starts_.size()})).first->second;
  }

  std::string_view text_;
  std::vector<std::size_t> starts_;
  std::map<std::tuple<std::size_t, std::size_t, bool>, Best> best_;
};

}  // namespace

bool is_compiled_operator(std::string_view name) {
  return trace::is_listed("aten::", name) || trace::is_listed("prims::", name);
}

std::optional<std::vector<std::string>> fused_operators(std::string_view kernel) {
  const std::optional<std::string_view> names = between(kernel);
  if (!names) return std::nullopt;
  // Inductor cuts its names at some length; what a damaged recording makes longer is no name of it.
  constexpr std::size_t kLongest = 512;
  if (names->empty() || names->size() > kLongest) return std::vector<std::string>();
  return Cutter(*names).cut();
}

}  // namespace orrery::analyze
