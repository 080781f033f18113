// What the operators and annotations of communication say in lists among their arguments: whom with, which tag, how
// much.
//
//     {"name": "c10d::send", "args": {"Concrete Inputs": ["", "", "2", "0"], "Input type": ["TensorList", "", "Scalar",
//     "Scalar"],
//                                     "Input Dims": [[[192, 64]], [], [], []], ...}}
//     {"name": "gloo:send", "args": {"Concrete Inputs": [""], "Input type": ["float"], "Input Dims": [[192, 64]], ...}}
//
// Lists are passed over by the fast path of the reader. Only events with such names are read a second time, here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::kineto {

struct CommunicationArguments {
  std::optional<std::int64_t> peer;      ///< root of a collective or other side of a message, by its place in the group
  std::optional<std::int64_t> tag;       ///< of a message
  std::optional<std::int64_t> elements;  ///< that this rank puts in (of a recv: that it gets)
  std::string dtype;  ///< their type, if there is one for all and it is written: "float", "c10::BFloat16"
};

class CommunicationReader {
 public:
  CommunicationReader();
  ~CommunicationReader();
  CommunicationReader(CommunicationReader&&) noexcept;
  CommunicationReader& operator=(CommunicationReader&&) noexcept;

  /// `event` is the JSON text of an event called `name`: c10d::..., gloo:..., mpi:... or ucc:... What is missing or
  /// unusable is left out.
  CommunicationArguments read(std::string_view name, std::string_view event);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;  // made when first needed: most traces have no such events
};

}  // namespace orrery::kineto
