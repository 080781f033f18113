// Where the processes of a replay write their recordings, and how these become a folder of traces: aside first, so that
// a run that fails leaves nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "base/interrupt.h"
#include "base/result.h"

namespace orrery::ask {

class MpiRecording {
 public:
  /// A folder beside `folder`, which all processes see if they see that one. `processes`: as many files are expected.
  static Result<MpiRecording> begin(const std::string& folder, std::size_t processes);
  MpiRecording(MpiRecording&&) = default;
  MpiRecording& operator=(MpiRecording&&) = delete;
  ~MpiRecording();

  [[nodiscard]] std::string prefix() const;
  /// Puts the files into the folder that was asked for, as outputs of this run. Of several nodes their times are
  /// brought on one clock, by what the tracer measured between them.
  Status keep(Diagnostics& diagnostics);

 private:
  MpiRecording() = default;
  std::string folder_, aside_;
  std::size_t processes_ = 0;
  std::unique_ptr<RemovedWhenInterrupted> guard_;
};

}  // namespace orrery::ask
