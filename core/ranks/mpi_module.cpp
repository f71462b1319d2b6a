// The module that links MPI: its functions as a table. Built where MPI is found.
// Without the classes that old versions of MPI have for C++, whose library is not linked.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "core/ranks/mpi_calls.h"

namespace tl {
namespace {

static_assert(sizeof(MPI_Request) <= sizeof(MpiRequest));

std::vector<MPI_Comm>& groups() {
    static std::vector<MPI_Comm> list{MPI_COMM_WORLD};
    return list;
}

MPI_Comm comm_of(int group) {
    return groups()[static_cast<std::size_t>(group)];
}

MPI_Request* request_of(MpiRequest* request) {
    return reinterpret_cast<MPI_Request*>(request);
}

int begin() {
    int has_begun = 0, provided = 0;
    MPI_Initialized(&has_begun);
    // Ranks call from one thread at a time.
    int code = has_begun ? 0 : MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (!code) code = MPI_Query_thread(&provided);
    if (!code && provided < MPI_THREAD_SERIALIZED) code = MPI_ERR_UNSUPPORTED_OPERATION;
    return code ? code : MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

int find_rank(int group, int* rank, int* size) {
    int code = MPI_Comm_rank(comm_of(group), rank);
    return code ? code : MPI_Comm_size(comm_of(group), size);
}

int split(int group, int color, int key, int* part) {
    MPI_Comm made = MPI_COMM_NULL;
    if (int code = MPI_Comm_split(comm_of(group), color, key, &made)) return code;
    *part = static_cast<int>(groups().size());
    groups().push_back(made);
    return 0;
}

int send(int group, const void* from, std::size_t bytes, int to, int tag, MpiRequest* request) {
    return MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, to, tag, comm_of(group),
                     request_of(request));
}

int receive(int group, void* to, std::size_t bytes, int from, int tag, MpiRequest* request) {
    return MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, from, tag, comm_of(group),
                     request_of(request));
}

int probe(int group, int tag, int* found, int* from, std::size_t* bytes) {
    MPI_Status status;
    if (int code = MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_of(group), found, &status)) return code;
    if (!*found) return 0;
    *from = status.MPI_SOURCE;
    int count = 0;
    int code = MPI_Get_count(&status, MPI_BYTE, &count);
    *bytes = static_cast<std::size_t>(count);
    return code;
}

int broadcast(int group, void* data, std::size_t bytes, int root, MpiRequest* request) {
    return MPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, root, comm_of(group),
                      request_of(request));
}

int add(int group, void* numbers, std::size_t count, MpiNumber type, int root,
        MpiRequest* request) {
    auto number = type == MpiNumber::float32 ? MPI_FLOAT : MPI_DOUBLE;
    auto n = static_cast<int>(count);
    if (root < 0)
        return MPI_Iallreduce(MPI_IN_PLACE, numbers, n, number, MPI_SUM, comm_of(group),
                              request_of(request));
    int rank = 0;
    if (int code = MPI_Comm_rank(comm_of(group), &rank)) return code;
    return MPI_Ireduce(rank == root ? MPI_IN_PLACE : numbers, rank == root ? numbers : nullptr, n,
                       number, MPI_SUM, root, comm_of(group), request_of(request));
}

/// MPI's operation: `kept` becomes the record of the larger candidate, with the second half of the
/// one that owns it.
void keep_larger(void* offered, void* kept, int* count, MPI_Datatype* type) {
    int size = 0;
    MPI_Type_size(*type, &size);
    auto bytes = static_cast<std::size_t>(size), half = (bytes - sizeof(MpiCandidate)) / 2;
    auto *from = static_cast<char*>(offered), *to = static_cast<char*>(kept);
    for (int i = 0; i < *count; ++i, from += bytes, to += bytes) {
        MpiCandidate a, b;
        std::memcpy(&a, from, sizeof a);
        std::memcpy(&b, to, sizeof b);
        if (a.size > b.size || (a.size == b.size && a.index < b.index)) {
            b.size = a.size;
            b.index = a.index;
            std::memcpy(to + sizeof b, from + sizeof a, half);
        }
        if (a.owns_second) {
            b.owns_second = 1;
            std::memcpy(to + sizeof b + half, from + sizeof a + half, half);
        }
        std::memcpy(to, &b, sizeof b);
    }
}

/// MPI's type of records of that size, made on first use.
int find_record(std::size_t bytes, MPI_Datatype* type) {
    static std::map<std::size_t, MPI_Datatype> types;
    auto [row, is_new] = types.try_emplace(bytes, MPI_DATATYPE_NULL);
    int code = 0;
    if (is_new) code = MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &row->second);
    if (is_new && code == 0) code = MPI_Type_commit(&row->second);
    *type = row->second;
    return code;
}

int choose_largest(int group, void* record, std::size_t bytes, MpiRequest* request) {
    static MPI_Op larger = MPI_OP_NULL;
    if (larger == MPI_OP_NULL)
        if (int code = MPI_Op_create(keep_larger, 1, &larger)) return code;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (int code = find_record(bytes, &type)) return code;
    return MPI_Iallreduce(MPI_IN_PLACE, record, 1, type, larger, comm_of(group),
                          request_of(request));
}

int gather(int group, const void* from, std::size_t bytes, void* to, int root,
           MpiRequest* request) {
    auto n = static_cast<int>(bytes);
    return MPI_Igather(from, n, MPI_BYTE, to, n, MPI_BYTE, root, comm_of(group),
                       request_of(request));
}

int test(MpiRequest* request, int* done) {
    return MPI_Test(request_of(request), done, MPI_STATUS_IGNORE);
}

void error_text(int code, char* text, std::size_t bytes) {
    char found[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    MPI_Error_string(code, found, &length);
    std::snprintf(text, bytes, "%s", found);
}

void finish() {
    MPI_Finalize();
}

void abort_all(int code) {
    MPI_Abort(MPI_COMM_WORLD, code);
}

}  // namespace
}  // namespace tl

extern "C" __attribute__((visibility("default"))) const tl::MpiCalls treelight_mpi_calls{
    tl::kMpiCallsVersion, tl::begin, tl::find_rank,  tl::split,  tl::send,
    tl::receive,          tl::probe, tl::broadcast,  tl::add,    tl::choose_largest,
    tl::gather,           tl::test,  tl::error_text, tl::finish, tl::abort_all,
};
