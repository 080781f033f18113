// Why a job takes as long as it does, told by a program of your own: opens a recording, and asks where the step goes,
// what it would gain from launches that cost nothing, and who made others wait.
//
//     why TRACE...
#include <cstdio>
#include <string>
#include <vector>

#include "orrery/recording.h"

using orrery::api::Answer;
using orrery::api::Recording;
using orrery::api::Result;

namespace {

bool show(const Result<Answer>& answer) {
  if (!answer) {
    std::fprintf(stderr, "why: %s\n", answer.error().to_string().c_str());
    return false;
  }
  std::printf("%s\n", answer->headline().c_str());
  for (const std::string& remark : answer->remarks()) std::printf("  (%s)\n", remark.c_str());
  return true;
}

}  // namespace

int main(int count, char** words) {
  const Result<Recording> recording = Recording::open({words + 1, words + count});
  if (!recording) {
    std::fprintf(stderr, "why: %s\n", recording.error().to_string().c_str());
    return 3;
  }
  const Result<Answer> path = recording->path();
  if (!show(path)) return 3;
  // Tables have the columns of `orrery path --json`.
  if (const auto contributors = path->table("contributors"); contributors && contributors->rows() > 0) {
    const auto name = contributors->find("name");
    const auto on_path = contributors->find("on_path_us");
    if (name && on_path)
      std::printf("Most of it: %s, %.1f us.\n", std::string(*contributors->text(*name, 0)).c_str(),
                  *contributors->number(*on_path, 0));
  }
  if (!show(recording->what_if({"gap:launch = 0"}))) return 3;
  if (recording->ranks().size() > 1 && !show(recording->blame())) return 3;
  return 0;
}
