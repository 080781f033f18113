#include "page/data/kinds.h"

namespace orrery::page {
namespace {

std::string_view family_of(causal::EdgeKind kind) {
  using causal::EdgeKind;
  switch (kind) {
    case EdgeKind::cpu_operator:
    case EdgeKind::cpu_python: return "host";
    case EdgeKind::cpu_runtime: return "runtime";
    case EdgeKind::cpu_untraced: return "untraced";
    case EdgeKind::data_loading: return "loading";
    case EdgeKind::kernel: return "kernel";
    case EdgeKind::communication: return "communication";
    case EdgeKind::memory_copy:
    case EdgeKind::memory_set: return "copy";
    case EdgeKind::idle_thread:
    case EdgeKind::idle_device:
    case EdgeKind::before: return "idle";
    case EdgeKind::order:
    case EdgeKind::arrival:
    case EdgeKind::several: return "order";
    default: return "delay";
  }
}

}  // namespace

KindInfo kind_info(std::size_t kind) {
  if (kind >= kAnnotationKind) return {"annotation", "annotations", "annotation"};
  const auto edge = static_cast<causal::EdgeKind>(kind);
  return {causal::identifier(edge), causal::to_string(edge), family_of(edge)};
}

}  // namespace orrery::page
