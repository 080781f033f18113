#include "replay/torch/write/entry_writer.h"

#include <algorithm>

#include "base/json/json_writer.h"

namespace orrery::replay::torch {

std::uint32_t EntryWriter::stream_of(std::uint32_t thread) {
  if (thread >= streams_.size()) streams_.resize(thread + 1, 0);
  return streams_[thread];
}

Entry& EntryWriter::add(Entry::Kind kind, std::uint32_t thread, std::uint32_t stream, HostTime time) {
  stream_of(thread);
  streams_[thread] = stream;
  Entry& entry = list_.entries.emplace_back();
  entry.kind = kind;
  entry.thread = thread;
  entry.stream = stream;
  entry.first = static_cast<std::uint32_t>(list_.numbers.size());
  entry.is_timed = time.begin != kNoTime && time.end != kNoTime;
  if (entry.is_timed) entry.begin_ps = time.begin, entry.end_ps = time.end;
  return entry;
}

void EntryWriter::add_storages(Entry::Kind kind, std::int64_t thread, const std::vector<std::uint32_t>& storages) {
  if (storages.empty()) return;
  if (list_.entries.empty() || list_.entries.back().kind != kind) {
    // Whichever thread is on: it makes no difference, and a change of threads costs.
    const std::uint32_t number = list_.entries.empty() ? thread_number(thread) : list_.entries.back().thread;
    add(kind, number, stream_of(number), {});
  }
  list_.entries.back().inputs += static_cast<std::uint32_t>(storages.size());
  list_.numbers.insert(list_.numbers.end(), storages.begin(), storages.end());
}

std::uint32_t EntryWriter::form_number(const RecordedCall& call) {
  std::string form;
  std::size_t next = 0;
  for (const char c : call.form) {
    if (c != kTensorPlace) form += c;
    else form += std::to_string(tensors_(call.tensors[next++].descriptor));
  }
  return forms_(std::move(form));
}

std::uint32_t EntryWriter::name_number(std::string_view name) {
  std::string json;
  append_json_string(json, name);
  return texts_(std::move(json));
}

std::uint32_t EntryWriter::collective_text(const CollectiveCall& call,
                                           const std::vector<std::vector<std::int64_t>>& groups, std::uint32_t group,
                                           const Entry& entry, const std::vector<std::uint32_t>& used) {
  // Roots and peers are recorded by their place in the group.
  const auto global = [&](std::int64_t place) {
    const std::vector<std::int64_t>& members = groups[group];
    return place >= 0 && place < static_cast<std::int64_t>(members.size()) ? members[static_cast<std::size_t>(place)]
                                                                           : place;
  };
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("kind", call.kind).field("group", group);
  if (call.root) json.field("root", global(*call.root));
  if (call.peer) json.field("peer", global(*call.peer));
  if (call.tag) json.field("tag", *call.tag);
  const auto splits = [&](const char* key, const std::vector<std::int64_t>& sizes) {
    if (sizes.empty()) return;
    json.key(key).begin_array();
    for (const std::int64_t size : sizes) json.value(size);
    json.end_array();
  };
  splits("in_splits", call.in_splits);
  splits("out_splits", call.out_splits);
  json.field("async", entry.is_async).field("id", entry.number).end_object();
  std::size_t next = 0;
  for (const std::vector<RecordedTensor>* tensors : {&call.inputs, &call.outputs}) {
    json.begin_array();
    for (const RecordedTensor& tensor : *tensors)
      json.begin_array().value(tensors_(tensor.descriptor)).value(used[next++]).end_array();
    json.end_array();
  }
  return texts_(std::move(text));
}

}  // namespace orrery::replay::torch
