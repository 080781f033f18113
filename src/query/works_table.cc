#include "query/works_table.h"

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/capture/fused_operators.h"
#include "analyze/capture/operand_lists.h"
#include "base/json/json_writer.h"
#include "query/rank_works.h"

// What a work is follows from its rank's timeline of devices, and from what is around its call. Both are made when the
// table is first asked for, steps and prices when one of their columns is, and kept.

namespace orrery::query {
namespace {

using analyze::GraphLaunches;
using analyze::WorkOrigin;
using causal::DeviceWork;

/// What the name of a kernel tells, with what its compiler wrote about it.
struct NameFacts {
  Value fused, source_lines;
};
using FactsByName = std::unordered_map<StringId, NameFacts>;

/// The works of one rank among those of all.
struct RankRows {
  std::size_t place = 0;  ///< in Trace::ranks
  std::size_t first_row = 0;
  std::unique_ptr<RankWorks> works;
  const analyze::KernelProvenance* provenance = nullptr;  ///< null: names alone tell
  FactsByName* names = nullptr;                           ///< of ranks with the same provenance
};

/// Numbers below 0 stand for texts, which are no numbers of devices or streams.
Value number_or_null(std::int64_t number) { return number < 0 ? Value() : Value(number); }

enum WorkColumn : std::size_t {
  kEvent,
  kRank,
  kDevice,
  kStream,
  kCall,
  kName,
  kGraph,
  kGraphLaunch,
  kNode,
  kOperator,
  kTopOperator,
  kOperators,
  kShapes,
  kTypes,
  kModule,
  kRange,
  kSource,
  kStep,
  kPhase,
  kRequests,
  kKind,
  kLibrary,
  kCommunication,
  kRole,
  kGroupSize,
  kBytesMoved,
  kFused,
  kFlops,
  kBytes,
  kRoof,
  kSourceLines,
};

class WorkRows : public Rows {
 public:
  WorkRows(const Recording& recording, const EventNumbers& numbers)
      : recording_(recording), trace_(recording.trace), numbers_(numbers) {
    for (std::size_t place = 0; place < trace_.ranks.size(); ++place) {
      RankRows rank{.place = place, .first_row = size_, .works = std::make_unique<RankWorks>(trace_, place)};
      if (place < recording.provenance.size()) rank.provenance = recording.provenance[place].get();
      rank.names = &names_[rank.provenance];
      size_ += rank.works->size();
      ranks_.push_back(std::move(rank));
    }
  }

  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] Value at(std::size_t row, std::size_t column) const override {
    // There are few ranks, and rows are mostly asked for in order.
    std::size_t r = ranks_.size() - 1;
    while (ranks_[r].first_row > row) --r;
    return value(ranks_[r], row, static_cast<std::uint32_t>(row - ranks_[r].first_row), column);
  }

  static std::vector<TableColumn> columns() {
    return {
        {"event", "INTEGER"},      {"rank", "INTEGER"},        {"device", "INTEGER"},     {"stream", "INTEGER"},
        {"call", "INTEGER"},       {"name", "TEXT"},           {"graph", "INTEGER"},      {"graph_launch", "INTEGER"},
        {"node", "INTEGER"},       {"operator", "TEXT"},       {"top_operator", "TEXT"},  {"operators", "TEXT"},
        {"shapes", "TEXT"},        {"types", "TEXT"},          {"module", "TEXT"},        {"range", "TEXT"},
        {"source", "TEXT"},        {"step", "INTEGER"},        {"phase", "TEXT"},         {"requests", "INTEGER"},
        {"kind", "TEXT"},          {"library", "TEXT"},        {"communication", "TEXT"}, {"role", "TEXT"},
        {"group_size", "INTEGER"}, {"bytes_moved", "INTEGER"}, {"fused", "TEXT"},         {"flops", "REAL"},
        {"bytes", "INTEGER"},      {"roof_ps", "INTEGER"},     {"source_lines", "TEXT"}};
  }

 private:
  [[nodiscard]] Value value(const RankRows& of, std::size_t row, std::uint32_t w, std::size_t column) const {
    const causal::DeviceTimeline& timeline = of.works->devices().timeline;
    const DeviceWork& work = timeline.works[w];
    const trace::RankTrace& rank = trace_.ranks[of.place];
    const GraphLaunches& launches = of.works->origins().launches();
    const std::uint32_t launch = launches.launch_of_work[w];
    const bool in_graph = launch != GraphLaunches::kNoLaunch;
    switch (column) {
      case kEvent: return numbers_.id(of.place, work.event);
      case kRank: return rank.rank;
      case kDevice: return number_or_null(timeline.queues[work.queue].device);
      case kStream: return number_or_null(timeline.queues[work.queue].stream);
      case kCall: return work.call == causal::kNoEvent ? Value() : Value(numbers_.id(of.place, work.call));
      case kName: return trace_.name(rank, work.event);
      case kGraph: return in_graph ? Value(std::int64_t{launches.launches[launch].graph}) : Value();
      case kGraphLaunch: return in_graph ? Value(std::int64_t{launch}) : Value();
      case kNode: return in_graph ? Value(std::int64_t{of.works->node_of(w)}) : Value();
      case kStep:
      case kPhase:
      case kRequests: return step_value(of.works->step_of(w), column);
      case kKind:
      case kFlops:
      case kBytes:
      case kRoof: return price_value(of.works->price_of(w, device()), column);
      case kFused: return facts_of(of, rank.name[work.event]).fused;
      case kSourceLines: return facts_of(of, rank.name[work.event]).source_lines;
      default: break;
    }
    if (column < kLibrary) return origin_value(origin_of(of, row, w), column);
    const causal::CommunicationFacts* const facts = of.works->devices().communication.find(w);
    return facts == nullptr ? Value() : communication_value(*facts, origin_of(of, row, w), column);
  }

  static Value step_value(const analyze::MeasuredStep* step, std::size_t column) {
    if (step == nullptr) return {};
    if (column == kStep) return static_cast<std::int64_t>(step->place);
    if (!step->says) return {};
    return column == kPhase ? Value(std::string_view(causal::identifier(step->says->phase)))
                            : value_or_null(step->says->requests);
  }

  static Value price_value(const std::optional<WorkPrice>& price, std::size_t column) {
    if (!price) return {};
    switch (column) {
      case kKind: return std::string_view(analyze::identifier(price->kind));
      // Of a day of training the sum would be too large for a whole number.
      case kFlops: return price->flops ? Value(static_cast<double>(*price->flops)) : Value();
      case kBytes: return value_or_null(price->bytes);
      default: return value_or_null(price->roof);
    }
  }

  /// One without rates if nothing tells which: then there are no roofs.
  const machine::Device& device() const {
    if (!device_) device_ = (recording_.device ? recording_.device() : std::nullopt).value_or(machine::Device{});
    return *device_;
  }

  static Value communication_value(const causal::CommunicationFacts& facts, const WorkOrigin& origin,
                                   std::size_t column) {
    switch (column) {
      case kLibrary: return text_or_null(facts.library);
      case kCommunication: return text_or_null(facts.kind);
      case kRole: return trace::to_string(facts.role);
      case kGroupSize: return facts.group_size > 0 ? Value(facts.group_size) : Value();
      default: break;
    }
    if (!facts.bytes_input) return {};
    return value_or_null(analyze::bytes_of_operand(origin.shapes(), origin.types(), *facts.bytes_input));
  }

  [[nodiscard]] Value origin_value(const WorkOrigin& origin, std::size_t column) const {
    switch (column) {
      case kOperator: return text_or_null(origin.op());
      case kTopOperator: return text_or_null(origin.top());
      case kOperators: return origin.operators.empty() ? Value() : kept(list_of(origin.operators));
      case kShapes: return origin.shapes().empty() ? Value() : kept(analyze::without_blanks(origin.shapes()));
      case kTypes: return origin.types().empty() ? Value() : kept(analyze::without_blanks(origin.types()));
      case kModule: return text_or_null(origin.modules);
      case kRange: return text_or_null(origin.range);
      default: return text_or_null(origin.source);
    }
  }

  /// Each name is cut, or looked up, once.
  [[nodiscard]] const NameFacts& facts_of(const RankRows& of, StringId name) const {
    const auto [at, is_new] = of.names->try_emplace(name);
    if (!is_new) return at->second;
    const std::string_view kernel = trace_.strings.text(name);
    const analyze::KernelSource* const told = of.provenance == nullptr ? nullptr : of.provenance->find(kernel);
    if (told != nullptr && !told->lines.empty()) at->second.source_lines = kept(list_of(told->lines));
    if (told != nullptr && !told->operators.empty()) at->second.fused = kept(list_of(told->operators));
    else if (const auto guessed = analyze::fused_operators(kernel)) at->second.fused = kept(list_of(*guessed));
    return at->second;
  }

  /// Columns of one row are asked for one after another: its origin is found once.
  const WorkOrigin& origin_of(const RankRows& of, std::size_t row, std::uint32_t w) const {
    if (!last_ || last_->first != row) last_.emplace(row, of.works->origins().of(w));
    return last_->second;
  }

  static const std::string& text_of(const std::string& text) { return text; }
  static std::string_view text_of(const analyze::OperatorCall& op) { return op.name; }
  template <typename List>
  static std::string list_of(const List& entries) {
    std::string list;
    JsonWriter json(list);
    json.begin_array();
    for (const auto& entry : entries) json.value(text_of(entry));
    json.end_array();
    return list;
  }

  Value kept(const std::string& text) const { return texts_.text(texts_.intern(text)); }

  const Recording& recording_;
  const trace::Trace& trace_;
  const EventNumbers& numbers_;
  std::vector<RankRows> ranks_;
  std::size_t size_ = 0;
  // Made when asked for, which changes no answer.
  mutable std::optional<std::pair<std::size_t, WorkOrigin>> last_;
  mutable Interner texts_;
  mutable std::optional<machine::Device> device_;
  std::map<const analyze::KernelProvenance*, FactsByName> names_;
};

}  // namespace

Table works_table(const Recording& recording, const EventNumbers& numbers) {
  return {"works", WorkRows::columns(), made_once([&recording, &numbers]() -> Result<std::unique_ptr<Rows>> {
            return std::unique_ptr<Rows>(std::make_unique<WorkRows>(recording, numbers));
          })};
}

}  // namespace orrery::query
