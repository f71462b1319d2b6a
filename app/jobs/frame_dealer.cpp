#include "app/jobs/frame_dealer.h"

#include <algorithm>

#include "core/base/error.h"

namespace tl {
namespace {

struct PictureHeader {
    std::uint64_t frame = 0, bytes = 0;
};

constexpr std::chrono::milliseconds kDealerPause(1), kBetweenAnswers(20);

/// Pictures that may wait for a slow disk, or for those before them: for each rank, and in bytes.
constexpr std::size_t kWaitingOfRank = 4, kWaitingBytes = std::size_t{2} << 30;

}  // namespace

FrameDealer::FrameDealer(RankGroup& ranks, std::size_t n_frames, std::chrono::seconds limit,
                         Output output)
    : ranks_(ranks),
      n_frames_(n_frames),
      limit_(limit),
      output_(std::move(output)),
      sender_(ranks),
      states_(static_cast<std::size_t>(ranks.size())) {
    if (ranks.is_root()) thread_ = std::thread([this] { deal(); });
}

FrameDealer::~FrameDealer() {
    // After an exception the job is about to end, and other ranks are not waited for.
    if (!thread_.joinable()) return;
    is_abandoned_ = true;
    thread_.join();
}

// --- the root's main thread, and other ranks -----------------------------------------------------

std::optional<std::size_t> FrameDealer::next() {
    std::int64_t frame = kLater;
    if (ranks_.is_root()) {
        std::unique_lock lock(mutex_);
        while ((frame = take_frame()) == kLater) changed_.wait_for(lock, kBetweenAnswers);
    }
    while (frame == kLater) {
        char leaves = 0;
        ranks_.send(&leaves, 1, 0, kRequestTag);
        ranks_.receive(&frame, sizeof frame, 0, kFrameTag);
        if (frame == kLater) std::this_thread::sleep_for(kBetweenAnswers);
    }
    has_left_ = has_left_ || frame == kNone;
    return frame == kNone ? std::nullopt : std::optional(static_cast<std::size_t>(frame));
}

void FrameDealer::show(double fraction) {
    if (!ranks_.is_root()) return sender_.send(fraction);
    std::scoped_lock lock(mutex_);
    states_[0].fraction = fraction;
}

bool FrameDealer::has_failed() {
    std::scoped_lock lock(mutex_);
    return error_ != nullptr;
}

void FrameDealer::give(std::size_t frame, std::string bytes) {
    if (!ranks_.is_root()) {
        PictureHeader header{frame, bytes.size()};
        ranks_.send(&header, sizeof header, 0, kPictureTag);
        ranks_.send(bytes.data(), bytes.size(), 0, kBytesTag);
        return;
    }
    std::scoped_lock lock(mutex_);
    states_[0].fraction = 0;
    keep(frame, std::move(bytes));
}

std::size_t FrameDealer::finish(bool is_stopped) {
    if (!ranks_.is_root()) {
        sender_.finish();
        char leaves = 1;
        if (!has_left_) ranks_.send(&leaves, 1, 0, kRequestTag);
        has_left_ = true;
        return 0;
    }
    {
        std::scoped_lock lock(mutex_);
        is_stopped_ = is_stopped_ || is_stopped;
        states_[0].has_left = true;
    }
    thread_.join();
    if (error_) std::rethrow_exception(error_);
    return n_written_;
}

// --- the root's dealing thread -------------------------------------------------------------------

void FrameDealer::deal() {
    try {
        while (serve()) std::this_thread::sleep_for(kDealerPause);
    } catch (const std::exception& error) {
        fail(error);
    }
}

bool FrameDealer::serve() {
    // Pictures of ranks that have left were sent before, so they are received below.
    bool all_left = all_have_left();
    receive_pictures();
    answer_requests();
    receive_fractions();
    require_heartbeats();
    write_pictures();
    std::scoped_lock lock(mutex_);
    double in_progress = 0;
    for (auto& state : states_) in_progress += state.has_left ? 0 : std::min(state.fraction, 1.0);
    if (output_.show && !error_) output_.show(n_written_, in_progress);
    bool ends = all_left && (pictures_.empty() || is_stopped_ || error_);
    return !ends && !is_abandoned_;
}

void FrameDealer::keep(std::size_t frame, std::string bytes) {
    waiting_bytes_ += bytes.size();
    pictures_[frame] = std::move(bytes);
}

std::int64_t FrameDealer::take_frame() {
    if (is_stopped_ || error_ || n_dealt_ == n_frames_) return kNone;
    std::size_t most = kWaitingOfRank * static_cast<std::size_t>(ranks_.size());
    bool is_ahead = output_.in_order ? n_dealt_ >= n_written_ + most : pictures_.size() >= most;
    // The frame that others wait for has been dealt, so the pictures become fewer.
    is_ahead = is_ahead || (waiting_bytes_ >= kWaitingBytes && n_dealt_ > n_written_);
    return is_ahead ? kLater : static_cast<std::int64_t>(n_dealt_++);
}

bool FrameDealer::all_have_left() {
    std::scoped_lock lock(mutex_);
    return std::all_of(states_.begin(), states_.end(), [](auto& state) { return state.has_left; });
}

void FrameDealer::answer_requests() {
    while (auto message = ranks_.find_message(kRequestTag)) {
        char leaves = 0;
        ranks_.receive(&leaves, 1, message->from, kRequestTag);
        std::int64_t frame = kNone;
        {
            std::scoped_lock lock(mutex_);
            auto& state = states_[static_cast<std::size_t>(message->from)];
            // A rank that was ended by a signal ends the sequence, as at the root.
            is_stopped_ = is_stopped_ || leaves;
            frame = take_frame();
            state.fraction = 0;
            state.has_left = state.has_left || frame == kNone;
            state.heartbeat = Clock::now();
        }
        if (!leaves) ranks_.send(&frame, sizeof frame, message->from, kFrameTag);
    }
}

void FrameDealer::receive_pictures() {
    while (auto message = ranks_.find_message(kPictureTag)) {
        PictureHeader header;
        ranks_.receive(&header, sizeof header, message->from, kPictureTag);
        std::string bytes(header.bytes, '\0');
        ranks_.receive(bytes.data(), bytes.size(), message->from, kBytesTag);
        std::scoped_lock lock(mutex_);
        auto& state = states_[static_cast<std::size_t>(message->from)];
        state.fraction = 0;
        state.heartbeat = Clock::now();
        keep(header.frame, std::move(bytes));
    }
}

void FrameDealer::receive_fractions() {
    while (auto message = ranks_.find_message(kProgressTag)) {
        double fraction = 0;
        ranks_.receive(&fraction, sizeof fraction, message->from, kProgressTag);
        std::scoped_lock lock(mutex_);
        auto& state = states_[static_cast<std::size_t>(message->from)];
        state.fraction = fraction;
        state.heartbeat = Clock::now();
    }
}

void FrameDealer::write_pictures() {
    for (;;) {
        std::pair<std::size_t, std::string> picture;
        {
            std::scoped_lock lock(mutex_);
            bool waits =
                pictures_.empty() || (output_.in_order && pictures_.begin()->first != n_written_);
            if (waits || error_) return;
            picture = {pictures_.begin()->first, std::move(pictures_.begin()->second)};
            pictures_.erase(pictures_.begin());
            waiting_bytes_ -= picture.second.size();
        }
        try {
            output_.write(picture.first, picture.second);
        } catch (const std::exception& error) {
            return fail(error);
        }
        std::scoped_lock lock(mutex_);
        ++n_written_;
        changed_.notify_all();
    }
}

void FrameDealer::require_heartbeats() {
    auto now = Clock::now();
    std::scoped_lock lock(mutex_);
    for (std::size_t rank = 1; rank < states_.size(); ++rank)
        if (!states_[rank].has_left && now - states_[rank].heartbeat > limit_)
            throw UserError(lost_rank_text(static_cast<int>(rank), limit_) +
                            "; the same command with --resume renders the missing frames");
}

void FrameDealer::fail(const std::exception&) {
    std::scoped_lock lock(mutex_);
    if (!error_) error_ = std::current_exception();
    changed_.notify_all();
}

}  // namespace tl
