// Messages between the same two ranks with the same tag in two communicators, taken in the other order than they were
// sent.
#include <mpi.h>

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  constexpr int kTag = 5, kLarge = 1000, kSmall = 8;
  char large[kLarge] = {}, small[kSmall] = {};
  if (rank == 0) {
    MPI_Request requests[2];
    MPI_Isend(large, kLarge, MPI_CHAR, 1, kTag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(small, kSmall, MPI_CHAR, 1, kTag, copy, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(small, kSmall, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
    MPI_Recv(large, kLarge, MPI_CHAR, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&copy);
  MPI_Finalize();
  return 0;
}
