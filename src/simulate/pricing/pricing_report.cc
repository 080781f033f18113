#include "simulate/pricing/pricing_report.h"

#include "base/json/json_writer.h"

namespace orrery::simulate {
namespace {

void write_operation(JsonWriter& json, const ManifestOperation& op) {
  const bool message = op.kind == CommOp::Kind::message;
  json.begin_object()
      .field("id", op.id)
      .field("kind", message ? std::string_view("message") : workload::to_string(op.collective))
      .field("bytes", op.bytes)
      .field("group", op.group)
      .field("ranks", op.rank_set)
      .field("start_ps", op.start_ps)
      .field("end_ps", op.end_ps)
      .field("isolated_ps", op.isolated_ps)
      .field("price_ps", op.price_ps)
      .end_object();
}

void write_interval(JsonWriter& json, const SnapshotInterval& interval,
                    const std::vector<ManifestOperation>& operations) {
  json.begin_object().field("start_ps", interval.start_ps).field("end_ps", interval.end_ps);
  if (interval.failed) json.field("failed", true);
  json.key("members").begin_array();
  for (const SnapshotMember& member : interval.members)
    json.begin_object().field("id", operations[member.operation].id).field("inflation", member.inflation).end_object();
  json.end_array().end_object();
}

}  // namespace

std::string SnapshotManifest::to_json() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("format", "orrery.snapshots/1").field("model", version).field("pass", pass);
  json.key("rank_sets").begin_array();
  for (const std::vector<std::uint32_t>& ranks : rank_sets) {
    json.begin_array();
    for (const std::uint32_t rank : ranks) json.value(rank);
    json.end_array();
  }
  json.end_array().key("operations").begin_array();
  for (const ManifestOperation& op : operations) write_operation(json, op);
  json.end_array().key("intervals").begin_array();
  for (const SnapshotInterval& interval : intervals) write_interval(json, interval, operations);
  json.end_array().end_object();
  text += '\n';
  return text;
}

}  // namespace orrery::simulate
