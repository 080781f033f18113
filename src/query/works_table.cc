#include "query/works_table.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/capture/fused_operators.h"
#include "analyze/capture/operand_lists.h"
#include "analyze/capture/work_origins.h"
#include "base/json/json_writer.h"
#include "causal/device/communicating_works.h"
#include "causal/device/device_timeline.h"
#include "causal/host/launching_operators.h"
#include "trace/content_order.h"

// What a work is follows from its rank's timeline of devices, and from what is around its call. Both are made when the
// table is first asked for, and kept.

namespace orrery::query {
namespace {

using analyze::GraphLaunches;
using analyze::WorkOrigin;
using causal::DeviceWork;

/// The works of one rank.
struct RankWorks {
  std::size_t place = 0;  ///< in Trace::ranks
  std::size_t first_row = 0;
  causal::DeviceTimeline timeline;
  std::unique_ptr<analyze::WorkOrigins> origins;  ///< refers to the timeline
  std::vector<std::uint32_t> node;                ///< per work: its place in its launch
  causal::WorkCommunications communication;
};

std::unique_ptr<RankWorks> works_of(const trace::Trace& trace, std::size_t place) {
  const trace::RankTrace& rank = trace.ranks[place];
  const trace::ContentOrder content(trace, rank);
  // What there is to remark is remarked by whoever explains the work.
  Diagnostics unsaid;
  auto works = std::make_unique<RankWorks>();
  works->place = place;
  works->timeline = causal::make_device_timeline(trace, rank, content, unsaid);
  works->origins = std::make_unique<analyze::WorkOrigins>(trace, rank, works->timeline);
  std::vector<trace::EventIndex> operators;
  if (!works->timeline.works.empty()) operators = causal::launching_operators(trace, rank, works->timeline, content);
  works->communication = causal::communications_of_works(trace, rank, works->timeline, operators);
  works->node.assign(works->timeline.works.size(), 0);
  const GraphLaunches& launches = works->origins->launches();
  for (const analyze::GraphLaunch& launch : launches.launches) {
    std::uint32_t number = 0;
    for (const std::uint32_t w : launches.works_of(launch)) works->node[w] = number++;
  }
  return works;
}

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
  kLibrary,
  kCommunication,
  kRole,
  kGroupSize,
  kBytesMoved,
  kFused,
};

class WorkRows : public Rows {
 public:
  WorkRows(const trace::Trace& trace, const EventNumbers& numbers) : trace_(trace), numbers_(numbers) {
    for (std::size_t place = 0; place < trace.ranks.size(); ++place) {
      std::unique_ptr<RankWorks> works = works_of(trace, place);
      works->first_row = size_;
      size_ += works->timeline.works.size();
      ranks_.push_back(std::move(works));
    }
  }

  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] Value at(std::size_t row, std::size_t column) const override {
    // There are few ranks, and rows are mostly asked for in order.
    std::size_t r = ranks_.size() - 1;
    while (ranks_[r]->first_row > row) --r;
    return value(*ranks_[r], row, static_cast<std::uint32_t>(row - ranks_[r]->first_row), column);
  }

  static std::vector<TableColumn> columns() {
    return {
        {"event", "INTEGER"},      {"rank", "INTEGER"},        {"device", "INTEGER"},     {"stream", "INTEGER"},
        {"call", "INTEGER"},       {"name", "TEXT"},           {"graph", "INTEGER"},      {"graph_launch", "INTEGER"},
        {"node", "INTEGER"},       {"operator", "TEXT"},       {"top_operator", "TEXT"},  {"operators", "TEXT"},
        {"shapes", "TEXT"},        {"types", "TEXT"},          {"module", "TEXT"},        {"range", "TEXT"},
        {"source", "TEXT"},        {"library", "TEXT"},        {"communication", "TEXT"}, {"role", "TEXT"},
        {"group_size", "INTEGER"}, {"bytes_moved", "INTEGER"}, {"fused", "TEXT"}};
  }

 private:
  [[nodiscard]] Value value(const RankWorks& of, std::size_t row, std::uint32_t w, std::size_t column) const {
    const DeviceWork& work = of.timeline.works[w];
    const trace::RankTrace& rank = trace_.ranks[of.place];
    const GraphLaunches& launches = of.origins->launches();
    const std::uint32_t launch = launches.launch_of_work[w];
    const bool in_graph = launch != GraphLaunches::kNoLaunch;
    switch (column) {
      case kEvent: return numbers_.id(of.place, work.event);
      case kRank: return rank.rank;
      case kDevice: return number_or_null(of.timeline.queues[work.queue].device);
      case kStream: return number_or_null(of.timeline.queues[work.queue].stream);
      case kCall: return work.call == causal::kNoEvent ? Value() : Value(numbers_.id(of.place, work.call));
      case kName: return trace_.name(rank, work.event);
      case kGraph: return in_graph ? Value(std::int64_t{launches.launches[launch].graph}) : Value();
      case kGraphLaunch: return in_graph ? Value(std::int64_t{launch}) : Value();
      case kNode: return in_graph ? Value(std::int64_t{of.node[w]}) : Value();
      default: break;
    }
    if (column == kFused) return fused_value(rank.name[work.event]);
    if (column < kLibrary) return origin_value(origin_of(of, row, w), column);
    const causal::CommunicationFacts* const facts = of.communication.find(w);
    return facts == nullptr ? Value() : communication_value(*facts, origin_of(of, row, w), column);
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

  /// Each name is cut once.
  [[nodiscard]] Value fused_value(StringId name) const {
    const auto [at, is_new] = fused_.try_emplace(name);
    if (is_new) {
      if (const auto operators = analyze::fused_operators(trace_.strings.text(name))) {
        std::string list;
        JsonWriter json(list);
        json.begin_array();
        for (const std::string& op : *operators) json.value(op);
        json.end_array();
        at->second = kept(list);
      }
    }
    return at->second;
  }

  /// Columns of one row are asked for one after another: its origin is found once.
  const WorkOrigin& origin_of(const RankWorks& of, std::size_t row, std::uint32_t w) const {
    if (!last_ || last_->first != row) last_.emplace(row, of.origins->of(w));
    return last_->second;
  }

  static std::string list_of(const std::vector<analyze::OperatorCall>& operators) {
    std::string list;
    JsonWriter json(list);
    json.begin_array();
    for (const analyze::OperatorCall& op : operators) json.value(op.name);
    json.end_array();
    return list;
  }

  Value kept(std::string text) const { return texts_.text(texts_.intern(text)); }

  const trace::Trace& trace_;
  const EventNumbers& numbers_;
  std::vector<std::unique_ptr<RankWorks>> ranks_;
  std::size_t size_ = 0;
  // Made when asked for, which changes no answer.
  mutable std::optional<std::pair<std::size_t, WorkOrigin>> last_;
  mutable Interner texts_;
  mutable std::unordered_map<StringId, Value> fused_;
};

}  // namespace

Table works_table(const Recording& recording, const EventNumbers& numbers) {
  return {"works", WorkRows::columns(), made_once([&recording, &numbers]() -> Result<std::unique_ptr<Rows>> {
            return std::unique_ptr<Rows>(std::make_unique<WorkRows>(recording.trace, numbers));
          })};
}

}  // namespace orrery::query
