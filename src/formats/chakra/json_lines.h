// Chakra messages as JSON for people: a line per message, enumerators by name, attributes as members.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::chakra {

/// "COMM_COLL_NODE"; empty for a type the schema does not have.
std::string_view node_type_name(std::uint64_t type);
/// "ALL_REDUCE"; empty for a value the schema does not have.
std::string_view comm_type_name(std::int64_t type);

// Each appends one object without a line end; false if the message is damaged. Of today's schema: upgrade() brings
// others there.

/// {"version":"0.0.4","attr":{"schema":"1.1.1-chakra.0.0.4"}}
bool append_metadata_line(std::string_view message, std::string& out);
/// {"id":5,"name":"grads","type":"COMM_COLL_NODE","ctrl_deps":[2],"data_deps":[3],"duration_micros":7,"inputs":{...},"attr":{"comm_type":
/// "ALL_REDUCE","comm_size":4096}}: what is absent or 0 is left out but for the id.
bool append_node_line(std::string_view message, std::string& out);

// The same as protobuf's own JSON form, which Chakra's jsonizer writes: camelCase, 64-bit integers as texts, two blanks
// per level, ASCII.

bool append_metadata_json(std::string_view message, std::string& out);
bool append_node_json(std::string_view message, std::string& out);

}  // namespace orrery::chakra
