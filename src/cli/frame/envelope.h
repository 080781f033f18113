// The one JSON object that --json prints, whatever the verb:
//
//     {"schema":"orrery.path/1","ok":true,"data":{…},
//      "diagnostics":[{"code":"K104","severity":"warning","count":12,"message":"…","hint":"…"}],
//      "provenance":{"version":"0.1.0","command":"orrery path
//      …","inputs":[{"path":"…","bytes":1,"xxh3":"…"}],"seed":null}}
//
// printed on one line. "ok" is true when the exit status is 0. The number in the schema grows when a member changes its
// meaning or goes away.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ask/context.h"
#include "ask/provenance.h"

namespace orrery::cli {

using ask::Remark;
using ask::remarks_of;

/// What stands before and after the members of the data object. In two pieces, so that large data is not copied.
struct Envelope {
  std::string head;
  std::string tail;
};
Envelope make_envelope(std::string_view verb, bool ok, const std::vector<Remark>& remarks,
                       const ask::Provenance& provenance);

}  // namespace orrery::cli
