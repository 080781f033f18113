#include "query/works_table.h"

#include <memory>
#include <utility>
#include <vector>

#include "causal/device/communicating_works.h"
#include "causal/device/device_timeline.h"
#include "causal/host/launching_operators.h"
#include "trace/content_order.h"

// What a work is follows from its rank's timeline of devices. That is made when the table is first asked for, and kept:
// 100 bytes per work.

namespace orrery::query {
namespace {

using causal::DeviceWork;

/// The works of one rank.
struct RankWorks {
  std::size_t place = 0;  ///< in Trace::ranks
  std::size_t first_row = 0;
  causal::DeviceTimeline timeline;
  causal::WorkCommunications communication;
};

RankWorks works_of(const trace::Trace& trace, std::size_t place) {
  const trace::RankTrace& rank = trace.ranks[place];
  const trace::ContentOrder content(trace, rank);
  // What there is to remark is remarked by whoever explains the work.
  Diagnostics unsaid;
  RankWorks works{.place = place, .timeline = causal::make_device_timeline(trace, rank, content, unsaid)};
  std::vector<trace::EventIndex> operators;
  if (!works.timeline.works.empty()) operators = causal::launching_operators(trace, rank, works.timeline, content);
  works.communication = causal::communications_of_works(trace, rank, works.timeline, operators);
  return works;
}

/// Numbers below 0 stand for texts, which are no numbers of devices or streams.
Value number_or_null(std::int64_t number) { return number < 0 ? Value() : Value(number); }

class WorkRows : public Rows {
 public:
  WorkRows(const trace::Trace& trace, const EventNumbers& numbers) : trace_(trace), numbers_(numbers) {
    for (std::size_t place = 0; place < trace.ranks.size(); ++place) {
      RankWorks works = works_of(trace, place);
      works.first_row = size_;
      size_ += works.timeline.works.size();
      ranks_.push_back(std::move(works));
    }
  }

  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] Value at(std::size_t row, std::size_t column) const override {
    // There are few ranks, and rows are mostly asked for in order.
    std::size_t r = ranks_.size() - 1;
    while (ranks_[r].first_row > row) --r;
    return value(ranks_[r], static_cast<std::uint32_t>(row - ranks_[r].first_row), column);
  }

  static std::vector<TableColumn> columns() {
    return {{"event", "INTEGER"}, {"rank", "INTEGER"},       {"device", "INTEGER"},     {"stream", "INTEGER"},
            {"call", "INTEGER"},  {"name", "TEXT"},          {"library", "TEXT"},       {"communication", "TEXT"},
            {"role", "TEXT"},     {"group_size", "INTEGER"}, {"bytes_moved", "INTEGER"}};
  }

 private:
  [[nodiscard]] Value value(const RankWorks& of, std::uint32_t w, std::size_t column) const {
    const DeviceWork& work = of.timeline.works[w];
    const trace::RankTrace& rank = trace_.ranks[of.place];
    switch (column) {
      case 0: return numbers_.id(of.place, work.event);
      case 1: return rank.rank;
      case 2: return number_or_null(of.timeline.queues[work.queue].device);
      case 3: return number_or_null(of.timeline.queues[work.queue].stream);
      case 4: return work.call == causal::kNoEvent ? Value() : Value(numbers_.id(of.place, work.call));
      case 5: return trace_.name(rank, work.event);
      default: break;
    }
    const causal::CommunicationFacts* const facts = of.communication.find(w);
    if (facts == nullptr) return {};
    switch (column) {
      case 6: return text_or_null(facts->library);
      case 7: return text_or_null(facts->kind);
      case 8: return trace::to_string(facts->role);
      case 9: return facts->group_size > 0 ? Value(facts->group_size) : Value();
      default: return {};
    }
  }

  const trace::Trace& trace_;
  const EventNumbers& numbers_;
  std::vector<RankWorks> ranks_;
  std::size_t size_ = 0;
};

}  // namespace

Table works_table(const Recording& recording, const EventNumbers& numbers) {
  return {"works", WorkRows::columns(), made_once([&recording, &numbers]() -> Result<std::unique_ptr<Rows>> {
            return std::unique_ptr<Rows>(std::make_unique<WorkRows>(recording.trace, numbers));
          })};
}

}  // namespace orrery::query
