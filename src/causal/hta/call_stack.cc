#include "causal/hta/call_stack.h"

#include <map>
#include <tuple>

namespace orrery::causal::hta {
namespace {

using trace::LaneKey;

struct ThreadKey {
  bool process_is_text, thread_is_text;
  std::int64_t process, thread;
  std::string_view process_text, thread_text;
  auto tie() const { return std::tie(process_is_text, process, process_text, thread_is_text, thread, thread_text); }
  bool operator<(const ThreadKey& other) const { return tie() < other.tie(); }
};

}  // namespace

std::vector<std::vector<RowIndex>> rows_by_thread(const Rows& rows, std::span<const RowIndex> clipped,
                                                  const std::function<LaneKey(LaneKey)>& thread_of) {
  const Interner& strings = rows.trace->strings;
  std::map<ThreadKey, std::vector<RowIndex>> threads;
  std::vector<std::vector<RowIndex>*> thread_of_lane(rows.rank->lanes.size(), nullptr);
  for (const RowIndex r : clipped) {
    auto*& rows_of_thread = thread_of_lane[rows.rank->lane[rows.event[r]]];
    if (rows_of_thread == nullptr) {
      const LaneKey process = rows.lane(r).process;
      const LaneKey thread = thread_of(rows.lane(r).thread);
      rows_of_thread = &threads[{process.text != 0, thread.text != 0, process.number, thread.number,
                                 strings.text(process.text), strings.text(thread.text)}];
    }
    rows_of_thread->push_back(r);
  }
  std::vector<std::vector<RowIndex>> result;
  result.reserve(threads.size());
  for (auto& [key, rows_of_thread] : threads) result.push_back(std::move(rows_of_thread));
  return result;
}

}  // namespace orrery::causal::hta
