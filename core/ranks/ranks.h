// Processes of one job, on one machine or many, that a launcher of MPI has started: messages and
// sums between them. MPI itself is in a module that is loaded only then. Waits for messages and
// sums have a limit, so that a rank that is lost ends the job with an error instead of a hang.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ranks/mpi_calls.h"

namespace tl {

/// Position of this process in a job, as its launcher says in the environment.
struct LaunchedRank {
    int rank = 0, size = 1;
};
/// Open MPI, MPICH's PMI, and PMIx under Slurm are known. One rank where there was no launcher.
[[nodiscard]] LaunchedRank find_launched_rank();
/// Assigns GPUs of a machine to its ranks, round robin, by CUDA_VISIBLE_DEVICES. Must be called
/// before CUDA or MPI is first used, which read it.
void choose_gpu_of_rank();

/// A message that has arrived, or can be received without waiting.
struct RankMessage {
    int from = 0;
    std::size_t bytes = 0;
};

/// A pending transfer. Its buffers must stay valid until wait() returns or is_done() is true.
struct RankRequest {
    std::vector<MpiRequest> parts;
    std::string what;       ///< for messages: "the sums of rank 0"
    std::size_t bytes = 0;  ///< in all
};

/// All ranks of the job, or a part of them. Collective functions must be called by all ranks of the
/// group in the same order. Functions throw UserError for an error of MPI, and if what they wait
/// for lasts longer than the limit.
class RankGroup {
  public:
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool is_root() const { return rank_ == 0; }

    void send(const void* from, std::size_t bytes, int to, int tag);
    void receive(void* to, std::size_t bytes, int from, int tag);
    [[nodiscard]] RankRequest start_send(const void* from, std::size_t bytes, int to, int tag);
    [[nodiscard]] RankRequest start_receive(void* to, std::size_t bytes, int from, int tag);
    /// A message with this tag from any rank, if one has arrived. Messages of more than
    /// kMostOfMpiCall bytes arrive in several parts.
    [[nodiscard]] std::optional<RankMessage> find_message(int tag);

    /// Collective: the root's bytes for all.
    void broadcast(void* data, std::size_t bytes, int root);
    [[nodiscard]] RankRequest start_broadcast(void* data, std::size_t bytes, int root);
    /// Collective: replaces the numbers of the root by the sums over the ranks; -1: those of all.
    void add(float* numbers, std::size_t count, int root);
    void add(double* numbers, std::size_t count, int root);
    /// Collective: the record of the rank with the largest size, at the lowest index of equals. A
    /// record is an MpiCandidate and two halves of equal bytes; the second half becomes that of the
    /// rank that owns it. All records have as many bytes.
    void choose_largest(void* record, std::size_t bytes);
    /// Collective: each rank's text, at the root; empty elsewhere.
    [[nodiscard]] std::vector<std::string> gather(const std::string& text);
    /// Collective: groups of the ranks with the same color, ordered by key.
    [[nodiscard]] RankGroup split(int color, int key) const;

    /// Whether the work is done; never waits.
    [[nodiscard]] bool is_done(RankRequest& request);
    void wait(RankRequest& request);

  private:
    friend class Ranks;
    RankGroup(const MpiCalls& calls, int group, std::chrono::seconds limit);
    void check(int code, const std::string& what) const;
    template <class Start>
    RankRequest in_parts(std::size_t count, std::string what, const Start& start);
    template <class T>
    void add_numbers(T* numbers, std::size_t count, int root);

    const MpiCalls* calls_;
    int group_, rank_ = 0, size_ = 1;
    std::chrono::seconds limit_;
};

/// The job of this process.
class Ranks {
  public:
    /// The ranks if a launcher has started more than one; else null. `build`: text that must be the
    /// same on all ranks. Throws UserError if MPI is missing, or programs differ.
    [[nodiscard]] static std::unique_ptr<Ranks> open(const std::string& build,
                                                     std::chrono::seconds limit);
    /// Ends as end() does.
    ~Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    [[nodiscard]] RankGroup& all() { return all_; }
    [[nodiscard]] int size() const { return all_.size(); }
    [[nodiscard]] bool is_root() const { return all_.is_root(); }
    /// Collective: throws at all ranks if any has an error: UserError with the errors of all at the
    /// root, or UsageError for its own with `is_usage`; ReportedByRoot elsewhere.
    void agree(const std::string& error, bool is_usage = false);
    /// Called when this rank has sent and received its last message: a failure from then on is no
    /// other rank's.
    void conclude() { agreed_ = true; }
    /// Ends MPI, once all ranks do. After a failure of this rank alone, ends the whole job at once.
    void end(bool failed);

  private:
    Ranks(const MpiCalls& calls, std::chrono::seconds limit);

    const MpiCalls* calls_;
    int n_exceptions_;
    bool agreed_ = false, ended_ = false;  // agreed: all ranks are about to end
    RankGroup all_;
};

/// Thrown at other ranks where the root reports the error.
class ReportedByRoot : public std::exception {};

}  // namespace tl
