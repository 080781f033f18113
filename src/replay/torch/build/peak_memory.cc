#include "replay/torch/build/peak_memory.h"

#include <algorithm>
#include <vector>

namespace orrery::replay::torch {

std::int64_t peak_bytes(const OperationList& list) {
  std::int64_t alive = 0;
  std::vector<std::uint8_t> lives(list.storages.size(), 0);
  const auto begin = [&](std::uint32_t storage) {
    if (lives[storage] != 0) return;
    lives[storage] = 1;
    if (!list.storages[storage].is_on_host) alive += list.storages[storage].bytes;
  };
  const auto end = [&](std::uint32_t storage) {
    if (lives[storage] == 0 || list.storages[storage].is_given) return;
    lives[storage] = 0;
    if (!list.storages[storage].is_on_host) alive -= list.storages[storage].bytes;
  };
  for (std::uint32_t storage = 0; storage < list.storages.size(); ++storage) {
    if (list.storages[storage].is_given) begin(storage);
  }
  std::int64_t peak = alive;
  for (const Entry& entry : list.entries) {
    if (entry.kind == Entry::Kind::release) {
      for (const std::uint32_t storage : list.inputs_of(entry)) end(storage);
      continue;
    }
    if (entry.kind == Entry::Kind::make) {
      for (const std::uint32_t storage : list.inputs_of(entry)) begin(storage);
    }
    for (const std::uint32_t storage : list.outputs_of(entry)) begin(storage);
    peak = std::max(peak, alive);
    for (const std::uint32_t storage : list.freed_of(entry)) end(storage);
  }
  return peak;
}

}  // namespace orrery::replay::torch
