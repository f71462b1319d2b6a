#include "app/viewer/random_input/random_input_context.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "app/jobs/background_job.h"
#include "app/jobs/format.h"
#include "app/jobs/resident_memory.h"

namespace tl {
namespace {

constexpr std::uint64_t kEventsBetween = 1000;  // two comparisons of memory
constexpr unsigned kLongestSilence = 120;       // seconds without an answer that count as a failure
constexpr std::size_t kListedFrames = 5;        // of the longest frames

/// Seconds that the calling thread has computed.
double thread_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double mebibytes(std::size_t bytes) {
    return double(bytes) / (1 << 20);
}

}  // namespace

RandomInputContext::RandomInputContext(std::unique_ptr<GlContext> window, const Config& config,
                                       const std::vector<ViewerCommand>& commands)
    : window_(std::move(window)),
      config_(config),
      input_(config.seed, commands, config.files),
      log_(config.seed, kLongestSilence) {}

void RandomInputContext::swap() {
    window_->swap();
    ++n_frames_;
}

bool RandomInputContext::should_close() const {
    // Frames of a settling count, too: the last one must not end the first settling.
    bool measured = !settle_ || measured_last_ || (memory_.empty() && !settling_);
    return (n_frames_ >= config_.frames && measured) || window_->should_close();
}

bool RandomInputContext::settles(double seconds) {
    bool due = n_events_ >= kEventsBetween * (memory_.size() + 1);
    bool last = n_frames_ >= config_.frames && !memory_.empty() && !measured_last_;
    if (!settle_ || !(due || last)) return false;
    log_.add("settling");
    // A routine of LAPACK in the background ends when it has finished: frames must leave it time.
    constexpr double kPause = 0.02;
    if (seconds > 0 || BackgroundWork::any_works())
        window_->wait_events(seconds > 0 ? std::min(seconds, kPause) : kPause);
    else
        window_->poll_events();
    (void)window_->take_events();
    if (!std::exchange(settling_, true)) {
        settling_since_ = std::chrono::steady_clock::now();
        // Nothing stays pressed.
        for (Key key : {Key::w, Key::a, Key::s, Key::d, Key::q, Key::e, Key::left_control})
            events_.emplace_back(KeyEvent{key, key, false, false, {}});
        for (int button = 0; button < 3; ++button)
            events_.emplace_back(ButtonEvent{static_cast<MouseButton>(button), false, {}});
    }
    // A scene that cannot be opened again would never be there.
    constexpr std::chrono::seconds kLongest{100};
    bool late = std::chrono::steady_clock::now() - settling_since_ > kLongest;
    if (!settle_() && !late) return true;
    if (late) note_ = ", which was not reached";
    settling_ = false;
    memory_.push_back({n_events_, resident_bytes(), resident_file_bytes(), allocated_bytes()});
    measured_last_ = last;
    return true;
}

void RandomInputContext::take_turn(double seconds) {
    end_frame();
    if (settles(seconds)) return;
    auto turn = input_.next(window_->size(), config_.scale);
    if (turn.resize) window_->resize(*turn.resize);
    if (seconds > 0 && turn.rest > 0)
        window_->wait_events(std::min(seconds, turn.rest));
    else
        window_->poll_events();
    (void)window_->take_events();  // the user's own input
    n_events_ += turn.events.size();
    for (auto& event : turn.events) events_.push_back(std::move(event));
    cause_ = std::move(turn.what);
    log_.add(cause_);
    in_turn_ = true;
    began_ = std::chrono::steady_clock::now();
    began_cpu_ = thread_seconds();
}

void RandomInputContext::end_frame() {
    if (!std::exchange(in_turn_, false)) return;
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    if (longest_.size() == kListedFrames && seconds <= longest_.back().seconds) return;
    Longest entry{seconds, thread_seconds() - began_cpu_,
                  std::to_string(n_events_) + ", " + cause_};
    auto after = std::ranges::find_if(longest_, [&](auto& l) { return l.seconds < seconds; });
    longest_.insert(after, std::move(entry));
    if (longest_.size() > kListedFrames) longest_.pop_back();
}

std::string RandomInputContext::summary() const {
    auto text = formatted("random input: seed %llu, %llu events, %llu frames of the interface\n",
                          static_cast<unsigned long long>(config_.seed),
                          static_cast<unsigned long long>(n_events_),
                          static_cast<unsigned long long>(n_frames_));
    for (auto& entry : longest_)
        text += formatted("%s %.0f ms, %.0f ms of them computing, after event %s\n",
                          &entry == longest_.data() ? "longest frames:" : "               ",
                          1000 * entry.seconds, 1000 * entry.cpu, entry.cause.c_str());
    text += formatted("resident memory: %.0f MiB at the end", mebibytes(resident_bytes()));
    if (!memory_.empty())
        text += "; MiB in the state of the beginning" + note_ + " (of files, allocated):";
    for (auto& at : memory_)
        text += formatted("\n%6llu events: %.1f (%.1f, %.1f)",
                          static_cast<unsigned long long>(at.events), mebibytes(at.resident),
                          mebibytes(at.of_files), mebibytes(at.allocated));
    return text + "\n";
}

}  // namespace tl
