#include "simulate/summed_schedule.h"

namespace orrery::simulate {

Status SummedSchedule::begin(const RunLayout& layout) {
  *this = SummedSchedule();
  for (const auto& members : layout.classes.members) ranks_of_class_.push_back(members.size());
  for (const Bundle& bundle : layout.bundles.all) communicators_of_bundle_.push_back(bundle.communicators.size());
  return {};
}

}  // namespace orrery::simulate
