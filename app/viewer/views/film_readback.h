// Reads a film's radiance back to the host asynchronously; frames do not wait.
#pragma once

#include <memory>

#include "session/session.h"

namespace tl {

/// Holds pinned host memory for one film, at most twice as much as needed. start() queues the copy,
/// ready() returns whether it has arrived, and then image() may be called by any thread.
class FilmReadback {
  public:
    FilmReadback() = default;
    ~FilmReadback() { release(); }
    FilmReadback(const FilmReadback&) = delete;
    FilmReadback& operator=(const FilmReadback&) = delete;

    /// Frees the memory. Nothing may be reading it.
    void release();

    /// Queues the copy after the session's newest frame. Throws UserError if memory is short.
    void start(Session& session);
    [[nodiscard]] bool ready() const { return event_ && event_->ready(); }
    /// Mean of the samples, as Film::radiance() computes it.
    [[nodiscard]] ImageF image() const;
    /// Sums of the samples, in host memory, until the next start().
    [[nodiscard]] FilmView film() const {
        FilmView view;
        view.radiance_sum = sums_;
        view.extent = extent_;
        return view;
    }
    [[nodiscard]] std::uint32_t samples() const { return samples_; }
    /// Session::pictures() when the copy was queued.
    [[nodiscard]] std::uint64_t picture() const { return picture_; }

    /// Bytes of host memory that it holds.
    [[nodiscard]] std::size_t bytes() const { return capacity_ * sizeof(vec4); }

  private:
    Device* device_ = nullptr;
    vec4* sums_ = nullptr;  // in memory of allocate_pinned()
    std::size_t capacity_ = 0;
    Extent extent_;
    std::uint32_t samples_ = 0;
    std::uint64_t picture_ = 0;
    std::unique_ptr<Event> event_;
};

}  // namespace tl
