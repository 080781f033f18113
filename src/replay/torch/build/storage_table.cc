#include "replay/torch/build/storage_table.h"

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

std::uint32_t StorageTable::number_of(std::uint32_t lifetime, bool is_on_host) {
  std::uint32_t& number = lifetime == kNoLifetime ? of_nothing_[is_on_host ? 1 : 0] : of_lifetime_[lifetime];
  if (number != kNoNumber32) return number;
  number = static_cast<std::uint32_t>(storages_.size());
  Storage& storage = storages_.emplace_back();
  storage.is_on_host = is_on_host || !has_device_;
  storage.is_given =
      lifetime == kNoLifetime || (lifetimes_.all[lifetime].maker == causal::kNoRow && is_unrecorded_[lifetime] == 0);
  storage.bytes = lifetime == kNoLifetime ? 0 : lifetimes_.all[lifetime].bytes;
  is_there_.push_back(storage.is_given);
  is_typed_.push_back(0);
  return number;
}

std::uint32_t StorageTable::buffer(const RecordedTensor& tensor, bool is_on_host, std::size_t place) {
  const auto at = buffers_.try_emplace({tensor.extent_bytes, tensor.type.name, is_on_host, place},
                                       static_cast<std::uint32_t>(storages_.size()));
  if (!at.second) return at.first->second;
  Storage& storage = storages_.emplace_back();
  storage.is_on_host = is_on_host || !has_device_;
  storage.is_given = storage.is_written = true;
  storage.bytes = tensor.extent_bytes;
  storage.element_type = tensor.type.name;
  is_there_.push_back(1);
  is_typed_.push_back(1);
  return at.first->second;
}

std::uint32_t StorageTable::use(std::uint32_t lifetime, bool is_on_host, const RecordedTensor& tensor, bool is_written,
                                bool is_pinned) {
  // Integers have to be somebody's: made at once they would point anywhere.
  if (lifetime != kNoLifetime && of_lifetime_[lifetime] == kNoNumber32 && tensor.type.is_integer)
    is_unrecorded_[lifetime] = 0;
  const std::uint32_t number = number_of(lifetime, is_on_host);
  Storage& storage = storages_[number];
  if (is_typed_[number] == 0) storage.element_type = tensor.type.name, is_typed_[number] = 1;
  // A tensor without elements may lie anywhere; the storage that stands for all of them is nobody's memory.
  if (lifetime == kNoLifetime) return number;
  storage.bytes = std::max(storage.bytes, tensor.extent_bytes);
  storage.is_written |= is_written;
  storage.is_pinned |= is_pinned && storage.is_on_host;
  return number;
}

}  // namespace orrery::replay::torch
