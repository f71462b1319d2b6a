// Who may use the viewer's sessions: the loop's thread, except while a frame, or another long work
// on them, runs in a thread of its own. What changes a session goes through the gate, which lets it
// wait until then. No GL, no ImGui.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "accel/parallel/device.h"
#include "app/jobs/work_share.h"

namespace tl {

class SessionGate {
  public:
    /// A change of the sessions.
    struct Edit {
        /// Runs in the loop's thread.
        std::function<void()> apply;
        /// Runs before it and may take long, in another thread where the viewer has one; may be
        /// null. Reads the sessions and must not throw.
        std::function<void()> prepare{};
        /// How much of a running frame it makes pointless.
        Abandon ends = Abandon::everything;
        /// "building the tree of ..."; shown while prepare() runs.
        std::string title{};
        /// Replaces an edit of the same name that waits; "": replaces none.
        std::string name{};
        bool must_run = false;  ///< also when the viewer is closed meanwhile
        /// How far prepare() is; null: unknown.
        std::shared_ptr<const WorkShare> share{};
        /// Runs in place of apply() if the user cancels the preparation; null: cannot be cancelled.
        std::function<void()> cancelled{};
    };

    /// Runs the edit now or, while the gate is closed, when it opens; in the order of the calls.
    /// One that a running edit gives runs at once, as a part of it, unless it is prepared in
    /// another thread: then it is the next one.
    void edit(Edit edit);
    void edit(std::function<void()> apply) { edit(Edit{std::move(apply)}); }

    /// Drops edits of this name that wait.
    void take_back(std::string_view name);

    /// Called by an edit as it runs: what comes right after it, before all that waits. Nothing else
    /// happens to the sessions in between.
    void follow(Edit edit) { follow_ = std::move(edit); }

    [[nodiscard]] bool open() const { return !closed_; }
    /// Whether an edit waits, or is being prepared.
    [[nodiscard]] bool busy() const { return !waiting_.empty() || !title_.empty(); }
    /// Whether an edit waits that the viewer has to run before it closes.
    [[nodiscard]] bool must_run() const;
    /// Whether an edit waits whose name begins like this.
    [[nodiscard]] bool waits_for(std::string_view name) const;
    /// Title of the edit that is being prepared, or "".
    [[nodiscard]] const std::string& title() const { return title_; }
    /// Seconds since that has begun.
    [[nodiscard]] double seconds() const;
    /// How far that is; null: unknown.
    [[nodiscard]] const WorkShare* share() const { return share_.get(); }
    /// Cancels what is being prepared: it comes to nothing once it ends, which it is asked to.
    void cancel() {
        cancelled_ = true;
        abandon(Abandon::everything);
    }
    [[nodiscard]] bool can_cancel() const { return cancels_ && !cancelled_; }

    /// Asks the running frame to end.
    void abandon(Abandon how_much);
    /// What the running frame has been asked for; sessions heed it.
    [[nodiscard]] const std::atomic<Abandon>& asked() const { return asked_; }

    /// For the loop. Closes the gate: a frame or a preparation begins in another thread.
    void close() { closed_ = true; }
    /// For the loop. Opens the gate and runs what waits, up to an edit with a preparation.
    void reopen();
    /// The same, after the preparation of this edit, which is applied first.
    void reopen_after(const Edit& prepared);
    /// For the loop. The next edit that has a preparation to run, which must then be applied.
    [[nodiscard]] bool has_preparation() const;
    [[nodiscard]] Edit take_preparation();
    /// The number of edits that have run.
    [[nodiscard]] std::uint64_t edits() const { return n_edits_; }
    /// Whether an edit has run since the last call.
    [[nodiscard]] bool take_edited() { return std::exchange(edited_, false); }

    /// Long edits are prepared in another thread, by the loop; else at once.
    bool prepares_apart = false;

  private:
    void run(const Edit& edit);
    void apply(const Edit& edit);

    std::deque<Edit> waiting_;
    std::ptrdiff_t n_next_ = 0;  // the first of these come from the edit that is running
    std::optional<Edit> follow_;
    std::string title_;
    std::shared_ptr<const WorkShare> share_;
    std::chrono::steady_clock::time_point began_;
    bool cancels_ = false, cancelled_ = false;  // what is being prepared may be, was cancelled
    std::uint64_t n_edits_ = 0;
    bool closed_ = false, edited_ = false, running_ = false;
    std::atomic<Abandon> asked_ = Abandon::nothing;
};

}  // namespace tl
