// Makes every call that the tracer records, at least once on every rank, for any number of ranks from 2.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

int rank = 0, size = 1;

int next() { return (rank + 1) % size; }
int previous() { return (rank + size - 1) % size; }

void blocking_messages() {
  std::vector<char> attached(1 << 16);
  MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
  int value = rank, got = 0;
  for (int tag = 1; tag <= 2; ++tag) {
    // Even ranks send first; with an odd number of ranks, the last even one and rank 0 are both even, so that all sends
    // are buffered or awaited.
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, previous(), tag, MPI_COMM_WORLD, &request);
    if (tag == 1) MPI_Send(&value, 1, MPI_INT, next(), tag, MPI_COMM_WORLD);
    else MPI_Bsend(&value, 1, MPI_INT, next(), tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request request;
  MPI_Irecv(&got, 1, MPI_INT, previous(), 3, MPI_COMM_WORLD, &request);
  MPI_Ssend(&value, 1, MPI_INT, next(), 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(&got, 1, MPI_INT, previous(), 4, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);  // a ready send needs its receive to be there
  MPI_Rsend(&value, 1, MPI_INT, next(), 4, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_Request sent;
  MPI_Isend(&value, 1, MPI_INT, next(), 5, MPI_COMM_WORLD, &sent);
  MPI_Status status;
  MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&value, 1, MPI_INT, next(), 6, &got, 1, MPI_INT, previous(), 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(&value, 1, MPI_INT, previous(), 7, next(), 7, MPI_COMM_WORLD, &status);
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD, &status);
  void* detached = nullptr;
  int bytes = 0;
  MPI_Buffer_detach(&detached, &bytes);
}

void probes() {
  double values[3] = {1, 2, 3}, got[3];
  MPI_Request sent;
  MPI_Status status;
  MPI_Isend(values, 3, MPI_DOUBLE, next(), 10, MPI_COMM_WORLD, &sent);
  MPI_Probe(MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &status);
  MPI_Recv(got, 3, MPI_DOUBLE, status.MPI_SOURCE, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);

  MPI_Isend(values, 2, MPI_DOUBLE, next(), 11, MPI_COMM_WORLD, &sent);
  for (int flag = 0; flag == 0;) MPI_Iprobe(previous(), 11, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(got, 3, MPI_DOUBLE, previous(), 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // room for more than comes
  MPI_Wait(&sent, MPI_STATUS_IGNORE);

  MPI_Message message;
  MPI_Isend(values, 1, MPI_DOUBLE, next(), 12, MPI_COMM_WORLD, &sent);
  MPI_Mprobe(previous(), 12, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(got, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Isend(values, 1, MPI_DOUBLE, next(), 13, MPI_COMM_WORLD, &sent);
  for (int flag = 0; flag == 0;) MPI_Improbe(MPI_ANY_SOURCE, 13, MPI_COMM_WORLD, &flag, &message, &status);
  MPI_Request received;
  MPI_Imrecv(got, 1, MPI_DOUBLE, &message, &received);
  MPI_Wait(&received, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

void completions() {
  std::vector<char> attached(1 << 16);
  MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
  long values[4] = {1, 2, 3, 4}, got[4];
  const auto receive_all = [&](MPI_Request* requests) {
    for (int i = 0; i < 4; ++i) MPI_Irecv(&got[i], 1, MPI_LONG, previous(), 20 + i, MPI_COMM_WORLD, &requests[i]);
  };
  const auto send_all = [&](MPI_Request* requests) {
    MPI_Isend(&values[0], 1, MPI_LONG, next(), 20, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibsend(&values[1], 1, MPI_LONG, next(), 21, MPI_COMM_WORLD, &requests[1]);
    MPI_Issend(&values[2], 1, MPI_LONG, next(), 22, MPI_COMM_WORLD, &requests[2]);
    MPI_Irsend(&values[3], 1, MPI_LONG, next(), 23, MPI_COMM_WORLD, &requests[3]);
  };
  for (int way = 0; way < 7; ++way) {
    MPI_Request received[4], sent[4];
    receive_all(received);
    MPI_Barrier(MPI_COMM_WORLD);
    send_all(sent);
    int index = 0, flag = 0, count = 0, indices[4];
    switch (way) {
      case 0: MPI_Waitall(4, received, MPI_STATUSES_IGNORE); break;
      case 1:
        for (int i = 0; i < 4; ++i) MPI_Waitany(4, received, &index, MPI_STATUS_IGNORE);
        break;
      case 2:
        for (int left = 4; left > 0; left -= count) MPI_Waitsome(4, received, &count, indices, MPI_STATUSES_IGNORE);
        break;
      case 3:
        while (flag == 0) MPI_Testall(4, received, &flag, MPI_STATUSES_IGNORE);
        break;
      case 4:
        for (int left = 4; left > 0; left -= flag) MPI_Testany(4, received, &index, &flag, MPI_STATUS_IGNORE);
        break;
      case 5:
        for (int left = 4; left > 0; left -= count) MPI_Testsome(4, received, &count, indices, MPI_STATUSES_IGNORE);
        break;
      case 6:
        for (int i = 0; i < 4; ++i)
          for (flag = 0; flag == 0;) MPI_Test(&received[i], &flag, MPI_STATUS_IGNORE);
        break;
    }
    MPI_Waitall(4, sent, MPI_STATUSES_IGNORE);
  }
  MPI_Request never;
  MPI_Irecv(&got[0], 1, MPI_LONG, previous(), 99, MPI_COMM_WORLD, &never);
  MPI_Cancel(&never);
  MPI_Wait(&never, MPI_STATUS_IGNORE);
  MPI_Request nobody[2];  // some implementations have one handle for all of these
  MPI_Isend(values, 1, MPI_LONG, MPI_PROC_NULL, 98, MPI_COMM_WORLD, &nobody[0]);
  MPI_Irecv(got, 1, MPI_LONG, MPI_PROC_NULL, 98, MPI_COMM_WORLD, &nobody[1]);
  MPI_Waitall(2, nobody, MPI_STATUSES_IGNORE);
  void* detached = nullptr;
  int bytes = 0;
  MPI_Buffer_detach(&detached, &bytes);
}

void persistent_requests() {
  std::vector<char> attached(1 << 16);
  MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
  float values[4] = {}, got[4] = {};
  MPI_Request received[4], sent[4];
  for (int i = 0; i < 4; ++i) MPI_Recv_init(&got[i], 1, MPI_FLOAT, previous(), 30 + i, MPI_COMM_WORLD, &received[i]);
  MPI_Send_init(&values[0], 1, MPI_FLOAT, next(), 30, MPI_COMM_WORLD, &sent[0]);
  MPI_Bsend_init(&values[1], 1, MPI_FLOAT, next(), 31, MPI_COMM_WORLD, &sent[1]);
  MPI_Ssend_init(&values[2], 1, MPI_FLOAT, next(), 32, MPI_COMM_WORLD, &sent[2]);
  MPI_Rsend_init(&values[3], 1, MPI_FLOAT, next(), 33, MPI_COMM_WORLD, &sent[3]);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(4, received);
    MPI_Barrier(MPI_COMM_WORLD);
    for (MPI_Request& request : sent) MPI_Start(&request);
    MPI_Waitall(4, sent, MPI_STATUSES_IGNORE);
    MPI_Waitall(4, received, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 4; ++i) {
    MPI_Request_free(&sent[i]);
    MPI_Request_free(&received[i]);
  }
  void* detached = nullptr;
  int bytes = 0;
  MPI_Buffer_detach(&detached, &bytes);
}

struct Buffers {
  std::vector<int> sent = std::vector<int>(4096), received = std::vector<int>(4096);
  std::vector<int> counts, places, mine, my_places;
  std::vector<MPI_Datatype> types;

  // Rank i sends i + j + 1 elements to rank j, so that both sides agree.
  explicit Buffers(int n)
      : counts(static_cast<std::size_t>(n)),
        places(counts.size()),
        mine(counts.size()),
        my_places(counts.size()),
        types(counts.size(), MPI_INT) {
    for (int i = 0; i < n; ++i) {
      counts[static_cast<std::size_t>(i)] = i + 1;
      mine[static_cast<std::size_t>(i)] = rank + i + 1;
    }
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    std::exclusive_scan(mine.begin(), mine.end(), my_places.begin(), 0);
  }
};

void collectives(MPI_Comm comm) {
  Buffers b(size);
  std::vector<int> byte_places;
  for (const int place : b.my_places) byte_places.push_back(place * 4);
  int* s = b.sent.data();
  int* r = b.received.data();
  const int last = size - 1;
  MPI_Barrier(comm);
  MPI_Bcast(s, 10, MPI_INT, last, comm);
  MPI_Reduce(s, r, 3, MPI_INT, MPI_SUM, 1, comm);
  MPI_Allreduce(s, r, 5, MPI_INT, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, r, 5, MPI_INT, MPI_MAX, comm);
  MPI_Scan(s, r, 2, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(s, r, 2, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(s, r, 2, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter(s, r, b.counts.data(), MPI_INT, MPI_SUM, comm);
  MPI_Gather(s, 2, MPI_INT, r, 2, MPI_INT, 0, comm);
  MPI_Gatherv(s, rank + 1, MPI_INT, r, b.counts.data(), b.places.data(), MPI_INT, 0, comm);
  MPI_Scatter(s, 2, MPI_INT, r, 2, MPI_INT, last, comm);
  MPI_Scatterv(s, b.counts.data(), b.places.data(), MPI_INT, r, rank + 1, MPI_INT, last, comm);
  MPI_Allgather(s, 2, MPI_INT, r, 2, MPI_INT, comm);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, r, 2, MPI_INT, comm);
  MPI_Allgatherv(s, rank + 1, MPI_INT, r, b.counts.data(), b.places.data(), MPI_INT, comm);
  MPI_Alltoall(s, 2, MPI_INT, r, 2, MPI_INT, comm);
  MPI_Alltoallv(s, b.mine.data(), b.my_places.data(), MPI_INT, r, b.mine.data(), b.my_places.data(), MPI_INT, comm);
  MPI_Alltoallw(s, b.mine.data(), byte_places.data(), b.types.data(), r, b.mine.data(), byte_places.data(),
                b.types.data(), comm);
}

void nonblocking_collectives(MPI_Comm comm) {
  Buffers b(size);
  std::vector<int> byte_places;
  for (const int place : b.my_places) byte_places.push_back(place * 4);
  int* s = b.sent.data();
  int* r = b.received.data();
  MPI_Request request;
  const auto wait = [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); };
  MPI_Ibarrier(comm, &request), wait();
  MPI_Ibcast(s, 10, MPI_INT, 0, comm, &request), wait();
  MPI_Ireduce(s, r, 3, MPI_INT, MPI_SUM, 1, comm, &request), wait();
  MPI_Iallreduce(s, r, 5, MPI_INT, MPI_MAX, comm, &request), wait();
  MPI_Iscan(s, r, 2, MPI_INT, MPI_SUM, comm, &request), wait();
  MPI_Iexscan(s, r, 2, MPI_INT, MPI_SUM, comm, &request), wait();
  MPI_Ireduce_scatter_block(s, r, 2, MPI_INT, MPI_SUM, comm, &request), wait();
  MPI_Ireduce_scatter(s, r, b.counts.data(), MPI_INT, MPI_SUM, comm, &request), wait();
  MPI_Igather(s, 2, MPI_INT, r, 2, MPI_INT, 0, comm, &request), wait();
  MPI_Igatherv(s, rank + 1, MPI_INT, r, b.counts.data(), b.places.data(), MPI_INT, 0, comm, &request), wait();
  MPI_Iscatter(s, 2, MPI_INT, r, 2, MPI_INT, 0, comm, &request), wait();
  MPI_Iscatterv(s, b.counts.data(), b.places.data(), MPI_INT, r, rank + 1, MPI_INT, 0, comm, &request), wait();
  MPI_Iallgather(s, 2, MPI_INT, r, 2, MPI_INT, comm, &request), wait();
  MPI_Iallgatherv(s, rank + 1, MPI_INT, r, b.counts.data(), b.places.data(), MPI_INT, comm, &request), wait();
  MPI_Ialltoall(s, 2, MPI_INT, r, 2, MPI_INT, comm, &request), wait();
  MPI_Ialltoallv(s, b.mine.data(), b.my_places.data(), MPI_INT, r, b.mine.data(), b.my_places.data(), MPI_INT, comm,
                 &request),
      wait();
  MPI_Ialltoallw(s, b.mine.data(), byte_places.data(), b.types.data(), r, b.mine.data(), byte_places.data(),
                 b.types.data(), comm, &request);
  wait();
}

void neighbours(MPI_Comm comm) {
  int s[8] = {}, r[8] = {};
  int counts[2] = {2, 2}, places[2] = {0, 2};
  MPI_Aint byte_places[2] = {0, 8};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Request request;
  const auto wait = [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); };
  MPI_Neighbor_allgather(s, 1, MPI_INT, r, 1, MPI_INT, comm);
  MPI_Neighbor_allgatherv(s, 2, MPI_INT, r, counts, places, MPI_INT, comm);
  MPI_Neighbor_alltoall(s, 1, MPI_INT, r, 1, MPI_INT, comm);
  MPI_Neighbor_alltoallv(s, counts, places, MPI_INT, r, counts, places, MPI_INT, comm);
  MPI_Neighbor_alltoallw(s, counts, byte_places, types, r, counts, byte_places, types, comm);
  MPI_Ineighbor_allgather(s, 1, MPI_INT, r, 1, MPI_INT, comm, &request), wait();
  MPI_Ineighbor_allgatherv(s, 2, MPI_INT, r, counts, places, MPI_INT, comm, &request), wait();
  MPI_Ineighbor_alltoall(s, 1, MPI_INT, r, 1, MPI_INT, comm, &request), wait();
  MPI_Ineighbor_alltoallv(s, counts, places, MPI_INT, r, counts, places, MPI_INT, comm, &request), wait();
  MPI_Ineighbor_alltoallw(s, counts, byte_places, types, r, counts, byte_places, types, comm, &request), wait();
}

void communicators() {
  MPI_Comm made, again;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Barrier(made);
  MPI_Comm_dup_with_info(made, MPI_INFO_NULL, &again);
  MPI_Comm_free(&again);
  MPI_Request request;
  MPI_Comm_idup(made, &again, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(again);
  MPI_Comm_free(&again);
  MPI_Comm_free(&made);

  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &made);  // backwards
  int value = 1, sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, made);
  MPI_Comm_disconnect(&made);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &made);
  if (made != MPI_COMM_NULL) {
    MPI_Barrier(made);
    MPI_Comm_free(&made);
  }
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
  MPI_Barrier(made);
  MPI_Comm_free(&made);

  MPI_Group world, part;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int first[2] = {1, 0};
  MPI_Group_incl(world, 2, first, &part);
  MPI_Comm_create(MPI_COMM_WORLD, part, &made);
  if (made != MPI_COMM_NULL) {
    MPI_Bcast(&value, 1, MPI_INT, 0, made);
    MPI_Comm_free(&made);
  }
  if (rank < 2) {
    MPI_Comm_create_group(MPI_COMM_WORLD, part, 5, &made);
    MPI_Barrier(made);
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&part);
  MPI_Group_free(&world);

  MPI_Comm half, inter, merged;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2 ? 0 : 1, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < size / 2 ? size / 2 : 0, 9, &inter);
  int half_rank = 0;
  MPI_Comm_rank(half, &half_rank);
  if (half_rank == 0) MPI_Sendrecv(&value, 1, MPI_INT, 0, 40, &sum, 1, MPI_INT, 0, 40, inter, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge(inter, rank < size / 2 ? 0 : 1, &merged);
  MPI_Barrier(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

void topologies() {
  MPI_Comm made, row;
  int sizes[2] = {0, 0}, periods[2] = {1, 0}, remain[2] = {1, 0};
  MPI_Dims_create(size, 2, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &made);
  MPI_Cart_sub(made, remain, &row);
  MPI_Barrier(row);
  MPI_Comm_free(&row);
  MPI_Comm_free(&made);

  const int line = size, periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &line, &periodic, 0, &made);
  neighbours(made);
  MPI_Comm_free(&made);

  std::vector<int> index, edges;
  for (int i = 0; i < size; ++i) {
    index.push_back(2 * (i + 1));
    edges.push_back((i + size - 1) % size);
    edges.push_back((i + 1) % size);
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index.data(), edges.data(), 0, &made);
  int s = 0, r[2];
  MPI_Neighbor_allgather(&s, 1, MPI_INT, r, 1, MPI_INT, made);
  MPI_Comm_free(&made);

  const int in = previous(), out = next();
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &in, MPI_UNWEIGHTED, 1, &out, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &made);
  MPI_Neighbor_alltoall(&s, 1, MPI_INT, r, 1, MPI_INT, made);
  MPI_Comm_free(&made);
  const int degree = 1, weight = 3;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &out, &weight, MPI_INFO_NULL, 0, &made);
  MPI_Neighbor_allgather(&s, 1, MPI_INT, r, 1, MPI_INT, made);
  MPI_Comm_free(&made);
}

void one_sided() {
  std::vector<long> memory(16), mine(16);
  long* m = mine.data();
  MPI_Win window;
  MPI_Win_create(memory.data(), 16 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(m, 2, MPI_LONG, next(), 0, 2, MPI_LONG, window);
  MPI_Win_fence(0, window);
  MPI_Get(m, 2, MPI_LONG, previous(), 0, 2, MPI_LONG, window);
  MPI_Win_fence(0, window);
  MPI_Accumulate(m, 3, MPI_LONG, next(), 4, 3, MPI_LONG, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_lock(MPI_LOCK_SHARED, next(), 0, window);
  MPI_Get_accumulate(m, 1, MPI_LONG, m + 1, 1, MPI_LONG, next(), 8, 1, MPI_LONG, MPI_SUM, window);
  MPI_Win_flush(next(), window);
  MPI_Fetch_and_op(m, m + 2, MPI_LONG, next(), 8, MPI_SUM, window);
  MPI_Win_flush_local(next(), window);
  MPI_Compare_and_swap(m, m + 3, m + 4, MPI_LONG, next(), 9, window);
  MPI_Win_unlock(next(), window);
  MPI_Win_lock_all(0, window);
  MPI_Request requests[4];
  MPI_Rput(m, 1, MPI_LONG, next(), 10, 1, MPI_LONG, window, &requests[0]);
  MPI_Rget(m + 5, 1, MPI_LONG, next(), 11, 1, MPI_LONG, window, &requests[1]);
  MPI_Raccumulate(m, 1, MPI_LONG, next(), 12, 1, MPI_LONG, MPI_SUM, window, &requests[2]);
  MPI_Rget_accumulate(m, 1, MPI_LONG, m + 6, 1, MPI_LONG, next(), 13, 1, MPI_LONG, MPI_SUM, window, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Win_flush_all(window);
  MPI_Win_flush_local_all(window);
  MPI_Win_sync(window);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);

  MPI_Group world, to, from;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int out = next(), in = previous();
  MPI_Group_incl(world, 1, &out, &to);
  MPI_Group_incl(world, 1, &in, &from);
  void* base = nullptr;
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  for (int round = 0; round < 2; ++round) {
    MPI_Win_post(from, 0, window);
    MPI_Win_start(to, 0, window);
    MPI_Put(m, 1, MPI_LONG, out, 0, 1, MPI_LONG, window);
    MPI_Win_complete(window);
    if (round == 0) MPI_Win_wait(window);
    else
      for (int flag = 0; flag == 0;) MPI_Win_test(window, &flag);
  }
  MPI_Win_free(&window);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_free(&window);
  MPI_Comm shared;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, shared, &base, &window);
  MPI_Win_free(&window);
  MPI_Comm_free(&shared);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Group_free(&world);
}

void what_is_not_recorded() {
  int value = 0;
  MPI_Pcontrol(0);
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) {
    std::fprintf(stderr, "every_call needs two ranks or more\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  blocking_messages();
  probes();
  completions();
  persistent_requests();
  collectives(MPI_COMM_WORLD);
  nonblocking_collectives(MPI_COMM_WORLD);
  communicators();
  topologies();
  one_sided();
  what_is_not_recorded();
  MPI_Finalize();
  return 0;
}
