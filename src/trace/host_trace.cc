#include "trace/host_trace.h"

namespace orrery::trace {

void move_texts(HostTrace& trace, const Interner& from, Interner& to) {
  Column<StringId> number(from.size());
  for (StringId id = 0; id < number.size(); ++id) number[id] = to.intern(from.text(id));
  for (StringId& id : trace.name) id = number[id];
  for (StringId& id : trace.op_schema) id = number[id];
  for (HostCollective& collective : trace.collectives) {
    for (StringId* id : {&collective.collective_name, &collective.dtype, &collective.group_name, &collective.group_description})
      *id = number[*id];
  }
  for (MeasuredRow& row : trace.measured) {
    for (StringId* id : {&row.category, &row.phase, &row.group_name}) *id = number[*id];
  }
}

}  // namespace orrery::trace
