// Dies in the middle, as programs do. Usage: dies abort|kill|exit.
#include <mpi.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3000; ++i) MPI_Barrier(MPI_COMM_WORLD);
  const char* way = argc > 1 ? argv[1] : "abort";
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (std::strcmp(way, "exit") == 0) std::exit(0);
  if (std::strcmp(way, "kill") == 0) std::raise(SIGKILL);
  if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}
