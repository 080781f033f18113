#include "trace/host_trace.h"

#include <algorithm>

namespace orrery::trace {

void move_texts(HostTrace& trace, const Interner& from, Interner& to) {
  Column<StringId> number(from.size());
  for (StringId id = 0; id < number.size(); ++id) number[id] = to.intern(from.text(id));
  for (StringId& id : trace.name) id = number[id];
  for (StringId& id : trace.op_schema) id = number[id];
  for (HostCollective& collective : trace.collectives) {
    for (StringId* id :
         {&collective.collective_name, &collective.dtype, &collective.group_name, &collective.group_description})
      *id = number[*id];
  }
  for (MeasuredRow& row : trace.measured) {
    for (StringId* id : {&row.category, &row.phase, &row.group_name}) *id = number[*id];
  }
}

void copy_head(const HostTrace& from, HostTrace& to) {
  to.path = from.path;
  to.file_bytes = from.file_bytes;
  to.schema = from.schema;
  to.time = from.time;
  to.pid = from.pid;
  to.start_ts = from.start_ts;
  to.finish_ts = from.finish_ts;
  to.text_owner = from.text_owner;
  to.content = from.content;
}

void copy_rows(const HostTrace& from, std::span<const std::uint32_t> rows, HostTrace& to) {
  const auto gather = [&](auto HostTrace::*column) {
    (to.*column).resize_uninitialized(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) (to.*column)[i] = (from.*column)[rows[i]];
  };
  gather(&HostTrace::name);
  gather(&HostTrace::record_function);
  gather(&HostTrace::forward_parent);
  gather(&HostTrace::sequence_number);
  gather(&HostTrace::scope);
  gather(&HostTrace::thread);
  gather(&HostTrace::forward_thread);
  gather(&HostTrace::op_schema);
  gather(&HostTrace::object);
  gather(&HostTrace::inputs);
  gather(&HostTrace::outputs);
  gather(&HostTrace::attributes);
  to.collectives.clear();
  for (std::uint32_t i = 0; i < rows.size() && !from.collectives.empty(); ++i) {
    const auto at = std::lower_bound(from.collectives.begin(), from.collectives.end(), rows[i],
                                     [](const HostCollective& of, std::uint32_t row) { return of.row < row; });
    if (at == from.collectives.end() || at->row != rows[i]) continue;
    to.collectives.push_back(*at);
    to.collectives.back().row = i;
  }
}

}  // namespace orrery::trace
