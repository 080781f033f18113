// Dies in the middle, as programs do. Usage: dies abort|exit|kill|terminate|crash|deadlock.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace {

// Both receive what neither sends, until a signal ends that.
void wait_for_ever(int rank) {
  std::signal(SIGALRM, SIG_DFL);
  alarm(1);
  int nothing = 0;
  MPI_Recv(&nothing, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3000; ++i) MPI_Barrier(MPI_COMM_WORLD);
  const char* way = argc > 1 ? argv[1] : "abort";
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (std::strcmp(way, "exit") == 0) std::exit(0);
  if (std::strcmp(way, "kill") == 0) std::raise(SIGKILL);
  if (std::strcmp(way, "terminate") == 0) std::raise(SIGTERM);
  if (std::strcmp(way, "crash") == 0) std::raise(SIGSEGV);
  if (std::strcmp(way, "deadlock") == 0) wait_for_ever(rank);
  if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}
