#include "analyze/schedule_sheets.h"

namespace orrery::analyze {

using report::Sheet;
using report::Type;
using report::Unit;

Sheet ranks_sheet(const simulate::Schedule& schedule) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "finish", .type = Type::time, .unit = Unit::ns})
      .add({.name = "exposed_comm", .type = Type::time, .unit = Unit::ns})
      .add({.name = "compute", .type = Type::time, .unit = Unit::ns});
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const simulate::RankUse& use = schedule.ranks[rank];
    sheet.add_row({rank, use.finish_ps, use.exposed_ps, use.compute_ps});
  }
  return sheet;
}

Sheet links_sheet(const simulate::Schedule& schedule, std::span<const std::string> names) {
  Sheet sheet("links");
  sheet.add({.name = "link"})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes})
      .add({.name = "busy", .type = Type::time, .unit = Unit::ns})
      .add({.name = "peak_sharing", .type = Type::integer});
  for (std::size_t link = 0; link < names.size(); ++link) {
    if (schedule.link_bytes[link] == 0) continue;  // machines have many links, and most runs use few of them
    sheet.add_row({names[link], schedule.link_bytes[link], schedule.link_busy_ps[link], schedule.link_peak_sharing[link]});
  }
  return sheet;
}

Sheet collectives_sheet(const workload::Workload& workload, const simulate::Schedule& schedule) {
  Sheet sheet("collectives");
  sheet.add({.name = "kind"})
      .add({.name = "group"})
      .add({.name = "ranks", .type = Type::integer})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes})
      .add({.name = "groups", .type = Type::integer})
      .add({.name = "first_arrival", .type = Type::time, .unit = Unit::ns})
      .add({.name = "last_arrival", .type = Type::time, .unit = Unit::ns})
      .add({.name = "end", .type = Type::time, .unit = Unit::ns})
      .add({.name = "bus", .type = Type::real, .unit = Unit::gb_per_s});
  for (const simulate::CollectiveUse& use : schedule.collectives) {
    sheet.add_row({workload::to_string(use.kind), workload.strings.text(use.group_name), use.ranks, use.bytes, use.instances,
                   use.first_arrival_ps, use.last_arrival_ps, use.end_ps, simulate::bus_bytes_per_second(use) / 1e9});
  }
  return sheet;
}

std::vector<Sheet> schedule_sheets(const workload::Workload& workload, const simulate::Schedule& schedule,
                                   std::span<const std::string> link_names) {
  std::vector<Sheet> sheets;
  sheets.push_back(ranks_sheet(schedule));
  sheets.push_back(links_sheet(schedule, link_names));
  sheets.push_back(collectives_sheet(workload, schedule));
  return sheets;
}

}  // namespace orrery::analyze
