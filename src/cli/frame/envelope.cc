#include "cli/frame/envelope.h"

#include "base/json/json_writer.h"

namespace orrery::cli {

Envelope make_envelope(std::string_view verb, bool ok, const std::vector<Remark>& remarks,
                       const ask::Provenance& provenance) {
  Envelope envelope;
  JsonWriter head(envelope.head);
  head.begin_object().field("schema", "orrery." + std::string(verb) + "/1").field("ok", ok).key("data").begin_object();

  envelope.tail = "},";  // closes data
  JsonWriter tail(envelope.tail);
  tail.key("diagnostics").begin_array();
  for (const Remark& remark : remarks) {
    tail.begin_object()
        .field("code", remark.code)
        .field("severity", to_string(remark.severity))
        .field("count", remark.count);
    tail.field("message", remark.message).field("hint", remark.hint).end_object();
  }
  tail.end_array().key("provenance");
  ask::write_provenance(tail, provenance);
  tail.end_object();
  envelope.tail += '\n';
  return envelope;
}

}  // namespace orrery::cli
