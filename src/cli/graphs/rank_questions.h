// What verbs ask of every rank by itself (job/read/rank_answers.h), for the processes of a team.
#pragma once

#include "job/read/rank_answers.h"

namespace orrery::cli {

job::RankQuestion info_question();   ///< of orrery info: an analyze::RankInfo
job::RankQuestion check_question();  ///< of orrery check: an analyze::RankCheck

}  // namespace orrery::cli
