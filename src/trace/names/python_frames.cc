#include "trace/names/python_frames.h"

namespace orrery::trace {

namespace {

bool is_torch_file(std::string_view path) {
  for (std::size_t at = path.find("torch/"); at != std::string_view::npos; at = path.find("torch/", at + 1)) {
    if (at > 0 && path[at - 1] != '/') continue;
    if (at >= 10 && path.substr(0, at).ends_with("-packages/")) return true;
    const std::string_view rest = path.substr(at + 6);
    // Its own folders and files, wherever it is installed.
    for (const std::string_view part : {"_",
                                        "amp/",
                                        "ao/",
                                        "autograd/",
                                        "backends/",
                                        "compiler/",
                                        "csrc/",
                                        "cuda/",
                                        "distributed/",
                                        "distributions/",
                                        "export/",
                                        "fft/",
                                        "func/",
                                        "functional.py",
                                        "fx/",
                                        "hub.py",
                                        "jit/",
                                        "library.py",
                                        "linalg/",
                                        "masked/",
                                        "multiprocessing/",
                                        "nested/",
                                        "nn/",
                                        "onnx/",
                                        "optim/",
                                        "overrides.py",
                                        "profiler/",
                                        "random.py",
                                        "serialization.py",
                                        "sparse/",
                                        "special/",
                                        "storage.py",
                                        "utils/"}) {
      if (rest.starts_with(part)) return true;
    }
  }
  return false;
}

/// Seen around collectives and allocations of programs: wrappers of one line.
bool is_decorator(std::string_view path) {
  for (const std::string_view file : {"/contextlib.py", "/functools.py", "/typing_extensions.py"}) {
    if (path.ends_with(file)) return true;
  }
  return false;
}

}  // namespace

bool is_program_file(std::string_view path) {
  return path.ends_with(".py") && path.front() != '<' && !is_torch_file(path) && !is_decorator(path);
}

std::string_view autograd_node(std::string_view function) {
  constexpr std::string_view kNodes = "torch::autograd::generated::";
  if (!function.starts_with(kNodes)) return {};
  function.remove_prefix(kNodes.size());
  const std::size_t end = function.find("::apply(");
  return end == std::string_view::npos ? std::string_view() : function.substr(0, end);
}

std::string frame_text(std::string_view path, std::int64_t line, std::string_view function) {
  std::string text(path.substr(path.rfind('/') + 1));
  text += ':';
  text += std::to_string(line);
  if (!function.empty()) text.append(" in ").append(function);
  return text;
}

}  // namespace orrery::trace
