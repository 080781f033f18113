// How long calls take that hardly do anything: run with and without the tracer, the difference is what it costs. Prints
// ns per call.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace {

template <typename F>
double ns_per_call(int rounds, int calls, const F& f) {
  double best = 1e30;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) f();
    const double ns = (MPI_Wtime() - begin) * 1e9 / (static_cast<double>(rounds) * calls);
    if (ns < best) best = ns;
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100'000;
  const MPI_Comm self = MPI_COMM_SELF;
  double in = 1, out = 0, received[8];
  std::printf("%-40s %8.0f ns\n", "MPI_Allreduce of one rank",
              ns_per_call(rounds, 1, [&] { MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, self); }));
  std::printf("%-40s %8.0f ns\n", "MPI_Sendrecv to itself", ns_per_call(rounds, 1, [&] {
                MPI_Sendrecv(&in, 1, MPI_DOUBLE, 0, 1, &out, 1, MPI_DOUBLE, 0, 1, self, MPI_STATUS_IGNORE);
              }));
  std::printf("%-40s %8.0f ns\n", "MPI_Isend, MPI_Irecv x 8, MPI_Waitall", ns_per_call(rounds / 8, 17, [&] {
                MPI_Request requests[16];
                for (int i = 0; i < 8; ++i) MPI_Irecv(&received[i], 1, MPI_DOUBLE, 0, i, self, &requests[i]);
                for (int i = 0; i < 8; ++i) MPI_Isend(&in, 1, MPI_DOUBLE, 0, i, self, &requests[8 + i]);
                MPI_Waitall(16, requests, MPI_STATUSES_IGNORE);
              }));
  std::printf("%-40s %8.0f ns\n", "MPI_Iprobe that finds nothing", ns_per_call(rounds, 1, [&] {
                int flag = 0;
                MPI_Iprobe(MPI_ANY_SOURCE, 5, self, &flag, MPI_STATUS_IGNORE);
              }));
  MPI_Finalize();
  return 0;
}
