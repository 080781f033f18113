! What Fortran programs do otherwise than C programs: handles are integers, statuses are arrays, lists count from 1, and some buffers are no buffers.
program fortran_ring
  use mpi
  implicit none
  integer :: rank, ranks, next, before, index, error, row, total
  integer :: requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  double precision :: sent(16), received(16)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  sent = rank
  call MPI_Irecv(received, 16, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(sent, 16, MPI_DOUBLE_PRECISION, next, 7, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, statuses, error)
  if (statuses(MPI_SOURCE, 1) /= before .or. statuses(MPI_TAG, 1) /= 7) call MPI_Abort(MPI_COMM_WORLD, 3, error)
  if (nint(received(1)) /= before) call MPI_Abort(MPI_COMM_WORLD, 4, error)
  call MPI_Irecv(received, 16, MPI_DOUBLE_PRECISION, before, 8, MPI_COMM_WORLD, requests(1), error)
  call MPI_Send(sent, 8, MPI_DOUBLE_PRECISION, next, 8, MPI_COMM_WORLD, error)
  call MPI_Waitany(1, requests, index, status, error)
  if (index /= 1 .or. requests(1) /= MPI_REQUEST_NULL) call MPI_Abort(MPI_COMM_WORLD, 5, error)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, row, error)
  total = rank
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, row, error)
  call MPI_Sendrecv(sent, 1, MPI_DOUBLE_PRECISION, next, 9, received, 1, MPI_DOUBLE_PRECISION, before, 9, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, error)
  call MPI_Comm_free(row, error)
  if (row /= MPI_COMM_NULL) call MPI_Abort(MPI_COMM_WORLD, 6, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
