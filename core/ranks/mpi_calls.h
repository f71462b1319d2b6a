// Functions of the module that links MPI, which the program loads when a launcher such as mpirun
// has started it. Functions with a request return at once, and it is tested until it is done;
// begin(), split() and finish() wait for other ranks. Functions return 0, or a code of MPI that
// error_text describes. Calls come from one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tl {

/// Changes with this interface; program and module must have the same.
inline constexpr int kMpiCallsVersion = 1;
inline constexpr const char* kMpiCallsName = "treelight_mpi_calls";

/// Room for MPI's own type: an integer or a pointer.
using MpiRequest = std::uint64_t;

/// Elements of sums.
enum class MpiNumber : int { float32, float64 };

/// Index of the group of all ranks; others come from split().
inline constexpr int kAllRanks = 0;
/// Most bytes, or numbers, of one call, whose counts are ints.
inline constexpr std::size_t kMostOfMpiCall = std::size_t{1} << 30;

/// Head of a record of RankGroup::choose_largest(): a size, which is a number, and its index.
struct MpiCandidate {
    double size;
    std::int32_t index;
    std::int32_t owns_second;  ///< whether the second half of what follows is this rank's
};

struct MpiCalls {
    int version;
    int (*begin)();  ///< before all other functions
    /// The number of processes of a group, and this one's among them.
    int (*find_rank)(int group, int* rank, int* size);
    /// Groups of processes with the same color, ordered by key. Waits for all processes of `group`.
    int (*split)(int group, int color, int key, int* part);
    int (*send)(int group, const void* from, std::size_t bytes, int to, int tag,
                MpiRequest* request);
    int (*receive)(int group, void* to, std::size_t bytes, int from, int tag, MpiRequest* request);
    /// Finds a message that has arrived from any rank.
    int (*probe)(int group, int tag, int* found, int* from, std::size_t* bytes);
    int (*broadcast)(int group, void* data, std::size_t bytes, int root, MpiRequest* request);
    /// Replaces the numbers of the root by sums over all ranks; root -1: those of each.
    int (*add)(int group, void* numbers, std::size_t count, MpiNumber type, int root,
               MpiRequest* request);
    /// Leaves at all ranks the record that RankGroup::choose_largest() describes.
    int (*choose_largest)(int group, void* record, std::size_t bytes, MpiRequest* request);
    int (*gather)(int group, const void* from, std::size_t bytes, void* to, int root,
                  MpiRequest* request);
    int (*test)(MpiRequest* request, int* done);
    void (*error_text)(int code, char* text, std::size_t bytes);
    void (*finish)();         ///< waits for all ranks
    void (*abort)(int code);  ///< ends all ranks, and does not return
};

}  // namespace tl
