// A two-dimensional halo exchange with reductions along rows and columns: what many solvers do. Usage: halo [STEPS
// [POINTS]].
#include <mpi.h>

#include <cstdlib>
#include <vector>

namespace {

struct Grid {
  MPI_Comm all = MPI_COMM_NULL, row = MPI_COMM_NULL, column = MPI_COMM_NULL;
  int neighbours[4] = {};
};

Grid make_grid(int ranks) {
  Grid grid;
  int sizes[2] = {0, 0};
  const int periods[2] = {0, 0}, along_row[2] = {0, 1}, along_column[2] = {1, 0};
  MPI_Dims_create(ranks, 2, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid.all);
  MPI_Cart_sub(grid.all, along_row, &grid.row);
  MPI_Cart_sub(grid.all, along_column, &grid.column);
  MPI_Cart_shift(grid.all, 0, 1, &grid.neighbours[0], &grid.neighbours[1]);
  MPI_Cart_shift(grid.all, 1, 1, &grid.neighbours[2], &grid.neighbours[3]);
  return grid;
}

void exchange(const Grid& grid, std::vector<double>& sent, std::vector<double>& received, int points) {
  MPI_Request requests[8];
  for (int side = 0; side < 4; ++side)
    MPI_Irecv(&received[static_cast<std::size_t>(side * points)], points, MPI_DOUBLE, grid.neighbours[side], side ^ 1,
              grid.all, &requests[side]);
  for (int side = 0; side < 4; ++side)
    MPI_Isend(&sent[static_cast<std::size_t>(side * points)], points, MPI_DOUBLE, grid.neighbours[side], side, grid.all,
              &requests[4 + side]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

double compute(std::vector<double>& values) {
  double sum = 0;
  for (int pass = 0; pass < 20; ++pass) {
    for (double& value : values) sum += value = value * 0.5 + 1;
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? std::atoi(argv[1]) : 10, points = argc > 2 ? std::atoi(argv[2]) : 256;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Grid grid = make_grid(ranks);
  std::vector<double> sent(static_cast<std::size_t>(4 * points)), received(sent.size());
  for (int step = 0; step < steps; ++step) {
    const double local = compute(sent);
    exchange(grid, sent, received, points);
    double in_row = 0, in_column = 0, residual = 0;
    MPI_Allreduce(&local, &in_row, 1, MPI_DOUBLE, MPI_SUM, grid.row);
    MPI_Reduce(&in_row, &in_column, 1, MPI_DOUBLE, MPI_MAX, 0, grid.column);
    MPI_Bcast(&in_column, 1, MPI_DOUBLE, 0, grid.column);
    if (step % 5 == 4) MPI_Allreduce(&in_column, &residual, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Comm_free(&grid.row);
  MPI_Comm_free(&grid.column);
  MPI_Comm_free(&grid.all);
  MPI_Finalize();
  return 0;
}
