#include "analyze/device/communication.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analyze/capture/operand_lists.h"
#include "analyze/distribution.h"

// Works are summed by what is known of them. How long any of them runs is the length of their union on each device;
// how much of it is exposed follows from how long nothing computed up to each of its ends.

namespace orrery::analyze {
namespace {

using FactsKey = std::tuple<std::string, std::string, trace::CommunicationRole, std::int64_t>;

/// How long nothing computed on each device of the window, up to any moment.
class NotComputing {
 public:
  explicit NotComputing(const DeviceRank& devices) : devices_(devices.devices.size()) {
    sweep_devices(devices, [&](const Stretch& stretch) {
      std::vector<Knot>& knots = devices_[stretch.device];
      const TimePs before = knots.empty() ? 0 : knots.back().until_end;
      const bool computes = (stretch.types >> static_cast<unsigned>(WorkType::computation) & 1U) != 0;
      knots.push_back({stretch.begin, before, before + (computes ? 0 : stretch.end - stretch.begin)});
    });
  }

  [[nodiscard]] TimePs within(std::uint32_t device, TimePs begin, TimePs end) const {
    return until(device, end) - until(device, begin);
  }

 private:
  struct Knot {
    TimePs begin, until_begin, until_end;
  };
  [[nodiscard]] TimePs until(std::uint32_t device, TimePs time) const {
    const std::vector<Knot>& knots = devices_[device];
    const auto after =
        std::upper_bound(knots.begin(), knots.end(), time, [](TimePs t, const Knot& knot) { return t < knot.begin; });
    if (after == knots.begin()) return 0;
    const Knot& knot = *(after - 1);
    return knot.until_begin + std::min(time - knot.begin, knot.until_end - knot.until_begin);
  }

  std::vector<std::vector<Knot>> devices_;
};

/// The union of what runs on one device.
struct RunningUnion {
  bool is_open = false;
  TimePs begin = 0, end = 0;
};

class CommunicationSummer {
 public:
  CommunicationSummer(const DeviceRank& devices, const OperandsByOperator& given)
      : devices_(devices), given_(given), idle_(devices) {}

  std::vector<CommunicationSum> sum() {
    // By start, so that each begins in the union so far or behind it.
    for (std::uint32_t w = 0; w < devices_.timeline.works.size(); ++w) {
      if (devices_.communication.find(w) != nullptr) add(w);
    }
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      for (std::uint32_t device = 0; device < running_[i].size(); ++device) close(i, device);
      sums_[i].names = names_[i].size();
      if (sums_[i].works > 0 && !lacks_size_[i]) sums_[i].bytes = moved_[i];
    }
    // Rows of which all work lies elsewhere: launched in other windows, running in none.
    std::erase_if(sums_, [](const CommunicationSum& sum) { return sum.works == 0 && sum.any == 0; });
    std::sort(sums_.begin(), sums_.end(), [](const CommunicationSum& a, const CommunicationSum& b) {
      return a.sum != b.sum ? a.sum > b.sum : key_of(a.facts) < key_of(b.facts);
    });
    return std::move(sums_);
  }

 private:
  static FactsKey key_of(const causal::CommunicationFacts& facts) {
    return {facts.library, facts.kind, facts.role, facts.group_size};
  }

  std::size_t place_of(std::uint32_t w) {
    const std::uint32_t facts = devices_.communication.facts_of[w];
    if (of_facts_.empty()) of_facts_.resize(devices_.communication.facts.size(), kNotPlaced);
    if (of_facts_[facts] != kNotPlaced) return of_facts_[facts];
    const auto [at, is_new] = places_.emplace(key_of(devices_.communication.facts[facts]), sums_.size());
    if (is_new) {
      sums_.push_back({.facts = devices_.communication.facts[facts]});
      // What prepares a communication computes: nothing of it is exposed communication.
      if (sums_.back().facts.role != trace::CommunicationRole::setup) sums_.back().exposed = 0;
      names_.emplace_back();
      moved_.push_back(0);
      lacks_size_.push_back(0);
      running_.emplace_back(devices_.devices.size());
    }
    return of_facts_[facts] = at->second;
  }

  void add(std::uint32_t w) {
    const std::size_t place = place_of(w);
    CommunicationSum& sum = sums_[place];
    if (devices_.belongs(w)) {
      ++sum.works;
      sum.sum = plus_capped(sum.sum, devices_.time_of(w));
      names_[place].insert(devices_.name_of(w));
      const std::optional<std::int64_t> bytes = bytes_of(w);
      if (!bytes || __builtin_add_overflow(moved_[place], *bytes, &moved_[place])) lacks_size_[place] = 1;
    }
    const TimePs begin = std::max(devices_.timeline.works[w].start, devices_.window.begin);
    const TimePs end = std::min(devices_.timeline.works[w].end, devices_.window.end);
    if (begin >= end) return;
    RunningUnion& running = running_[place][devices_.device_of(w)];
    if (running.is_open && begin > running.end) close(place, devices_.device_of(w));
    if (!running.is_open) running = {true, begin, end};
    else running.end = std::max(running.end, end);
  }

  void close(std::size_t place, std::uint32_t device) {
    RunningUnion& running = running_[place][device];
    if (!running.is_open) return;
    running.is_open = false;
    CommunicationSum& sum = sums_[place];
    sum.any = plus_capped(sum.any, running.end - running.begin);
    if (sum.exposed) sum.exposed = plus_capped(*sum.exposed, idle_.within(device, running.begin, running.end));
  }

  /// By the operands of its operator, where a rule says which.
  [[nodiscard]] std::optional<std::int64_t> bytes_of(std::uint32_t w) const {
    const std::optional<std::uint32_t> input = devices_.communication.find(w)->bytes_input;
    if (!input) return std::nullopt;
    const trace::EventIndex event = devices_.timeline.works[w].event;
    const auto text = [&](trace::Field field) {
      const auto id = devices_.rank->field(field).find(event);
      return id ? devices_.trace->strings.text(static_cast<StringId>(*id)) : std::string_view();
    };
    if (const std::string_view shapes = text(trace::Field::shapes_text); !shapes.empty())
      return bytes_of_operand(shapes, text(trace::Field::types_text), *input);
    if (devices_.operators.empty()) return std::nullopt;
    const auto at = given_.find(devices_.operators[w]);
    return at == given_.end() ? std::nullopt : bytes_of_operand(at->second.shapes, at->second.types, *input);
  }

  static constexpr std::size_t kNotPlaced = ~std::size_t{0};
  const DeviceRank& devices_;
  const OperandsByOperator& given_;
  NotComputing idle_;
  std::vector<std::size_t> of_facts_;  // per facts of the rank
  std::map<FactsKey, std::size_t> places_;
  std::vector<CommunicationSum> sums_;
  std::vector<std::set<StringId>> names_;           // as sums_
  std::vector<std::int64_t> moved_;                 // the same: bytes
  std::vector<std::uint8_t> lacks_size_;            // the same: of some work they are not known
  std::vector<std::vector<RunningUnion>> running_;  // as sums_, then per device
};

}  // namespace

std::vector<trace::EventIndex> sizing_operators(const DeviceRank& devices) {
  std::vector<trace::EventIndex> operators;
  for (std::uint32_t w = 0; w < devices.operators.size(); ++w) {
    const causal::CommunicationFacts* const facts = devices.communication.find(w);
    if (facts != nullptr && facts->bytes_input && devices.operators[w] != causal::kNoEvent)
      operators.push_back(devices.operators[w]);
  }
  std::sort(operators.begin(), operators.end());
  operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
  return operators;
}

std::vector<CommunicationSum> sum_communication(const DeviceRank& devices, const OperandsByOperator& given) {
  return CommunicationSummer(devices, given).sum();
}

report::Sheet communication_sheet(const std::vector<DeviceRank>& ranks, const std::vector<OperandsByOperator>& given) {
  using report::Cell;
  using report::Type;
  using report::Unit;
  report::Sheet sheet("communication");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "library", .title = "library"})
      .add({.name = "kind", .title = "kind"})
      .add({.name = "role", .title = "role"})
      .add({.name = "names", .type = Type::integer})
      .add({.name = "works", .type = Type::integer, .title = "works"})
      .add({.name = "sum", .type = Type::time, .unit = Unit::us, .title = "summed"})
      .add({.name = "any", .type = Type::time, .unit = Unit::us, .title = "any runs"})
      .add({.name = "exposed", .type = Type::time, .unit = Unit::us, .title = "exposed"})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "bytes"})
      .add({.name = "group_size", .type = Type::integer, .title = "group"});
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const DeviceRank& devices = ranks[r];
    for (const CommunicationSum& row : sum_communication(devices, given[r])) {
      const auto text = [](const std::string& word) { return word.empty() ? Cell(nullptr) : Cell(word); };
      sheet.add_row({devices.rank->rank, text(row.facts.library), text(row.facts.kind),
                     trace::to_string(row.facts.role), row.names, row.works, row.sum, row.any,
                     row.exposed ? Cell(*row.exposed) : Cell(nullptr), row.bytes ? Cell(*row.bytes) : Cell(nullptr),
                     row.facts.group_size > 0 ? Cell(row.facts.group_size) : Cell(nullptr)});
    }
  }
  return sheet;
}

}  // namespace orrery::analyze
