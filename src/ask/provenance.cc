#include "ask/provenance.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <memory>
#include <new>

#include "base/io/input.h"
#include "formats/otf2/reader.h"

#ifndef ORRERY_VERSION
#define ORRERY_VERSION "unknown"
#endif

namespace orrery::ask {

Result<InputRecord> hash_input(const std::string& path) {
  constexpr std::size_t kBlockBytes = 16 * 1024 * 1024;
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  struct FreeState {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
  if (!state) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  const std::string_view bytes = file->bytes();
  for (std::size_t at = 0; at < bytes.size(); at += kBlockBytes) {
    const std::string_view block = bytes.substr(at, kBlockBytes);
    XXH3_64bits_update(state.get(), block.data(), block.size());
    file->release(at, at + block.size());
  }
  return InputRecord{path, bytes.size(), XXH3_64bits_digest(state.get())};
}

std::string hash_text(std::uint64_t xxh3) { return fmt::format("{:016x}", xxh3); }

void write_provenance(JsonWriter& json, const Provenance& provenance) {
  json.begin_object().field("version", version()).field("command", provenance.command).key("inputs").begin_array();
  for (const InputRecord& input : provenance.inputs) {
    json.begin_object()
        .field("path", input.path)
        .field("bytes", input.bytes)
        .field("xxh3", hash_text(input.xxh3))
        .end_object();
  }
  json.end_array().key("seed");
  if (provenance.seed) json.value(*provenance.seed);
  else json.null();
  json.end_object();
}

const char* version() { return ORRERY_VERSION; }

bool has_otf2() { return otf2::is_available(); }

}  // namespace orrery::ask
