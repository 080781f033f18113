// Where a result comes from: the version, the command, the inputs and the seed. Enough to make the same result again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_writer.h"
#include "base/result.h"

namespace orrery::ask {

struct InputRecord {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t xxh3 = 0;  ///< XXH3, 64 bits, of the file as it is on disk (compressed files are not inflated)
};

struct Provenance {
  std::string command;
  std::vector<InputRecord> inputs;
  std::optional<std::uint64_t> seed;
};

/// Size and hash of a file in one pass over its mapping, in constant memory.
Result<InputRecord> hash_input(const std::string& path);

/// {"version","command","inputs":[{"path","bytes","xxh3"}],"seed"}; hashes as 16 hexadecimal digits, the seed null when
/// there is none.
void write_provenance(JsonWriter& json, const Provenance& provenance);

/// As 16 hexadecimal digits.
std::string hash_text(std::uint64_t xxh3);

/// "0.1.0"
const char* version();
/// Whether OTF2 archives can be read: their library is optional when this is built.
bool has_otf2();

}  // namespace orrery::ask
