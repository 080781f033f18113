// A master that takes results from whoever has one and hands out work, and workers in two threads each: receives from
// any source, Waitany, Testsome, and calls from several threads at once. Usage: any_source [TASKS per worker].
#include <mpi.h>

#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr int kTask = 1, kResult = 2, kBeside = 3;

void master(int workers, int tasks, MPI_Comm beside) {
  for (int left = workers * tasks; left > 0; --left) {
    double result[4];
    MPI_Status status;
    MPI_Recv(result, 4, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Send(&left, 1, MPI_INT, status.MPI_SOURCE, kTask, MPI_COMM_WORLD);
  }
  // Then one message of each worker, in whichever order they come.
  std::vector<MPI_Request> requests(static_cast<std::size_t>(workers));
  std::vector<int> values(requests.size()), indices(requests.size());
  for (MPI_Request& request : requests)
    MPI_Irecv(&values[static_cast<std::size_t>(&request - requests.data())], 1, MPI_INT, MPI_ANY_SOURCE, kBeside,
              beside, &request);
  int index = 0;
  MPI_Waitany(workers, requests.data(), &index, MPI_STATUS_IGNORE);
  for (int left = workers - 1; left > 0;) {
    int count = 0;
    MPI_Testsome(workers, requests.data(), &count, indices.data(), MPI_STATUSES_IGNORE);
    left -= count;
  }
}

void worker(int rank, int tasks, MPI_Comm beside) {
  for (int task = 0; task < tasks; ++task) {
    const double result[4] = {1, 2, 3, 4};
    int next = 0;
    MPI_Send(result, 1 + (rank + task) % 4, MPI_DOUBLE, 0, kResult, MPI_COMM_WORLD);
    MPI_Recv(&next, 1, MPI_INT, 0, kTask, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Send(&rank, 1, MPI_INT, 0, kBeside, beside);
}

// Threads of one rank talk to the same threads of the next one, each on a communicator of its own.
void ring(MPI_Comm comm, int rounds) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int round = 0; round < rounds; ++round) {
    MPI_Request requests[2];
    int got = 0;
    MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, round, comm, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, round, comm, &requests[1]);
    for (int done = 0; done == 0;) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const int tasks = argc > 1 ? std::atoi(argv[1]) : 20;
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm beside;  // the master takes any tag, so other messages must not come its way
  MPI_Comm_dup(MPI_COMM_WORLD, &beside);
  if (rank == 0) master(size - 1, tasks, beside);
  else worker(rank, tasks, beside);
  MPI_Comm_free(&beside);
  if (provided == MPI_THREAD_MULTIPLE) {
    MPI_Comm first, second;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    std::thread other(ring, second, 10);
    ring(first, 10);
    other.join();
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
  }
  MPI_Finalize();
  return 0;
}
