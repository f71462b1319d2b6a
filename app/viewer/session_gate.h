// Arbitrates access to the viewer's sessions. They belong to the loop's thread, except while a
// frame, or another long work on them, runs in a thread of its own. Changes of a session go through
// the gate and wait until then. No GL, no ImGui.
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

#include "app/jobs/work_share.h"
#include "core/device/device.h"

namespace tl {

class SessionGate {
  public:
    /// A change of the sessions.
    struct Edit {
        /// Runs in the loop's thread.
        std::function<void()> apply;
        /// Runs before apply() and may take long, in another thread where the viewer has one; may
        /// be null. Reads the sessions and must not throw.
        std::function<void()> prepare{};
        /// Extent to which the edit cancels a running frame.
        Cancellation ends = Cancellation::everything;
        /// "building the tree of ..."; shown while prepare() runs.
        std::string title{};
        /// Replaces an edit of the same name that waits; "": replaces none.
        std::string name{};
        bool must_run = false;  ///< must also run if the viewer is closed meanwhile
        /// Progress of prepare(); null: unknown.
        std::shared_ptr<const WorkShare> share{};
        /// Runs instead of apply() if the user cancels the preparation; null: cannot be cancelled.
        std::function<void()> cancelled{};
    };

    /// Runs the edit now or, while the gate is closed, when it opens; in the order of the calls. An
    /// edit made by a running edit runs at once, as a part of it. If it is prepared in another
    /// thread, it is the next one instead.
    void edit(Edit edit);
    void edit(std::function<void()> apply) { edit(Edit{std::move(apply)}); }

    /// Drops waiting edits of this name.
    void take_back(std::string_view name);

    /// Sets the edit that runs right after the running one, before all waiting edits; called by the
    /// running edit. Nothing else changes the sessions in between.
    void follow(Edit edit) { follow_ = std::move(edit); }

    [[nodiscard]] bool open() const { return !closed_; }
    /// Whether an edit waits or is being prepared.
    [[nodiscard]] bool busy() const { return !waiting_.empty() || !title_.empty(); }
    /// Whether an edit waits that must run before the viewer closes.
    [[nodiscard]] bool must_run() const;
    /// Whether an edit waits whose name begins with `name`.
    [[nodiscard]] bool waits_for(std::string_view name) const;
    /// Title of the edit that is being prepared, or "".
    [[nodiscard]] const std::string& title() const { return title_; }
    /// Seconds since the preparation began.
    [[nodiscard]] double seconds() const;
    /// Progress of the preparation; null: unknown.
    [[nodiscard]] const WorkShare* share() const { return share_.get(); }
    /// Cancels the preparation: requests its end, and drops its edit then.
    void cancel() {
        cancelled_ = true;
        cancel_work(Cancellation::everything);
    }
    [[nodiscard]] bool can_cancel() const { return cancels_ && !cancelled_; }

    /// Requests the cancellation of the running frame.
    void cancel_work(Cancellation how_much);
    /// Cancellation request for the running frame; sessions poll it.
    [[nodiscard]] const std::atomic<Cancellation>& asked() const { return asked_; }

    /// Closes the gate, for the loop: a frame or a preparation begins in another thread.
    void close() { closed_ = true; }
    /// Opens the gate, for the loop, and runs waiting edits, up to one with a preparation.
    void reopen();
    /// Opens the gate after the preparation of this edit; applies it, or its cancellation, first.
    void reopen_after(const Edit& prepared);
    /// Whether the next edit has a preparation to run, for the loop. It must then be applied.
    [[nodiscard]] bool has_preparation() const;
    [[nodiscard]] Edit take_preparation();
    /// Number of edits that have run.
    [[nodiscard]] std::uint64_t edits() const { return n_edits_; }
    /// Whether an edit has run since the last call.
    [[nodiscard]] bool take_edited() { return std::exchange(edited_, false); }

    /// The loop prepares long edits in another thread; else they are prepared at once.
    bool prepares_apart = false;

  private:
    void run(const Edit& edit);
    void apply(const Edit& edit);

    std::deque<Edit> waiting_;
    // number of waiting edits, at the front, that the running edit has made
    std::ptrdiff_t n_next_ = 0;
    std::optional<Edit> follow_;
    std::string title_;
    std::shared_ptr<const WorkShare> share_;
    std::chrono::steady_clock::time_point began_;
    // whether the edit being prepared can be cancelled, and was
    bool cancels_ = false, cancelled_ = false;
    std::uint64_t n_edits_ = 0;
    bool closed_ = false, edited_ = false, running_ = false;
    std::atomic<Cancellation> asked_ = Cancellation::nothing;
};

}  // namespace tl
