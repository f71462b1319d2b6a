// Deals the frames of a sequence to the ranks of a job as they come free, and brings their pictures
// to the root.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/jobs/rank_progress.h"

namespace tl {

/// At the root a thread does all that needs MPI, so that other ranks are answered while the root
/// renders: until finish() returns, only that thread may use the ranks there.
class FrameDealer {
  public:
    /// Functions of the root, called by the dealer's thread; elsewhere they are not used.
    struct Output {
        /// Receives the picture of a frame. An exception ends the sequence.
        std::function<void(std::size_t frame, const std::string& bytes)> write;
        /// Receives the number of pictures written and of frames in progress, with fractions.
        std::function<void(std::size_t written, double in_progress)> show;
        bool in_order = false;  ///< pictures are written in the order of their frames
    };
    FrameDealer(RankGroup& ranks, std::size_t n_frames, std::chrono::seconds limit, Output output);
    ~FrameDealer();
    FrameDealer(const FrameDealer&) = delete;
    FrameDealer& operator=(const FrameDealer&) = delete;

    /// Index of the frame that this rank renders next; none: all are dealt.
    [[nodiscard]] std::optional<std::size_t> next();
    /// Records the fraction of its frame that this rank has rendered.
    void show(double fraction);
    /// Whether the sequence has failed, so that frames are rendered for nothing; at the root.
    [[nodiscard]] bool has_failed();
    /// Brings the bytes of a picture to the root.
    void give(std::size_t frame, std::string bytes);
    /// Ends this rank's work; a frame that it has not given is dropped. At the root: waits for the
    /// other ranks, which get none of the frames left if `is_stopped`, and returns the number of
    /// pictures written. Throws the error of writing, or UserError for a lost rank.
    std::size_t finish(bool is_stopped);

  private:
    using Clock = std::chrono::steady_clock;
    struct Rank {
        double fraction = 0;
        bool has_left = false;
        Clock::time_point heartbeat = Clock::now();
    };
    static constexpr std::int64_t kNone = -1, kLater = -2;

    // Functions of the dealer's thread:
    void deal();
    [[nodiscard]] bool serve();
    [[nodiscard]] bool all_have_left();
    void answer_requests();
    void receive_pictures();
    void receive_fractions();
    void write_pictures();
    void require_heartbeats();
    void fail(const std::exception& error);
    // Functions of the root that need the lock:
    [[nodiscard]] std::int64_t take_frame();
    void keep(std::size_t frame, std::string bytes);

    RankGroup& ranks_;
    std::size_t n_frames_;
    std::chrono::seconds limit_;
    Output output_;

    // Members of other ranks:
    ProgressSender sender_;
    bool has_left_ = false;

    // Members of the root:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Rank> states_;
    std::map<std::size_t, std::string> pictures_;  ///< not written yet
    std::size_t n_dealt_ = 0, n_written_ = 0, waiting_bytes_ = 0;
    bool is_stopped_ = false;
    std::exception_ptr error_;
    std::atomic<bool> is_abandoned_ = false;
    std::thread thread_;
};

}  // namespace tl
